// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/conditioned_cost_function.h"
#include "ceres/cost_function.h"
#include "ceres/cost_function_to_functor.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/dynamic_cost_function.h"
#include "ceres/dynamic_cost_function_to_functor.h"
#include "ceres/dynamic_numeric_diff_cost_function.h"
#include "ceres/gradient_checker.h"
#include "ceres/normal_prior.h"
#include "ceres/numeric_diff_cost_function.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/sized_cost_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

using testing::ElementsAre;

// r = (x0 x1, x1 + y), with x and y of sizes 2 and 1.
struct Residual {
  template <typename T>
  bool operator()(const T* x, const T* y, T* residuals) const {
    residuals[0] = x[0] * x[1];
    residuals[1] = x[1] + y[0];
    return true;
  }
};

// The same, with the blocks in an array.
struct DynamicResidual {
  template <typename T>
  bool operator()(T const* const* blocks, T* residuals) const {
    return Residual()(blocks[0], blocks[1], residuals);
  }
};

// At x = (3, 4), y = 5 the residuals are (12, 9), the Jacobians (4, 3; 0, 1)
// and (0; 1).
struct Point {
  double x[2] = {3.0, 4.0};
  double y[1] = {5.0};
  const double* blocks[2] = {x, y};
};

void ExpectResidual(const CostFunction& cost, double tolerance) {
  const Point point;
  double residuals[2] = {};
  double by_x[4] = {};
  double by_y[2] = {};
  double* jacobians[] = {by_x, by_y};
  EXPECT_EQ(cost.num_residuals(), 2);
  EXPECT_THAT(cost.parameter_block_sizes(), ElementsAre(2, 1));
  ASSERT_TRUE(cost.Evaluate(point.blocks, residuals, jacobians));
  EXPECT_THAT(residuals, ElementsAre(12.0, 9.0));
  EXPECT_TRUE(cost.Evaluate(point.blocks, residuals, nullptr));
  EXPECT_THAT(residuals, ElementsAre(12.0, 9.0));
  const double expected[] = {4.0, 3.0, 0.0, 1.0};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(by_x[i], expected[i], tolerance);
  EXPECT_NEAR(by_y[0], 0.0, tolerance);
  EXPECT_NEAR(by_y[1], 1.0, tolerance);
}

template <typename Cost>
Cost&& WithSizes(Cost&& cost) {
  cost.AddParameterBlock(2);
  cost.AddParameterBlock(1);
  cost.SetNumResiduals(2);
  return std::forward<Cost>(cost);
}

using AutoDiffCost = AutoDiffCostFunction<Residual, 2, 2, 1>;

TEST(CostFunctionH, IsAnInterfaceThatKnowsItsSizes) {
  struct Analytic : CostFunction {
    Analytic() {
      set_num_residuals(2);
      std::vector<std::int32_t>* sizes = mutable_parameter_block_sizes();
      *sizes = {2, 1};
    }
    bool Evaluate(double const* const* parameters, double* residuals,
                  double** jacobians) const override {
      return AutoDiffCost(new Residual)
          .Evaluate(parameters, residuals, jacobians);
    }
  };
  static_assert(std::is_abstract_v<CostFunction>);
  static_assert(!std::is_copy_constructible_v<Analytic>);
  const Analytic cost;
  EXPECT_EQ(cost.num_residuals(), OfType{2});
  EXPECT_EQ(cost.parameter_block_sizes(),
            (OfType<std::vector<std::int32_t>>{{2, 1}}));
  ExpectResidual(cost, 0.0);
}

TEST(SizedCostFunctionH, KnowsItsSizes) {
  struct Sized : SizedCostFunction<2, 2, 1> {
    bool Evaluate(double const* const*, double*, double**) const override {
      return false;
    }
  };
  static_assert(Sized::ParameterDims::kNumParameterBlocks == 2);
  static_assert(Sized::ParameterDims::kNumParameters == 3);
  EXPECT_EQ(Sized().num_residuals(), 2);
  EXPECT_THAT(Sized().parameter_block_sizes(), ElementsAre(2, 1));
}

