// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "ceres/ceres.h"
#include "ceres/marginalization.h"
#include "ceres/sliding_window.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Difference {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    r[0] = a[0] - b[0];
    return true;
  }
};
struct Sum {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    r[0] = a[0] + b[0];
    return true;
  }
};
CostFunction* MakeDifference() {
  return new AutoDiffCostFunction<Difference, 1, 1, 1>(new Difference);
}

TEST(Marginalize, RefusesBlocksWithConstraints) {
  double a = 0.0;
  double b = 1.0;
  double c = 2.0;
  Problem problem;
  problem.AddResidualBlock(MakeDifference(), nullptr, &a, &b);
  problem.AddResidualBlock(MakeDifference(), nullptr, &b, &c);
  problem.SetConstraintName(
      problem.AddEqualityConstraint(MakeDifference(), {&b, &c}), "rod");
  MarginalizationSummary summary;
  EXPECT_FALSE(Marginalize({}, {&b}, &problem, &summary));
  EXPECT_THAT(summary.message, testing::HasSubstr("\"rod\""));
  EXPECT_EQ(problem.NumParameterBlocks(), 3);
  // A block without constraint can be marginalized.
  EXPECT_TRUE(Marginalize({}, {&a}, &problem, &summary)) << summary.message;
  EXPECT_EQ(problem.NumConstraints(), 1);
}

// A window solves with constraints, and does not advance past a block that has
// one.
TEST(SlidingWindow, KeepsBlocksWithConstraints) {
  double a = 0.0;
  double b = 1.0;
  double c = 3.0;
  SlidingWindow::Options options;
  options.solver.logging_type = SILENT;
  SlidingWindow window(options);
  Problem& problem = *window.problem();
  problem.AddResidualBlock(MakeDifference(), nullptr, &a, &b);
  problem.AddResidualBlock(MakeDifference(), nullptr, &b, &c);
  problem.SetParameterBlockConstant(&c);
  const ConstraintId id = problem.AddEqualityConstraint(
      new AutoDiffCostFunction<Sum, 1, 1, 1>(new Sum), {&a, &b});
  problem.SetConstraintName(id, "rod");
  window.Add(&a, 0.0);
  window.Add(&b, 1.0);
  window.Add(&c, 2.0);
  EXPECT_EQ(window.Solve().termination_type, CONVERGENCE);
  EXPECT_NEAR(a + b, 0.0, 1e-8);
  EXPECT_FALSE(window.Advance(3.0, 2.5));
  EXPECT_THAT(window.last_marginalization().message,
              testing::HasSubstr("\"rod\""));
  EXPECT_EQ(window.num_blocks(), 3);
  problem.RemoveConstraint(id);
  EXPECT_TRUE(window.Advance(3.0, 2.5))
      << window.last_marginalization().message;
  EXPECT_EQ(window.num_blocks(), 2);
}

}  // namespace
}  // namespace ceres::internal
