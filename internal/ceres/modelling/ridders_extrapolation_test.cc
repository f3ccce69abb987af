// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/ridders_extrapolation.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Feeds central differences of f at x, starting with step h; returns how many.
template <typename Function>
int Extrapolate(Function f, double x, double h, RiddersExtrapolation* ridders) {
  int num_differences = 0;
  ridders->Start(x, h);
  double difference;
  double value;
  do {
    h = ridders->step();
    value = f(x - h);
    difference = (f(x + h) - value) / (2 * h);
    ++num_differences;
  } while (ridders->Add(&difference, &value));
  return num_differences;
}

TEST(RiddersExtrapolation, IsExactForPolynomialsOfItsDegree) {
  // A(h) of x^5 at 1 is 5 + 10 h^2 + h^4: exact from the third difference on.
  NumericDiffOptions options;
  options.max_num_ridders_extrapolations = 3;
  RiddersExtrapolation ridders(1, options);
  Extrapolate([](double x) { return x * x * x * x * x; }, 1.0, 0.5, &ridders);
  EXPECT_NEAR(ridders.derivative()[0], 5.0, 1e-13);
}

TEST(RiddersExtrapolation, ErrorEstimateIsOfTheSizeOfTheError) {
  const NumericDiffOptions options;
  RiddersExtrapolation ridders(1, options);
  for (const double x : {0.1, 1.0, 3.0, 10.0}) {
    const double exact = std::exp(x);
    Extrapolate([](double t) { return std::exp(t); }, x, 0.01 * x, &ridders);
    const double error = std::abs(ridders.derivative()[0] - exact);
    EXPECT_LT(error, 1e-11 * exact);
    EXPECT_LT(ridders.error()[0], 1e-10 * exact);
    EXPECT_LE(error, 10 * ridders.error()[0] + 1e-15 * exact);
  }
}

TEST(RiddersExtrapolation, StopsOnConvergenceAndOnRounding) {
  NumericDiffOptions options;
  options.max_num_ridders_extrapolations = 50;
  RiddersExtrapolation ridders(1, options);
  // A line: the second difference confirms the first.
  EXPECT_EQ(Extrapolate([](double x) { return 3 * x; }, 0.0, 0.5, &ridders), 2);
  EXPECT_EQ(ridders.derivative()[0], 3.0);
  // An epsilon that cannot be reached: rounding ends it long before 50.
  options.ridders_epsilon = 0.0;
  RiddersExtrapolation strict(1, options);
  EXPECT_LT(
      Extrapolate([](double x) { return std::exp(x); }, 1.0, 0.5, &strict), 25);
  EXPECT_NEAR(strict.derivative()[0], std::exp(1.0), 1e-11);
}

TEST(RiddersExtrapolation, OneDifferenceIsTakenAsItIs) {
  NumericDiffOptions options;
  options.max_num_ridders_extrapolations = 1;
  RiddersExtrapolation ridders(2, options);
  const double difference[2] = {4.5, -1.0};
  const double value[2] = {1.0, 1.0};
  ridders.Start(0.0, 0.5);
  EXPECT_FALSE(ridders.Add(difference, value));
  EXPECT_EQ(ridders.derivative()[0], 4.5);
  EXPECT_EQ(ridders.derivative()[1], -1.0);
  EXPECT_EQ(ridders.error()[0], std::numeric_limits<double>::infinity());
}

// A smooth component beside one that jumps at x.
TEST(RiddersExtrapolation, AComponentWithoutDerivativeDoesNotDisturbOthers) {
  const NumericDiffOptions options;
  RiddersExtrapolation both(2, options);
  both.Start(1.0, 0.01);
  bool more = true;
  while (more) {
    const double h = both.step();
    const double value[2] = {std::sin(1.0 - h), -1e12};
    const double difference[2] = {(std::sin(1.0 + h) - value[0]) / (2.0 * h),
                                  1e12 / h};
    more = both.Add(difference, value);
  }
  EXPECT_NEAR(both.derivative()[0], std::cos(1.0), 1e-12);
}

TEST(RiddersExtrapolationDeathTest, OptionsMustMakeSense) {
  NumericDiffOptions options;
  options.max_num_ridders_extrapolations = 0;
  EXPECT_DEATH(RiddersExtrapolation(1, options),
               "max_num_ridders_extrapolations must be positive");
  options = NumericDiffOptions();
  options.ridders_step_shrink_factor = 1.0;
  EXPECT_DEATH(RiddersExtrapolation(1, options),
               "ridders_step_shrink_factor must exceed 1");
}

}  // namespace
}  // namespace ceres::internal
