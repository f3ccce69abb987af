// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/numeric_diff_cost_function.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "Eigen/Core"
#include "ceres/modelling/functor_counter.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// r_0 = exp(x_0) y_0,  r_1 = sin(x_1 y_0),  r_2 = x_0 x_1 - y_0^2.
class Smooth : internal::CountsInstances {
 public:
  Smooth() = default;
  explicit Smooth(int* num_living) : CountsInstances(num_living) {}

  bool operator()(const double* x, const double* y, double* r) const {
    ++num_calls_;
    r[0] = std::exp(x[0]) * y[0];
    r[1] = std::sin(x[1] * y[0]);
    r[2] = x[0] * x[1] - y[0] * y[0];
    return true;
  }

  int num_calls() const { return num_calls_; }

 private:
  mutable int num_calls_ = 0;
};

constexpr double kX[2] = {0.7, -1.3};
constexpr double kY[1] = {2.1};
const double* const kPoint[2] = {kX, kY};

template <NumericDiffMethodType kMethod>
using Cost = NumericDiffCostFunction<Smooth, kMethod, 3, 2, 1>;

using JacobianX = Eigen::Matrix<double, 3, 2, Eigen::RowMajor>;

// The largest error of the Jacobian by differences.
double JacobianError(const CostFunction& cost) {
  Eigen::Vector3d residuals, y;
  JacobianX x;
  double* jacobians[2] = {x.data(), y.data()};
  EXPECT_TRUE(cost.Evaluate(kPoint, residuals.data(), jacobians));
  EXPECT_EQ(residuals[0], std::exp(kX[0]) * kY[0]);
  const double c = std::cos(kX[1] * kY[0]);
  JacobianX exact_x;
  exact_x << std::exp(kX[0]) * kY[0], 0, 0, c * kY[0], kX[1], kX[0];
  const Eigen::Vector3d exact_y(std::exp(kX[0]), c * kX[1], -2 * kY[0]);
  return std::max((x - exact_x).cwiseAbs().maxCoeff(),
                  (y - exact_y).cwiseAbs().maxCoeff());
}

TEST(NumericDiffCostFunction, MethodsHaveTheAccuracyOfTheirOrder) {
  const double forward = JacobianError(Cost<FORWARD>(new Smooth));
  const double central = JacobianError(Cost<CENTRAL>(new Smooth));
  const double ridders = JacobianError(Cost<RIDDERS>(new Smooth));
  EXPECT_LT(forward, 1e-5);
  EXPECT_GT(forward, 1e-7);
  EXPECT_LT(central, 1e-8);
  EXPECT_LT(ridders, 1e-12);
}

TEST(NumericDiffCostFunction, EvaluatesNoMoreThanItsMethodNeeds) {
  double residuals[3], x[6], y[3];
  double* all[2] = {x, y};
  double* only_y[2] = {nullptr, y};
  double* none[2] = {nullptr, nullptr};

  const Cost<FORWARD> forward(new Smooth);
  forward.Evaluate(kPoint, residuals, all);
  EXPECT_EQ(forward.functor().num_calls(), 1 + 3);
  const Cost<CENTRAL> central(new Smooth);
  central.Evaluate(kPoint, residuals, all);
  EXPECT_EQ(central.functor().num_calls(), 1 + 6);
  central.Evaluate(kPoint, residuals, only_y);
  EXPECT_EQ(central.functor().num_calls(), 7 + 3);
  central.Evaluate(kPoint, residuals, none);
  central.Evaluate(kPoint, residuals, nullptr);
  EXPECT_EQ(central.functor().num_calls(), 10 + 2);

  const Cost<RIDDERS> ridders(new Smooth);
  ridders.Evaluate(kPoint, residuals, all);
  EXPECT_LE(ridders.functor().num_calls(), 1 + 3 * 2 * 10);
  NumericDiffOptions options;
  options.max_num_ridders_extrapolations = 2;
  const Cost<RIDDERS> two(new Smooth, TAKE_OWNERSHIP, 3, options);
  two.Evaluate(kPoint, residuals, all);
  EXPECT_LE(two.functor().num_calls(), 1 + 3 * 2 * 2);
}

// Keeps where it was evaluated.
struct Recorder {
  bool operator()(const double* x, double* r) const {
    visited->push_back(x[0]);
    r[0] = x[0];
    return true;
  }
  std::vector<double>* visited;
};

