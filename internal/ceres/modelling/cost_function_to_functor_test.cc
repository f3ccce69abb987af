// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/cost_function_to_functor.h"

#include <cmath>
#include <memory>
#include <utility>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/dynamic_cost_function_to_functor.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/numeric_diff_cost_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// f(u, p) = [u_0 p + u_1^2; sin(u_0) p^2], written once for all scalar types.
struct Inner {
  template <typename T>
  bool operator()(const T* u, const T* p, T* f) const {
    using std::sin;
    f[0] = u[0] * p[0] + u[1] * u[1];
    f[1] = sin(u[0]) * p[0] * p[0];
    return u[0] < T(100.0);
  }
};

using InnerCost = AutoDiffCostFunction<Inner, 2, 2, 1>;

// r = f(u(x), p) * x_0 with u = (x_0 x_1, x_0 + x_2); f as InnerFunction.
template <typename InnerFunction>
class Outer {
 public:
  Outer() = default;
  explicit Outer(InnerFunction inner) : inner_(std::move(inner)) {}

  template <typename T>
  bool operator()(const T* x, const T* p, T* r) const {
    const T u[2] = {x[0] * x[1], x[0] + x[2]};
    if (!inner_(u, p, r)) return false;
    r[0] *= x[0];
    r[1] *= x[0];
    return true;
  }

 private:
  InnerFunction inner_;
};

constexpr double kX[3] = {0.7, -1.3, 2.0};
constexpr double kP[1] = {1.7};
const double* const kPoint[2] = {kX, kP};

struct Evaluation {
  explicit Evaluation(const CostFunction& cost) {
    double* jacobians[2] = {x.data(), p.data()};
    EXPECT_TRUE(cost.Evaluate(kPoint, residuals.data(), jacobians));
    Eigen::Vector2d alone;
    EXPECT_TRUE(cost.Evaluate(kPoint, alone.data(), nullptr));
    EXPECT_EQ(alone, residuals);
  }
  Eigen::Vector2d residuals, p;
  Eigen::Matrix<double, 6, 1> x;
};

void ExpectNear(const Evaluation& actual, const Evaluation& expected,
                double tolerance) {
  EXPECT_LE((actual.residuals - expected.residuals).norm(), 1e-15);
  EXPECT_LE((actual.p - expected.p).norm(), tolerance);
  EXPECT_LE((actual.x - expected.x).norm(), tolerance);
}

TEST(CostFunctionToFunctor, DerivativesAreChained) {
  using Direct = AutoDiffCostFunction<Outer<Inner>, 2, 3, 1>;
  const Evaluation expected(Direct(new Outer<Inner>));

  using Functor = CostFunctionToFunctor<2, 2, 1>;
  const AutoDiffCostFunction<Outer<Functor>, 2, 3, 1> wrapped(
      new Outer<Functor>(Functor(new InnerCost(new Inner))));
  ExpectNear(Evaluation(wrapped), expected, 1e-14);

  using DynamicFunctor = CostFunctionToFunctor<DYNAMIC, 2, 1>;
  const AutoDiffCostFunction<Outer<DynamicFunctor>, 2, 3, 1> dynamic(
      new Outer<DynamicFunctor>(
          DynamicFunctor(std::make_unique<InnerCost>(new Inner))));
  ExpectNear(Evaluation(dynamic), expected, 1e-14);

  // Numeric derivatives inside of automatic ones.
  using NumericCost = NumericDiffCostFunction<Inner, RIDDERS, 2, 2, 1>;
  const AutoDiffCostFunction<Outer<Functor>, 2, 3, 1> numeric(
      new Outer<Functor>(Functor(new NumericCost(new Inner))));
  ExpectNear(Evaluation(numeric), expected, 1e-11);
}

// The same outer function for dynamic sizes.
class DynamicOuter {
 public:
  template <typename T>
  bool operator()(T const* const* parameters, T* r) const {
    const T* x = parameters[0];
    const T u[2] = {x[0] * x[1], x[0] + x[2]};
    const T* inputs[2] = {u, parameters[1]};
    if (!inner_(inputs, r)) return false;
    r[0] *= x[0];
    r[1] *= x[0];
    return true;
  }

 private:
  DynamicCostFunctionToFunctor inner_{new InnerCost(new Inner)};
};

TEST(DynamicCostFunctionToFunctor, DerivativesAreChained) {
  using Direct = AutoDiffCostFunction<Outer<Inner>, 2, 3, 1>;
  const Evaluation expected(Direct(new Outer<Inner>));
  DynamicAutoDiffCostFunction<DynamicOuter, 3> cost(new DynamicOuter);
  cost.AddParameterBlock(3);
  cost.AddParameterBlock(1);
  cost.SetNumResiduals(2);
  ExpectNear(Evaluation(cost), expected, 1e-14);
}

TEST(CostFunctionToFunctor, FailuresAreReported) {
  const CostFunctionToFunctor<2, 2, 1> functor(new InnerCost(new Inner));
  const double u[2] = {101, 0}, p = 1;
  double f[2];
  EXPECT_FALSE(functor(u, &p, f));
  using JetT = Jet<double, 1>;
  const JetT u_jets[2] = {JetT(101), JetT(0)}, p_jet(1);
  JetT f_jets[2];
  EXPECT_FALSE(functor(u_jets, &p_jet, f_jets));
}

TEST(CostFunctionToFunctor, TakesPointersToMutableValues) {
  const CostFunctionToFunctor<2, 2, 1> functor(new InnerCost(new Inner));
  double u[2] = {1, 2}, p = 3, f[2];
  EXPECT_TRUE(functor(u, &p, f));
  EXPECT_EQ(f[0], 7);
}

class Counted : public SizedCostFunction<1, 1>, internal::CountsInstances {
 public:
  explicit Counted(int* num_living) : CountsInstances(num_living) {}
  bool Evaluate(double const* const* x, double* r, double**) const override {
    r[0] = x[0][0];
    return true;
  }
};

TEST(CostFunctionToFunctor, OwnsTheCostFunction) {
  int num_living = 0;
  {
    CostFunctionToFunctor<1, 1> functor(new Counted(&num_living));
    const CostFunctionToFunctor<1, 1> moved(std::move(functor));
    EXPECT_EQ(num_living, 1);
  }
  EXPECT_EQ(num_living, 0);
  {
    auto* cost = new Counted(&num_living);
    const DynamicCostFunctionToFunctor functor(cost);
    EXPECT_EQ(functor.function(), cost);
    const DynamicCostFunctionToFunctor other(
        std::make_unique<Counted>(&num_living));
    EXPECT_EQ(num_living, 2);
  }
  EXPECT_EQ(num_living, 0);
}

TEST(CostFunctionToFunctorDeathTest, SizesMustBeThoseOfTheCostFunction) {
  const auto inner = [] { return new InnerCost(new Inner); };
  EXPECT_DEATH((CostFunctionToFunctor<2, 2, 1>(nullptr)), "given null");
  EXPECT_DEATH((CostFunctionToFunctor<3, 2, 1>(inner())),
               "has 2 residuals, and the template argument is 3");
  EXPECT_DEATH((CostFunctionToFunctor<2, 2>(inner())),
               "has 2 parameter blocks, and the template arguments say 1");
  EXPECT_DEATH((CostFunctionToFunctor<2, 1, 2>(inner())),
               "parameter block 0 of the cost function has size 2");
  EXPECT_DEATH(DynamicCostFunctionToFunctor(nullptr), "given null");
}

}  // namespace
}  // namespace ceres
