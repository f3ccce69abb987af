// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/stopping_rules.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "ceres/minimizer/format.h"

namespace ceres::internal {
namespace {

// "text value relation bound end". Without printf, which takes as long as a
// small solve.
std::string Comparison(std::string_view text, double value,
                       std::string_view relation, double bound,
                       std::string_view end = "") {
  constexpr int kMaxNumberLength = 16;
  std::string result;
  result.reserve(text.size() + relation.size() + end.size() +
                 2 * kMaxNumberLength);
  result += text;
  AppendScientific(value, &result);
  result += relation;
  AppendScientific(bound, &result);
  result += end;
  return result;
}

}  // namespace

std::optional<Termination> RunCallbacks(
    const std::vector<IterationCallback*>& callbacks,
    const IterationSummary& iteration) {
  for (IterationCallback* callback : callbacks) {
    switch ((*callback)(iteration)) {
      case SOLVER_CONTINUE:
        break;
      case SOLVER_TERMINATE_SUCCESSFULLY:
        return Termination{
            USER_SUCCESS,
            "User callback returned SOLVER_TERMINATE_SUCCESSFULLY."};
      case SOLVER_ABORT:
        return Termination{USER_FAILURE,
                           "User callback returned SOLVER_ABORT."};
    }
  }
  return std::nullopt;
}

std::optional<Termination> CheckLimits(const Solver::Options& options,
                                       int iteration, double seconds) {
  if (seconds >= options.max_solver_time_in_seconds) {
    return Termination{
        NO_CONVERGENCE,
        Comparison("Maximum solver time reached. Total solver time: ", seconds,
                   " >= ", options.max_solver_time_in_seconds, ".")};
  }
  if (iteration >= options.max_num_iterations) {
    return Termination{NO_CONVERGENCE,
                       Format("Maximum number of iterations reached. Number of "
                              "iterations: %d.",
                              iteration)};
  }
  return std::nullopt;
}

std::chrono::steady_clock::time_point DeadlineOf(
    const Solver::Options& options,
    std::chrono::steady_clock::time_point start) {
  using Clock = std::chrono::steady_clock;
  // Beyond some years the arithmetic of clocks overflows.
  constexpr double kLongestTime = 1e8;
  const double seconds = options.max_solver_time_in_seconds;
  if (seconds >= kLongestTime) return Clock::time_point::max();
  return start + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(seconds));
}

Termination DescribeStop(const Solver::Options& options, const StopSignal& stop,
                         int iteration, double seconds) {
  std::string why;
  switch (stop.reason()) {
    case StopSignal::Reason::kSolverTime:
      why = Comparison(
          "Maximum solver time reached. Total solver time: ", seconds,
          " >= ", options.max_solver_time_in_seconds, ".");
      break;
    case StopSignal::Reason::kTokenDeadline:
      why = "The deadline of Solver::Options::cancellation_token has passed.";
      break;
    default:
      why = "Cancelled by Solver::Options::cancellation_token.";
      break;
  }
  why += iteration == 0
             ? " The initial point was not evaluated completely, and is kept."
             : Format(
                   " Iteration %d was not completed; the result is the best "
                   "point of those before.",
                   iteration);
  return Termination{NO_CONVERGENCE, std::move(why)};
}

std::optional<Termination> CheckGradient(const Solver::Options& options,
                                         double gradient_max_norm) {
  if (!(gradient_max_norm <= options.gradient_tolerance)) {
    return std::nullopt;
  }
  return Termination{
      CONVERGENCE,
      Comparison("Gradient tolerance reached. Gradient max norm: ",
                 gradient_max_norm, " <= ", options.gradient_tolerance)};
}

std::optional<Termination> CheckStepNorm(const Solver::Options& options,
                                         double step_norm, double x_norm) {
  const double tolerance = options.parameter_tolerance;
  if (!(step_norm <= tolerance * (x_norm + tolerance))) {
    return std::nullopt;
  }
  return Termination{
      CONVERGENCE,
      Comparison("Parameter tolerance reached. Relative step_norm: ",
                 step_norm / (x_norm + tolerance), " <= ", tolerance, ".")};
}

std::optional<Termination> CheckCostChange(const Solver::Options& options,
                                           double cost_change, double cost) {
  if (!(std::abs(cost_change) <= options.function_tolerance * cost)) {
    return std::nullopt;
  }
  return Termination{
      CONVERGENCE,
      Comparison("Function tolerance reached. |cost_change|/cost: ",
                 std::abs(cost_change) / cost,
                 " <= ", options.function_tolerance)};
}

}  // namespace ceres::internal
