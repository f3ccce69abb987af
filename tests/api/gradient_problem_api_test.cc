// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ceres/autodiff_first_order_function.h"
#include "ceres/first_order_function.h"
#include "ceres/gradient_problem.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/manifold.h"
#include "ceres/numeric_diff_first_order_function.h"
#include "gtest/gtest.h"
#include "of_type.h"
#include "shared_defaults.h"

namespace ceres {
namespace {

// (x - 1)^2 + (y - 2)^2
struct Bowl {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = (x[0] - 1.0) * (x[0] - 1.0) + (x[1] - 2.0) * (x[1] - 2.0);
    return true;
  }
};

// At (3, 5) the bowl's cost is 13 and its gradient (4, 6).
void ExpectBowl(const FirstOrderFunction& function, double tolerance) {
  const double x[] = {3.0, 5.0};
  double cost = 0.0;
  double gradient[2] = {};
  EXPECT_EQ(function.NumParameters(), 2);
  EXPECT_TRUE(function.Evaluate(x, &cost, nullptr));
  EXPECT_EQ(cost, 13.0);
  EXPECT_TRUE(function.Evaluate(x, &cost, gradient));
  EXPECT_NEAR(gradient[0], 4.0, tolerance);
  EXPECT_NEAR(gradient[1], 6.0, tolerance);
}

TEST(FirstOrderFunctionH, IsAnInterface) {
  struct AnalyticBowl : FirstOrderFunction {
    bool Evaluate(const double* const x, double* cost,
                  double* gradient) const override {
      if (gradient != nullptr) {
        gradient[0] = 2.0 * (x[0] - 1.0);
        gradient[1] = 2.0 * (x[1] - 2.0);
      }
      return Bowl()(x, cost);
    }
    int NumParameters() const override { return 2; }
  };
  static_assert(std::is_abstract_v<FirstOrderFunction>);
  ExpectBowl(AnalyticBowl(), 0.0);
}

TEST(AutodiffFirstOrderFunctionH, IsBuiltInEveryWay) {
  using Function = AutoDiffFirstOrderFunction<Bowl, 2>;
  Bowl bowl;
  Function owner(new Bowl);
  const Function borrower(&bowl, DO_NOT_TAKE_OWNERSHIP);
  ExpectBowl(Function(std::make_unique<Bowl>()), 0.0);
  ExpectBowl(Function(), 0.0);
  ExpectBowl(borrower, 0.0);
  EXPECT_EQ(&borrower.functor(), &bowl);
  const Function moved(std::move(owner));
  ExpectBowl(moved, 0.0);
  static_assert(!std::is_copy_constructible_v<Function>);

  double cost = 0.0;
  const double x[] = {1.0, 2.0};
  EXPECT_TRUE(moved.Evaluate(x, &cost, nullptr));
  EXPECT_EQ(cost, 0.0);
  EXPECT_EQ(moved.NumParameters(), 2);
}

TEST(NumericDiffFirstOrderFunctionH, IsBuiltInEveryWay) {
  using Fixed = NumericDiffFirstOrderFunction<Bowl, CENTRAL, 2>;
  using Dynamic = NumericDiffFirstOrderFunction<Bowl, RIDDERS>;
  const NumericDiffOptions options;
  Bowl bowl;
  ExpectBowl(Fixed(new Bowl), 1e-6);
  ExpectBowl(Fixed(new Bowl, TAKE_OWNERSHIP, options), 1e-6);
  ExpectBowl(Fixed(std::make_unique<Bowl>(), options), 1e-6);
  ExpectBowl(Fixed(), 1e-6);
  ExpectBowl(Dynamic(new Bowl, 2, TAKE_OWNERSHIP, options), 1e-6);
  ExpectBowl(Dynamic(std::make_unique<Bowl>(), 2), 1e-6);
  const Fixed borrower(&bowl, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(&borrower.functor(), &bowl);

  double cost = 0.0;
  const double x[] = {1.0, 2.0};
  EXPECT_TRUE(borrower.Evaluate(x, &cost, nullptr));
  EXPECT_EQ(cost, 0.0);
  EXPECT_EQ(borrower.NumParameters(), 2);
}

FirstOrderFunction* NewBowl() {
  return new AutoDiffFirstOrderFunction<Bowl, 2>(new Bowl);
}

TEST(GradientProblemH, IsBuiltInEveryWay) {
  FirstOrderFunction* function = NewBowl();
  Manifold* manifold = new SubsetManifold(2, {0});
  GradientProblem problem(function, manifold);
  EXPECT_EQ(problem.function(), function);
  EXPECT_EQ(problem.mutable_function(), function);
  EXPECT_EQ(problem.manifold(), manifold);
  EXPECT_EQ(problem.mutable_manifold(), manifold);
  EXPECT_EQ(problem.NumParameters(), 2);
  EXPECT_EQ(problem.NumTangentParameters(), 1);

  const GradientProblem euclidean(NewBowl());
  ASSERT_NE(euclidean.manifold(), nullptr);
  EXPECT_EQ(euclidean.manifold()->AmbientSize(), 2);
  EXPECT_EQ(euclidean.NumTangentParameters(), 2);
  const GradientProblem from_smart_pointers(
      std::unique_ptr<FirstOrderFunction>(NewBowl()),
      std::make_unique<EuclideanManifold<2>>());
  EXPECT_EQ(from_smart_pointers.NumParameters(), 2);
  EXPECT_EQ(GradientProblem(std::unique_ptr<FirstOrderFunction>(NewBowl()))
                .NumParameters(),
            2);
}

TEST(GradientProblemH, EvaluatesInTheTangentSpace) {
  const GradientProblem problem(NewBowl(), new SubsetManifold(2, {0}));
  const double x[] = {3.0, 5.0};
  double cost = 0.0;
  double gradient = 0.0;
  EXPECT_TRUE(problem.Evaluate(x, &cost, &gradient));
  EXPECT_EQ(cost, 13.0);
  EXPECT_EQ(gradient, 6.0);
  const double delta = 0.5;
  double x_plus_delta[2];
  EXPECT_TRUE(problem.Plus(x, &delta, x_plus_delta));
  EXPECT_EQ(x_plus_delta[0], 3.0);
  EXPECT_EQ(x_plus_delta[1], 5.5);
}

TEST(GradientProblemSolverH, OptionsHaveTheDocumentedTypesAndDefaults) {
  const GradientProblemSolver::Options options;
  ExpectSharedDefaults(options);
  EXPECT_EQ(options.callbacks, OfType<std::vector<IterationCallback*>>{});
  std::string error;
  EXPECT_TRUE(options.IsValid(&error)) << error;
}

TEST(GradientProblemSolverH, SummaryHasTheDocumentedTypesAndDefaults) {
  const GradientProblemSolver::Summary summary;
  EXPECT_EQ(summary.termination_type, OfType{FAILURE});
  EXPECT_FALSE(summary.message.empty());
  EXPECT_EQ(summary.initial_cost, OfType{-1.0});
  EXPECT_EQ(summary.final_cost, OfType{-1.0});
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_EQ(summary.num_cost_evaluations, OfType{-1});
  EXPECT_EQ(summary.num_gradient_evaluations, OfType{-1});
  EXPECT_EQ(summary.total_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.cost_evaluation_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.gradient_evaluation_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.line_search_polynomial_minimization_time_in_seconds,
            OfType{-1.0});
  EXPECT_EQ(summary.num_parameters, OfType{-1});
  EXPECT_EQ(summary.num_tangent_parameters, OfType{-1});
  EXPECT_EQ(summary.line_search_direction_type, OfType{LBFGS});
  EXPECT_EQ(summary.line_search_type, OfType{WOLFE});
  EXPECT_EQ(summary.line_search_interpolation_type, OfType{CUBIC});
  EXPECT_EQ(summary.nonlinear_conjugate_gradient_type, OfType{FLETCHER_REEVES});
  EXPECT_EQ(summary.max_lbfgs_rank, OfType{-1});
  EXPECT_FALSE(summary.IsSolutionUsable());
}

TEST(GradientProblemSolverH, SolvesByFunctionAndByObject) {
  const GradientProblem problem(NewBowl());
  GradientProblemSolver::Options options;
  options.logging_type = SILENT;
  for (const bool by_object : {false, true}) {
    GradientProblemSolver::Summary summary;
    double x[] = {0.0, 0.0};
    if (by_object) {
      GradientProblemSolver().Solve(options, problem, x, &summary);
    } else {
      Solve(options, problem, x, &summary);
    }
    EXPECT_NEAR(x[0], 1.0, 1e-6);
    EXPECT_NEAR(x[1], 2.0, 1e-6);
    EXPECT_TRUE(summary.IsSolutionUsable());
    EXPECT_GT(summary.FullReport().size(), summary.BriefReport().size());
  }
}

}  // namespace
}  // namespace ceres
