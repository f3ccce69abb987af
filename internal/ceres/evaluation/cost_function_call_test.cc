// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/cost_function_call.h"

#include <limits>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DescribeFailure, NamesBlockSizesInputsAndOutputs) {
  const SineCost cost(2, {1, 2}, 0);
  const double x = 1.5;
  const double y[] = {-2.0, 3.0};
  const double* parameters[] = {&x, y};
  const double residuals[] = {0.25, kImpossibleValue};
  const double by_y[] = {1.0, 2.0, 3.0, 4.0};
  const double* jacobians[] = {nullptr, by_y};
  const std::string message =
      DescribeFailure({7, &cost, parameters, residuals, jacobians}, "WHAT");
  EXPECT_EQ(message,
            "Residual block 7 of the problem (residuals: 2; parameter blocks "
            "of size 1, 2) could not be evaluated: WHAT.\n"
            "  parameters[0] = [1.5]\n"
            "  parameters[1] = [-2, 3]\n"
            "  residuals = [0.25, (not written)]\n"
            "  jacobians[0] = not wanted\n"
            "  jacobians[1] = [1, 2, 3, 4]");
}

TEST(DescribeFailure, AbridgesLongArrays) {
  const SineCost cost(1000, {1}, 0);
  const double x = 1.5;
  const double* parameters[] = {&x};
  const std::vector<double> residuals(1000, 0.0);
  const std::string message =
      DescribeFailure({7, &cost, parameters, residuals.data(), nullptr}, "");
  EXPECT_THAT(message, HasSubstr(", ... 940 more]"));
  EXPECT_THAT(message, Not(HasSubstr("jacobians")));
  EXPECT_LT(message.size(), 1000u);
}

TEST(FindInvalidOutput, IgnoresWhatWasNotWanted) {
  const SineCost cost(1, {1, 1}, 0);
  const double residual = 1.0;
  double derivative = 1.0;
  const double* jacobians[] = {nullptr, &derivative};
  const CostFunctionCall call = {0, &cost, nullptr, &residual, jacobians};
  EXPECT_EQ(FindInvalidOutput(call), "");
  derivative = std::numeric_limits<double>::infinity();
  EXPECT_EQ(FindInvalidOutput(call),
            "the derivative of residual 0 by coordinate 0 of parameter block 1 "
            "is inf");
}

TEST(FindInvalidLoss, WantsFiniteValuesAndANonNegativeWeight) {
  const double good[] = {1.0, 0.0, -1.0};
  EXPECT_EQ(FindInvalidLoss(good), "");
  const double negative[] = {1.0, -0.5, 0.0};
  EXPECT_THAT(FindInvalidLoss(negative), HasSubstr("[1, -0.5, 0]"));
  const double nan[] = {1.0, 1.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(FindInvalidLoss(nan), HasSubstr("nan"));
}

}  // namespace
}  // namespace ceres::internal
