// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/stationarity.h"
#include "ceres/minimizer/trust_region_minimizer.h"

// When a solve ends: the convergence tests, and the ends without one.

namespace ceres::internal {

// Whether a decrease of the cost, given as sqrt(2 decrease), is negligible.
// Overwrites `step`, which is not read any more.
bool TrustRegionMinimizer::IsNegligible(double decrease,
                                        const Negligible& negligible) const {
  return internal::IsNegligible(
      decrease, negligible, x_cost_, initial_cost_, [this] {
        const bool is_at_candidate = jacobian_point_ == Point::kCandidate;
        SizesOfTerms(setup_.execution, program_,
                     (is_at_candidate ? candidate_ : x_).data(),
                     squared_column_norms_.data(), step_.data());
        return collective_.NormOfStep(step_.data());
      });
}

// The largest decrease, or change of the residuals, along a coordinate, at the
// point of the Jacobian.
double TrustRegionMinimizer::MoveInSight(CoordinateMeasure measure) const {
  if (jacobian_point_ == Point::kNowhere) {
    return std::numeric_limits<double>::infinity();
  }
  const bool is_at_candidate = jacobian_point_ == Point::kCandidate;
  return collective_.Largest(
      LargestCoordinateMove(setup_.execution, program_, measure,
                            (is_at_candidate ? candidate_ : x_).data(),
                            gradient_.data(), squared_column_norms_.data()));
}

bool TrustRegionMinimizer::IsStationary(const Negligible& negligible) const {
  return IsNegligible(MoveInSight(CoordinateMeasure::kDecrease), negligible);
}

Negligible TrustRegionMinimizer::NegligibleForSteps() const {
  return {kStepPartOfResiduals * std::sqrt(options_.parameter_tolerance),
          kStepPartOfInitial * options_.parameter_tolerance, kRoundingOfTerms};
}

// Ends the solve if the gradient is small, in its own units and in those of the
// cost. Both measures are proportional to the distance from an active bound.
bool TrustRegionMinimizer::EndsByGradient() {
  std::optional<Termination> small =
      CheckGradient(options_, iteration_.gradient_max_norm);
  if (!small) return false;
  const double tolerance = options_.gradient_tolerance;
  const double change = MoveInSight(CoordinateMeasure::kChange);
  if (!IsNegligible(change,
                    {kGradientPartOfResiduals * tolerance,
                     kGradientPartOfInitial * tolerance, kRoundingOfTerms})) {
    return false;
  }
  const double residuals = std::sqrt(2.0 * x_cost_);
  if (change <= kGradientPartOfResiduals * tolerance * residuals) {
    small->message += " The largest cosine of the residuals and a column: ";
    AppendScientific(residuals > 0.0 ? change / residuals : 0.0,
                     &small->message);
  } else {
    small->message += " The residuals have vanished: their norm is ";
    AppendScientific(residuals, &small->message);
  }
  small->message += '.';
  return FinishIf(std::move(small));
}

// Ends the solve if the step is small, in the units of the parameters and in
// those of the cost. While holding is deferred, a small step is no sign of
// convergence. If the candidate is x itself, no radius gives another one.
bool TrustRegionMinimizer::EndsByStep(bool is_accepted) {
  if (active_set_.is_deferred()) return false;
  std::optional<Termination> small =
      CheckStepNorm(options_, iteration_.step_norm, x_norm_);
  if (!small) return false;
  const Negligible negligible = NegligibleForSteps();
  if (IsNegligible(std::sqrt(2.0 * model_cost_change_), negligible) &&
      IsStationary(negligible)) {
    if (is_accepted) {
      std::swap(x_, candidate_);
      x_cost_ = candidate_cost_;
      if (x_cost_ < best_cost_ || !keeps_best_apart_) KeepBest();
      result_->final_cost = best_cost_ + setup_.fixed_cost;
    }
    return FinishIf(std::move(small));
  }
  return !is_accepted && !(iteration_.step_norm > 0.0) &&
         EndWhereNoStepHelps(std::move(small->message));
}

// Ends the solve if the step changes the cost little. Such a step is not taken.
// The change tells nothing if the region shortens the step and the model
// predicts it well: the region is about to grow. It tells nothing either if the
// search within the bounds shortens the step: a smaller region gives another
// direction.
bool TrustRegionMinimizer::EndsByCost(double quality) {
  if (active_set_.is_deferred()) return false;
  std::optional<Termination> small =
      CheckCostChange(options_, iteration_.cost_change, x_cost_);
  if (!small) return false;
  const Negligible negligible = {
      kCostPartOfResiduals * std::sqrt(options_.function_tolerance), 0.0,
      kRoundingOfTerms};
  const bool is_shortened = has_searched_ && iteration_.step_size < 1.0;
  if ((HasTakenNoStep() || quality >= kQualityOfGrowth || is_shortened) &&
      !IsStationary(negligible)) {
    return false;
  }
  return FinishIf(std::move(small));
}

bool TrustRegionMinimizer::EndsByRadius() {
  if (!(iteration_.trust_region_radius <= options_.min_trust_region_radius)) {
    return false;
  }
  return EndWhereNoStepHelps(Format(
      "The trust region radius %e is not above %s::min_trust_region_radius = "
      "%e.",
      iteration_.trust_region_radius, options_.options_name,
      options_.min_trust_region_radius));
}

// Ends a solve at a point from which no step decreases the cost.
bool TrustRegionMinimizer::EndWhereNoStepHelps(std::string message) {
  Negligible negligible = NegligibleForSteps();
  negligible.rounding = kRoundingOfRejected;
  if (IsStationary(negligible)) {
    return !Finish(CONVERGENCE, std::move(message));
  }
  if (HasTakenNoStep()) {
    return !Finish(FAILURE, DescribeRejectedSteps() + ' ' + message);
  }
  message += ' ' + DescribeRejectedSteps();
  return !Finish(CONVERGENCE, std::move(message));
}

// Iteration 0 counts as a successful step.
bool TrustRegionMinimizer::HasTakenNoStep() const {
  return result_->num_successful_steps <= 1;
}

std::string TrustRegionMinimizer::DescribeRejectedSteps() const {
  std::string text =
      HasTakenNoStep()
          ? Format("No step was accepted, %d %s rejected.",
                   result_->num_unsuccessful_steps,
                   result_->num_unsuccessful_steps == 1 ? "was" : "were")
          : std::string("No further step is accepted.");
  if (failed_candidates_.num() > 0) {
    text += Format(
        " At %s the cost or the Jacobian could not be evaluated. The first: ",
        CountOf(failed_candidates_.num(), "point").c_str());
    return text + failed_candidates_.first();
  }
  return text +
         Format(
             " The cost does not decrease where its derivatives say that it "
             "does. Set %s::check_gradients to find a wrong derivative.",
             options_.options_name);
}

// Called when the cost or the Jacobian cannot be evaluated at a candidate.
void TrustRegionMinimizer::RecordFailure(const std::string& message) {
  failed_candidates_.Record(
      options_, iteration_.iteration,
      "the step leads to a point at which the cost or the Jacobian cannot be "
      "evaluated, and is not taken.",
      message);
}

}  // namespace ceres::internal
