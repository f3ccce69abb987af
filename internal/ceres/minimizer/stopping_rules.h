// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_
#define CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_

#include <chrono>
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

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_
