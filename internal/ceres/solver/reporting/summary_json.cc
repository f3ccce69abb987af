// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/summary_json.h"

#include <string>

#include "ceres/solver/reporting/licences.h"

namespace ceres {
namespace internal {
namespace {

void AddIteration(const IterationSummary& iteration, JsonWriter* json) {
  json->BeginObject();
  json->Member("iteration", iteration.iteration);
  json->Member("step_is_valid", iteration.step_is_valid);
  json->Member("step_is_nonmonotonic", iteration.step_is_nonmonotonic);
  json->Member("step_is_successful", iteration.step_is_successful);
  json->Member("cost", iteration.cost);
  json->Member("cost_change", iteration.cost_change);
  json->Member("constraint_violation", iteration.constraint_violation);
  json->Member("gradient_max_norm", iteration.gradient_max_norm);
  json->Member("gradient_norm", iteration.gradient_norm);
  json->Member("step_norm", iteration.step_norm);
  json->Member("relative_decrease", iteration.relative_decrease);
  json->Member("trust_region_radius", iteration.trust_region_radius);
  json->Member("eta", iteration.eta);
  json->Member("step_size", iteration.step_size);
  json->Member("line_search_function_evaluations",
               iteration.line_search_function_evaluations);
  json->Member("line_search_gradient_evaluations",
               iteration.line_search_gradient_evaluations);
  json->Member("line_search_iterations", iteration.line_search_iterations);
  json->Member("linear_solver_iterations", iteration.linear_solver_iterations);
  json->Member("iteration_time_in_seconds",
               iteration.iteration_time_in_seconds);
  json->Member("step_solver_time_in_seconds",
               iteration.step_solver_time_in_seconds);
  json->Member("cumulative_time_in_seconds",
               iteration.cumulative_time_in_seconds);
  json->EndObject();
}

void AddResult(const Solver::Summary& s, JsonWriter* json) {
  json->Member("minimizer_type", MinimizerTypeToString(s.minimizer_type));
  json->Member("termination_type", TerminationTypeToString(s.termination_type));
  json->Member("message", s.message);
  json->Member("initial_cost", s.initial_cost);
  json->Member("final_cost", s.final_cost);
  json->Member("fixed_cost", s.fixed_cost);
  json->Member("num_successful_steps", s.num_successful_steps);
  json->Member("num_unsuccessful_steps", s.num_unsuccessful_steps);
  json->Member("num_inner_iteration_steps", s.num_inner_iteration_steps);
  json->Member("num_line_search_steps", s.num_line_search_steps);
}

void AddTimes(const Solver::Summary& s, JsonWriter* json) {
  json->Member("preprocessor_time_in_seconds", s.preprocessor_time_in_seconds);
  json->Member("minimizer_time_in_seconds", s.minimizer_time_in_seconds);
  json->Member("postprocessor_time_in_seconds",
               s.postprocessor_time_in_seconds);
  json->Member("total_time_in_seconds", s.total_time_in_seconds);
  json->Member("linear_solver_time_in_seconds",
               s.linear_solver_time_in_seconds);
  json->Member("num_linear_solves", s.num_linear_solves);
  json->Member("residual_evaluation_time_in_seconds",
               s.residual_evaluation_time_in_seconds);
  json->Member("num_residual_evaluations", s.num_residual_evaluations);
  json->Member("jacobian_evaluation_time_in_seconds",
               s.jacobian_evaluation_time_in_seconds);
  json->Member("num_jacobian_evaluations", s.num_jacobian_evaluations);
  json->Member("inner_iteration_time_in_seconds",
               s.inner_iteration_time_in_seconds);
  json->Member("line_search_cost_evaluation_time_in_seconds",
               s.line_search_cost_evaluation_time_in_seconds);
  json->Member("line_search_gradient_evaluation_time_in_seconds",
               s.line_search_gradient_evaluation_time_in_seconds);
  json->Member("line_search_polynomial_minimization_time_in_seconds",
               s.line_search_polynomial_minimization_time_in_seconds);
  json->Member("line_search_total_time_in_seconds",
               s.line_search_total_time_in_seconds);
}

void AddSizes(const Solver::Summary& s, JsonWriter* json) {
  json->Member("num_parameter_blocks", s.num_parameter_blocks);
  json->Member("num_parameters", s.num_parameters);
  json->Member("num_effective_parameters", s.num_effective_parameters);
  json->Member("num_residual_blocks", s.num_residual_blocks);
  json->Member("num_residuals", s.num_residuals);
  json->Member("num_parameter_blocks_reduced", s.num_parameter_blocks_reduced);
  json->Member("num_parameters_reduced", s.num_parameters_reduced);
  json->Member("num_effective_parameters_reduced",
               s.num_effective_parameters_reduced);
  json->Member("num_residual_blocks_reduced", s.num_residual_blocks_reduced);
  json->Member("num_residuals_reduced", s.num_residuals_reduced);
  json->Member("is_constrained", s.is_constrained);
  json->Member("num_constraints", s.num_constraints);
  json->Member("num_active_constraints", s.num_active_constraints);
  json->Member("constraint_violation", s.constraint_violation);
  json->Member("stationarity", s.stationarity);
  json->Member("complementarity", s.complementarity);
  json->Key("violated_constraints").BeginArray();
  for (const std::string& name : s.violated_constraints) json->Value(name);
  json->EndArray();
}

void AddChoices(const Solver::Summary& s, JsonWriter* json) {
  json->Member("num_threads_given", s.num_threads_given);
  json->Member("num_threads_used", s.num_threads_used);
  json->Member("linear_solver_ordering_given", s.linear_solver_ordering_given);
  json->Member("linear_solver_ordering_used", s.linear_solver_ordering_used);
  json->Member("schur_structure_given", s.schur_structure_given);
  json->Member("schur_structure_used", s.schur_structure_used);
  json->Member("inner_iterations_given", s.inner_iterations_given);
  json->Member("inner_iterations_used", s.inner_iterations_used);
  json->Member("inner_iteration_ordering_given",
               s.inner_iteration_ordering_given);
  json->Member("inner_iteration_ordering_used",
               s.inner_iteration_ordering_used);
  json->Member("linear_solver_type_given",
               LinearSolverTypeToString(s.linear_solver_type_given));
  json->Member("linear_solver_type_used",
               LinearSolverTypeToString(s.linear_solver_type_used));
  json->Member("mixed_precision_solves_used", s.mixed_precision_solves_used);
  json->Member("linear_solver_ordering_type",
               LinearSolverOrderingTypeToString(s.linear_solver_ordering_type));
  json->Member("jacobian_storage_used",
               JacobianStorageToString(s.jacobian_storage_used));
  json->Member("preconditioner_type_given",
               PreconditionerTypeToString(s.preconditioner_type_given));
  json->Member("preconditioner_type_used",
               PreconditionerTypeToString(s.preconditioner_type_used));
  json->Member("visibility_clustering_type",
               VisibilityClusteringTypeToString(s.visibility_clustering_type));
  json->Member("trust_region_strategy_type",
               TrustRegionStrategyTypeToString(s.trust_region_strategy_type));
  json->Member("dogleg_type", DoglegTypeToString(s.dogleg_type));
  json->Member("dense_linear_algebra_library_type",
               DenseLinearAlgebraLibraryTypeToString(
                   s.dense_linear_algebra_library_type));
  json->Member("sparse_linear_algebra_library_type",
               SparseLinearAlgebraLibraryTypeToString(
                   s.sparse_linear_algebra_library_type));
  json->Member("line_search_direction_type",
               LineSearchDirectionTypeToString(s.line_search_direction_type));
  json->Member("line_search_type", LineSearchTypeToString(s.line_search_type));
  json->Member(
      "line_search_interpolation_type",
      LineSearchInterpolationTypeToString(s.line_search_interpolation_type));
  json->Member("nonlinear_conjugate_gradient_type",
               NonlinearConjugateGradientTypeToString(
                   s.nonlinear_conjugate_gradient_type));
  json->Member("max_lbfgs_rank", s.max_lbfgs_rank);
  json->Member("preprocessing_was_kept", s.preprocessing_was_kept);
  json->Member("preprocessing_was_extended", s.preprocessing_was_extended);
  json->Member("elimination_order_was_renewed",
               s.elimination_order_was_renewed);
}

}  // namespace

void AddSummary(const Solver::Summary& summary, JsonWriter* json) {
  AddResult(summary, json);
  AddTimes(summary, json);
  AddSizes(summary, json);
  AddChoices(summary, json);
  json->Member("licences", LicencesOfBuild());
  json->Key("iterations").BeginArray();
  for (const IterationSummary& iteration : summary.iterations) {
    AddIteration(iteration, json);
  }
  json->EndArray();
}

}  // namespace internal

std::string Solver::Summary::ToJson() const {
  internal::JsonWriter json(internal::kSummaryStyle);
  json.BeginObject();
  internal::AddSummary(*this, &json);
  json.EndObject();
  return json.text() + "\n";
}

}  // namespace ceres
