// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_problem_solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/all_finite.h"
#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/logging/logging.h"
#include "ceres/minimizer/line_search/line_search_minimizer.h"
#include "ceres/minimizer/line_search/objective.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/solver/minimizer_setup.h"
#include "ceres/solver/option_checker.h"

namespace ceres {
namespace internal {
namespace {

using Clock = std::chrono::steady_clock;

class GradientProblemObjective final : public Objective {
 public:
  GradientProblemObjective(const GradientProblem& problem, double* parameters)
      : problem_(problem), parameters_(parameters) {}

  int num_state() const override { return problem_.NumParameters(); }
  int num_delta() const override { return problem_.NumTangentParameters(); }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return problem_.Plus(x, delta, x_plus_delta);
  }

  bool Evaluate(const double* x, bool /*is_new_point*/, double* cost,
                double* gradient, double* /*squared_column_norms*/,
                std::string* message) override {
    message->clear();
    if (!problem_.Evaluate(x, cost, gradient)) {
      *message = "The function or its manifold returned false.";
    } else if (!std::isfinite(*cost)) {
      *message = Format("The function's value is not finite: %g.", *cost);
    } else if (gradient != nullptr && !AllFinite(gradient, num_delta())) {
      *message = "The function's gradient has values that are not finite.";
    }
    return message->empty();
  }

  void SetUserState(const double* x) override {
    std::copy(x, x + num_state(), parameters_);
  }

 private:
  const GradientProblem& problem_;
  double* parameters_;
};

void Describe(const GradientProblemSolver::Options& options,
              const GradientProblem& problem,
              GradientProblemSolver::Summary* summary) {
  summary->num_parameters = problem.NumParameters();
  summary->num_tangent_parameters = problem.NumTangentParameters();
  summary->line_search_direction_type = options.line_search_direction_type;
  summary->line_search_type = options.line_search_type;
  summary->line_search_interpolation_type =
      options.line_search_interpolation_type;
  summary->nonlinear_conjugate_gradient_type =
      options.nonlinear_conjugate_gradient_type;
  summary->max_lbfgs_rank = options.max_lbfgs_rank;
}

// On return `parameters` holds the result, or the start.
void Minimize(const GradientProblemSolver::Options& options,
              const GradientProblem& problem, Clock::time_point start,
              double* parameters, GradientProblemSolver::Summary* summary) {
  const int n = problem.NumParameters();
  const std::vector<double> initial(parameters, parameters + n);
  std::vector<double> state = initial;
  GradientProblemObjective objective(problem, parameters);
  LineSearchMinimizer::Setup setup;
  const MinimizerOptions minimizer_options = ToMinimizerOptions(options);
  setup.options = &minimizer_options;
  setup.objective = &objective;
  setup.start = start;
  StopSignal stop;
  stop.Set({}, DeadlineOf(options.max_solver_time_in_seconds, start));
  setup.execution.stop = &stop;
  std::optional<ProgressTable> progress;
  SetCallbacks(options, &progress, &setup);
  MinimizerResult result;
  try {
    LineSearchMinimizer(setup).Minimize(state.data(), &result);
  } catch (...) {
    objective.SetUserState(initial.data());
    summary->message = "An exception was thrown; the caller of Solve has it.";
    throw;
  }
  MoveToSummary(std::move(result), summary);
  objective.SetUserState(summary->IsSolutionUsable() ? state.data()
                                                     : initial.data());
}

int NumIterations(const GradientProblemSolver::Summary& summary) {
  return static_cast<int>(summary.iterations.size());
}

}  // namespace
}  // namespace internal

GradientProblemSolver::~GradientProblemSolver() = default;

bool GradientProblemSolver::Options::IsValid(std::string* error) const {
  VESTA_CHECK(error != nullptr) << "IsValid needs a string for the reason.";
  const internal::OptionChecker check("GradientProblemSolver::Options", error);
  if (!internal::CheckLineSearchOptions(*this, /*is_line_search=*/true,
                                        check) ||
      !internal::CheckLimitOptions(*this, check) ||
      !internal::CheckToleranceOptions(*this, check)) {
    return false;
  }
  internal::WarnOfBisection(*this, check.options_name());
  return true;
}

