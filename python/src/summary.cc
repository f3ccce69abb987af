// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ceres/solver.h"
#include "common.h"
#include "fields.h"

namespace vesta::python {
namespace {

using ceres::IterationSummary;
using Summary = ceres::Solver::Summary;

void BindIterationSummary(nb::module_& module) {
  nb::class_<IterationSummary> type(
      module, "IterationSummary",
      "The progress of one iteration. Iteration 0 is the starting point.");
  type.def(nb::init<>());
  Fields<IterationSummary> field(&type, false);
  using I = IterationSummary;
  field("iteration", &I::iteration, "The number of the iteration, from 0.")(
      "step_is_valid", &I::step_is_valid, "The step could be computed.")(
      "step_is_nonmonotonic", &I::step_is_nonmonotonic,
      "The step was accepted although the cost is not the lowest so far.")(
      "step_is_successful", &I::step_is_successful, "The step was accepted.")(
      "cost", &I::cost, "The cost after this iteration.")(
      "cost_change", &I::cost_change, "Cost before minus cost after.")(
      "constraint_violation", &I::constraint_violation,
      "Largest violation of a constraint, in the unit of "
      "constraint_tolerance.")("gradient_max_norm", &I::gradient_max_norm,
                               "Max-norm of the gradient.")(
      "gradient_norm", &I::gradient_norm, "2-norm of the gradient.")(
      "step_norm", &I::step_norm, "2-norm of the step.")(
      "relative_decrease", &I::relative_decrease,
      "Actual divided by predicted change of the cost.")(
      "trust_region_radius", &I::trust_region_radius,
      "The radius at the end of this iteration.")(
      "eta", &I::eta, "The relative accuracy of inexact steps.")(
      "step_size", &I::step_size, "Line search: the accepted step size.")(
      "line_search_function_evaluations", &I::line_search_function_evaluations,
      "Line search: evaluations of the cost.")(
      "line_search_gradient_evaluations", &I::line_search_gradient_evaluations,
      "Line search: evaluations of the gradient.")(
      "line_search_iterations", &I::line_search_iterations,
      "Line search: trial step sizes.")(
      "linear_solver_iterations", &I::linear_solver_iterations,
      "Iterations of an iterative linear solver.")(
      "iteration_time_in_seconds", &I::iteration_time_in_seconds,
      "Wall time of the iteration.")("step_solver_time_in_seconds",
                                     &I::step_solver_time_in_seconds,
                                     "Wall time of its linear solves.")(
      "cumulative_time_in_seconds", &I::cumulative_time_in_seconds,
      "Wall time since the solve began.");
  BindFieldFunctions(&type, "IterationSummary");
}

void AddResultFields(Fields<Summary>& field) {
  using S = Summary;
  field("termination_type", &S::termination_type, "Why the solver stopped.")(
      "message", &S::message, "Explains termination_type.")(
      "initial_cost", &S::initial_cost, "Cost at the starting point.")(
      "final_cost", &S::final_cost, "Least cost of an accepted point.")(
      "fixed_cost", &S::fixed_cost,
      "Cost of residual blocks whose parameters are all constant.")(
      "num_constraints", &S::num_constraints,
      "Number of constraints; -1 without any, as the next four.")(
      "num_active_constraints", &S::num_active_constraints,
      "Number of their coordinates that are active.")(
      "constraint_violation", &S::constraint_violation,
      "Largest violation, in the unit of constraint_tolerance.")(
      "stationarity", &S::stationarity,
      "Largest entry of the gradient of the Lagrangian.")(
      "complementarity", &S::complementarity,
      "Sum of |multiplier * distance from its bound|.")(
      "violated_constraints", &S::violated_constraints,
      "Names of the constraints that the result violates.")(
      "num_successful_steps", &S::num_successful_steps,
      "Number of accepted steps, with the starting point.")(
      "num_unsuccessful_steps", &S::num_unsuccessful_steps,
      "Number of rejected steps.")("num_inner_iteration_steps",
                                   &S::num_inner_iteration_steps,
                                   "Number of rounds of inner iterations.")(
      "num_line_search_steps", &S::num_line_search_steps,
      "Number of step sizes tried by line searches.")(
      "is_constrained", &S::is_constrained,
      "True if a varying parameter block has bounds.")(
      "preprocessing_was_kept", &S::preprocessing_was_kept,
      "True if keep_preprocessing reused an earlier preparation.")(
      "preprocessing_was_extended", &S::preprocessing_was_extended,
      "True if keep_preprocessing reused an earlier elimination order.")(
      "elimination_order_was_renewed", &S::elimination_order_was_renewed,
      "True if keep_preprocessing replaced an earlier elimination order.");
}

void AddTimeFields(Fields<Summary>& field) {
  using S = Summary;
  field("preprocessor_time_in_seconds", &S::preprocessor_time_in_seconds,
        "Time before the minimization.")("minimizer_time_in_seconds",
                                         &S::minimizer_time_in_seconds,
                                         "Time of the minimization.")(
      "postprocessor_time_in_seconds", &S::postprocessor_time_in_seconds,
      "Time after the minimization.")("total_time_in_seconds",
                                      &S::total_time_in_seconds, "Total time.")(
      "linear_solver_time_in_seconds", &S::linear_solver_time_in_seconds,
      "Time of linear solves.")("num_linear_solves", &S::num_linear_solves,
                                "Number of linear solves.")(
      "residual_evaluation_time_in_seconds",
      &S::residual_evaluation_time_in_seconds,
      "Time of evaluations of residuals alone.")(
      "num_residual_evaluations", &S::num_residual_evaluations,
      "Number of evaluations of residuals alone.")(
      "jacobian_evaluation_time_in_seconds",
      &S::jacobian_evaluation_time_in_seconds,
      "Time of evaluations of Jacobians.")(
      "num_jacobian_evaluations", &S::num_jacobian_evaluations,
      "Number of evaluations of Jacobians.")(
      "inner_iteration_time_in_seconds", &S::inner_iteration_time_in_seconds,
      "Time of inner iterations.")(
      "line_search_cost_evaluation_time_in_seconds",
      &S::line_search_cost_evaluation_time_in_seconds,
      "Time of cost evaluations of line searches.")(
      "line_search_gradient_evaluation_time_in_seconds",
      &S::line_search_gradient_evaluation_time_in_seconds,
      "Time of gradient evaluations of line searches.")(
      "line_search_polynomial_minimization_time_in_seconds",
      &S::line_search_polynomial_minimization_time_in_seconds,
      "Time of interpolation in line searches.")(
      "line_search_total_time_in_seconds",
      &S::line_search_total_time_in_seconds, "Time of line searches.");
}

void AddSizeFields(Fields<Summary>& field) {
  using S = Summary;
  field("num_parameter_blocks", &S::num_parameter_blocks,
        "Number of parameter blocks.")("num_parameters", &S::num_parameters,
                                       "Number of parameters.")(
      "num_effective_parameters", &S::num_effective_parameters,
      "Number of tangent coordinates.")("num_residual_blocks",
                                        &S::num_residual_blocks,
                                        "Number of residual blocks.")(
      "num_residuals", &S::num_residuals, "Number of residuals.")(
      "num_parameter_blocks_reduced", &S::num_parameter_blocks_reduced,
      "Number of parameter blocks that vary and are used.")(
      "num_parameters_reduced", &S::num_parameters_reduced,
      "Number of their parameters.")("num_effective_parameters_reduced",
                                     &S::num_effective_parameters_reduced,
                                     "Number of their tangent coordinates.")(
      "num_residual_blocks_reduced", &S::num_residual_blocks_reduced,
      "Number of residual blocks that use them.")(
      "num_residuals_reduced", &S::num_residuals_reduced,
      "Number of the residuals of those blocks.")(
      "num_threads_given", &S::num_threads_given, "The option num_threads.")(
      "num_threads_used", &S::num_threads_used,
      "The number of threads after it was capped.")(
      "linear_solver_ordering_given", &S::linear_solver_ordering_given,
      "Sizes of the groups of the ordering that was given.")(
      "linear_solver_ordering_used", &S::linear_solver_ordering_used,
      "Sizes of the groups of the ordering in use.")(
      "schur_structure_given", &S::schur_structure_given,
      "Sizes of blocks, for Schur-type solvers.")(
      "schur_structure_used", &S::schur_structure_used,
      "Sizes of blocks that the kernels in use are made for.")(
      "inner_iterations_given", &S::inner_iterations_given,
      "The option use_inner_iterations.")("inner_iterations_used",
                                          &S::inner_iterations_used,
                                          "Whether inner iterations were run.")(
      "inner_iteration_ordering_given", &S::inner_iteration_ordering_given,
      "Sizes of the groups that were given.")("inner_iteration_ordering_used",
                                              &S::inner_iteration_ordering_used,
                                              "Sizes of the groups in use.");
}

void AddChoiceFields(Fields<Summary>& field) {
  using S = Summary;
  field("minimizer_type", &S::minimizer_type, "The option of this name.")(
      "linear_solver_type_given", &S::linear_solver_type_given,
      "The option linear_solver_type.")("linear_solver_type_used",
                                        &S::linear_solver_type_used,
                                        "The linear solver in use.")(
      "mixed_precision_solves_used", &S::mixed_precision_solves_used,
      "True if factorizations are in single precision.")(
      "linear_solver_ordering_type", &S::linear_solver_ordering_type,
      "The option of this name.")("jacobian_storage_used",
                                  &S::jacobian_storage_used,
                                  "How the Jacobian was kept.")(
      "preconditioner_type_given", &S::preconditioner_type_given,
      "The option preconditioner_type.")("preconditioner_type_used",
                                         &S::preconditioner_type_used,
                                         "The preconditioner in use.")(
      "visibility_clustering_type", &S::visibility_clustering_type,
      "The option of this name.")("trust_region_strategy_type",
                                  &S::trust_region_strategy_type,
                                  "The option of this name.")(
      "dogleg_type", &S::dogleg_type, "The option of this name.")(
      "dense_linear_algebra_library_type",
      &S::dense_linear_algebra_library_type, "The option of this name.")(
      "sparse_linear_algebra_library_type",
      &S::sparse_linear_algebra_library_type, "The option of this name.")(
      "line_search_direction_type", &S::line_search_direction_type,
      "The option of this name.")("line_search_type", &S::line_search_type,
                                  "The option of this name.")(
      "line_search_interpolation_type", &S::line_search_interpolation_type,
      "The option of this name.")("nonlinear_conjugate_gradient_type",
                                  &S::nonlinear_conjugate_gradient_type,
                                  "The option of this name.")(
      "max_lbfgs_rank", &S::max_lbfgs_rank, "The option of this name.");
}

}  // namespace

void BindSummary(nb::module_& module) {
  BindIterationSummary(module);
  nb::class_<Summary> type(module, "Summary",
                           "The result of a solve. Times are wall times in "
                           "seconds; -1 means not measured.");
  type.def(nb::init<>());
  Fields<Summary> field(&type, false);
  AddResultFields(field);
  AddTimeFields(field);
  AddSizeFields(field);
  AddChoiceFields(field);
  BindFieldFunctions(&type, "Summary");
  Fields<Summary>::All().push_back(
      {"iterations", [](const Summary& s) { return nb::cast(s.iterations); },
       [](Summary* s, nb::handle value) {
         s->iterations = nb::cast<std::vector<IterationSummary>>(value);
       }});
  type.def_prop_ro(
      "iterations", [](const Summary& s) { return s.iterations; },
      "One element per iteration.",
      nb::sig("def iterations(self, /) -> list[IterationSummary]"));
  type.def(
      "_set_state",
      [](Summary& s, const nb::dict& state) {
        SetFields(&s, state, "Summary");
      },
      nb::arg("state"), "Sets the fields.",
      nb::sig("def _set_state(self, state: dict[str, object]) -> None"));
  type.def("brief_report", &Summary::BriefReport,
           "One line: iterations, costs, termination.");
  type.def("full_report", &Summary::FullReport,
           "All figures of the solve as text.");
  type.def("to_json", &Summary::ToJson,
           "All fields and iterations as a JSON object.");
  type.def_prop_ro(
      "is_solution_usable",
      [](const Summary& s) { return s.IsSolutionUsable(); },
      "True if the parameters hold the result.");
}

}  // namespace vesta::python
