// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/active_set.h"

#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/minimizer/local_collective.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

constexpr double kHeld = 2e12;  // the columns have norm 2

// The collective of a process that has the program.
struct OneProcess {
  explicit OneProcess(const Program& program) : evaluator(program, {}) {
    jacobian.structure = &evaluator.structure();
  }

  Evaluator evaluator;
  BlockJacobian jacobian;
  MinimizerSetup setup;
  LocalCollective collective{setup, nullptr, &evaluator, &jacobian};
};

// One block of four coordinates, whose columns have norm 2.
class ActiveSetTest : public testing::Test {
 protected:
  ActiveSetTest() {
    problem_.AddResidualBlock(new SineCost(1, {4}, 1), nullptr, x_);
  }

  Program WholeProgram() {
    const ProblemImpl& impl = *problem_.mutable_impl();
    return Program(impl.parameter_blocks(), 0, impl.residual_blocks());
  }

  // The damping, 1 where nothing is held.
  std::vector<double> Hold(const std::vector<double>& gradient,
                           ActiveSet* active) {
    const std::vector<double> norms(gradient.size(), 4.0);
    const std::vector<double> ones(gradient.size(), 1.0);
    LinearSolver::SolveOptions options;
    options.damping = ones.data();
    options.column_scale = ones.data();
    active->Hold(x_, gradient.data(), norms.data(), &options);
    for (size_t j = 0; j < gradient.size(); ++j) {
      EXPECT_DOUBLE_EQ(options.column_scale[j] * options.damping[j], 1.0);
    }
    return {options.damping, options.damping + gradient.size()};
  }
  std::vector<double> Hold(const std::vector<double>& gradient) {
    const Program program = WholeProgram();
    OneProcess process(program);
    ActiveSet active(program, &process.collective);
    return Hold(gradient, &active);
  }

  double x_[4] = {0.0, 1.0, 2.0, 3.0};
  Problem problem_;
};

TEST_F(ActiveSetTest, NothingIsHeldInsideTheBounds) {
  problem_.SetParameterLowerBound(x_, 0, -0.1);
  problem_.SetParameterUpperBound(x_, 0, 0.1);
  EXPECT_THAT(Hold({1.0, 1.0, -1.0, 1.0}), ElementsAre(1.0, 1.0, 1.0, 1.0));
}

TEST_F(ActiveSetTest, GradientMustPushOut) {
  problem_.SetParameterLowerBound(x_, 0, 0.0);
  problem_.SetParameterLowerBound(x_, 1, 1.0);
  problem_.SetParameterUpperBound(x_, 2, 2.0);
  problem_.SetParameterUpperBound(x_, 3, 3.0);
  EXPECT_THAT(Hold({1.0, -1.0, 1.0, -1.0}),
              ElementsAre(kHeld, 1.0, 1.0, kHeld));
  EXPECT_THAT(Hold({0.0, 0.0, 0.0, 0.0}), ElementsAre(1.0, 1.0, 1.0, 1.0));
}

TEST_F(ActiveSetTest, SubsetManifoldShiftsTheCoordinates) {
  problem_.SetManifold(x_, new SubsetManifold(4, {1}));
  problem_.SetParameterLowerBound(x_, 2, 2.0);
  EXPECT_THAT(Hold({1.0, 1.0, 1.0}), ElementsAre(1.0, kHeld, 1.0));
}

TEST_F(ActiveSetTest, CoordinatesThatMoveTogetherAreLeftAlone) {
  x_[0] = 0.5, x_[1] = 0.5, x_[2] = 0.5, x_[3] = 0.5;
  problem_.SetManifold(x_, new QuaternionManifold);
  for (int i = 0; i < 4; ++i) {
    problem_.SetParameterLowerBound(x_, i, 0.5);
    problem_.SetParameterUpperBound(x_, i, 0.6);
  }
  EXPECT_THAT(Hold({1.0, 1.0, 1.0}), ElementsAre(1.0, 1.0, 1.0));
}

TEST_F(ActiveSetTest, DeferredCoordinatesAreFoundButNotHeld) {
  problem_.SetParameterLowerBound(x_, 0, 0.0);
  const std::vector<double> gradient = {1.0, 0.0, 0.0, 0.0};
  const Program program = WholeProgram();
  OneProcess process(program);
  ActiveSet active(program, &process.collective);
  EXPECT_FALSE(active.is_deferred());
  active.DeferHolding();
  EXPECT_FALSE(active.is_deferred()) << "nothing is known to be active";
  EXPECT_THAT(Hold(gradient, &active), ElementsAre(1.0, 1.0, 1.0, 1.0));
  EXPECT_TRUE(active.is_deferred());
  EXPECT_THAT(active.held(), ElementsAre());
  active.StartHolding();
  EXPECT_FALSE(active.is_deferred());
  EXPECT_THAT(Hold(gradient, &active), ElementsAre(kHeld, 1.0, 1.0, 1.0));
  EXPECT_THAT(active.held(), ElementsAre(0));
}

// The gradient pushes x0 out of its bound.
TEST_F(ActiveSetTest, ProjectedPathDescendsWithoutWhatStaysBehind) {
  problem_.SetParameterLowerBound(x_, 0, 0.0);
  const std::vector<double> gradient = {10.0, 1.0, 0.0, 0.0};
  const Program program = WholeProgram();
  OneProcess process(program);
  ActiveSet active(program, &process.collective);
  active.DeferHolding();
  Hold(gradient, &active);
  const auto is_descent = [&](double step0, double step1) {
    const double step[4] = {step0, step1, 0.0, 0.0};
    return active.IsDescent(gradient.data(), step);
  };
  EXPECT_FALSE(is_descent(-1.0, 1.0)) << "only x1 moves, and goes up";
  EXPECT_FALSE(is_descent(-1.0, 0.0)) << "nothing moves";
  EXPECT_TRUE(is_descent(-1.0, -1.0));
  EXPECT_TRUE(is_descent(1.0, -11.0)) << "x0 leaves its bound";
  EXPECT_FALSE(is_descent(1.0, -9.0));
}

}  // namespace
}  // namespace ceres::internal
