// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/first_order_function.h"

#include <cmath>
#include <memory>

#include "ceres/autodiff_first_order_function.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/numeric_diff_first_order_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// f = x_0^2 x_1 + exp(x_2); undefined for x_0 > 10.
class Mixed : internal::CountsInstances {
 public:
  Mixed() = default;
  explicit Mixed(int* num_living) : CountsInstances(num_living) {}

  template <typename T>
  bool operator()(const T* x, T* cost) const {
    using std::exp;
    cost[0] = x[0] * x[0] * x[1] + exp(x[2]);
    return x[0] <= T(10.0);
  }
};

constexpr double kPoint[3] = {1.5, -2, 0.25};

void ExpectValueAndGradient(const FirstOrderFunction& function,
                            double tolerance) {
  EXPECT_EQ(function.NumParameters(), 3);
  const double value = -4.5 + std::exp(0.25);
  double cost = 0, gradient[3] = {};
  EXPECT_TRUE(function.Evaluate(kPoint, &cost, nullptr));
  EXPECT_DOUBLE_EQ(cost, value);
  cost = 0;
  EXPECT_TRUE(function.Evaluate(kPoint, &cost, gradient));
  EXPECT_DOUBLE_EQ(cost, value);
  EXPECT_NEAR(gradient[0], 2 * 1.5 * -2, tolerance);
  EXPECT_NEAR(gradient[1], 2.25, tolerance);
  EXPECT_NEAR(gradient[2], std::exp(0.25), tolerance);

  const double outside[3] = {11, 0, 0};
  EXPECT_FALSE(function.Evaluate(outside, &cost, nullptr));
  EXPECT_FALSE(function.Evaluate(outside, &cost, gradient));
}

TEST(FirstOrderFunction, GradientsByEveryMethod) {
  ExpectValueAndGradient(AutoDiffFirstOrderFunction<Mixed, 3>(new Mixed), 0);
  ExpectValueAndGradient(
      NumericDiffFirstOrderFunction<Mixed, FORWARD, 3>(new Mixed), 1e-5);
  ExpectValueAndGradient(
      NumericDiffFirstOrderFunction<Mixed, CENTRAL, 3>(new Mixed), 1e-8);
  ExpectValueAndGradient(
      NumericDiffFirstOrderFunction<Mixed, RIDDERS, 3>(new Mixed), 1e-12);
  ExpectValueAndGradient(
      NumericDiffFirstOrderFunction<Mixed, CENTRAL>(new Mixed, 3), 1e-8);
}

TEST(FirstOrderFunction, NumericDifferencesAreOneSidedAtABorder) {
  const NumericDiffFirstOrderFunction<Mixed, CENTRAL, 3> function(new Mixed);
  const double border[3] = {10, 2, 0};
  double cost, gradient[3];
  EXPECT_TRUE(function.Evaluate(border, &cost, nullptr));
  EXPECT_TRUE(function.Evaluate(border, &cost, gradient));
  EXPECT_NEAR(gradient[0], 2 * 10 * 2, 1e-4);
  EXPECT_NEAR(gradient[1], 10 * 10, 1e-6);
}

// Defined at x = 1 alone.
struct Point {
  bool operator()(const double* x, double* cost) const {
    cost[0] = x[0];
    return x[0] == 1.0;
  }
};

TEST(FirstOrderFunction, NumericDifferencesNeedNeighbouringPoints) {
  const NumericDiffFirstOrderFunction<Point, CENTRAL, 1> function(new Point);
  const double x = 1.0;
  double cost, gradient;
  EXPECT_TRUE(function.Evaluate(&x, &cost, nullptr));
  EXPECT_FALSE(function.Evaluate(&x, &cost, &gradient));
}

// sum_i x_i^2 of many parameters.
template <int kSize>
struct SumOfSquares {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = T(0.0);
    for (int i = 0; i < kSize; ++i) cost[0] += x[i] * x[i];
    return true;
  }
};

TEST(FirstOrderFunction, MoreParametersThanFitOnTheStack) {
  constexpr int kSize = 70;
  double x[kSize], cost, gradient[kSize];
  for (int i = 0; i < kSize; ++i) x[i] = i;
  const AutoDiffFirstOrderFunction<SumOfSquares<kSize>, kSize> automatic(
      new SumOfSquares<kSize>);
  EXPECT_TRUE(automatic.Evaluate(x, &cost, gradient));
  for (int i = 0; i < kSize; ++i) EXPECT_EQ(gradient[i], 2.0 * i);
  const NumericDiffFirstOrderFunction<SumOfSquares<kSize>, CENTRAL, kSize>
      numeric(new SumOfSquares<kSize>);
  EXPECT_TRUE(numeric.Evaluate(x, &cost, gradient));
  for (int i = 0; i < kSize; ++i) EXPECT_NEAR(gradient[i], 2.0 * i, 1e-4);
}

TEST(FirstOrderFunction, FunctorsAreOwnedOnRequest) {
  using internal::ExpectOwnsFunctorOnRequest;
  ExpectOwnsFunctorOnRequest<AutoDiffFirstOrderFunction<Mixed, 3>, Mixed>();
  ExpectOwnsFunctorOnRequest<NumericDiffFirstOrderFunction<Mixed, CENTRAL, 3>,
                             Mixed>();
}

TEST(FirstOrderFunction, EveryConstructorOfTheNumericOne) {
  using Static = NumericDiffFirstOrderFunction<Mixed, CENTRAL, 3>;
  using Dynamic = NumericDiffFirstOrderFunction<Mixed, CENTRAL>;
  NumericDiffOptions coarse;
  coarse.relative_step_size = 0.5;
  int num_living = 0;
  Mixed functor(&num_living);
  {
    const Static a(&functor, DO_NOT_TAKE_OWNERSHIP, coarse);
    const Static b(std::make_unique<Mixed>(&num_living), coarse);
    const Static c(new Mixed(&num_living), 3);
    const Dynamic d(&functor, 3, DO_NOT_TAKE_OWNERSHIP, coarse);
    const Dynamic e(std::make_unique<Mixed>(&num_living), 3);
    const Dynamic f(std::make_unique<Mixed>(&num_living), 3, TAKE_OWNERSHIP,
                    coarse);
    EXPECT_EQ(num_living, 5);
    // exp(x) differs from its coarse central difference.
    double cost, gradient[3];
    const FirstOrderFunction* const all_coarse[] = {&a, &b, &d, &f};
    for (const FirstOrderFunction* function : all_coarse) {
      const double at[3] = {0, 0, 1};
      EXPECT_TRUE(function->Evaluate(at, &cost, gradient));
      EXPECT_NEAR(gradient[2], std::exp(1.0) * std::sinh(0.5) / 0.5, 1e-9);
    }
  }
  EXPECT_EQ(num_living, 1);
}

TEST(FirstOrderFunctionDeathTest, NumberOfParametersMustBePositive) {
  using Dynamic = NumericDiffFirstOrderFunction<Mixed, CENTRAL>;
  EXPECT_DEATH(Dynamic(new Mixed, 0), "must be positive.*it is 0");
  using Static = NumericDiffFirstOrderFunction<Mixed, CENTRAL, 3>;
  EXPECT_DEATH(Static(new Mixed, 4), "that of the type");
}

}  // namespace
}  // namespace ceres
