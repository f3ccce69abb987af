// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/minimizer_setup.h"

#include <utility>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// The fields that both solvers have.
template <typename Options>
void CopySharedOptions(const Options& from, MinimizerOptions* to) {
  to->logging_type = from.logging_type;
  to->max_num_iterations = from.max_num_iterations;
  to->max_solver_time_in_seconds = from.max_solver_time_in_seconds;
  to->function_tolerance = from.function_tolerance;
  to->gradient_tolerance = from.gradient_tolerance;
  to->parameter_tolerance = from.parameter_tolerance;
  to->line_search_direction_type = from.line_search_direction_type;
  to->line_search_type = from.line_search_type;
  to->nonlinear_conjugate_gradient_type =
      from.nonlinear_conjugate_gradient_type;
  to->max_lbfgs_rank = from.max_lbfgs_rank;
  to->use_approximate_eigenvalue_bfgs_scaling =
      from.use_approximate_eigenvalue_bfgs_scaling;
  to->line_search_interpolation_type = from.line_search_interpolation_type;
  to->min_line_search_step_size = from.min_line_search_step_size;
  to->line_search_sufficient_function_decrease =
      from.line_search_sufficient_function_decrease;
  to->max_line_search_step_contraction = from.max_line_search_step_contraction;
  to->min_line_search_step_contraction = from.min_line_search_step_contraction;
  to->max_num_line_search_step_size_iterations =
      from.max_num_line_search_step_size_iterations;
  to->max_num_line_search_direction_restarts =
      from.max_num_line_search_direction_restarts;
  to->line_search_sufficient_curvature_decrease =
      from.line_search_sufficient_curvature_decrease;
  to->max_line_search_step_expansion = from.max_line_search_step_expansion;
}

template <typename Options>
void SetCallbacks(const Options& options, MinimizerType type,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  setup->update_user_state = options.update_state_every_iteration;
  const bool to_stdout = options.minimizer_progress_to_stdout;
  if (ProgressTable::IsWanted(options.logging_type, to_stdout)) {
    setup->callbacks.push_back(&table->emplace(type, to_stdout));
  }
  for (IterationCallback* callback : options.callbacks) {
    VESTA_CHECK(callback != nullptr)
        << "An element of the option callbacks is null. Remove it.";
    setup->callbacks.push_back(callback);
  }
}

}  // namespace

MinimizerOptions ToMinimizerOptions(const Solver::Options& options) {
  MinimizerOptions to;
  CopySharedOptions(options, &to);
  to.trust_region_strategy_type = options.trust_region_strategy_type;
  to.dogleg_type = options.dogleg_type;
  to.use_nonmonotonic_steps = options.use_nonmonotonic_steps;
  to.max_consecutive_nonmonotonic_steps =
      options.max_consecutive_nonmonotonic_steps;
  to.initial_trust_region_radius = options.initial_trust_region_radius;
  to.max_trust_region_radius = options.max_trust_region_radius;
  to.min_trust_region_radius = options.min_trust_region_radius;
  to.min_relative_decrease = options.min_relative_decrease;
  to.min_lm_diagonal = options.min_lm_diagonal;
  to.max_lm_diagonal = options.max_lm_diagonal;
  to.max_num_consecutive_invalid_steps =
      options.max_num_consecutive_invalid_steps;
  to.eta = options.eta;
  to.jacobi_scaling = options.jacobi_scaling;
  to.inner_iteration_tolerance = options.inner_iteration_tolerance;
  to.trust_region_minimizer_iterations_to_dump =
      options.trust_region_minimizer_iterations_to_dump;
  to.trust_region_problem_dump_directory =
      options.trust_region_problem_dump_directory;
  to.trust_region_problem_dump_format_type =
      options.trust_region_problem_dump_format_type;
  return to;
}

MinimizerOptions ToMinimizerOptions(
    const GradientProblemSolver::Options& options) {
  MinimizerOptions to;
  to.options_name = "GradientProblemSolver::Options";
  CopySharedOptions(options, &to);
  return to;
}

void SetCallbacks(const Solver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  SetCallbacks(options, options.minimizer_type, table, setup);
}

void SetCallbacks(const GradientProblemSolver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  SetCallbacks(options, LINE_SEARCH, table, setup);
}

void MoveToSummary(MinimizerResult&& result, Solver::Summary* summary) {
  summary->termination_type = result.termination_type;
  summary->message = std::move(result.message);
  summary->initial_cost = result.initial_cost;
  summary->final_cost = result.final_cost;
  summary->iterations = std::move(result.iterations);
  summary->num_successful_steps = result.num_successful_steps;
  summary->num_unsuccessful_steps = result.num_unsuccessful_steps;
  summary->num_inner_iteration_steps = result.num_inner_iteration_steps;
  summary->num_line_search_steps = result.num_line_search_steps;
  summary->linear_solver_time_in_seconds = result.linear_solver_time_in_seconds;
  summary->num_linear_solves = result.num_linear_solves;
  summary->residual_evaluation_time_in_seconds =
      result.residual_evaluation_time_in_seconds;
  summary->num_residual_evaluations = result.num_residual_evaluations;
  summary->jacobian_evaluation_time_in_seconds =
      result.jacobian_evaluation_time_in_seconds;
  summary->num_jacobian_evaluations = result.num_jacobian_evaluations;
  summary->inner_iteration_time_in_seconds =
      result.inner_iteration_time_in_seconds;
  summary->line_search_cost_evaluation_time_in_seconds =
      result.line_search_cost_evaluation_time_in_seconds;
  summary->line_search_gradient_evaluation_time_in_seconds =
      result.line_search_gradient_evaluation_time_in_seconds;
  summary->line_search_polynomial_minimization_time_in_seconds =
      result.line_search_polynomial_minimization_time_in_seconds;
  summary->line_search_total_time_in_seconds =
      result.line_search_total_time_in_seconds;
}

void MoveToSummary(MinimizerResult&& result,
                   GradientProblemSolver::Summary* summary) {
  summary->termination_type = result.termination_type;
  summary->message = std::move(result.message);
  summary->initial_cost = result.initial_cost;
  summary->final_cost = result.final_cost;
  summary->iterations = std::move(result.iterations);
  summary->num_cost_evaluations =
      result.num_residual_evaluations + result.num_jacobian_evaluations;
  summary->num_gradient_evaluations = result.num_jacobian_evaluations;
  summary->cost_evaluation_time_in_seconds =
      result.residual_evaluation_time_in_seconds;
  summary->gradient_evaluation_time_in_seconds =
      result.jacobian_evaluation_time_in_seconds;
  summary->line_search_polynomial_minimization_time_in_seconds =
      result.line_search_polynomial_minimization_time_in_seconds;
}

}  // namespace ceres::internal
