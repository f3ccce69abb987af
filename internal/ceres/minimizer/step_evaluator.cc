// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/step_evaluator.h"

#include <algorithm>
#include <limits>

namespace ceres::internal {

StepEvaluator::StepEvaluator(double initial_cost,
                             int max_consecutive_nonmonotonic_steps)
    : max_consecutive_nonmonotonic_steps_(max_consecutive_nonmonotonic_steps),
      minimum_cost_(initial_cost),
      current_cost_(initial_cost),
      reference_cost_(initial_cost),
      candidate_cost_(initial_cost) {}

double StepEvaluator::Quality(double cost, double model_cost_change) const {
  // Also catches NaN.
  if (!(cost < std::numeric_limits<double>::max())) {
    return std::numeric_limits<double>::lowest();
  }
  const double from_current = (current_cost_ - cost) / model_cost_change;
  const double from_reference =
      (reference_cost_ - cost) /
      (model_change_from_reference_ + model_cost_change);
  return std::max(from_current, from_reference);
}

void StepEvaluator::Accept(double cost, double model_cost_change) {
  current_cost_ = cost;
  model_change_from_candidate_ += model_cost_change;
  model_change_from_reference_ += model_cost_change;
  if (current_cost_ < minimum_cost_) {
    minimum_cost_ = current_cost_;
    num_consecutive_nonmonotonic_steps_ = 0;
    candidate_cost_ = current_cost_;
    model_change_from_candidate_ = 0.0;
  } else {
    ++num_consecutive_nonmonotonic_steps_;
    if (current_cost_ > candidate_cost_) {
      candidate_cost_ = current_cost_;
      model_change_from_candidate_ = 0.0;
    }
  }
  // Long enough without a new minimum: the reference moves up to the worst
  // point since the last one.
  if (num_consecutive_nonmonotonic_steps_ ==
      max_consecutive_nonmonotonic_steps_) {
    reference_cost_ = candidate_cost_;
    model_change_from_reference_ = model_change_from_candidate_;
  }
}

}  // namespace ceres::internal
