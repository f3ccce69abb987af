// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
#define CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_

namespace ceres::internal {

// Judges trust region steps: the ratio of actual to predicted decrease, either
// from the current point or, for non-monotonic methods, from a reference point
// further back, whichever is larger (Conn, Gould, Toint, Trust Region Methods,
// 2000, Algorithm 10.1.2). With max_consecutive_nonmonotonic_steps = 0 the
// reference is always the current point and the rule the usual one.
class StepEvaluator {
 public:
  StepEvaluator(double initial_cost, int max_consecutive_nonmonotonic_steps);

  // The quality of a step to a point of cost `cost` for which the model
  // predicted a decrease of model_cost_change > 0. Very negative for a cost
  // that could not be evaluated (infinity, or the largest double).
  double Quality(double cost, double model_cost_change) const;

  // The step just judged is taken.
  void Accept(double cost, double model_cost_change);

 private:
  int max_consecutive_nonmonotonic_steps_;
  double minimum_cost_;
  double current_cost_;
  double reference_cost_;
  double candidate_cost_;  // the largest since the last minimum
  // Predicted decreases since the reference and since the candidate.
  double model_change_from_reference_ = 0.0;
  double model_change_from_candidate_ = 0.0;
  int num_consecutive_nonmonotonic_steps_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STEP_EVALUATOR_H_
