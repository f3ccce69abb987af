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
#include "ceres/solver.h"

namespace ceres::internal {

// Why a minimizer ends, in the words of Summary. Every minimizer has the same
// rules, those of Solver::Options; each function below is one of them and
// returns nothing while it does not apply.
struct Termination {
  TerminationType type;
  std::string message;
};

// Calls the callbacks in order until one does not return SOLVER_CONTINUE.
std::optional<Termination> RunCallbacks(
    const std::vector<IterationCallback*>& callbacks,
    const IterationSummary& iteration);

// Limits of time (seconds since Solve began) and of iterations.
std::optional<Termination> CheckLimits(const Solver::Options& options,
                                       int iteration, double seconds);

// When the limit of time of a solve that began at `start` is reached; max() if
// that is beyond what clocks can tell.
std::chrono::steady_clock::time_point DeadlineOf(
    const Solver::Options& options,
    std::chrono::steady_clock::time_point start);

// After Stopped was thrown. stop: the signal that was set, in iteration
// `iteration`, which is incomplete; seconds since Solve began.
Termination DescribeStop(const Solver::Options& options, const StopSignal& stop,
                         int iteration, double seconds);

std::optional<Termination> CheckGradient(const Solver::Options& options,
                                         double gradient_max_norm);

std::optional<Termination> CheckStepNorm(const Solver::Options& options,
                                         double step_norm, double x_norm);

// cost: before the step.
std::optional<Termination> CheckCostChange(const Solver::Options& options,
                                           double cost_change, double cost);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STOPPING_RULES_H_
