// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/internal/config.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"
#include "of_type.h"
#include "shared_defaults.h"

namespace ceres {
namespace {

constexpr LinearSolverType kDefaultLinearSolver = SPARSE_NORMAL_CHOLESKY;

struct DistanceToTen {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

TEST(SolverH, OptionsHaveTheDocumentedTypesAndDefaults) {
  const Solver::Options options;
  ExpectSharedDefaults(options);
  EXPECT_EQ(options.minimizer_type, OfType{TRUST_REGION});
  EXPECT_EQ(options.trust_region_strategy_type, OfType{LEVENBERG_MARQUARDT});
  EXPECT_EQ(options.dogleg_type, OfType{TRADITIONAL_DOGLEG});
  EXPECT_EQ(options.use_nonmonotonic_steps, OfType{false});
  EXPECT_EQ(options.max_consecutive_nonmonotonic_steps, OfType{5});
  EXPECT_EQ(options.num_threads, OfType{1});
  EXPECT_EQ(options.initial_trust_region_radius, OfType{1e4});
  EXPECT_EQ(options.max_trust_region_radius, OfType{1e16});
  EXPECT_EQ(options.min_trust_region_radius, OfType{1e-32});
  EXPECT_EQ(options.min_relative_decrease, OfType{1e-3});
  EXPECT_EQ(options.min_lm_diagonal, OfType{1e-6});
  EXPECT_EQ(options.max_lm_diagonal, OfType{1e32});
  EXPECT_EQ(options.max_num_consecutive_invalid_steps, OfType{5});
  EXPECT_EQ(options.linear_solver_type, OfType{kDefaultLinearSolver});
  EXPECT_EQ(options.preconditioner_type, OfType{JACOBI});
  EXPECT_EQ(options.visibility_clustering_type, OfType{CANONICAL_VIEWS});
  EXPECT_EQ(options.residual_blocks_for_subset_preconditioner,
            OfType<std::unordered_set<ResidualBlockId>>{});
  EXPECT_EQ(options.dense_linear_algebra_library_type, OfType{EIGEN});
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(
      options.sparse_linear_algebra_library_type));

