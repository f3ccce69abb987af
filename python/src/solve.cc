// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>

#include <memory>
#include <utility>
#include <vector>

#include "ceres/html_report.h"
#include "ceres/iteration_callback.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/cancellation.h"
#include "common.h"
#include "fields.h"
#include "interrupt_guard.h"
#include "options.h"
#include "problem.h"
#include "python_text.h"
#include "running.h"
#include "scene.h"

namespace vesta::python {
namespace {

using ceres::CallbackReturnType;
using ceres::parallel::CancellationSource;

// Calls Python's callbacks after each iteration, and its signal handlers.
class PythonCallbacks final : public ceres::IterationCallback {
 public:
  explicit PythonCallbacks(const nb::list& callables) {
    for (nb::handle callable : callables) {
      if (PyCallable_Check(callable.ptr()) == 0) {
        RaiseTypeError("SolverOptions.callbacks: expected callables, got " +
                       TypeName(callable) + ".");
      }
      callables_.push_back(nb::borrow(callable));
    }
  }

  CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    if (InterpreterExits()) return ceres::SOLVER_ABORT;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    FlushLog();
    for (const nb::object& callable : callables_) {
      const nb::object answer = callable(summary);
      if (answer.is_none()) continue;
      const auto result =
          ToEnum<CallbackReturnType>(answer, "the result of a callback");
      if (result != ceres::SOLVER_CONTINUE) return result;
    }
    return ceres::SOLVER_CONTINUE;
  }

 private:
  std::vector<nb::object> callables_;
};

// The ordering without blocks that the problem does not have, which are a
// mistake of the caller.
std::shared_ptr<ceres::ParameterBlockOrdering> CheckedOrdering(
    nb::handle ordering, const Problem& problem, const char* option) {
  if (ordering.is_none()) return nullptr;
  const auto& groups = nb::cast<ParameterBlockOrdering&>(ordering).groups;
  for (const auto& [values, group] : groups->element_to_group()) {
    if (!problem.get().HasParameterBlock(values)) {
      RaiseValueError(std::string("SolverOptions.") + option +
                      ": a block of group " + std::to_string(group) +
                      " is not in the problem.");
    }
  }
  return groups;
}

ceres::Solver::Options ToOptions(const SolverOptions& options,
                                 const Problem& problem) {
  ceres::Solver::Options result = options;
  result.linear_solver_ordering = CheckedOrdering(
      options.linear_ordering, problem, "linear_solver_ordering");
  result.inner_iteration_ordering = CheckedOrdering(
      options.inner_ordering, problem, "inner_iteration_ordering");
  // As in pyceres.
  if (result.num_threads == -1) {
    result.num_threads = ceres::parallel::AvailableConcurrency();
  }
  std::string error;
  if (!result.IsValid(&error)) RaiseValueError(error);
  return result;
}

nb::object Solve(const SolverOptions& given, Problem& problem,
                 nb::handle into) {
  const Problem::Use use(&problem);
  ceres::Solver::Options options = ToOptions(given, problem);
  PythonCallbacks callbacks(given.python_callbacks);
  options.callbacks.push_back(&callbacks);
  CancellationSource source(given.cancellation_token);
  options.cancellation_token = source.token();
  nb::object result =
      into.is_none() ? nb::cast(ceres::Solver::Summary()) : nb::borrow(into);
  auto& summary = nb::cast<ceres::Solver::Summary&>(result);
  bool interrupted = false;
  {
    const InterruptGuard guard(&source);
    const WithoutGil released;
    ceres::Solve(options, &problem.get(), &summary);
    interrupted = guard.interrupted();
  }
  summary.message = PythonText(summary.message);
  FlushLog();
  if (interrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return result;
}

// The kind of a residual block: the function or the class that Python has given
// it. Empty: it is none of Python's.
std::string KindOf(const ceres::CostFunction* cost) {
  const nb::gil_scoped_acquire gil;
  const nb::object object = nb::find(cost);
  if (!object.is_valid()) return "";
  if (nb::hasattr(object, "_f")) {
    const nb::object name =
        nb::getattr(object.attr("_f"), "__name__", nb::str(""));
    const std::string text = nb::cast<std::string>(nb::str(name));
    if (!text.empty() && text != "<lambda>") return text;
  }
  const std::string text =
      nb::cast<std::string>(nb::str(object.type().attr("__name__")));
  return text == "CostFunction" ? "" : text;
}

// The HTML report of a solve. The constructor captures the start.
class Report {
 public:
  Report(Problem* problem, const std::string& title, nb::object scene)
      : problem_(problem), scene_(std::move(scene)) {
    const Problem::Use use(problem);
    ceres::HtmlReport::Options options;
    options.title = title;
    options.scene = ToSceneFunction(scene_);
    options.residual_block_tag = [problem](ceres::ResidualBlockId id) {
      return KindOf(problem->get().GetCostFunctionForResidualBlock(id));
    };
    options.map_page = &PythonText;
    const WithoutGil released;
    report_ = std::make_unique<ceres::HtmlReport>(options, &problem->get());
  }

  void Write(const std::string& path, const SolverOptions& options,
             const ceres::Solver::Summary& summary) {
    const Problem::Use use(problem_);
    const ceres::Solver::Options solver_options = ToOptions(options, *problem_);
    std::string error;
    bool written;
    {
      const WithoutGil released;
      written = report_->Write(path, solver_options, summary, &error);
    }
    FlushLog();
    if (!written) {
      PyErr_SetString(PyExc_OSError, PythonText(error).c_str());
      throw nb::python_error();
    }
  }

 private:
  Problem* problem_;
  const nb::object scene_;  // `report_` calls it.
  std::unique_ptr<ceres::HtmlReport> report_;
};

}  // namespace

void BindSolve(nb::module_& module) {
  module.def("_solve", &Solve, nb::arg("options"), nb::arg("problem"),
             nb::arg("summary") = nb::none());
  nb::class_<Report>(module, "HtmlReport",
                     "Writes a solve as one HTML file: convergence, times, "
                     "residuals, structure, the scene, advice.")
      .def(nb::init<Problem*, const std::string&, nb::object>(),
           nb::arg("problem"), nb::arg("title") = "Solve",
           nb::arg("scene") = nb::none(), nb::keep_alive<1, 2>(),
           nb::sig("def __init__(self, problem: Problem, title: str = 'Solve', "
                   "scene: typing.Callable[[], object] | None = None) -> None"),
           "Captures the start, before the solve. scene: see Problem.diagnose; "
           "the page draws it before and after the solve, and how undetermined "
           "directions move it.")
      .def("write", &Report::Write, nb::arg("path"), nb::arg("options"),
           nb::arg("summary"), "Writes the page, after the solve.");
}

}  // namespace vesta::python
