// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/step_evaluator.h"

#include <algorithm>
#include <limits>

namespace ceres::internal {

StepEvaluator::StepEvaluator(double initial_cost, int max_nonmonotonic_steps)
    : window_size_(static_cast<std::size_t>(max_nonmonotonic_steps)),
      current_cost_(initial_cost),
      reference_cost_(initial_cost),
      lowest_cost_(initial_cost) {}

double StepEvaluator::Quality(double cost, double predicted_decrease) const {
  const bool is_evaluated = cost < std::numeric_limits<double>::max();
  if (!is_evaluated) {
    return std::numeric_limits<double>::lowest();
  }
  const double predicted = predicted_since_reference_ + predicted_decrease;
  return std::max((current_cost_ - cost) / predicted_decrease,
                  (reference_cost_ - cost) / predicted);
}

void StepEvaluator::Accept(double cost, double predicted_decrease) {
  predicted_since_reference_ += predicted_decrease;
  current_cost_ = cost;
  if (cost < lowest_cost_) {
    lowest_cost_ = cost;
    steps_since_lowest_.clear();
  } else if (steps_since_lowest_.size() < window_size_) {
    steps_since_lowest_.push_back({cost, predicted_decrease});
  } else {
    return;  // The reference point of this window has been chosen.
  }
  if (steps_since_lowest_.size() == window_size_) {
    MoveReference();
  }
}

void StepEvaluator::MoveReference() {
  reference_cost_ = lowest_cost_;
  predicted_since_reference_ = 0.0;
  for (const Step& step : steps_since_lowest_) {
    predicted_since_reference_ += step.predicted_decrease;
    if (step.cost > reference_cost_) {
      reference_cost_ = step.cost;
      predicted_since_reference_ = 0.0;
    }
  }
}

}  // namespace ceres::internal
