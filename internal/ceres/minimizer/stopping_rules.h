// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_
#define CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ceres/execution/stop_signal.h"
#include "ceres/iteration_callback.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// Why a minimizer stops. All minimizers share the rules below. A function that
// checks a rule returns nullopt as long as the minimizer goes on.
struct Termination {
  TerminationType type;
  std::string message;
};

// Calls the callbacks in order, until one does not return SOLVER_CONTINUE.
std::optional<Termination> RunCallbacks(
    const std::vector<IterationCallback*>& callbacks,
    const IterationSummary& iteration);

// Checks the limits of time and of iterations. seconds: since the solve began.
std::optional<Termination> CheckLimits(const MinimizerOptions& options,
                                       int iteration, double seconds);

// The time at which a solve that began at `start` reaches its limit of time;
// time_point::max() if the limit is longer than clocks can represent.
std::chrono::steady_clock::time_point DeadlineOf(
    double max_solver_time_in_seconds,
    std::chrono::steady_clock::time_point start);

// Describes why Stopped was thrown. stop: the signal that was set. iteration:
// the incomplete iteration. seconds: since the solve began.
Termination DescribeStop(const MinimizerOptions& options,
                         const StopSignal& stop, int iteration, double seconds);

// The convergence tests, see trust_region_minimizer.h. NaN passes no test.
std::optional<Termination> CheckGradient(const MinimizerOptions& options,
                                         double gradient_max_norm);

std::optional<Termination> CheckStepNorm(const MinimizerOptions& options,
                                         double step_norm, double x_norm);

// cost: the cost before the step.
std::optional<Termination> CheckCostChange(const MinimizerOptions& options,
                                           double cost_change, double cost);

// Which decrease a convergence test neglects, in units of the cost alone. The
// factors of each test: minimizer_tuning.h.
struct Negligible {
  double part_of_residuals;
  double part_of_initial;
  double rounding;
};

// Whether a decrease of the cost, given as sqrt(2 decrease), is negligible:
//
//   decrease <= max(part_of_residuals sqrt(2 |cost|),
//                   part_of_initial sqrt(2 initial_cost), rounding T)
//
// size_of_terms() computes T, if it decides. NaN is not negligible.
template <typename SizeOfTerms>
bool IsNegligible(double decrease, const Negligible& negligible, double cost,
                  double initial_cost, const SizeOfTerms& size_of_terms) {
  const double bound =
      std::max(negligible.part_of_residuals * std::sqrt(2.0 * std::abs(cost)),
               negligible.part_of_initial * std::sqrt(2.0 * initial_cost));
  return decrease <= bound || decrease <= negligible.rounding * size_of_terms();
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_
