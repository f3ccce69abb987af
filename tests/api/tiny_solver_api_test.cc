// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <limits>
#include <type_traits>

#include "ceres/autodiff_cost_function.h"
#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_autodiff_function.h"
#include "ceres/tiny_solver_cost_function_adapter.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

// Zero at (1, 2).
struct Residual {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    residuals[0] = x[0] - 1.0;
    residuals[1] = x[1] - 2.0;
    residuals[2] = x[0] * x[1] - 2.0;
    return true;
  }
};

using Function = TinySolverAutoDiffFunction<Residual, 3, 2>;
using Solver = TinySolver<Function>;

TEST(TinySolverH, OptionsAndSummaryHaveTheDocumentedTypesAndDefaults) {
  using Scalar = Solver::Scalar;
  using Status = Solver::Status;
  const Solver::Options options;
  EXPECT_EQ(options.max_num_iterations, OfType{50});
  EXPECT_EQ(options.gradient_tolerance, OfType<Scalar>{1e-10});
  EXPECT_EQ(options.parameter_tolerance, OfType<Scalar>{1e-8});
  EXPECT_EQ(options.function_tolerance, OfType<Scalar>{1e-6});
  EXPECT_EQ(options.cost_threshold,
            OfType<Scalar>{std::numeric_limits<Scalar>::epsilon()});
  EXPECT_EQ(options.initial_trust_region_radius, OfType<Scalar>{1e4});
  const Solver::Summary summary;
  EXPECT_EQ(summary.initial_cost, OfType<Scalar>{-1});
  EXPECT_EQ(summary.final_cost, OfType<Scalar>{-1});
  EXPECT_EQ(summary.gradient_max_norm, OfType<Scalar>{-1});
  EXPECT_EQ(summary.iterations, OfType{-1});
  EXPECT_EQ(summary.status, OfType<Status>{Solver::HIT_MAX_ITERATIONS});
}

TEST(TinySolverH, HasTypesOfItsSizes) {
  static_assert(Solver::NUM_RESIDUALS == 3 && Solver::NUM_PARAMETERS == 2);
  static_assert(Solver::MAX_NUM_RESIDUALS == 3);
  static_assert(Solver::MAX_NUM_PARAMETERS == 2);
  static_assert(std::is_same_v<Solver::Parameters, Eigen::Vector2d>);
  static_assert(std::is_same_v<Solver::ParameterVector, Eigen::Vector2d>);
  static_assert(Solver::ResidualVector::RowsAtCompileTime == 3);
  static_assert(Solver::JacobianMatrix::ColsAtCompileTime == 2);
  static_assert(Solver::HessianMatrix::ColsAtCompileTime == 2);
  static_assert(Solver::GRADIENT_TOO_SMALL == 0);
  static_assert(Solver::RELATIVE_STEP_SIZE_TOO_SMALL == 1);
  static_assert(Solver::COST_TOO_SMALL == 2);
  static_assert(Solver::HIT_MAX_ITERATIONS == 3);
  static_assert(Solver::COST_CHANGE_TOO_SMALL == 4);
}

TEST(TinySolverH, Solves) {
  const Residual residual;
  const Function function(residual);
  TinySolver<Function> solver;
  solver.options.max_num_iterations = 30;
  Solver::Parameters x(3.0, 3.0);
  const Solver::Summary& summary = solver.Solve(function, &x);
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_NEAR(x[1], 2.0, 1e-6);
  EXPECT_EQ(&summary, &solver.summary);
  EXPECT_NEAR(solver.Residuals().norm(), 0.0, 1e-6);
  EXPECT_NEAR(solver.Jacobian()(2, 0), 2.0, 1e-6);
  EXPECT_TRUE(solver.Update(function, x));
}

// The template parameters of Ceres 2.2; tiny_solver_2_3_api_test.cc has those
// of 2.3.
TEST(TinySolverH, TakesTheLinearSolverSecond) {
  const Residual residual;
  TinySolver<Function, Eigen::LLT<Solver::HessianMatrix>> solver;
  Solver::Parameters x(3.0, 3.0);
  solver.Solve(Function(residual), &x);
  EXPECT_NEAR(x[1], 2.0, 1e-6);
}

TEST(TinySolverAutodiffFunctionH, EvaluatesColumnMajor) {
  static_assert(Function::NUM_RESIDUALS == 3 && Function::NUM_PARAMETERS == 2);
  static_assert(Function::MAX_NUM_RESIDUALS == 3);
  static_assert(std::is_same_v<Function::Scalar, double>);
  const Residual residual;
  const TinySolverAutoDiffFunction<Residual, 3, 2> function(residual);
  const double x[] = {3.0, 4.0};
  double residuals[3];
  Function::JacobianMatrix jacobian;
  EXPECT_TRUE(function.operator()(x, residuals, jacobian.data()));
  EXPECT_EQ(residuals[2], 10.0);
  EXPECT_EQ(jacobian(2, 0), 4.0);
  EXPECT_EQ(jacobian(2, 1), 3.0);
  EXPECT_EQ(function.NumResiduals(), 3);
}

TEST(TinySolverCostFunctionAdapterH, EvaluatesColumnMajor) {
  using Adapter = TinySolverCostFunctionAdapter<3, 2>;
  static_assert(std::is_enum_v<Adapter::ComponentSizeType>);
  static_assert(Adapter::NUM_RESIDUALS == 3 && Adapter::NUM_PARAMETERS == 2);
  static_assert(Adapter::MAX_NUM_RESIDUALS == 3);
  static_assert(Adapter::MAX_NUM_PARAMETERS == 2);
  static_assert(std::is_same_v<Adapter::Scalar, double>);
  const AutoDiffCostFunction<Residual, 3, 2> cost(new Residual);
  const TinySolverCostFunctionAdapter<> adapter(cost);
  EXPECT_EQ(adapter.NumResiduals(), 3);
  EXPECT_EQ(adapter.NumParameters(), 2);
  const double x[] = {3.0, 4.0};
  double residuals[3];
  Adapter::JacobianMatrix<Eigen::ColMajor> jacobian;
  EXPECT_TRUE(adapter.operator()(x, residuals, jacobian.data()));
  EXPECT_EQ(residuals[2], 10.0);
  EXPECT_EQ(jacobian(2, 0), 4.0);
}

}  // namespace
}  // namespace ceres
