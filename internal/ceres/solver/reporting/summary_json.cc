// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solver::Summary::ToJson.

#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/reporting/json_string.h"
#include "ceres/solver/reporting/licences.h"

namespace ceres {
namespace internal {
namespace {

// Writes the members of one JSON object, each on a line of its own.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string indent) : indent_(std::move(indent)) {}

  void Add(const char* name, const std::string& value) {
    AddRaw(name, JsonString(value));
  }
  void Add(const char* name, const char* value) {
    Add(name, std::string(value));
  }
  void Add(const char* name, bool value) {
    AddRaw(name, value ? "true" : "false");
  }
  void Add(const char* name, int value) { AddRaw(name, std::to_string(value)); }
  void Add(const char* name, double value) { AddRaw(name, Number(value)); }
  void Add(const char* name, const std::vector<int>& values) {
    std::string list;
    for (const int value : values) {
      list += (list.empty() ? "" : ", ") + std::to_string(value);
    }
    AddRaw(name, "[" + list + "]");
  }
  void AddRaw(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "{\n" : ",\n") + indent_ + "  \"" + name +
             "\": " + value;
  }

  std::string Finish() const { return text_ + "\n" + indent_ + "}"; }

 private:
  // Writes as many digits as are needed to read the same bits back. Does not
  // depend on the locale.
  static std::string Number(double value) {
    if (std::isnan(value)) return "\"NaN\"";
    if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    char digits[32];
    const std::to_chars_result end =
        std::to_chars(digits, digits + sizeof(digits), value);
    return std::string(digits, end.ptr);
  }

