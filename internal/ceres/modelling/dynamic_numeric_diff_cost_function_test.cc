// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/dynamic_numeric_diff_cost_function.h"

#include <cmath>
#include <memory>
#include <utility>

#include "ceres/modelling/functor_counter.h"
#include "ceres/sized_cost_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// r_0 = x_0^3 y_0 + z,  r_1 = sin(x_1) - y_1 z, of blocks x and y (2 values),
// z (1). Fails for z > 10.
class Mixed : internal::CountsInstances {
 public:
  Mixed() = default;
  explicit Mixed(int* num_living) : CountsInstances(num_living) {}

  bool operator()(double const* const* p, double* r) const {
    const double *x = p[0], *y = p[1], *z = p[2];
    r[0] = x[0] * x[0] * x[0] * y[0] + z[0];
    r[1] = std::sin(x[1]) - y[1] * z[0];
    return z[0] <= 10.0;
  }
};

template <typename Cost>
void AddSizes(Cost* cost) {
  cost->AddParameterBlock(2);
  cost->AddParameterBlock(2);
  cost->AddParameterBlock(1);
  cost->SetNumResiduals(2);
}

constexpr double kX[2] = {1.2, 0.3};
constexpr double kY[2] = {-2, 4};

template <NumericDiffMethodType kMethod>
void ExpectJacobians(double tolerance) {
  DynamicNumericDiffCostFunction<Mixed, kMethod> cost(new Mixed);
  AddSizes(&cost);
  const double z = 0.5;
  const double* parameters[3] = {kX, kY, &z};
  double r[2], x[4], y[4] = {9, 9, 9, 9}, jz[2];
  double* jacobians[3] = {x, nullptr, jz};
  EXPECT_TRUE(cost.Evaluate(parameters, r, jacobians));
  EXPECT_DOUBLE_EQ(r[0], 1.2 * 1.2 * 1.2 * -2 + 0.5);
  EXPECT_DOUBLE_EQ(r[1], std::sin(0.3) - 2);
  const double expected_x[4] = {3 * 1.2 * 1.2 * -2, 0, 0, std::cos(0.3)};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(x[i], expected_x[i], tolerance);
    EXPECT_EQ(y[i], 9);
  }
  EXPECT_NEAR(jz[0], 1, tolerance);
  EXPECT_NEAR(jz[1], -4, tolerance);
  jacobians[1] = y;
  EXPECT_TRUE(cost.Evaluate(parameters, r, jacobians));
  const double expected_y[4] = {1.2 * 1.2 * 1.2, 0, 0, -0.5};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[i], expected_y[i], tolerance);
}

TEST(DynamicNumericDiffCostFunction, JacobiansByEveryMethod) {
  ExpectJacobians<FORWARD>(1e-5);
  ExpectJacobians<CENTRAL>(1e-8);
  ExpectJacobians<RIDDERS>(1e-12);
}

TEST(DynamicNumericDiffCostFunction, FailuresAreReported) {
  DynamicNumericDiffCostFunction<Mixed> cost(new Mixed);
  AddSizes(&cost);
  double r[2], jz[2];
  double* jacobians[3] = {nullptr, nullptr, jz};
  for (const double z : {9.0, 10.0, 11.0}) {
    const double* parameters[3] = {kX, kY, &z};
    EXPECT_EQ(cost.Evaluate(parameters, r, nullptr), z <= 10.0);
    // At the end of the domain, differences are one-sided.
    EXPECT_EQ(cost.Evaluate(parameters, r, jacobians), z <= 10.0);
  }
}

class Square : public SizedCostFunction<1, 1> {
 public:
  bool Evaluate(double const* const* x, double* r, double** j) const override {
    EXPECT_EQ(j, nullptr);
    r[0] = x[0][0] * x[0][0];
    return true;
  }
};

TEST(DynamicNumericDiffCostFunction, DifferentiatesACostFunction) {
  const Square square;
  NumericDiffOptions options;
  options.ridders_relative_initial_step_size = 1e-3;
  DynamicNumericDiffCostFunction<CostFunction, RIDDERS> cost(
      &square, DO_NOT_TAKE_OWNERSHIP, options);
  cost.AddParameterBlock(1);
  cost.SetNumResiduals(1);
  const double x = 3;
  const double* parameters = &x;
  double r, j;
  double* jacobians = &j;
  EXPECT_TRUE(cost.Evaluate(&parameters, &r, &jacobians));
  EXPECT_NEAR(j, 6, 1e-11);
}

TEST(DynamicNumericDiffCostFunction, OwnsItsFunctorOnRequest) {
  using Cost = DynamicNumericDiffCostFunction<Mixed>;
  int num_living = 0;
  {
    const Cost by_pointer(new Mixed(&num_living));
    const Cost by_unique_pointer(std::make_unique<Mixed>(&num_living));
    Cost in_place(&num_living);
    Cost moved(std::move(in_place));
    Cost assigned;
    assigned = std::move(moved);
    EXPECT_EQ(num_living, 3);
  }
  EXPECT_EQ(num_living, 0);
  const Mixed functor(&num_living);
  { Cost cost(&functor, DO_NOT_TAKE_OWNERSHIP); }
  EXPECT_EQ(num_living, 1);
}

TEST(DynamicNumericDiffCostFunction, DeducesItsFunctor) {
  Mixed f;
  const NumericDiffOptions options;
  // Other types would not convert.
  const DynamicNumericDiffCostFunction<Mixed, CENTRAL> deduced[] = {
      DynamicNumericDiffCostFunction(new Mixed),
      DynamicNumericDiffCostFunction(&f, DO_NOT_TAKE_OWNERSHIP),
      DynamicNumericDiffCostFunction(&f, DO_NOT_TAKE_OWNERSHIP, options),
      DynamicNumericDiffCostFunction(std::make_unique<Mixed>()),
      DynamicNumericDiffCostFunction(std::make_unique<Mixed>(), options)};
  EXPECT_EQ(deduced[2].num_residuals(), 0);
}

TEST(DynamicNumericDiffCostFunctionDeathTest, SizesMustBeSet) {
  const double z = 1;
  const double* parameters[3] = {kX, kY, &z};
  double r[2];
  DynamicNumericDiffCostFunction<Mixed> cost(new Mixed);
  EXPECT_DEATH(cost.Evaluate(parameters, r, nullptr), "SetNumResiduals");
  cost.SetNumResiduals(2);
  EXPECT_DEATH(cost.Evaluate(parameters, r, nullptr), "AddParameterBlock");
}

}  // namespace
}  // namespace ceres
