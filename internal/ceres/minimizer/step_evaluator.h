// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
#define CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_

#include <cstddef>
#include <vector>

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
  StepEvaluator(double initial_cost, int max_nonmonotonic_steps);

  // The quality of a step to a point of cost `cost`. predicted_decrease > 0.
  // The lowest double for a cost that could not be evaluated (NaN, infinity or
  // the largest double).
  double Quality(double cost, double predicted_decrease) const;

  // Records that a step to a point of cost `cost` was accepted.
  void Accept(double cost, double predicted_decrease);

 private:
  struct Step {
    double cost;  // after the step
    double predicted_decrease;
  };

  void MoveReference();

  std::size_t window_size_;
  double current_cost_;
  double reference_cost_;
  double predicted_since_reference_ = 0.0;
  double lowest_cost_;
  std::vector<Step> steps_since_lowest_;  // at most window_size_
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
