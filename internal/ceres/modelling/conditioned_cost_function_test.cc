// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/conditioned_cost_function.h"

#include <cmath>
#include <vector>

#include "ceres/modelling/functor_counter.h"
#include "ceres/sized_cost_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// r = a x^2; fails where x < -10.
class ScaledSquare : public SizedCostFunction<1, 1>, internal::CountsInstances {
 public:
  explicit ScaledSquare(double a) : a_(a) {}
  ScaledSquare(double a, int* num_living)
      : CountsInstances(num_living), a_(a) {}
  bool Evaluate(double const* const* x, double* r, double** j) const override {
    r[0] = a_ * x[0][0] * x[0][0];
    if (j != nullptr && j[0] != nullptr) j[0][0] = 2 * a_ * x[0][0];
    return x[0][0] >= -10.0;
  }

 private:
  double a_;
};

// r = (x_0 + 2 y, x_1 - y, x_0 x_1).
class Wrapped : public SizedCostFunction<3, 2, 1>, internal::CountsInstances {
 public:
  Wrapped() = default;
  explicit Wrapped(int* num_living) : CountsInstances(num_living) {}
  bool Evaluate(double const* const* p, double* r, double** j) const override {
    const double *x = p[0], y = p[1][0];
    r[0] = x[0] + 2 * y;
    r[1] = x[1] - y;
    r[2] = x[0] * x[1];
    if (j != nullptr && j[0] != nullptr) {
      const double values[6] = {1, 0, 0, 1, x[1], x[0]};
      for (int i = 0; i < 6; ++i) j[0][i] = values[i];
    }
    if (j != nullptr && j[1] != nullptr) {
      j[1][0] = 2;
      j[1][1] = -1;
      j[1][2] = 0;
    }
    return true;
  }
};

TEST(ConditionedCostFunction, ResidualsAndRowsArePassedThrough) {
  ScaledSquare two(2.0), three(3.0);
  Wrapped wrapped;
  const ConditionedCostFunction cost(&wrapped, {&two, nullptr, &three},
                                     DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(cost.num_residuals(), 3);
  EXPECT_EQ(cost.parameter_block_sizes(), std::vector<int32_t>({2, 1}));

  const double x[2] = {0.5, -4}, y = 3;
  const double* parameters[2] = {x, &y};
  const double g[3] = {6.5, -7, -2};
  const double slope[3] = {2 * 2 * g[0], 1, 3 * 2 * g[2]};
  const double expected_x[6] = {slope[0],      0, 0, 1, slope[2] * -4,
                                slope[2] * 0.5};
  for (const bool x_wanted : {false, true}) {
    double r[3], jx[6] = {7, 7, 7, 7, 7, 7}, jy[3];
    double* jacobians[2] = {x_wanted ? jx : nullptr, jy};
    EXPECT_TRUE(cost.Evaluate(parameters, r, jacobians));
    EXPECT_DOUBLE_EQ(r[0], 2 * g[0] * g[0]);
    EXPECT_DOUBLE_EQ(r[1], g[1]);
    EXPECT_DOUBLE_EQ(r[2], 3 * g[2] * g[2]);
    for (int i = 0; i < 6; ++i) {
      EXPECT_DOUBLE_EQ(jx[i], x_wanted ? expected_x[i] : 7);
    }
    EXPECT_DOUBLE_EQ(jy[0], slope[0] * 2);
    EXPECT_DOUBLE_EQ(jy[1], -1);
    EXPECT_DOUBLE_EQ(jy[2], 0);
    double alone[3];
    EXPECT_TRUE(cost.Evaluate(parameters, alone, nullptr));
    EXPECT_EQ(alone[2], r[2]);
  }
}

TEST(ConditionedCostFunction, FailsWhereAConditionerFails) {
  ScaledSquare one(1.0);
  Wrapped wrapped;
  const ConditionedCostFunction cost(&wrapped, {nullptr, &one, nullptr},
                                     DO_NOT_TAKE_OWNERSHIP);
  const double x[2] = {0, -11}, y = 0;
  const double* parameters[2] = {x, &y};
  double r[3];
  EXPECT_FALSE(cost.Evaluate(parameters, r, nullptr));
}

TEST(ConditionedCostFunction, DeletesEachObjectOnceIfItOwnsThem) {
  int num_living = 0;
  {
    auto* shared = new ScaledSquare(1.0, &num_living);
    auto* other = new ScaledSquare(2.0, &num_living);
    const ConditionedCostFunction cost(new Wrapped(&num_living),
                                       {shared, other, shared}, TAKE_OWNERSHIP);
    EXPECT_EQ(num_living, 3);
  }
  EXPECT_EQ(num_living, 0);
  Wrapped wrapped(&num_living);
  ScaledSquare conditioner(1.0, &num_living);
  {
    const ConditionedCostFunction cost(
        &wrapped, {&conditioner, &conditioner, &conditioner},
        DO_NOT_TAKE_OWNERSHIP);
  }
  EXPECT_EQ(num_living, 2);
}

TEST(ConditionedCostFunctionDeathTest, SizesMustFit) {
  using Conditioners = std::vector<CostFunction*>;
  const auto make = [](CostFunction* wrapped, const Conditioners& c) {
    ConditionedCostFunction(wrapped, c, DO_NOT_TAKE_OWNERSHIP);
  };
  Wrapped wrapped;
  ScaledSquare one(1.0);
  EXPECT_DEATH(make(nullptr, {}), "given null");
  EXPECT_DEATH(make(&wrapped, {&one, &one}), "one conditioner");
  EXPECT_DEATH(make(&wrapped, {&one, &wrapped, &one}),
               "The conditioner of residual 1 must have one residual");
}

}  // namespace
}  // namespace ceres