  const std::string indent_;
  std::string text_;
};

std::string IterationJson(const IterationSummary& iteration) {
  ObjectWriter json("    ");
  json.Add("iteration", iteration.iteration);
  json.Add("step_is_valid", iteration.step_is_valid);
  json.Add("step_is_nonmonotonic", iteration.step_is_nonmonotonic);
  json.Add("step_is_successful", iteration.step_is_successful);
  json.Add("cost", iteration.cost);
  json.Add("cost_change", iteration.cost_change);
  json.Add("gradient_max_norm", iteration.gradient_max_norm);
  json.Add("gradient_norm", iteration.gradient_norm);
  json.Add("step_norm", iteration.step_norm);
  json.Add("relative_decrease", iteration.relative_decrease);
  json.Add("trust_region_radius", iteration.trust_region_radius);
  json.Add("eta", iteration.eta);
  json.Add("step_size", iteration.step_size);
  json.Add("line_search_function_evaluations",
           iteration.line_search_function_evaluations);
  json.Add("line_search_gradient_evaluations",
           iteration.line_search_gradient_evaluations);
  json.Add("line_search_iterations", iteration.line_search_iterations);
  json.Add("linear_solver_iterations", iteration.linear_solver_iterations);
  json.Add("iteration_time_in_seconds", iteration.iteration_time_in_seconds);
  json.Add("step_solver_time_in_seconds",
           iteration.step_solver_time_in_seconds);
  json.Add("cumulative_time_in_seconds", iteration.cumulative_time_in_seconds);
  return json.Finish();
}

std::string IterationsJson(const std::vector<IterationSummary>& iterations) {
  std::string list;
  for (const IterationSummary& iteration : iterations) {
    list += (list.empty() ? "\n    " : ",\n    ") + IterationJson(iteration);
  }
  return list.empty() ? "[]" : "[" + list + "\n  ]";
}

void AddResult(const Solver::Summary& s, ObjectWriter* json) {
  json->Add("minimizer_type", MinimizerTypeToString(s.minimizer_type));
  json->Add("termination_type", TerminationTypeToString(s.termination_type));
  json->Add("message", s.message);
  json->Add("initial_cost", s.initial_cost);
  json->Add("final_cost", s.final_cost);
  json->Add("fixed_cost", s.fixed_cost);
  json->Add("num_successful_steps", s.num_successful_steps);
  json->Add("num_unsuccessful_steps", s.num_unsuccessful_steps);
  json->Add("num_inner_iteration_steps", s.num_inner_iteration_steps);
  json->Add("num_line_search_steps", s.num_line_search_steps);
}

void AddTimes(const Solver::Summary& s, ObjectWriter* json) {
  json->Add("preprocessor_time_in_seconds", s.preprocessor_time_in_seconds);
  json->Add("minimizer_time_in_seconds", s.minimizer_time_in_seconds);
  json->Add("postprocessor_time_in_seconds", s.postprocessor_time_in_seconds);
  json->Add("total_time_in_seconds", s.total_time_in_seconds);
  json->Add("linear_solver_time_in_seconds", s.linear_solver_time_in_seconds);
  json->Add("num_linear_solves", s.num_linear_solves);
  json->Add("residual_evaluation_time_in_seconds",
            s.residual_evaluation_time_in_seconds);
  json->Add("num_residual_evaluations", s.num_residual_evaluations);
  json->Add("jacobian_evaluation_time_in_seconds",
            s.jacobian_evaluation_time_in_seconds);
  json->Add("num_jacobian_evaluations", s.num_jacobian_evaluations);
  json->Add("inner_iteration_time_in_seconds",
            s.inner_iteration_time_in_seconds);
  json->Add("line_search_cost_evaluation_time_in_seconds",
            s.line_search_cost_evaluation_time_in_seconds);
  json->Add("line_search_gradient_evaluation_time_in_seconds",
            s.line_search_gradient_evaluation_time_in_seconds);
  json->Add("line_search_polynomial_minimization_time_in_seconds",
            s.line_search_polynomial_minimization_time_in_seconds);
  json->Add("line_search_total_time_in_seconds",
            s.line_search_total_time_in_seconds);
}

void AddSizes(const Solver::Summary& s, ObjectWriter* json) {
  json->Add("num_parameter_blocks", s.num_parameter_blocks);
  json->Add("num_parameters", s.num_parameters);
  json->Add("num_effective_parameters", s.num_effective_parameters);
  json->Add("num_residual_blocks", s.num_residual_blocks);
  json->Add("num_residuals", s.num_residuals);
  json->Add("num_parameter_blocks_reduced", s.num_parameter_blocks_reduced);
  json->Add("num_parameters_reduced", s.num_parameters_reduced);
  json->Add("num_effective_parameters_reduced",
            s.num_effective_parameters_reduced);
  json->Add("num_residual_blocks_reduced", s.num_residual_blocks_reduced);
  json->Add("num_residuals_reduced", s.num_residuals_reduced);
  json->Add("is_constrained", s.is_constrained);
}

void AddChoices(const Solver::Summary& s, ObjectWriter* json) {
  json->Add("num_threads_given", s.num_threads_given);
  json->Add("num_threads_used", s.num_threads_used);
  json->Add("linear_solver_ordering_given", s.linear_solver_ordering_given);
  json->Add("linear_solver_ordering_used", s.linear_solver_ordering_used);
  json->Add("schur_structure_given", s.schur_structure_given);
  json->Add("schur_structure_used", s.schur_structure_used);
  json->Add("inner_iterations_given", s.inner_iterations_given);
  json->Add("inner_iterations_used", s.inner_iterations_used);
  json->Add("inner_iteration_ordering_given", s.inner_iteration_ordering_given);
  json->Add("inner_iteration_ordering_used", s.inner_iteration_ordering_used);
  json->Add("linear_solver_type_given",
            LinearSolverTypeToString(s.linear_solver_type_given));
  json->Add("linear_solver_type_used",
            LinearSolverTypeToString(s.linear_solver_type_used));
  json->Add("mixed_precision_solves_used", s.mixed_precision_solves_used);
  json->Add("linear_solver_ordering_type",
            LinearSolverOrderingTypeToString(s.linear_solver_ordering_type));
  json->Add("preconditioner_type_given",
            PreconditionerTypeToString(s.preconditioner_type_given));
  json->Add("preconditioner_type_used",
            PreconditionerTypeToString(s.preconditioner_type_used));
  json->Add("visibility_clustering_type",
            VisibilityClusteringTypeToString(s.visibility_clustering_type));
  json->Add("trust_region_strategy_type",
            TrustRegionStrategyTypeToString(s.trust_region_strategy_type));
  json->Add("dogleg_type", DoglegTypeToString(s.dogleg_type));
  json->Add("dense_linear_algebra_library_type",
            DenseLinearAlgebraLibraryTypeToString(
                s.dense_linear_algebra_library_type));
  json->Add("sparse_linear_algebra_library_type",
            SparseLinearAlgebraLibraryTypeToString(
                s.sparse_linear_algebra_library_type));
  json->Add("line_search_direction_type",
            LineSearchDirectionTypeToString(s.line_search_direction_type));
  json->Add("line_search_type", LineSearchTypeToString(s.line_search_type));
  json->Add(
      "line_search_interpolation_type",
      LineSearchInterpolationTypeToString(s.line_search_interpolation_type));
  json->Add("nonlinear_conjugate_gradient_type",
            NonlinearConjugateGradientTypeToString(
                s.nonlinear_conjugate_gradient_type));
  json->Add("max_lbfgs_rank", s.max_lbfgs_rank);
  json->Add("preprocessing_was_kept", s.preprocessing_was_kept);
  json->Add("preprocessing_was_extended", s.preprocessing_was_extended);
  json->Add("elimination_order_was_renewed", s.elimination_order_was_renewed);
}

}  // namespace
}  // namespace internal

std::string Solver::Summary::ToJson() const {
  internal::ObjectWriter json("");
  internal::AddResult(*this, &json);
  internal::AddTimes(*this, &json);
  internal::AddSizes(*this, &json);
  internal::AddChoices(*this, &json);
  json.Add("licences", internal::LicencesOfBuild());
  json.AddRaw("iterations", internal::IterationsJson(iterations));
  return json.Finish() + "\n";
}

}  // namespace ceres
