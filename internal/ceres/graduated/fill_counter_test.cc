// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/fill_counter.h"

#include <vector>

#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Poses of two parameter blocks, a position of two coordinates and an angle.
class Poses {
 public:
  explicit Poses(int size) : position_(2 * size), angle_(size) {}
  ResidualBlockId Connect(int a, int b) {
    return problem.AddResidualBlock(
        NewCost<3, 2, 1, 2, 1>([](const auto* p, const auto* u, const auto* q,
                                  const auto* v, auto* r) {
          r[0] = p[0] - q[0];
          r[1] = p[1] - q[1];
          r[2] = u[0] - v[0];
        }),
        nullptr, &position_[2 * a], &angle_[a], &position_[2 * b], &angle_[b]);
  }
  void SetConstant(int i) {
    problem.SetParameterBlockConstant(&position_[2 * i]);
    problem.SetParameterBlockConstant(&angle_[i]);
  }
  std::vector<const ResidualBlock*> Blocks() {
    const auto& blocks = problem.mutable_impl()->residual_blocks();
    return {blocks.begin(), blocks.end()};
  }
  FillCounter Counter() { return FillCounter(*problem.mutable_impl()); }

  Problem problem;

 private:
  std::vector<double> position_, angle_;
};

// The operations of a factorization whose columns have these numbers of
// scalars, for poses of three.
double Operations(const std::vector<int>& below) {
  double sum = 0.0;
  for (const int rows : below) {
    for (int i = 1; i <= 3; ++i) sum += 0.5 * (rows + i) * (rows + i + 1);
  }
  return sum;
}

TEST(FillCounter, APathHasNoFill) {
  Poses poses(6);
  for (int i = 0; i < 5; ++i) poses.Connect(i, i + 1);
  const FillCounter counter = poses.Counter();
  EXPECT_EQ(counter.NumOperations(poses.Blocks()),
            Operations({3, 3, 3, 3, 3, 0}));
  EXPECT_EQ(counter.NumEntries(poses.Blocks()), 6 * 6.0 + 5 * 9.0);
}

TEST(FillCounter, ACycleHasOneEntryOfFillForEachPoseButThree) {
  Poses poses(6);
  for (int i = 0; i < 6; ++i) poses.Connect(i, (i + 1) % 6);
  EXPECT_EQ(poses.Counter().NumOperations(poses.Blocks()),
            Operations({6, 6, 6, 6, 3, 0}));
}

TEST(FillCounter, ACliqueIsDense) {
  Poses poses(5);
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < i; ++k) poses.Connect(i, k);
  }
  EXPECT_EQ(poses.Counter().NumOperations(poses.Blocks()),
            Operations({12, 9, 6, 3, 0}));
}

TEST(FillCounter, CountsTheBlocksThatItIsGiven) {
  Poses poses(6);
  for (int i = 0; i < 5; ++i) poses.Connect(i, i + 1);
  poses.Connect(0, 5);
  std::vector<const ResidualBlock*> path = poses.Blocks();
  path.pop_back();
  EXPECT_EQ(poses.Counter().NumOperations(path),
            Operations({3, 3, 3, 3, 3, 0}));
}

TEST(FillCounter, ConstantPosesHaveNoColumns) {
  Poses poses(6);
  for (int i = 0; i < 6; ++i) poses.Connect(i, (i + 1) % 6);
  poses.SetConstant(2);
  const FillCounter counter = poses.Counter();
  EXPECT_EQ(counter.NumOperations(poses.Blocks()), Operations({3, 3, 3, 3, 0}));
  EXPECT_EQ(counter.NumEntries(poses.Blocks()), 5 * 6.0 + 4 * 9.0);
}

TEST(FillCounter, CountsTangentCoordinates) {
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(
      NewCost<1, 4>([](const auto* x, auto* r) { r[0] = x[1]; }), nullptr, q);
  problem.SetManifold(q, new QuaternionManifold);
  const FillCounter counter(*problem.mutable_impl());
  EXPECT_EQ(counter.NumOperations({}), Operations({0}));
}

}  // namespace
}  // namespace ceres::internal
