// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <vector>

#include "ceres/ceres.h"
#include "ceres/marginalization.h"
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

}  // namespace
}  // namespace ceres::internal
