// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves in which parameter blocks become one column block of the Jacobian.

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

// Cameras of nine coordinates in three blocks, one of them on a manifold.
class SplitCameras {
 public:
  static constexpr int kNumCameras = 5;
  static constexpr int kNumPoints = 40;

  SplitCameras() {
    for (int c = 0; c < kNumCameras; ++c) {
      positions_[c] = {0.1 * c, -0.2, 0.3};
      rotations_[c] = {0.8, 0.0, 0.6, 0.0};
      lenses_[c] = {0.2, 0.1, -0.1 * c};
      problem_.AddParameterBlock(positions_[c].data(), 3);
      problem_.AddParameterBlock(rotations_[c].data(), 4,
                                 new QuaternionManifold);
      problem_.AddParameterBlock(lenses_[c].data(), 3);
    }
    int seed = 0;
    for (int p = 0; p < kNumPoints; ++p) {
      points_[p] = {0.01 * p, 0.5, -0.02 * p};
      for (int c = p % 2; c < kNumCameras; ++c, ++seed) {
        problem_.AddResidualBlock(new SineCost(2, {3, 4, 3, 3}, seed),
                                  seed % 3 == 0 ? new CauchyLoss(1.0) : nullptr,
                                  positions_[c].data(), rotations_[c].data(),
                                  lenses_[c].data(), points_[p].data());
      }
    }
  }

  // Points first; then cameras, their lenses in a group of their own if
  // `lens_group` is another one.
  std::shared_ptr<ParameterBlockOrdering> Ordering(int lens_group) {
    auto ordering = std::make_shared<ParameterBlockOrdering>();
    for (auto& point : points_) {
      ordering->AddElementToGroup(point.data(), 0);
    }
    for (int c = 0; c < kNumCameras; ++c) {
      ordering->AddElementToGroup(positions_[c].data(), 1);
      ordering->AddElementToGroup(rotations_[c].data(), 1);
      ordering->AddElementToGroup(lenses_[c].data(), lens_group);
    }
    return ordering;
  }

  Problem& problem() { return problem_; }

  std::vector<double> Solution() const {
    std::vector<double> all;
    const auto append = [&all](const auto& blocks) {
      for (const auto& block : blocks) {
        all.insert(all.end(), block.begin(), block.end());
      }
    };
    append(positions_);
    append(rotations_);
    append(lenses_);
    append(points_);
    return all;
  }

 private:
  std::array<std::array<double, 3>, kNumCameras> positions_;
  std::array<std::array<double, 4>, kNumCameras> rotations_;
  std::array<std::array<double, 3>, kNumCameras> lenses_;
  std::array<std::array<double, 3>, kNumPoints> points_;
  Problem problem_;
};

Solver::Options FewSteps(LinearSolverType type) {
  Solver::Options options;
  options.linear_solver_type = type;
  options.max_num_iterations = 6;
  options.logging_type = SILENT;
  return options;
}

std::vector<double> SolveBy(const Solver::Options& options,
                            SplitCameras* cameras, Solver::Summary* summary) {
  *summary = SolveWith(options, &cameras->problem());
  EXPECT_TRUE(summary->IsSolutionUsable()) << summary->message;
  EXPECT_EQ(summary->linear_solver_type_used, options.linear_solver_type);
  return cameras->Solution();
}

TEST(SolverMergedColumns, StepsAreThoseOfASolverThatJoinsNothing) {
  SplitCameras apart;
  Solver::Summary summary;
  const std::vector<double> expected =
      SolveBy(FewSteps(DENSE_QR), &apart, &summary);
  EXPECT_GT(summary.num_successful_steps, 3);
  for (const LinearSolverType type :
       {DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        SPARSE_SCHUR}) {
    for (const int lens_group : {1, 2}) {
      SCOPED_TRACE(std::string(LinearSolverTypeToString(type)) +
                   ", lenses in " + std::to_string(lens_group));
      SplitCameras merged;
      Solver::Options options = FewSteps(type);
      options.linear_solver_ordering = merged.Ordering(lens_group);
      EXPECT_THAT(SolveBy(options, &merged, &summary),
                  Pointwise(DoubleNear(1e-8), expected));
    }
  }
}

TEST(SolverMergedColumns, CamerasInPartsGetTheKernelsOfWholeOnes) {
  // Lenses that the user puts into a group of their own stay apart: 6 and 3.
  for (const auto& [lens_group, structure] :
       {std::pair(1, "2,3,9"), std::pair(2, "2,3,d")}) {
    SplitCameras cameras;
    Solver::Options options = FewSteps(SPARSE_SCHUR);
    options.linear_solver_ordering = cameras.Ordering(lens_group);
    Solver::Summary summary;
    SolveBy(options, &cameras, &summary);
    EXPECT_EQ(summary.schur_structure_used, structure);
  }
}

TEST(SolverMergedColumns, KeptPreprocessingKeepsThem) {
  SplitCameras once;
  SplitCameras twice;
  Solver::Options options = FewSteps(SPARSE_NORMAL_CHOLESKY);
  Solver::Summary summary;
  SolveBy(options, &once, &summary);
  const std::vector<double> expected = SolveBy(options, &once, &summary);
  options.keep_preprocessing = true;
  SolveBy(options, &twice, &summary);
  const std::vector<double> again = SolveBy(options, &twice, &summary);
  EXPECT_TRUE(summary.preprocessing_was_kept);
  EXPECT_EQ(again, expected);
}

}  // namespace
}  // namespace ceres::internal
