// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
#define CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "ceres/minimizer/state_archive.h"

namespace ceres::internal {

// Computes the quality of a trust region step: the ratio of actual to predicted
// decrease of the cost. The ratio is computed for the step alone, and for all
// steps since a reference point. The quality is the larger ratio.
//
//   quality = max((f_k - f) / p, (f_ref - f) / (p_ref + ... + p_{k-1} + p))
//
//   f, p   cost after the step, and its predicted decrease
//   f_k    cost at the current point
//   f_ref  cost at the reference point; p_ref, ..., p_{k-1} are the predicted
//          decreases of the steps that were accepted since
//
// The window is the point of lowest cost so far and the steps accepted since.
// When the window has max_nonmonotonic_steps steps, its point of highest cost
// becomes the reference point. With a window of no steps the reference point is
// always the current point, and steps must decrease the cost. Not thread-safe.
//
// Conn, Gould and Toint, Trust-Region Methods, 2000, Algorithm 10.1.2.
class StepEvaluator {
 public:
  StepEvaluator(double initial_cost, int max_nonmonotonic_steps)
      : window_size_(static_cast<std::size_t>(max_nonmonotonic_steps)),
        current_cost_(initial_cost),
        reference_cost_(initial_cost),
        lowest_cost_(initial_cost) {}

  // The quality of a step to a point of cost `cost`. predicted_decrease > 0.
  // The lowest double for a cost that could not be evaluated (NaN, infinity or
  // the largest double).
  double Quality(double cost, double predicted_decrease) const {
    const bool is_evaluated = cost < std::numeric_limits<double>::max();
    if (!is_evaluated) {
      return std::numeric_limits<double>::lowest();
    }
    const double predicted = predicted_since_reference_ + predicted_decrease;
    return std::max((current_cost_ - cost) / predicted_decrease,
                    (reference_cost_ - cost) / predicted);
  }

  // Records that a step to a point of cost `cost` was accepted.
  void Accept(double cost, double predicted_decrease) {
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

  void TransferState(StateArchive* archive) {
    archive->Value(&current_cost_);
    archive->Value(&reference_cost_);
    archive->Value(&predicted_since_reference_);
    archive->Value(&lowest_cost_);
    archive->List(&steps_since_lowest_);
  }

 private:
  struct Step {
    double cost;  // after the step
    double predicted_decrease;
  };

  void MoveReference() {
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

  std::size_t window_size_;
  double current_cost_;
  double reference_cost_;
  double predicted_since_reference_ = 0.0;
  double lowest_cost_;
  std::vector<Step> steps_since_lowest_;  // at most window_size_
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