bool GradientProblemSolver::Summary::IsSolutionUsable() const {
  return termination_type == CONVERGENCE ||
         termination_type == NO_CONVERGENCE || termination_type == USER_SUCCESS;
}

std::string GradientProblemSolver::Summary::BriefReport() const {
  return internal::Format(
      "Ceres GradientProblemSolver Report: Iterations: %d, Initial cost: %e, "
      "Final cost: %e, Termination: %s",
      internal::NumIterations(*this), initial_cost, final_cost,
      TerminationTypeToString(termination_type));
}

std::string GradientProblemSolver::Summary::FullReport() const {
  using internal::AppendFormat;
  std::string report = "\nGradientProblemSolver Summary\n\n";
  AppendFormat(&report, "Parameters          %25d\n", num_parameters);
  if (num_tangent_parameters != num_parameters) {
    AppendFormat(&report, "Tangent parameters  %25d\n", num_tangent_parameters);
  }
  std::string direction =
      LineSearchDirectionTypeToString(line_search_direction_type);
  if (line_search_direction_type == LBFGS) {
    AppendFormat(&direction, " (%d)", max_lbfgs_rank);
  } else if (line_search_direction_type == NONLINEAR_CONJUGATE_GRADIENT) {
    AppendFormat(&direction, " (%s)",
                 NonlinearConjugateGradientTypeToString(
                     nonlinear_conjugate_gradient_type));
  }
  AppendFormat(&report, "Line search direction    %20s\n", direction.c_str());
  AppendFormat(&report, "Line search type    %25s\n",
               internal::Format("%s %s",
                                LineSearchInterpolationTypeToString(
                                    line_search_interpolation_type),
                                LineSearchTypeToString(line_search_type))
                   .c_str());
  report += "\nCost:\n";
  AppendFormat(&report, "Initial        % 30e\n", initial_cost);
  if (termination_type != FAILURE && termination_type != USER_FAILURE) {
    AppendFormat(&report, "Final          % 30e\n", final_cost);
    AppendFormat(&report, "Change         % 30e\n", initial_cost - final_cost);
  }
  AppendFormat(&report, "\nMinimizer iterations         % 16d\n",
               internal::NumIterations(*this));
  report += "\nTime (in seconds):\n";
  AppendFormat(&report, "  Cost evaluation     %23.6f (%d)\n",
               cost_evaluation_time_in_seconds,
               num_cost_evaluations - num_gradient_evaluations);
  AppendFormat(&report, "  Cost & gradient evaluation %16.6f (%d)\n",
               gradient_evaluation_time_in_seconds, num_gradient_evaluations);
  AppendFormat(&report, "  Polynomial minimization   %17.6f\n",
               line_search_polynomial_minimization_time_in_seconds);
  AppendFormat(&report, "Total               %25.6f\n\n",
               total_time_in_seconds);
  AppendFormat(&report, "Termination:        %25s (%s)\n",
               TerminationTypeToString(termination_type), message.c_str());
  return report;
}

void GradientProblemSolver::Solve(const GradientProblemSolver::Options& options,
                                  const GradientProblem& problem,
                                  double* parameters,
                                  GradientProblemSolver::Summary* summary) {
  ceres::Solve(options, problem, parameters, summary);
}

void Solve(const GradientProblemSolver::Options& options,
           const GradientProblem& problem, double* parameters,
           GradientProblemSolver::Summary* summary) {
  VESTA_CHECK(summary != nullptr)
      << "Solve needs a summary; it was given null.";
  VESTA_CHECK(parameters != nullptr)
      << "Solve needs parameters; they were given as null.";
  const internal::Clock::time_point start = parallel::detail::SteadyNow();
  *summary = GradientProblemSolver::Summary();
  internal::Describe(options, problem, summary);
  std::string error;
  if (!options.IsValid(&error)) {
    summary->message = "Terminating: " + error;
  } else if (!internal::AllFinite(parameters, problem.NumParameters())) {
    summary->message =
        "A parameter has an initial value that is not finite. Give every "
        "parameter a value before Solve.";
  } else {
    internal::Minimize(options, problem, start, parameters, summary);
  }
  summary->total_time_in_seconds =
      std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
          .count();
}

}  // namespace ceres
