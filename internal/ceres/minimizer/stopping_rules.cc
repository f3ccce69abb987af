// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/stopping_rules.h"

#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

// "what = value relation option = bound." Does not use printf, which is slow
// in comparison with a small solve.
std::string Comparison(std::string_view what, double value,
                       std::string_view relation, std::string_view option,
                       double bound) {
  constexpr std::size_t kMaxLengthOfNumbers = 64;
  std::string result;
  result.reserve(what.size() + relation.size() + option.size() +
                 kMaxLengthOfNumbers);
  result += what;
  result += " = ";
  AppendScientific(value, &result);
  result += ' ';
  result += relation;
  result += ' ';
  result += option;
  result += " = ";
  AppendScientific(bound, &result);
  result += '.';
  return result;
}

std::string DescribeTime(const MinimizerOptions& options, double seconds) {
  return Comparison("The time is used up: seconds", seconds,
                    ">=", "max_solver_time_in_seconds",
                    options.max_solver_time_in_seconds);
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
            "A callback ended the solve: SOLVER_TERMINATE_SUCCESSFULLY."};
      case SOLVER_ABORT:
        return Termination{USER_FAILURE,
                           "A callback ended the solve: SOLVER_ABORT."};
    }
  }
  return std::nullopt;
}

std::optional<Termination> CheckLimits(const MinimizerOptions& options,
                                       int iteration, double seconds) {
  if (seconds >= options.max_solver_time_in_seconds) {
    return Termination{NO_CONVERGENCE, DescribeTime(options, seconds)};
  }
  if (iteration >= options.max_num_iterations) {
    return Termination{NO_CONVERGENCE,
                       Format("Iteration %d is the last one that "
                              "max_num_iterations allows.",
                              iteration)};
  }
  return std::nullopt;
}

std::chrono::steady_clock::time_point DeadlineOf(
    double max_solver_time_in_seconds,
    std::chrono::steady_clock::time_point start) {
  using Clock = std::chrono::steady_clock;
  // Beyond some years the arithmetic of clocks overflows.
  constexpr double kLongestTime = 1e8;
  if (max_solver_time_in_seconds >= kLongestTime) {
    return Clock::time_point::max();
  }
  return start + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(max_solver_time_in_seconds));
}

Termination DescribeStop(const MinimizerOptions& options,
                         const StopSignal& stop, int iteration,
                         double seconds) {
  std::string why;
  switch (stop.reason()) {
    case StopSignal::Reason::kSolverTime:
      why = DescribeTime(options, seconds);
      break;
    case StopSignal::Reason::kTokenDeadline:
      why = Format("The deadline of %s::cancellation_token has passed.",
                   options.options_name);
      break;
    default:
      why =
          Format("Cancelled by %s::cancellation_token.", options.options_name);
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

std::optional<Termination> CheckGradient(const MinimizerOptions& options,
                                         double gradient_max_norm) {
  if (!(gradient_max_norm <= options.gradient_tolerance)) {
    return std::nullopt;
  }
  return Termination{CONVERGENCE,
                     Comparison("The gradient is small: its largest component",
                                gradient_max_norm, "<=", "gradient_tolerance",
                                options.gradient_tolerance)};
}

std::optional<Termination> CheckStepNorm(const MinimizerOptions& options,
                                         double step_norm, double x_norm) {
  const double tolerance = options.parameter_tolerance;
  // Norms that overflow do not compare: a solve along which x grows to infinity
  // has not converged.
  if (!std::isfinite(x_norm) ||
      !(step_norm <= tolerance * (x_norm + tolerance))) {
    return std::nullopt;
  }
  return Termination{CONVERGENCE,
                     Comparison("The step is small: its norm over that of x",
                                step_norm / (x_norm + tolerance),
                                "<=", "parameter_tolerance", tolerance)};
}

std::optional<Termination> CheckCostChange(const MinimizerOptions& options,
                                           double cost_change, double cost) {
  const double size = std::abs(cost);
  if (!(std::abs(cost_change) <= options.function_tolerance * size)) {
    return std::nullopt;
  }
  return Termination{
      CONVERGENCE,
      Comparison("The cost changed little: its relative change",
                 std::abs(cost_change) / size, "<=", "function_tolerance",
                 options.function_tolerance)};
}

}  // namespace ceres::internal