TEST(AutodiffCostFunctionH, IsBuiltInEveryWay) {
  using Dynamic = AutoDiffCostFunction<Residual, DYNAMIC, 2, 1>;
  Residual functor;
  const AutoDiffCost borrower(&functor, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(&borrower.functor(), &functor);
  ExpectResidual(borrower, 0.0);
  ExpectResidual(AutoDiffCostFunction<Residual, 2, 2, 1>(new Residual), 0.0);
  ExpectResidual(AutoDiffCost(std::make_unique<Residual>()), 0.0);
  ExpectResidual(AutoDiffCost(), 0.0);
  ExpectResidual(Dynamic(new Residual, 2), 0.0);
  ExpectResidual(Dynamic(std::make_unique<Residual>(), 2), 0.0);
  AutoDiffCost original(new Residual);
  const AutoDiffCost moved(std::move(original));
  ExpectResidual(moved, 0.0);
}

TEST(DynamicCostFunctionH, IsToldItsSizes) {
  struct Dynamic : DynamicCostFunction {
    bool Evaluate(double const* const*, double*, double**) const override {
      return false;
    }
  };
  Dynamic cost;
  DynamicCostFunction& base = cost;
  base.AddParameterBlock(4);
  base.AddParameterBlock(2);
  base.SetNumResiduals(3);
  EXPECT_THAT(cost.parameter_block_sizes(), ElementsAre(4, 2));
  EXPECT_EQ(cost.num_residuals(), 3);
}

TEST(DynamicAutodiffCostFunctionH, IsBuiltInEveryWay) {
  using Cost = DynamicAutoDiffCostFunction<DynamicResidual, 2>;
  DynamicResidual functor;
  Cost borrower(&functor, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(&borrower.functor(), &functor);
  ExpectResidual(WithSizes(Cost(new DynamicResidual)), 0.0);
  ExpectResidual(WithSizes(Cost(std::make_unique<DynamicResidual>())), 0.0);
  ExpectResidual(WithSizes(Cost()), 0.0);
  DynamicAutoDiffCostFunction deduced(new DynamicResidual);
  static_assert(
      std::is_same_v<decltype(deduced),
                     DynamicAutoDiffCostFunction<DynamicResidual, 4>>);
  WithSizes(deduced);
  const auto moved(std::move(deduced));
  ExpectResidual(moved, 0.0);
}

TEST(NumericDiffOptionsH, HaveTheDocumentedTypesAndDefaults) {
  const NumericDiffOptions options;
  EXPECT_EQ(options.relative_step_size, OfType{1e-6});
  EXPECT_EQ(options.ridders_relative_initial_step_size, OfType{1e-2});
  EXPECT_EQ(options.max_num_ridders_extrapolations, OfType{10});
  EXPECT_EQ(options.ridders_epsilon, OfType{1e-12});
  EXPECT_EQ(options.ridders_step_shrink_factor, OfType{2.0});
}

TEST(NumericDiffCostFunctionH, IsBuiltInEveryWay) {
  using Cost = NumericDiffCostFunction<Residual, CENTRAL, 2, 2, 1>;
  using Dynamic = NumericDiffCostFunction<Residual, RIDDERS, DYNAMIC, 2, 1>;
  const NumericDiffOptions options;
  Residual functor;
  const Cost borrower(&functor, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(&borrower.functor(), &functor);
  ExpectResidual(borrower, 1e-6);
  ExpectResidual(NumericDiffCostFunction<Residual, FORWARD, 2, 2, 1>(
                     new Residual, TAKE_OWNERSHIP, 2, options),
                 1e-4);
  ExpectResidual(Cost(std::make_unique<Residual>(), 2, options), 1e-6);
  ExpectResidual(Cost(), 1e-6);
  ExpectResidual(Dynamic(new Residual, TAKE_OWNERSHIP, 2), 1e-6);
  ExpectResidual(Dynamic(std::make_unique<Residual>(), 2), 1e-6);
  ExpectResidual(
      NumericDiffCostFunction<CostFunction, CENTRAL, 2, 2, 1>(new AutoDiffCost),
      1e-6);
}

TEST(DynamicNumericDiffCostFunctionH, IsBuiltInEveryWay) {
  using Cost = DynamicNumericDiffCostFunction<DynamicResidual, RIDDERS>;
  const NumericDiffOptions options;
  ExpectResidual(WithSizes(Cost(new DynamicResidual, TAKE_OWNERSHIP, options)),
                 1e-6);
  ExpectResidual(
      WithSizes(Cost(std::make_unique<const DynamicResidual>(), options)),
      1e-6);
  ExpectResidual(WithSizes(Cost()), 1e-6);
  DynamicNumericDiffCostFunction deduced(new DynamicResidual);
  WithSizes(deduced);
  ExpectResidual(deduced, 1e-6);
}

TEST(CostFunctionToFunctorH, WorksOnNumbersAndJets) {
  const Point point;
  double residuals[2];
  const CostFunctionToFunctor<2, 2, 1> functor(new AutoDiffCost);
  EXPECT_TRUE(functor.operator()(point.x, point.y, residuals));
  EXPECT_THAT(residuals, ElementsAre(12.0, 9.0));

  using Functor = CostFunctionToFunctor<2, 2, 1>;
  ExpectResidual(AutoDiffCostFunction<Functor, 2, 2, 1>(
                     new Functor(std::make_unique<AutoDiffCost>())),
                 1e-15);
}

TEST(DynamicCostFunctionToFunctorH, WorksOnNumbersAndJets) {
  const Point point;
  double residuals[2];
  auto* cost = new AutoDiffCost;
  const DynamicCostFunctionToFunctor functor(cost);
  EXPECT_EQ(functor.function(), cost);
  EXPECT_TRUE(functor.operator()(point.blocks, residuals));
  EXPECT_THAT(residuals, ElementsAre(12.0, 9.0));

  ExpectResidual(
      WithSizes(DynamicAutoDiffCostFunction<DynamicCostFunctionToFunctor>(
          new DynamicCostFunctionToFunctor(std::make_unique<AutoDiffCost>()))),
      1e-15);
}

struct Twice {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 2.0 * x[0];
    return true;
  }
};

TEST(ConditionedCostFunctionH, ConditionsEachResidual) {
  const std::vector<CostFunction*> conditioners = {
      new AutoDiffCostFunction<Twice, 1, 1>(new Twice), nullptr};
  const ConditionedCostFunction cost(new AutoDiffCost, conditioners,
                                     TAKE_OWNERSHIP);
  const Point point;
  double residuals[2];
  EXPECT_TRUE(cost.Evaluate(point.blocks, residuals, nullptr));
  EXPECT_THAT(residuals, ElementsAre(24.0, 9.0));
}

TEST(NormalPriorH, IsLinear) {
  const Matrix a = (Matrix(1, 2) << 2.0, 3.0).finished();
  const NormalPrior prior(a, Vector::Ones(2));
  const Point point;
  double residual = 0.0;
  double jacobian[2];
  double* jacobians[] = {jacobian};
  EXPECT_TRUE(prior.Evaluate(point.blocks, &residual, jacobians));
  EXPECT_EQ(residual, 13.0);
  EXPECT_THAT(jacobian, ElementsAre(2.0, 3.0));
}

TEST(GradientCheckerH, FillsItsResults) {
  const AutoDiffCost cost;
  const GradientChecker checker(&cost, nullptr, NumericDiffOptions());
  const Point point;
  GradientChecker::ProbeResults results;
  EXPECT_TRUE(checker.Probe(point.blocks, 1e-6, &results));
  EXPECT_EQ(results.return_value, OfType{true});
  EXPECT_EQ(results.residuals, OfType<Vector>{Eigen::Vector2d(12.0, 9.0)});
  ASSERT_EQ(results.jacobians.size(), 2u);
  EXPECT_EQ(results.jacobians[0], results.local_jacobians[0]);
  EXPECT_NEAR(results.numeric_jacobians[0](0, 0), 4.0, 1e-6);
  EXPECT_NEAR(results.local_numeric_jacobians[1](1, 0), 1.0, 1e-6);
  EXPECT_LT(results.maximum_relative_error, 1e-6);
  EXPECT_TRUE(results.error_log.empty());
}

}  // namespace
}  // namespace ceres
