// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <utility>

#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/inside_bounds.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/trust_region_minimizer.h"

// How a step becomes a candidate: at the end of the step; with bounds after a
// line search and an extrapolation; with inner iterations after a sweep of
// coordinate descent.

namespace ceres::internal {

// With bounds, a projected step may increase the cost, even if the step is
// short. Therefore searches along the projected path. If the search succeeds,
// the candidate is the point found, or the extrapolated point if that is
// better.
bool TrustRegionMinimizer::SearchWithinBounds() {
  has_searched_ = false;
  was_evaluated_last_ = true;
  if (!has_bounds_ || options_.max_num_line_search_step_size_iterations == 0) {
    return false;
  }
  const Clock::time_point start = timer_.last_reading();
  const LineSearchResult result = SearchProjectedPath();
  has_searched_ = result.success;
  iteration_.line_search_iterations = result.num_iterations;
  iteration_.line_search_function_evaluations = result.num_evaluations;
  if (result.success) {
    iteration_.step_size = result.step_size;
    step_decrease_ = x_cost_ - candidate_cost_;
    Extrapolate();
  }
  timer_.EndPhase();
  const double seconds = Seconds(start, timer_.last_reading());
  result_->line_search_cost_evaluation_time_in_seconds +=
      seconds - result.interpolation_seconds;
  result_->line_search_total_time_in_seconds += seconds;
  result_->num_line_search_steps += iteration_.line_search_iterations;
  result_->line_search_polynomial_minimization_time_in_seconds +=
      result.interpolation_seconds;
  return result.success;
}

// Reads: x, step. Writes, if the search succeeds: shortened_step, candidate and
// its cost, model_cost_change.
//
// Sufficient decrease is measured by the displacement that the bounds leave, as
// D. Bertsekas, On the Goldstein-Levitin-Polyak Gradient Projection Method,
// IEEE Trans. Automatic Control 21, 1976, does: F(c) <= F(x) + c1 g'(c - x).
LineSearchResult TrustRegionMinimizer::SearchProjectedPath() {
  const int num_columns = program_.num_delta();
  const double slope = collective_.DotOfSteps(gradient_.data(), step_.data());
  double part_of_slope = 1.0;
  const auto evaluate = [&](LineSample* sample) {
    for (int j = 0; j < num_columns; ++j) {
      shortened_step_[j] = sample->step_size * step_[j];
    }
    if (!collective_.All(program_.Plus(x_.data(), shortened_step_.data(),
                                       candidate_.data()))) {
      return false;
    }
    part_of_slope = PartOfSlopeWithinBounds(sample->step_size * slope);
    sample->slope = part_of_slope * slope;
    const bool valid = EvaluateCost(candidate_, &sample->value);
    candidate_cost_ = sample->value;
    return valid;
  };
  const StepSizes sizes = {1.0, options_.min_line_search_step_size};
  const LineSearchResult result =
      Backtrack(options_, sizes, {0.0, x_cost_, slope}, evaluate);
  if (result.success) model_cost_change_ *= part_of_slope;
  return result;
}

// Reads: candidate = Plus(x, shortened_step). slope: g's of that step, without
// bounds. Shortens the step to the displacement that the bounds leave, and
// returns which part of the slope is left: in (0, 1].
//
// The predicted decrease is multiplied by this part. Otherwise, coordinates
// that are about to leave the bounds promise a decrease that no step can have.
// All steps would be rejected until the region is so small that no coordinate
// reaches a bound, and the other coordinates would not move either. While
// holding is deferred, it is this promise that tells whether to go on
// deferring.
double TrustRegionMinimizer::PartOfSlopeWithinBounds(double slope) {
  if (active_set_.is_deferred() ||
      collective_.All(!ClipToBounds(program_, x_.data(), candidate_.data(),
                                    shortened_step_.data()))) {
    return 1.0;
  }
  const double left =
      collective_.DotOfSteps(gradient_.data(), shortened_step_.data());
  return slope < left && left < 0.0 ? left / slope : 1.0;
}

// Tries the extrapolated point of the last two steps (parallel_tangents.h). If
// the point is better, it becomes the candidate. The gain is added to the
// predicted decrease, so that the quality of the step ignores it. Overwrites
// `step`, which is not read any more.
void TrustRegionMinimizer::Extrapolate() {
  const VectorView displacement = step_;
  if (!parallel_tangents_.Propose(step_decrease_, shortened_step_,
                                  displacement)) {
    return;
  }
  ++iteration_.line_search_iterations;
  ++iteration_.line_search_function_evaluations;
  double cost = 0.0;
  const bool is_better =
      collective_.All(program_.Plus(candidate_.data(), displacement.data(),
                                    alternative_.data())) &&
      EvaluateCost(alternative_, &cost) && cost < candidate_cost_;
  parallel_tangents_.Judge(is_better);
  was_evaluated_last_ = is_better;
  if (is_better) {
    Axpby(setup_.execution, program_.num_delta(), 1.0, shortened_step_.data(),
          1.0, displacement.data(), shortened_step_.data());
    std::swap(candidate_, alternative_);
    model_cost_change_ += candidate_cost_ - cost;
    candidate_cost_ = cost;
  }
}

// With bounds: records the accepted step for the extrapolation.
void TrustRegionMinimizer::RecordStep() {
  if (has_searched_) {
    parallel_tangents_.Accept(step_decrease_, shortened_step_);
  } else {
    parallel_tangents_.Forget();
  }
}

// Reads: x, step. Writes: candidate and its cost; its Jacobian if the step is
// predicted to be accepted.
void TrustRegionMinimizer::EvaluateCandidate() {
  bool is_valid = collective_.All(program_.Plus(
      setup_.execution, x_.data(), step_.data(), candidate_.data()));
  if (is_valid && has_bounds_) {
    std::copy(step_.begin(), step_.end(), shortened_step_.begin());
    model_cost_change_ *= PartOfSlopeWithinBounds(
        collective_.DotOfSteps(gradient_.data(), step_.data()));
  }
  is_valid = is_valid && (EvaluateCandidateAhead() ||
                          EvaluateCost(candidate_, &candidate_cost_));
  if (!is_valid) candidate_cost_ = std::numeric_limits<double>::max();
}

// If the step is predicted to be accepted, evaluates cost, Jacobian, gradient
// and column norms at the candidate. Returns whether it did and succeeded.
bool TrustRegionMinimizer::EvaluateCandidateAhead() {
  if (!setup_.may_evaluate_ahead || inner_iterations_are_useful_ ||
      !acceptance_predictor_.PredictsAcceptance(model_cost_change_, x_cost_,
                                                options_.function_tolerance)) {
    return false;
  }
  if (!EvaluateJacobianOfCandidate(true)) {
    return false;
  }
  candidate_cost_ = linearized_cost_;
  return true;
}

Evaluator::Result TrustRegionMinimizer::EvaluateJacobianOfCandidate(
    bool new_evaluation_point) {
  jacobian_point_ = Point::kNowhere;
  Evaluator::Result result =
      EvaluateJacobian(candidate_, new_evaluation_point, &linearized_cost_);
  if (result) jacobian_point_ = Point::kCandidate;
  return result;
}

// Writes: Jacobian, gradient and column norms at the candidate, unless they are
// known. Returns false if they cannot be evaluated. The step is then rejected.
bool TrustRegionMinimizer::LinearizeCandidate() {
  if (jacobian_point_ == Point::kCandidate) {
    return true;
  }
  const Evaluator::Result result =
      EvaluateJacobianOfCandidate(!was_evaluated_last_);
  if (result) {
    return true;
  }
  KeepCandidateIfBest();
  return RetreatFromBounds(result.message);
}

// Functions such as sqrt, acos and norms have a value at the end of their
// domain, and no derivative. Replaces the candidate, whose Jacobian cannot be
// evaluated, by a point at which the coordinates that have reached a bound stay
// near it, or stay where they are. Returns whether such a point is good and has
// a Jacobian. failure: why the candidate has none.
bool TrustRegionMinimizer::RetreatFromBounds(const std::string& failure) {
  if (has_bounds_) {
    std::copy(candidate_.begin(), candidate_.end(), alternative_.begin());
  }
  for (const double part : kPartsOfWayToBound) {
    if (!has_bounds_ || collective_.All(!StayNearBounds(
                            program_, part, x_.data(), candidate_.data()))) {
      break;
    }
    has_searched_ = false;  // shortened_step_ does not lead to the candidate
    if (!EvaluateCost(candidate_, &candidate_cost_)) {
      candidate_cost_ = std::numeric_limits<double>::max();
    }
    MeasureStep();
    if (!StepIsGood()) {
      return false;
    }
    if (EvaluateJacobianOfCandidate(false)) {
      return true;
    }
    KeepCandidateIfBest();
    std::copy(alternative_.begin(), alternative_.end(), candidate_.begin());
  }
  RecordFailure(failure);
  return false;
}

// Called if the Jacobian cannot be evaluated at the initial point, which may be
// at the end of the function's domain. Starts from a point within the bounds.
// Returns whether there is one. The initial point stays the best point until
// one of lower cost is found.
bool TrustRegionMinimizer::StartInsideBounds() {
  if (!has_bounds_) {
    return false;
  }
  if (EvaluateCost(x_, &best_cost_)) {
    std::copy(x_.begin(), x_.end(), best_.begin());
  } else {
    best_cost_ = std::numeric_limits<double>::infinity();
  }
  for (const double fraction : kDistancesFromBounds) {
    std::copy(x_.begin(), x_.end(), candidate_.begin());
    if (collective_.All(
            !MoveInsideBounds(program_, fraction, candidate_.data()))) {
      return false;
    }
    if (EvaluateJacobianOfCandidate(true)) {
      std::swap(x_, candidate_);
      x_cost_ = linearized_cost_;
      x_norm_ = collective_.NormOfPoint(x_.data());
      jacobian_point_ = Point::kState;
      return MeasureGradient();
    }
  }
  return false;
}

// Improves the candidate block by block (coordinate_descent.h). The gain is
// added to the predicted decrease, so that the quality of the step ignores it.
// What may be rounding of the cost is no gain: the candidate stays.
void TrustRegionMinimizer::RunInnerIterations() {
  if (!inner_iterations_are_useful_ ||
      !(candidate_cost_ < std::numeric_limits<double>::max())) {
    return;
  }
  const Clock::time_point start = timer_.last_reading();
  ++result_->num_inner_iteration_steps;
  std::copy(candidate_.begin(), candidate_.end(), alternative_.begin());
  setup_.inner_iterations->Minimize(alternative_.data());
  timer_.EndPhase();
  constexpr double kRounding = 1e3 * std::numeric_limits<double>::epsilon();
  double inner_cost = 0.0;
  double gain = 0.0;
  if (EvaluateCost(alternative_, &inner_cost) &&
      candidate_cost_ - inner_cost > kRounding * candidate_cost_) {
    gain = candidate_cost_ - inner_cost;
    std::swap(candidate_, alternative_);
  }
  inner_iterations_are_useful_ =
      gain > options_.inner_iteration_tolerance * candidate_cost_;
  candidate_cost_ -= gain;
  model_cost_change_ += gain;
  result_->inner_iteration_time_in_seconds +=
      Seconds(start, timer_.last_reading());
}

}  // namespace ceres::internal
