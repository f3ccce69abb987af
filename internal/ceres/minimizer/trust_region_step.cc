// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/base/all_finite.h"
#include "ceres/base/format.h"
#include "ceres/execution/loops.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/jacobi_scale.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/trust_region_minimizer.h"

// How a step is computed.
//
// On a problem with bounds two things differ:
//
// 1. In an iteration, the squared scale of the region shrinks at most by
//    kScaleDecay:
//      scale_j = max(diag(J'J)_j, kScaleDecay previous scale_j)
//    With bounds, residuals at the minimum are large, and J may nearly vanish
//    in some directions. Scaled by diag(J'J) alone, the region becomes long in
//    these directions, and the radius has to shrink by orders of magnitude for
//    all coordinates. J. More (The Levenberg-Marquardt Algorithm:
//    Implementation and Theory, Lecture Notes in Mathematics 630, 1978) takes
//    the largest diag(J'J)_j so far. A large value at the initial point then
//    keeps its influence.
//
// 2. At first, steps do not hold the active set (active_set.h). The minimizer
//    holds it from the first iteration on in which the step without holding is
//    no descent direction, is rejected, or decreases the cost by less than
//    kSmallRelativeDecrease.

namespace ceres::internal {

// Reads: J, r, column norms, the radius. Writes: step, model_cost_change,
// candidate.
bool TrustRegionMinimizer::ComputeStep() {
  LinearSolver::SolveOptions limits;
  limits.q_tolerance = options_.eta;
  limits.deadline =
      DeadlineOf(options_.max_solver_time_in_seconds, setup_.start);
  if (dump_) {
    dump_->set_iteration(iteration_.iteration);
  }
  if (has_unscaled_columns_) {
    ScaleColumns();
  }
  const SolveWorkspace::LinearSolve solve(setup_.workspace);
  const LinearModel model = {jacobian_,
                             x_.data(),
                             gradient_.data(),
                             UpdateScale(),
                             column_scale_.data(),
                             setup_.execution,
                             dump_ ? &*dump_ : setup_.linear_solver,
                             has_bounds_ ? &active_set_ : nullptr,
                             &collective_};
  TrustRegionStep result = strategy_->ComputeStep(model, limits, step_.data());
  result_->num_linear_solves += result.num_linear_solves;
  if (active_set_.is_deferred() &&
      !active_set_.IsDescent(gradient_.data(), step_.data())) {
    HoldActiveSet();
    result = strategy_->ComputeStep(model, limits, step_.data());
    result_->num_linear_solves += result.num_linear_solves;
  }
  const LinearSolverSummary& linear = result.linear;
  iteration_.step_solver_time_in_seconds = timer_.EndPhase();
  result_->linear_solver_time_in_seconds +=
      iteration_.step_solver_time_in_seconds;
  iteration_.linear_solver_iterations = linear.num_iterations;

  switch (linear.termination) {
    case LinearSolverTermination::kFatalError:
      return Finish(FAILURE,
                    "The linear solver cannot compute a step, however small "
                    "the trust region is: " +
                        linear.message);
    case LinearSolverTermination::kFailure:
      return HandleInvalidStep(linear.message);
    case LinearSolverTermination::kSuccess:
    case LinearSolverTermination::kNoConvergence:
      break;
  }
  model_cost_change_ = linear.model_cost_change;
  // The negation catches NaN.
  if (!(model_cost_change_ > 0.0)) {
    return HandleInvalidStep("The step does not decrease the linear model.");
  }
  if (!collective_.All(
          AllFinite(step_.data(), static_cast<std::int64_t>(step_.size())))) {
    return HandleInvalidStep("The step has values that are not finite.");
  }
  iteration_.step_is_valid = true;
  num_consecutive_invalid_steps_ = 0;
  return true;
}

bool TrustRegionMinimizer::HandleInvalidStep(const std::string& reason) {
  ++num_consecutive_invalid_steps_;
  if (num_consecutive_invalid_steps_ >=
      options_.max_num_consecutive_invalid_steps) {
    result_->lacks_step = true;
    return Finish(
        FAILURE,
        Format("No valid step was found. The number of invalid steps in a row "
               "has reached %s::max_num_consecutive_invalid_steps = %d. The "
               "last step: %s",
               options_.options_name,
               options_.max_num_consecutive_invalid_steps, reason.c_str()));
  }
  strategy_->Invalidate();
  if (active_set_.is_deferred()) {
    HoldActiveSet();
  }
  iteration_.step_is_valid = false;
  iteration_.step_is_successful = false;
  iteration_.cost = x_cost_ + setup_.fixed_cost;
  return true;
}

// Scales the columns that have no scale yet and are not zero any more. A column
// keeps its scale: the radius means the same from step to step.
void TrustRegionMinimizer::ScaleColumns() {
  const auto scale = [this](int j) {
    const double norm = std::sqrt(squared_column_norms_[j]);
    if (column_scale_[j] != 1.0 || !(norm > 0.0)) return;
    column_scale_[j] = JacobiScale(norm);
  };
  ParallelFor(setup_.execution, 0, program_.num_delta(), scale,
              kMinVectorPiece);
  has_unscaled_columns_ = std::find(column_scale_.begin(), column_scale_.end(),
                                    1.0) != column_scale_.end();
}

// The squared scale of the trust region.
const double* TrustRegionMinimizer::UpdateScale() {
  if (!has_bounds_) {
    return squared_column_norms_.data();
  }
  ParallelFor(
      setup_.execution, 0, program_.num_delta(),
      [this](int j) {
        squared_scale_[j] =
            std::max(squared_column_norms_[j], kScaleDecay * squared_scale_[j]);
      },
      kMinVectorPiece);
  return squared_scale_.data();
}

// Called after a step that did not hold the active set was accepted or
// rejected.
void TrustRegionMinimizer::ReviewDeferral() {
  const double previous_cost = candidate_cost_ + iteration_.cost_change;
  if (!iteration_.step_is_successful ||
      iteration_.cost_change < kSmallRelativeDecrease * previous_cost) {
    HoldActiveSet();
  }
}

void TrustRegionMinimizer::HoldActiveSet() {
  active_set_.StartHolding();
  strategy_->ForgetModel();
}

}  // namespace ceres::internal
