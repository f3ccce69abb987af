// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "options.h"

#include <nanobind/stl/string.h>

#include "ceres/parallel/cancellation.h"
#include "common.h"
#include "fields.h"
#include "python_text.h"

namespace vesta::python {
namespace {

using ceres::parallel::CancellationSource;
using ceres::parallel::CancellationToken;
using Options = ceres::Solver::Options;

void AddMinimizerFields(Fields<SolverOptions>& field) {
  field("minimizer_type", &Options::minimizer_type,
        "TRUST_REGION, or LINE_SEARCH, which takes no bounds.")(
      "line_search_direction_type", &Options::line_search_direction_type,
      "The search direction of LINE_SEARCH.")(
      "line_search_type", &Options::line_search_type,
      "The condition under which a step is accepted. LBFGS and BFGS need "
      "WOLFE.")("nonlinear_conjugate_gradient_type",
                &Options::nonlinear_conjugate_gradient_type,
                "The coefficient of NONLINEAR_CONJUGATE_GRADIENT.")(
      "max_lbfgs_rank", &Options::max_lbfgs_rank,
      "The number of past steps that LBFGS stores; > 0.")(
      "use_approximate_eigenvalue_bfgs_scaling",
      &Options::use_approximate_eigenvalue_bfgs_scaling,
      "Scale the initial inverse Hessian of LBFGS and BFGS.")(
      "line_search_interpolation_type",
      &Options::line_search_interpolation_type,
      "The rule that finds the next step size.")(
      "min_line_search_step_size", &Options::min_line_search_step_size,
      "A smaller step size ends a line search; > 0.")(
      "line_search_sufficient_function_decrease",
      &Options::line_search_sufficient_function_decrease,
      "Armijo's c1: f(a) <= f(0) + c1 a f'(0); > 0.")(
      "max_line_search_step_contraction",
      &Options::max_line_search_step_contraction,
      "The smallest factor from one step size to the next.")(
      "min_line_search_step_contraction",
      &Options::min_line_search_step_contraction,
      "The largest factor from one step size to the next.")(
      "max_num_line_search_step_size_iterations",
      &Options::max_num_line_search_step_size_iterations,
      "The number of step sizes tried in one line search.")(
      "max_num_line_search_direction_restarts",
      &Options::max_num_line_search_direction_restarts,
      "How often a direction may be replaced by the steepest descent.")(
      "line_search_sufficient_curvature_decrease",
      &Options::line_search_sufficient_curvature_decrease,
      "Strong Wolfe's c2: |f'(a)| <= c2 |f'(0)|; c1 < c2 < 1.")(
      "max_line_search_step_expansion",
      &Options::max_line_search_step_expansion,
      "Bracketing grows a step size at most by this factor; > 1.");
}

void AddTrustRegionFields(Fields<SolverOptions>& field) {
  field("trust_region_strategy_type", &Options::trust_region_strategy_type,
        "LEVENBERG_MARQUARDT or DOGLEG.")(
      "dogleg_type", &Options::dogleg_type,
      "The set of points that DOGLEG minimizes over.")(
      "use_nonmonotonic_steps", &Options::use_nonmonotonic_steps,
      "Accept some steps that increase the cost.")(
      "max_consecutive_nonmonotonic_steps",
      &Options::max_consecutive_nonmonotonic_steps,
      "The number of steps in a row without a new minimum; > 0.")(
      "max_num_iterations", &Options::max_num_iterations,
      "The limit on iterations, successful or not; >= 0.")(
      "max_solver_time_in_seconds", &Options::max_solver_time_in_seconds,
      "Wall time of the solve; seen within iterations too.")(
      "num_threads", &Options::num_threads,
      "The number of threads; > 0. The result has the same bits for every "
      "number.")("initial_trust_region_radius",
                 &Options::initial_trust_region_radius,
                 "The radius of the trust region at the first step; > 0.")(
      "max_trust_region_radius", &Options::max_trust_region_radius,
      "The largest radius.")(
      "min_trust_region_radius", &Options::min_trust_region_radius,
      "A radius at or below this limit ends the solve; > 0.")(
      "min_relative_decrease", &Options::min_relative_decrease,
      "Smallest ratio of actual and predicted decrease of an accepted step.")(
      "min_lm_diagonal", &Options::min_lm_diagonal,
      "Lower bound on diag(J'J) before it becomes a damping.")(
      "max_lm_diagonal", &Options::max_lm_diagonal,
      "Upper bound on diag(J'J) before it becomes a damping.")(
      "max_num_consecutive_invalid_steps",
      &Options::max_num_consecutive_invalid_steps,
      "The number of invalid steps in a row before the solve fails.")(
      "function_tolerance", &Options::function_tolerance,
      "Stop when |change of cost| <= function_tolerance * cost.")(
      "gradient_tolerance", &Options::gradient_tolerance,
      "Stop when the max-norm of the projected gradient is at most this.")(
      "parameter_tolerance", &Options::parameter_tolerance,
      "Stop when |step| <= parameter_tolerance * (|x| + "
      "parameter_tolerance).")(
      "constraint_tolerance", &Options::constraint_tolerance,
      "With constraints: stop only if |violation| <= constraint_tolerance * "
      "scale for each coordinate of each constraint; > 0.");
}

void AddLinearSolverFields(Fields<SolverOptions>& field) {
  field("linear_solver_type", &Options::linear_solver_type,
        "The algorithm that solves for the step of an iteration.")(
      "preconditioner_type", &Options::preconditioner_type,
      "The preconditioner of ITERATIVE_SCHUR and CGNR.")(
      "visibility_clustering_type", &Options::visibility_clustering_type,
      "The clusters of CLUSTER_JACOBI and CLUSTER_TRIDIAGONAL.")(
      "dense_linear_algebra_library_type",
      &Options::dense_linear_algebra_library_type,
      "The library that factors dense matrices.")(
      "sparse_linear_algebra_library_type",
      &Options::sparse_linear_algebra_library_type,
      "The library that factors sparse matrices.")(
      "linear_solver_ordering_type", &Options::linear_solver_ordering_type,
      "The fill-reducing ordering of sparse factorizations.")(
      "jacobian_storage", &Options::jacobian_storage,
      "How the Jacobian is kept between evaluations.")(
      "use_explicit_schur_complement", &Options::use_explicit_schur_complement,
      "ITERATIVE_SCHUR with SCHUR_JACOBI: always form the Schur complement.")(
      "dynamic_sparsity", &Options::dynamic_sparsity,
      "Drop zeros of the Jacobian and order it again in every step.")(
      "use_mixed_precision_solves", &Options::use_mixed_precision_solves,
      "Factor in single precision and refine the solution.")(
      "max_num_refinement_iterations", &Options::max_num_refinement_iterations,
      "The number of steps of iterative refinement.")(
      "min_linear_solver_iterations", &Options::min_linear_solver_iterations,
      "Lower bound on iterations of ITERATIVE_SCHUR and CGNR.")(
      "max_linear_solver_iterations", &Options::max_linear_solver_iterations,
      "Upper bound on iterations of ITERATIVE_SCHUR and CGNR.")(
      "max_num_spse_iterations", &Options::max_num_spse_iterations,
      "SCHUR_POWER_SERIES_EXPANSION: the number of terms.")(
      "use_spse_initialization", &Options::use_spse_initialization,
      "ITERATIVE_SCHUR: start from the power series.")(
      "spse_tolerance", &Options::spse_tolerance,
      "The series ends if a term is less than this part of the sum.")(
      "eta", &Options::eta,
      "Relative accuracy to which iterative solvers solve for a step.")(
      "jacobi_scaling", &Options::jacobi_scaling,
      "Scale the columns of the Jacobian.");
}

void AddReportFields(Fields<SolverOptions>& field) {
  field("use_inner_iterations", &Options::use_inner_iterations,
        "After each step, minimize over groups of parameter blocks. Not with "
        "add_batch of a Python function.")(
      "inner_iteration_tolerance", &Options::inner_iteration_tolerance,
      "Inner iterations end when they reduce the cost by less than this "
      "fraction.")("logging_type", &Options::logging_type,
                   "SILENT: no progress table.")(
      "minimizer_progress_to_stdout", &Options::minimizer_progress_to_stdout,
      "The progress table goes to stdout.")(
      "trust_region_minimizer_iterations_to_dump",
      &Options::trust_region_minimizer_iterations_to_dump,
      "The iterations whose linear system is dumped.")(
      "trust_region_problem_dump_directory",
      &Options::trust_region_problem_dump_directory,
      "The directory of TEXTFILE.")(
      "trust_region_problem_dump_format_type",
      &Options::trust_region_problem_dump_format_type, "TEXTFILE or CONSOLE.")(
      "check_gradients", &Options::check_gradients,
      "Compare Jacobians with finite differences at every evaluation. Slow.")(
      "gradient_check_relative_precision",
      &Options::gradient_check_relative_precision,
      "The relative precision of check_gradients; > 0.")(
      "gradient_check_numeric_derivative_relative_step_size",
      &Options::gradient_check_numeric_derivative_relative_step_size,
      "The relative step size of check_gradients; > 0.")(
      "update_state_every_iteration", &Options::update_state_every_iteration,
      "Parameter arrays hold the current point whenever a callback runs.")(
      "keep_progress_on_exception", &Options::keep_progress_on_exception,
      "After an exception, parameters are the best point so far instead of "
      "their starting values.")(
      "keep_preprocessing", &Options::keep_preprocessing,
      "Store in the problem what depends on its structure alone, for the "
      "next solve.");
}

nb::object CheckedOrdering(nb::handle value, const char* field) {
  if (!value.is_none() && !nb::isinstance<ParameterBlockOrdering>(value)) {
    RaiseFieldError(std::string("SolverOptions.") + field,
                    "ParameterBlockOrdering or None", value);
  }
  return nb::borrow(value);
}

void BindOrdering(nb::module_& module) {
  nb::class_<ParameterBlockOrdering>(
      module, "ParameterBlockOrdering",
      "An elimination order: parameter blocks in groups, lowest first.")
      .def(nb::init<>())
      .def(
          "add_element_to_group",
          [](ParameterBlockOrdering& self, nb::object values, int group) {
            if (group < 0) RaiseValueError("group: expected a number >= 0.");
            self.groups->AddElementToGroup(WritableArray(values, "values").data,
                                           group);
            self.arrays.append(values);
          },
          nb::arg("values"), nb::arg("group"),
          "Puts a parameter block into a group.",
          nb::sig("def add_element_to_group(self, values: "
                  "numpy.typing.NDArray[numpy.float64], group: int) -> None"))
      .def(
          "add_rows_to_group",
          [](ParameterBlockOrdering& self, nb::object rows, int group) {
            if (group < 0) RaiseValueError("group: expected a number >= 0.");
            const DoubleArray array = WritableArray(rows, "rows");
            for (int64_t i = 0; i < array.num_rows(); ++i) {
              self.groups->AddElementToGroup(array.data + i * array.row_size(),
                                             group);
            }
            self.arrays.append(rows);
          },
          nb::arg("rows"), nb::arg("group"),
          "Puts each row of a 2-D array into a group.",
          nb::sig("def add_rows_to_group(self, rows: "
                  "numpy.typing.NDArray[numpy.float64], group: int) -> None"))
      .def(
          "group_id",
          [](const ParameterBlockOrdering& self, nb::handle values) {
            return self.groups->GroupId(WritableArray(values, "values").data);
          },
          nb::arg("values"), "The group of a block, or -1.",
          nb::sig("def group_id(self, values: "
                  "numpy.typing.NDArray[numpy.float64]) -> int"))
      .def_prop_ro(
          "num_groups",
          [](const ParameterBlockOrdering& self) {
            return self.groups->NumGroups();
          },
          "The number of groups.")
      .def(
          "__len__",
          [](const ParameterBlockOrdering& self) {
            return self.groups->NumElements();
          },
          "The number of parameter blocks.");
}

void BindCancellation(nb::module_& module) {
  nb::class_<CancellationToken>(
      module, "CancellationToken",
      "A request to stop a solve. See CancellationSource.")
      .def(nb::init<>())
      .def_prop_ro("is_cancelled", &CancellationToken::IsCancelled,
                   "True if work with this token should stop.");
  nb::class_<CancellationSource>(
      module, "CancellationSource",
      "Makes a token and cancels it, from any thread.")
      .def(
          "__init__",
          [](CancellationSource* self, nb::handle timeout) {
            if (timeout.is_none()) {
              new (self) CancellationSource();
            } else {
              new (self) CancellationSource(std::chrono::duration<double>(
                  ToDouble(timeout, "CancellationSource.timeout")));
            }
          },
          nb::arg("timeout") = nb::none(),
          "With a timeout in seconds the token cancels by itself.",
          nb::sig("def __init__(self, timeout: float | None = None) -> None"))
      .def("cancel", &CancellationSource::Cancel,
           "Cancels the token. The solve ends within an iteration with "
           "NO_CONVERGENCE and the best point so far.")
      .def_prop_ro("token", &CancellationSource::token,
                   "For SolverOptions.cancellation_token.");
}

}  // namespace

void BindOptions(nb::module_& module) {
  BindOrdering(module);
  BindCancellation(module);
  nb::class_<SolverOptions> type(
      module, "SolverOptions",
      "The options of a solve. Every option can be given to the constructor "
      "by its name. Enumerators can be given by their names, too.");
  type.def(
      "__init__",
      [](SolverOptions* self, const nb::kwargs& values) {
        new (self) SolverOptions();
        nb::object python = nb::find(self);
        for (const auto& [key, value] : values) {
          const auto name = nb::cast<std::string>(key);
          if (!nb::hasattr(python, name.c_str())) {
            RaiseTypeError("SolverOptions has no option '" + name + "'.");
          }
          nb::setattr(python, name.c_str(), value);
        }
      },
      nb::sig("def __init__(self, **options: object) -> None"));
  Fields<SolverOptions> field(&type, true);
  AddMinimizerFields(field);
  AddTrustRegionFields(field);
  AddLinearSolverFields(field);
  AddReportFields(field);
  BindFieldFunctions(&type, "SolverOptions");
  type.def_prop_rw(
      "linear_solver_ordering",
      [](const SolverOptions& self) { return self.linear_ordering; },
      [](SolverOptions& self, nb::handle value) {
        self.linear_ordering = CheckedOrdering(value, "linear_solver_ordering");
      },
      nb::arg("value").none(),
      "The elimination order, or None: the solver chooses. Schur-type solvers "
      "eliminate the lowest group.",
      nb::for_getter(nb::sig("def linear_solver_ordering(self, /) -> "
                             "ParameterBlockOrdering | None")),
      nb::for_setter(nb::sig("def linear_solver_ordering(self, value: "
                             "ParameterBlockOrdering | None, /) -> None")));
  type.def_prop_rw(
      "inner_iteration_ordering",
      [](const SolverOptions& self) { return self.inner_ordering; },
      [](SolverOptions& self, nb::handle value) {
        self.inner_ordering =
            CheckedOrdering(value, "inner_iteration_ordering");
      },
      nb::arg("value").none(),
      "The groups of inner iterations, or None: the solver finds groups.",
      nb::for_getter(nb::sig("def inner_iteration_ordering(self, /) -> "
                             "ParameterBlockOrdering | None")),
      nb::for_setter(nb::sig("def inner_iteration_ordering(self, value: "
                             "ParameterBlockOrdering | None, /) -> None")));
  type.def_prop_rw(
      "callbacks",
      [](const SolverOptions& self) { return self.python_callbacks; },
      [](SolverOptions& self, nb::handle value) {
        self.python_callbacks = nb::list(nb::borrow(value));
      },
      "Callables that get an IterationSummary after each iteration. They "
      "return a CallbackReturnType, or None to continue.",
      nb::for_getter(nb::sig("def callbacks(self, /) -> list[typing.Any]")),
      nb::for_setter(nb::sig("def callbacks(self, value: "
                             "typing.Iterable[typing.Any], /) -> None")));
  type.def_prop_rw(
      "cancellation_token",
      [](const SolverOptions& self) { return self.cancellation_token; },
      [](SolverOptions& self, const CancellationToken& token) {
        self.cancellation_token = token;
      },
      "Cancelling the token ends the solve, within an iteration too.");
  type.def(
      "error",
      [](const SolverOptions& self) {
        std::string error;
        self.IsValid(&error);
        return PythonText(error);
      },
      "Why the options are not valid; an empty text if they are.");
}

}  // namespace vesta::python
