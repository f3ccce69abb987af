// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// distributed::Covariance compared with ceres::Covariance of one process.

#include <cmath>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/distributed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

// Fixes the gauge: camera 0 is constant, and so is a coordinate of camera 1.
SceneSetup FixedGauge() {
  SceneSetup setup;
  setup.on_camera = [](Problem* problem, double* camera, int index) {
    if (index == 0) problem->SetParameterBlockConstant(camera);
    if (index == 1) problem->SetManifold(camera, new SubsetManifold(9, {3}));
  };
  return setup;
}

TEST(CovarianceOverRanks, IsThatOfOneProcess) {
  const BalProblem scene = SmallScene(6, 200);
  // One rank has all points: its problem is the whole one.
  SceneOnRanks whole(scene, MPI_COMM_SELF, FixedGauge());
  std::vector<std::pair<const double*, const double*>> blocks;
  const std::vector<std::pair<std::int64_t, std::int64_t>> ids = {
      {1, 1}, {2, 2}, {1, 3}, {5, 2}};
  for (const auto& [a, b] : ids) {
    blocks.emplace_back(whole.scene().camera(static_cast<int>(a)),
                        whole.scene().camera(static_cast<int>(b)));
  }
  Covariance::Options one_options;
  one_options.algorithm_type = SPARSE_QR;
  Covariance one(one_options);
  ASSERT_TRUE(one.Compute(blocks, &whole.problem()));

  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, FixedGauge());
  distributed::Covariance covariance;
  std::string error;
  ASSERT_TRUE(covariance.Compute(distributed::Options(), MPI_COMM_WORLD,
                                 on_ranks.shared(), ids, &on_ranks.problem(),
                                 &error))
      << error;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto& [a, b] = ids[i];
    const int rows = a == 1 ? 8 : 9;
    const int columns = b == 1 ? 8 : 9;
    std::vector<double> expected(rows * columns);
    std::vector<double> computed(rows * columns);
    std::vector<double> mirrored(rows * columns);
    ASSERT_TRUE(one.GetCovarianceBlockInTangentSpace(
        blocks[i].first, blocks[i].second, expected.data()));
    ASSERT_TRUE(
        covariance.GetCovarianceBlockInTangentSpace(a, b, computed.data()));
    ASSERT_TRUE(
        covariance.GetCovarianceBlockInTangentSpace(b, a, mirrored.data()));
    double largest = 0.0;
    for (const double value : expected) {
      largest = std::max(largest, std::abs(value));
    }
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        EXPECT_NEAR(expected[r * columns + c], computed[r * columns + c],
                    1e-5 * largest);
        if (a != b) {
          EXPECT_EQ(computed[r * columns + c], mirrored[c * rows + r]);
        }
      }
    }
  }
  double unused[81];
  EXPECT_FALSE(covariance.GetCovarianceBlockInTangentSpace(3, 4, unused));
}

TEST(CovarianceOverRanks, NamesBlocksThatHaveNone) {
  SceneOnRanks on_ranks(SmallScene(6, 200), MPI_COMM_WORLD, FixedGauge());
  for (const std::int64_t id : {0, 77}) {
    distributed::Covariance covariance;
    std::string error;
    EXPECT_FALSE(covariance.Compute(distributed::Options(), MPI_COMM_WORLD,
                                    on_ranks.shared(), {{id, id}},
                                    &on_ranks.problem(), &error));
    EXPECT_THAT(error, testing::HasSubstr("shared block " + std::to_string(id) +
                                          " has no covariance"));
  }
}

// A sum of two shared numbers says nothing about their difference.
struct Sum {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    residual[0] = a[0] + b[0] - 1.0;
    return true;
  }
};

TEST(CovarianceOverRanks, ReportsARankDeficientJacobian) {
  double a = 0.0;
  double b = 0.0;
  Problem problem;
  problem.AddResidualBlock(new AutoDiffCostFunction<Sum, 1, 1, 1>(new Sum),
                           nullptr, &a, &b);
  distributed::SharedBlocks shared;
  shared.Add(0, &a);
  shared.Add(1, &b);
  distributed::Covariance covariance;
  std::string error;
  EXPECT_FALSE(covariance.Compute(distributed::Options(), MPI_COMM_WORLD,
                                  shared, {{0, 0}}, &problem, &error));
  EXPECT_THAT(error, testing::HasSubstr("rank deficient"));
}

TEST(CovarianceOverRanks, RefusesOtherLinearSolvers) {
  SceneOnRanks on_ranks(SmallScene(6, 200), MPI_COMM_WORLD, FixedGauge());
  distributed::Options options;
  options.linear_solver_type = ITERATIVE_SCHUR;
  distributed::Covariance covariance;
  std::string error;
  EXPECT_FALSE(covariance.Compute(options, MPI_COMM_WORLD, on_ranks.shared(),
                                  {{1, 1}}, &on_ranks.problem(), &error));
  EXPECT_THAT(error, testing::HasSubstr("linear_solver_type"));
}

}  // namespace
}  // namespace ceres::examples