template <NumericDiffMethodType kMethod>
double FirstStepAt(double x, const NumericDiffOptions& options) {
  std::vector<double> visited;
  const NumericDiffCostFunction<Recorder, kMethod, 1, 1> cost(
      new Recorder{&visited}, TAKE_OWNERSHIP, 1, options);
  const double* parameters = &x;
  double residual, jacobian;
  double* jacobians = &jacobian;
  EXPECT_TRUE(cost.Evaluate(&parameters, &residual, &jacobians));
  EXPECT_NEAR(jacobian, 1.0, 1e-7);
  EXPECT_EQ(visited[0], x);
  return visited[1] - x;
}

TEST(NumericDiffCostFunction, StepsAreRelativeWithAMinimum) {
  const double root_eps = std::sqrt(std::numeric_limits<double>::epsilon());
  NumericDiffOptions options;
  options.relative_step_size = 1e-3;
  EXPECT_NEAR(FirstStepAt<FORWARD>(-50, options), 0.05, 1e-12);
  EXPECT_NEAR(FirstStepAt<CENTRAL>(50, options), 0.05, 1e-12);
  EXPECT_EQ(FirstStepAt<CENTRAL>(0, options), root_eps);
  EXPECT_EQ(FirstStepAt<FORWARD>(0, options), root_eps);
  // Ridders' step has its own size, which is also its minimum.
  options.ridders_relative_initial_step_size = 0.25;
  EXPECT_NEAR(FirstStepAt<RIDDERS>(-8, options), 2.0, 1e-12);
  EXPECT_EQ(FirstStepAt<RIDDERS>(0.5, options), 0.25);
  options.ridders_relative_initial_step_size = 1e-20;
  EXPECT_EQ(FirstStepAt<RIDDERS>(0, options), root_eps);
}

// A user's own cost function, of which Jacobians are never asked.
class Square : public SizedCostFunction<2, 1> {
 public:
  bool Evaluate(double const* const* x, double* r, double** j) const override {
    EXPECT_EQ(j, nullptr);
    r[0] = x[0][0] * x[0][0];
    r[1] = 3 * x[0][0];
    return true;
  }
};

TEST(NumericDiffCostFunction, DifferentiatesACostFunction) {
  const NumericDiffCostFunction<Square, CENTRAL, 2, 1> cost(new Square);
  const double x = 3;
  const double* parameters = &x;
  double residuals[2], jacobian[2];
  double* jacobians = jacobian;
  EXPECT_TRUE(cost.Evaluate(&parameters, residuals, &jacobians));
  EXPECT_EQ(residuals[0], 9);
  EXPECT_NEAR(jacobian[0], 6, 1e-8);
  EXPECT_NEAR(jacobian[1], 3, 1e-8);

  // As the abstract class, too.
  const NumericDiffCostFunction<CostFunction, RIDDERS, 2, 1> abstract(
      new Square);
  EXPECT_TRUE(abstract.Evaluate(&parameters, residuals, &jacobians));
  EXPECT_NEAR(jacobian[0], 6, 1e-12);
}

struct Powers {
  bool operator()(const double* x, double* r) const {
    for (int k = 0; k < num_residuals; ++k) r[k] = std::pow(x[0], k);
    return true;
  }
  int num_residuals;
};

TEST(NumericDiffCostFunction, NumberOfResidualsMayBeDynamic) {
  constexpr int kMany = 40;  // more than fit on the stack
  const NumericDiffCostFunction<Powers, CENTRAL, DYNAMIC, 1> cost(
      new Powers{kMany}, TAKE_OWNERSHIP, kMany);
  EXPECT_EQ(cost.num_residuals(), kMany);
  const double x = 1.0;
  const double* parameters = &x;
  std::vector<double> residuals(kMany), jacobian(kMany);
  double* jacobians = jacobian.data();
  EXPECT_TRUE(cost.Evaluate(&parameters, residuals.data(), &jacobians));
  for (int k = 0; k < kMany; ++k) EXPECT_NEAR(jacobian[k], k, 1e-6);

  const NumericDiffCostFunction<Powers, CENTRAL, DYNAMIC, 1> owned(
      std::make_unique<Powers>(Powers{3}), 3);
  EXPECT_EQ(owned.num_residuals(), 3);
}

// sqrt(1 - x) + 3 x beyond 0.9: has a value up to 1, and is NaN (or fails)
// beyond. x (x - 2) below 0.9, and fails below -1.
struct HasEnds {
  bool operator()(const double* x, double* r) const {
    if (x[0] < -1.0 || (fails && x[0] > 1.0)) return false;
    r[0] =
        x[0] < 0.9 ? x[0] * (x[0] - 2.0) : std::sqrt(1.0 - x[0]) + 3.0 * x[0];
    return true;
  }
  bool fails;
};

