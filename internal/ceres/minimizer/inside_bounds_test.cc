// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/inside_bounds.h"

#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

// A block of four coordinates, after one of two without bounds.
class InsideBoundsTest : public testing::Test {
 protected:
  InsideBoundsTest() {
    problem_.AddResidualBlock(new SineCost(1, {2, 4}, 1), nullptr, free_, x_);
    problem_.SetParameterLowerBound(x_, 0, 0.0);
    problem_.SetParameterLowerBound(x_, 1, 10.0);
    problem_.SetParameterUpperBound(x_, 2, -4.0);
    problem_.SetParameterLowerBound(x_, 3, 1e8);
    problem_.SetParameterUpperBound(x_, 3, 1e8 + 1.0);
  }

  Program WholeProgram() {
    const ProblemImpl& impl = *problem_.mutable_impl();
    return Program(impl.parameter_blocks(), 0, impl.residual_blocks());
  }

  double free_[2] = {0.0, 0.0};
  double x_[4] = {0.0, 10.0, -4.0, 1e8};
  Problem problem_;
};

TEST_F(InsideBoundsTest, MovesByTheSmallestScaleThatIsKnown) {
  std::vector<double> state = {0.0, 0.0, 0.0, 10.0, -4.0, 1e8};
  EXPECT_TRUE(MoveInsideBounds(WholeProgram(), 0.25, state.data()));
  EXPECT_THAT(state, ElementsAre(0.0, 0.0, 0.25, 12.5, -5.0, 1e8 + 0.25));
}

TEST_F(InsideBoundsTest, LeavesPointsWithinTheBounds) {
  std::vector<double> state = {0.0, 0.0, 1.0, 11.0, -5.0, 1e8 + 0.5};
  const std::vector<double> before = state;
  EXPECT_FALSE(MoveInsideBounds(WholeProgram(), 0.25, state.data()));
  EXPECT_EQ(state, before);
}

TEST_F(InsideBoundsTest, LeavesCoordinatesThatRoundingHolds) {
  std::vector<double> state = {0.0, 0.0, 1.0, 11.0, -5.0, 1e8};
  EXPECT_FALSE(MoveInsideBounds(WholeProgram(), 1e-12, state.data()));
  EXPECT_EQ(state[5], 1e8);
}

TEST_F(InsideBoundsTest, LeavesCoordinatesThatAManifoldHolds) {
  problem_.SetManifold(x_, new SubsetManifold(4, {1}));
  std::vector<double> state = {0.0, 0.0, 0.0, 10.0, -4.0, 1e8};
  EXPECT_TRUE(MoveInsideBounds(WholeProgram(), 0.25, state.data()));
  EXPECT_THAT(state, ElementsAre(0.0, 0.0, 0.25, 10.0, -5.0, 1e8 + 0.25));
}

// The second coordinate ends within its bounds, the third at a bound that it
// was to reach.
TEST_F(InsideBoundsTest, StepsEndWhereABoundStopsThem) {
  const std::vector<double> x = {5.0, 5.0, 8.0, 12.0, -8.0, 1e8};
  const std::vector<double> reached = {2.0, 5.0, 0.0, 11.0, -4.0, 1e8};
  std::vector<double> step = {-3.0, 0.0, -9.0, -1.0, 4.0, -0.5};
  EXPECT_TRUE(ClipToBounds(WholeProgram(), x.data(), reached.data(), &step[0]));
  EXPECT_THAT(step, ElementsAre(-3.0, 0.0, -8.0, -1.0, 4.0, 0.0));
  EXPECT_FALSE(
      ClipToBounds(WholeProgram(), x.data(), reached.data(), &step[0]));
}

TEST_F(InsideBoundsTest, StepsOnManifoldsEndWhereABoundStopsThem) {
  problem_.SetManifold(x_, new SubsetManifold(4, {0, 2}));
  const std::vector<double> x = {5.0, 5.0, 0.0, 12.0, -4.0, 1e8 + 0.5};
  const std::vector<double> reached = {5.0, 5.0, 0.0, 10.0, -4.0, 1e8 + 0.75};
  std::vector<double> step = {0.0, 0.0, -3.0, 0.25};
  EXPECT_TRUE(ClipToBounds(WholeProgram(), x.data(), reached.data(), &step[0]));
  EXPECT_THAT(step, ElementsAre(0.0, 0.0, -2.0, 0.25));
}

TEST_F(InsideBoundsTest, StepsThatReachABoundKeepAPartOfTheirWay) {
  const std::vector<double> x = {5.0, 5.0, 8.0, 10.0, -8.0, 1e8 + 0.5};
  std::vector<double> candidate = {0.0, 0.0, 0.0, 10.0, -6.0, 1e8 + 1.0};
  EXPECT_TRUE(StayNearBounds(WholeProgram(), 0.75, x.data(), candidate.data()));
  EXPECT_THAT(candidate, ElementsAre(0.0, 0.0, 2.0, 10.0, -6.0, 1e8 + 0.875));
  EXPECT_FALSE(
      StayNearBounds(WholeProgram(), 0.75, x.data(), candidate.data()));
}

}  // namespace
}  // namespace ceres::internal
