// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/merged_columns.h"

#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

using Columns = ProblemEvaluator::Columns;

// Cameras of four blocks: a position, a rotation on a manifold, a scalar, and
// lens parameters of which one is held; points; some rows see two cameras.
class Cameras {
 public:
  Cameras() {
    for (int c = 0; c < kNumCameras; ++c) {
      Camera& camera = cameras_[c];
      problem_.AddParameterBlock(camera.position, 3);
      problem_.AddParameterBlock(camera.rotation, 4, new QuaternionManifold);
      problem_.AddParameterBlock(&camera.focal_length, 1);
      problem_.AddParameterBlock(camera.lens, 2, new SubsetManifold(2, {1}));
    }
    int seed = 0;
    for (int k = 0; k < 12; ++k, ++seed) {
      Camera& a = cameras_[k % kNumCameras];
      LossFunction* loss = k % 2 == 0 ? nullptr : new CauchyLoss(0.5);
      problem_.AddResidualBlock(new SineCost(2, {4, 3, 3, 1, 2}, seed), loss,
                                a.rotation, points_[k % kNumPoints], a.position,
                                &a.focal_length, a.lens);
    }
    for (int k = 0; k < 6; ++k, ++seed) {
      Camera& a = cameras_[k % kNumCameras];
      Camera& b = cameras_[(k + 1) % kNumCameras];
      problem_.AddResidualBlock(new SineCost(6, {3, 4, 1, 2, 3, 4, 1, 2}, seed),
                                nullptr, b.position, b.rotation,
                                &b.focal_length, b.lens, a.position, a.rotation,
                                &a.focal_length, a.lens);
    }
  }

  Problem& problem() { return problem_; }
  double* position(int camera) { return cameras_[camera].position; }
  double* rotation(int camera) { return cameras_[camera].rotation; }

  // Points are eliminated.
  ProblemEvaluator Evaluator(ProblemEvaluator::Columns columns) {
    return ProblemEvaluator(&problem_, {}, {points_[0], points_[1]}, columns);
  }
  std::vector<int> FindMerged(const std::vector<int>* group = nullptr,
                              int max_size = 100) {
    return FindMergedColumns(Evaluator(Columns::kSeparate).program, group,
                             max_size);
  }

  static constexpr int kNumCameras = 3;
  static constexpr int kNumPoints = 2;

 private:
  struct Camera {
    double position[3] = {0.1, -0.2, 0.3};
    double rotation[4] = {0.8, 0.0, 0.6, 0.0};
    double focal_length = 0.7;
    double lens[2] = {0.2, -0.4};
  };
  Camera cameras_[kNumCameras];
  double points_[kNumPoints][3] = {{0.3, 0.2, 0.1}, {-0.5, 0.4, 0.9}};
  Problem problem_;
};

TEST(MergedColumns, BlocksThatAlwaysOccurTogetherAreOneRun) {
  Cameras cameras;
  EXPECT_THAT(cameras.FindMerged(), ElementsAre(0, 1, 2, 6, 10, 14));
}

TEST(MergedColumns, ARowThatTouchesPartOfABlockSeparatesIt) {
  Cameras cameras;
  cameras.problem().AddResidualBlock(new SineCost(1, {3}, 100), nullptr,
                                     cameras.position(1));
  EXPECT_THAT(cameras.FindMerged(), ElementsAre(0, 1, 2, 6, 7, 10, 14));
}

TEST(MergedColumns, ConstantBlocksAreNoColumns) {
  Cameras cameras;
  cameras.problem().SetParameterBlockConstant(cameras.rotation(0));
  EXPECT_THAT(cameras.FindMerged(), ElementsAre(0, 1, 2, 5, 9, 13));
}

TEST(MergedColumns, GroupsAreKeptApart) {
  Cameras cameras;
  const std::vector<int> group = {1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_THAT(cameras.FindMerged(&group), ElementsAre(0, 1, 2, 4, 6, 10, 14));
}

// A camera has tangent coordinates 3 + 3 + 1 + 2, in the order of its blocks.
TEST(MergedColumns, BlocksEndAtTheLargestSize) {
  Cameras cameras;
  EXPECT_THAT(cameras.FindMerged(nullptr, 9), ElementsAre(0, 1, 2, 6, 10, 14));
  EXPECT_THAT(cameras.FindMerged(nullptr, 1),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14));
}

TEST(MergedColumns, EvaluateToTheSameNumbers) {
  Cameras cameras;
  ProblemEvaluator separate = cameras.Evaluator(Columns::kSeparate);
  ProblemEvaluator merged = cameras.Evaluator(Columns::kMerged);
  EXPECT_THAT(merged.structure.column_offset, ElementsAre(0, 3, 6, 14, 22, 30));
  EXPECT_EQ(merged.structure.cell_column.size(),
            2u * merged.structure.num_row_blocks());
  const Outputs expected = separate.EvaluateAll();
  const Outputs out = merged.EvaluateAll();
  EXPECT_TRUE(out.result);
  EXPECT_EQ(out.cost, expected.cost);
  EXPECT_EQ(DenseJacobian(merged.jacobian), DenseJacobian(separate.jacobian));
  // By kernels that may round differently.
  EXPECT_THAT(out.gradient, Pointwise(DoubleNear(1e-14), expected.gradient));
  EXPECT_THAT(out.squared_norms,
              Pointwise(DoubleNear(1e-14), expected.squared_norms));
}

TEST(MergedColumns, AnUnwrittenEntryOfASharedCellIsFound) {
  double x = 1.0, y = 2.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1, 1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0] + p[1][0];
                         if (j != nullptr) j[0][0] = 1.0;
                         return true;
                       }),
      nullptr, &x, &y);
  ProblemEvaluator merged(&problem, {}, {}, Columns::kMerged);
  ASSERT_EQ(merged.structure.num_column_blocks(), 1);
  EXPECT_THAT(merged.MessageOfJacobian(/*with_sums=*/false),
              HasSubstr("not written"));
}

}  // namespace
}  // namespace ceres::internal
