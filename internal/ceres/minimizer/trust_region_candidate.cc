// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <utility>

#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/trust_region_minimizer.h"

// How a step becomes a candidate: at the end of the step, or nearer where
// bounds ask for that, and improved by inner iterations.

namespace ceres::internal {

// On a problem with bounds the projected step need not decrease the cost, even
// when it is short: search along the projected path. Where that succeeds, the
// candidate and its cost are those of the point found.
bool TrustRegionMinimizer::ShortenStepToBounds() {
  if (!program_.has_bounds() ||
      options_.max_num_line_search_step_size_iterations == 0) {
    return false;
  }
  const Clock::time_point start = clock_.now();
  const int num_columns = program_.num_delta();
  const double slope =
      Dot(setup_.execution, num_columns, gradient_.data(), step_.data());
  BacktrackingOptions search;
  search.interpolation = options_.line_search_interpolation_type;
  search.sufficient_decrease =
      options_.line_search_sufficient_function_decrease;
  search.max_contraction = options_.max_line_search_step_contraction;
  search.min_contraction = options_.min_line_search_step_contraction;
  search.min_step_size = options_.min_line_search_step_size;
  search.max_num_iterations = options_.max_num_line_search_step_size_iterations;
  double candidate_cost = 0.0;
  const BacktrackingResult result =
      Backtrack(search, x_cost_, slope, [&](double step_size, double* cost) {
        for (int j = 0; j < num_columns; ++j) {
          shortened_step_[j] = step_size * step_[j];
        }
        const bool valid = program_.Plus(x_.data(), shortened_step_.data(),
                                         candidate_.data()) &&
                           EvaluateCost(candidate_, cost);
        candidate_cost = *cost;
        return valid;
      });
  clock_.Lap();
  const double seconds = Seconds(start, clock_.now());
  summary_->line_search_cost_evaluation_time_in_seconds +=
      seconds - result.interpolation_seconds;
  summary_->line_search_total_time_in_seconds += seconds;
  iteration_.line_search_iterations = result.num_iterations;
  iteration_.line_search_function_evaluations = result.num_evaluations;
  summary_->num_line_search_steps += result.num_iterations;
  summary_->line_search_polynomial_minimization_time_in_seconds +=
      result.interpolation_seconds;
  if (!result.success) {
    return false;
  }
  iteration_.step_size = result.step_size;
  candidate_cost_ = candidate_cost;
  return true;
}

// Reads: x, step. Writes: candidate and its cost, perhaps its Jacobian.
void TrustRegionMinimizer::EvaluateCandidate() {
  if (!program_.Plus(setup_.execution, x_.data(), step_.data(),
                     candidate_.data()) ||
      !(EvaluateCandidateAhead() ||
        EvaluateCost(candidate_, &candidate_cost_))) {
    candidate_cost_ = std::numeric_limits<double>::max();
  }
}

// Cost, Jacobian and what comes with it at the candidate, if the step is
// expected to be taken and all can be evaluated there.
bool TrustRegionMinimizer::EvaluateCandidateAhead() {
  if (!setup_.may_evaluate_ahead || inner_iterations_are_useful_ ||
      !forecast_.ExpectsSuccess(model_cost_change_, x_cost_,
                                options_.function_tolerance)) {
    return false;
  }
  jacobian_point_ = Point::kNowhere;
  if (!EvaluateJacobian(candidate_, true, &candidate_cost_)) {
    return false;
  }
  jacobian_point_ = Point::kCandidate;
  return true;
}

// Improves the candidate block by block (Ruhe and Wedin, algorithm II). What
// that gains is added to what the model promised, so that it does not count as
// merit of the step.
void TrustRegionMinimizer::RunInnerIterations() {
  if (!inner_iterations_are_useful_ ||
      !(candidate_cost_ < std::numeric_limits<double>::max())) {
    return;
  }
  const Clock::time_point start = clock_.now();
  ++summary_->num_inner_iteration_steps;
  std::copy(candidate_.begin(), candidate_.end(), inner_.begin());
  setup_.inner_iterations->Minimize(inner_.data());
  clock_.Lap();
  double inner_cost = 0.0;
  double gain = 0.0;
  if (EvaluateCost(inner_, &inner_cost) && inner_cost < candidate_cost_) {
    gain = candidate_cost_ - inner_cost;
    std::swap(candidate_, inner_);
  }
  inner_iterations_are_useful_ =
      gain > options_.inner_iteration_tolerance * candidate_cost_;
  candidate_cost_ -= gain;
  model_cost_change_ += gain;
  summary_->inner_iteration_time_in_seconds += Seconds(start, clock_.now());
}

}  // namespace ceres::internal
