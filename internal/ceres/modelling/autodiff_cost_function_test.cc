// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/autodiff_cost_function.h"

#include <cmath>
#include <memory>
#include <vector>

#include "ceres/modelling/functor_counter.h"
#include "ceres/types.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// r = x . y - a, over blocks of 2.
class InnerProductMinusScalar : internal::CountsInstances {
 public:
  explicit InnerProductMinusScalar(double a) : a_(a) {}
  explicit InnerProductMinusScalar(int* num_living)
      : CountsInstances(num_living) {}

  template <typename T>
  bool operator()(const T* x, const T* y, T* residual) const {
    residual[0] = x[0] * y[0] + x[1] * y[1] - T(a_);
    return true;
  }

  double a() const { return a_; }

 private:
  double a_ = 1.0;
};

using InnerProductCost = AutoDiffCostFunction<InnerProductMinusScalar, 1, 2, 2>;

TEST(AutoDiffCostFunction, NullJacobiansAreLeftOut) {
  const InnerProductCost cost(new InnerProductMinusScalar(1.0));
  const double x[2] = {1, 2}, y[2] = {3, 4};
  const double* parameters[2] = {x, y};
  for (const bool x_wanted : {false, true}) {
    for (const bool y_wanted : {false, true}) {
      double residual = 0, jx[2] = {-1, -1}, jy[2] = {-1, -1};
      double* jacobians[2] = {x_wanted ? jx : nullptr, y_wanted ? jy : nullptr};
      EXPECT_TRUE(cost.Evaluate(parameters, &residual, jacobians));
      EXPECT_EQ(residual, 10.0);
      EXPECT_EQ(jx[0], x_wanted ? 3.0 : -1.0);
      EXPECT_EQ(jx[1], x_wanted ? 4.0 : -1.0);
      EXPECT_EQ(jy[0], y_wanted ? 1.0 : -1.0);
      EXPECT_EQ(jy[1], y_wanted ? 2.0 : -1.0);
    }
  }
}

TEST(AutoDiffCostFunction, OwnsItsFunctorOnRequest) {
  internal::ExpectOwnsFunctorOnRequest<InnerProductCost,
                                       InnerProductMinusScalar>();
  InnerProductMinusScalar functor(2.5);
  { InnerProductCost cost(&functor, 1, DO_NOT_TAKE_OWNERSHIP); }
  EXPECT_EQ(functor.a(), 2.5);
}

TEST(AutoDiffCostFunction, MakesItsFunctorFromConvertedArguments) {
  EXPECT_EQ(InnerProductCost(3).functor().a(), 3.0);
}

// r_i = x^i for 0 <= i < n.
struct Powers {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    residuals[0] = T(1.0);
    for (int i = 1; i < n; ++i) residuals[i] = residuals[i - 1] * x[0];
    return true;
  }
  int n;
};

TEST(AutoDiffCostFunction, NumberOfResidualsAtRunTime) {
  // More and fewer than what has room on the stack.
  for (const int n : {3, 40}) {
    const AutoDiffCostFunction<Powers, DYNAMIC, 1> cost(new Powers{n}, n);
    EXPECT_EQ(cost.num_residuals(), n);
    const double x = 0.5;
    const double* parameters[1] = {&x};
    std::vector<double> residuals(n), jacobian(n);
    double* jacobians[1] = {jacobian.data()};
    EXPECT_TRUE(cost.Evaluate(parameters, residuals.data(), jacobians));
    for (int i = 0; i < n; ++i) {
      EXPECT_DOUBLE_EQ(residuals[i], std::pow(x, i));
      EXPECT_DOUBLE_EQ(jacobian[i], i * std::pow(x, i - 1));
    }
  }
  const AutoDiffCostFunction<Powers, DYNAMIC, 1> from_unique(
      std::make_unique<Powers>(Powers{4}), 4);
  EXPECT_EQ(from_unique.num_residuals(), 4);
}

#ifndef NDEBUG
TEST(AutoDiffCostFunctionDeathTest, NumberOfResidualsMustAgree) {
  using Cost = AutoDiffCostFunction<Powers, 3, 1>;
  EXPECT_DEATH(Cost(new Powers{3}, 4), "number of residuals");
}
#endif

struct Failing {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    residuals[0] = x[0];
    return x[0] > 0.0;
  }
};

TEST(AutoDiffCostFunction, PassesFailureOn) {
  const AutoDiffCostFunction<Failing, 1, 1> cost(new Failing);
  double x = -1, residual = 0, jacobian = 0;
  const double* parameters[1] = {&x};
  double* jacobians[1] = {&jacobian};
  EXPECT_FALSE(cost.Evaluate(parameters, &residual, nullptr));
  EXPECT_FALSE(cost.Evaluate(parameters, &residual, jacobians));
  x = 1;
  EXPECT_TRUE(cost.Evaluate(parameters, &residual, jacobians));
}

// Writes residuals 0 and 2 of three; the last one may be NaN.
struct ForgetsTheSecondResidual {
  template <typename T>
  bool operator()(const T* x, const T* y, T* residuals) const {
    residuals[0] = x[0] * y[1];
    residuals[2] = sqrt(y[0]);
    return true;
  }
};

template <int kNumResiduals>
void ExpectMarksTheSecondRow(double y0) {
  const AutoDiffCostFunction<ForgetsTheSecondResidual, kNumResiduals, 1, 2>
      cost(new ForgetsTheSecondResidual, 3);
  const double x = 3, y[2] = {y0, 5};
  const double* parameters[2] = {&x, y};
  double residuals[3], jx[3], jy[6];
  double* jacobians[2] = {jx, jy};
  ASSERT_TRUE(cost.Evaluate(parameters, residuals, jacobians));
  EXPECT_EQ(residuals[1], kImpossibleValue);
  EXPECT_EQ(jx[1], kImpossibleValue);
  EXPECT_EQ(jy[2], kImpossibleValue);
  EXPECT_EQ(jy[3], kImpossibleValue);
  // The other rows are as they should be.
  EXPECT_EQ(jx[0], 5.0);
  EXPECT_EQ(jx[2] == 0.0, y0 > 0.0);
  EXPECT_EQ(jy[0], 0.0);
  EXPECT_EQ(jy[1], 3.0);

  jacobians[0] = nullptr;
  jy[2] = jy[3] = 0.0;
  ASSERT_TRUE(cost.Evaluate(parameters, residuals, jacobians));
  EXPECT_EQ(jy[2], kImpossibleValue);
  EXPECT_EQ(jy[3], kImpossibleValue);
}

TEST(AutoDiffCostFunction, AnUnwrittenResidualHasAnInvalidJacobianRow) {
  ExpectMarksTheSecondRow<3>(4.0);
  ExpectMarksTheSecondRow<DYNAMIC>(4.0);
  ExpectMarksTheSecondRow<3>(-1.0);
}

}  // namespace
}  // namespace ceres