template <NumericDiffMethodType kMethod>
std::optional<double> DerivativeOfHasEnds(double x, bool fails) {
  const NumericDiffCostFunction<HasEnds, kMethod, 1, 1> cost(
      new HasEnds{fails});
  double residual = 0.0, jacobian = 0.0;
  const double* parameters = &x;
  double* jacobians = &jacobian;
  EXPECT_EQ(cost.Evaluate(&parameters, &residual, nullptr),
            x >= -1.0 && !(fails && x > 1.0));
  if (!cost.Evaluate(&parameters, &residual, &jacobians)) return std::nullopt;
  return jacobian;
}

TEST(NumericDiffCostFunction, DifferencesAreOneSidedAtTheEndsOfTheDomain) {
  for (const bool fails : {false, true}) {
    // The exact derivative is 2 x - 2 = -4.
    EXPECT_NEAR(*DerivativeOfHasEnds<FORWARD>(-1.0, fails), -4.0, 1e-5);
    EXPECT_NEAR(*DerivativeOfHasEnds<CENTRAL>(-1.0, fails), -4.0, 1e-8);
    EXPECT_NEAR(*DerivativeOfHasEnds<RIDDERS>(-1.0, fails), -4.0, 1e-8);
    // Between the end and the first step of RIDDERS.
    EXPECT_NEAR(*DerivativeOfHasEnds<RIDDERS>(-0.999, fails), -3.998, 1e-9);
    // The exact derivative is -infinity.
    EXPECT_LT(*DerivativeOfHasEnds<FORWARD>(1.0, fails), -100.0);
    EXPECT_LT(*DerivativeOfHasEnds<CENTRAL>(1.0, fails), -100.0);
    EXPECT_LT(*DerivativeOfHasEnds<RIDDERS>(1.0, fails), -100.0);
  }
}

TEST(NumericDiffCostFunction, FailsOutsideOfTheDomain) {
  EXPECT_FALSE(DerivativeOfHasEnds<FORWARD>(1.5, true));
  EXPECT_FALSE(DerivativeOfHasEnds<CENTRAL>(1.5, true));
  EXPECT_FALSE(DerivativeOfHasEnds<RIDDERS>(1.5, true));
}

// 2 x has values within 1e-11 of 3e-12, less than the usual steps.
TEST(NumericDiffCostFunction, StepsFitANarrowDomain) {
  struct Narrow {
    bool operator()(const double* x, double* r) const {
      r[0] = 2.0 * x[0];
      return x[0] >= 0.0 && x[0] <= 1e-11;
    }
  };
  const double x = 3e-12;
  const double* parameters = &x;
  double residual = 0.0, jacobian = 0.0;
  double* jacobians = &jacobian;
  using Central = NumericDiffCostFunction<Narrow, CENTRAL, 1, 1>;
  ASSERT_TRUE(Central(new Narrow).Evaluate(&parameters, &residual, &jacobians));
  EXPECT_NEAR(jacobian, 2.0, 1e-9);
  using Ridders = NumericDiffCostFunction<Narrow, RIDDERS, 1, 1>;
  ASSERT_TRUE(Ridders(new Narrow).Evaluate(&parameters, &residual, &jacobians));
  EXPECT_NEAR(jacobian, 2.0, 1e-9);
}

// Writes no residual away from 0.
struct ForgetsToWrite {
  bool operator()(const double* x, double* r) const {
    if (x[0] == 0.0) r[0] = 1.0;
    return true;
  }
};

TEST(NumericDiffCostFunction, AResidualThatIsNotWrittenSpoilsTheDerivative) {
  const NumericDiffCostFunction<ForgetsToWrite, FORWARD, 1, 1> cost(
      new ForgetsToWrite);
  const double x = 0;
  const double* parameters = &x;
  double residual, jacobian = 0;
  double* jacobians = &jacobian;
  EXPECT_TRUE(cost.Evaluate(&parameters, &residual, &jacobians));
  EXPECT_FALSE(std::isfinite(jacobian));
}

TEST(NumericDiffCostFunction, OwnsItsFunctorOnRequest) {
  internal::ExpectOwnsFunctorOnRequest<Cost<CENTRAL>, Smooth>();
}

TEST(NumericDiffCostFunctionDeathTest, DynamicNumberOfResidualsIsNeeded) {
  using Cost = NumericDiffCostFunction<Powers, CENTRAL, DYNAMIC, 1>;
  EXPECT_DEATH(Cost(new Powers{3}), "needs their number; it was given -1");
}

}  // namespace
}  // namespace ceres