  EXPECT_EQ(options.linear_solver_ordering_type, OfType{AMD});
  EXPECT_EQ(options.jacobian_storage, JacobianStorage::DOUBLE);
  EXPECT_EQ(options.linear_solver_ordering,
            OfType<std::shared_ptr<ParameterBlockOrdering>>{nullptr});
  EXPECT_EQ(options.use_explicit_schur_complement, OfType{false});
  EXPECT_EQ(options.dynamic_sparsity, OfType{false});
  EXPECT_EQ(options.use_mixed_precision_solves, OfType{false});
  EXPECT_EQ(options.max_num_refinement_iterations, OfType{0});
  EXPECT_EQ(options.min_linear_solver_iterations, OfType{0});
  EXPECT_EQ(options.max_linear_solver_iterations, OfType{500});
  EXPECT_EQ(options.max_num_spse_iterations, OfType{5});
  EXPECT_EQ(options.use_spse_initialization, OfType{false});
  EXPECT_EQ(options.spse_tolerance, OfType{0.1});
  EXPECT_EQ(options.eta, OfType{1e-1});
  EXPECT_EQ(options.jacobi_scaling, OfType{true});
  EXPECT_EQ(options.use_inner_iterations, OfType{false});
  EXPECT_EQ(options.inner_iteration_ordering,
            OfType<std::shared_ptr<ParameterBlockOrdering>>{nullptr});
  EXPECT_EQ(options.inner_iteration_tolerance, OfType{1e-3});
  EXPECT_EQ(options.trust_region_minimizer_iterations_to_dump,
            OfType<std::vector<int>>{});
  EXPECT_EQ(options.trust_region_problem_dump_directory,
            OfType<std::string>{"/tmp"});
  EXPECT_EQ(options.trust_region_problem_dump_format_type, OfType{TEXTFILE});
  EXPECT_EQ(options.check_gradients, OfType{false});
  EXPECT_EQ(options.gradient_check_relative_precision, OfType{1e-8});
  EXPECT_EQ(options.gradient_check_numeric_derivative_relative_step_size,
            OfType{1e-6});
  EXPECT_EQ(options.callbacks, OfType<std::vector<IterationCallback*>>{});
}

TEST(SolverH, OptionsSayWhatIsWrongWithThem) {
  Solver::Options options;
  std::string error;
  EXPECT_TRUE(options.IsValid(&error)) << error;
  options.max_num_iterations = -1;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_NE(error.find("max_num_iterations"), std::string::npos) << error;
}

TEST(SolverH, SummaryHasTheDocumentedTypesAndDefaults) {
  const Solver::Summary summary;
  EXPECT_EQ(summary.minimizer_type, OfType{TRUST_REGION});
  EXPECT_EQ(summary.termination_type, OfType{FAILURE});
  EXPECT_FALSE(summary.message.empty());
  EXPECT_EQ(summary.initial_cost, OfType{-1.0});
  EXPECT_EQ(summary.final_cost, OfType{-1.0});
  EXPECT_EQ(summary.fixed_cost, OfType{-1.0});
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_EQ(summary.num_successful_steps, OfType{-1});
  EXPECT_EQ(summary.num_unsuccessful_steps, OfType{-1});
  EXPECT_EQ(summary.num_inner_iteration_steps, OfType{-1});
  EXPECT_EQ(summary.num_line_search_steps, OfType{-1});
  EXPECT_EQ(summary.preprocessor_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.minimizer_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.postprocessor_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.total_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.linear_solver_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.num_linear_solves, OfType{-1});
  EXPECT_EQ(summary.residual_evaluation_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.num_residual_evaluations, OfType{-1});
  EXPECT_EQ(summary.jacobian_evaluation_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.num_jacobian_evaluations, OfType{-1});
  EXPECT_EQ(summary.inner_iteration_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.line_search_cost_evaluation_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.line_search_gradient_evaluation_time_in_seconds,
            OfType{-1.0});
  EXPECT_EQ(summary.line_search_polynomial_minimization_time_in_seconds,
            OfType{-1.0});
  EXPECT_EQ(summary.line_search_total_time_in_seconds, OfType{-1.0});
  EXPECT_EQ(summary.num_parameter_blocks, OfType{-1});
  EXPECT_EQ(summary.num_parameters, OfType{-1});
  EXPECT_EQ(summary.num_effective_parameters, OfType{-1});
  EXPECT_EQ(summary.num_residual_blocks, OfType{-1});
  EXPECT_EQ(summary.num_residuals, OfType{-1});
  EXPECT_EQ(summary.num_parameter_blocks_reduced, OfType{-1});
  EXPECT_EQ(summary.num_parameters_reduced, OfType{-1});
  EXPECT_EQ(summary.num_effective_parameters_reduced, OfType{-1});
  EXPECT_EQ(summary.num_residual_blocks_reduced, OfType{-1});
  EXPECT_EQ(summary.num_residuals_reduced, OfType{-1});
  EXPECT_EQ(summary.is_constrained, OfType{false});
  EXPECT_EQ(summary.num_threads_given, OfType{-1});
  EXPECT_EQ(summary.num_threads_used, OfType{-1});
  EXPECT_EQ(summary.linear_solver_type_given, OfType{kDefaultLinearSolver});
  EXPECT_EQ(summary.linear_solver_type_used, OfType{kDefaultLinearSolver});
  EXPECT_EQ(summary.mixed_precision_solves_used, OfType{false});
  EXPECT_EQ(summary.linear_solver_ordering_type, OfType{AMD});
  EXPECT_EQ(summary.jacobian_storage_used, JacobianStorage::DOUBLE);
  EXPECT_EQ(summary.linear_solver_ordering_given, OfType<std::vector<int>>{});
  EXPECT_EQ(summary.linear_solver_ordering_used, OfType<std::vector<int>>{});
  EXPECT_EQ(summary.schur_structure_given, OfType<std::string>{});
  EXPECT_EQ(summary.schur_structure_used, OfType<std::string>{});
  EXPECT_EQ(summary.inner_iterations_given, OfType{false});
  EXPECT_EQ(summary.inner_iterations_used, OfType{false});
  EXPECT_EQ(summary.inner_iteration_ordering_given, OfType<std::vector<int>>{});
  EXPECT_EQ(summary.inner_iteration_ordering_used, OfType<std::vector<int>>{});
  EXPECT_EQ(summary.preconditioner_type_given, OfType{IDENTITY});
  EXPECT_EQ(summary.preconditioner_type_used, OfType{IDENTITY});
  EXPECT_EQ(summary.visibility_clustering_type, OfType{CANONICAL_VIEWS});
  EXPECT_EQ(summary.trust_region_strategy_type, OfType{LEVENBERG_MARQUARDT});
  EXPECT_EQ(summary.dogleg_type, OfType{TRADITIONAL_DOGLEG});
  EXPECT_EQ(summary.dense_linear_algebra_library_type, OfType{EIGEN});
  EXPECT_EQ(summary.sparse_linear_algebra_library_type, OfType{NO_SPARSE});
  EXPECT_EQ(summary.line_search_direction_type, OfType{LBFGS});
  EXPECT_EQ(summary.line_search_type, OfType{WOLFE});
  EXPECT_EQ(summary.line_search_interpolation_type, OfType{CUBIC});
  EXPECT_EQ(summary.nonlinear_conjugate_gradient_type, OfType{FLETCHER_REEVES});
  EXPECT_EQ(summary.max_lbfgs_rank, OfType{-1});
  EXPECT_FALSE(summary.IsSolutionUsable());
}

TEST(SolverH, SolvesByFunctionAndByObject) {
  for (const bool by_object : {false, true}) {
    double x = 0.5;
    Problem problem;
    problem.AddResidualBlock(
        new AutoDiffCostFunction<DistanceToTen, 1, 1>(new DistanceToTen),
        nullptr, &x);
    Solver::Options options;
    options.logging_type = SILENT;
    Solver::Summary summary;
    if (by_object) {
      Solver solver;
      solver.Solve(options, &problem, &summary);
    } else {
      Solve(options, &problem, &summary);
    }
    EXPECT_NEAR(x, 10.0, 1e-6);
    EXPECT_TRUE(summary.IsSolutionUsable());
    EXPECT_NE(summary.BriefReport().find("CONVERGENCE"), std::string::npos);
    EXPECT_GT(summary.FullReport().size(), summary.BriefReport().size());
  }
}

}  // namespace
}  // namespace ceres
