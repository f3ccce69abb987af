// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/line_search/line_search_minimizer.h"
#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/stationarity.h"

// When a line search minimizer has converged, and what it says when it is
// stuck.

namespace ceres::internal {

// Reads: the gradient and the column norms at x. Writes what the tests compare.
void LineSearchMinimizer::MeasureGradient() {
  const double norm = Norm(setup_.execution, num_delta_, gradient_.data());
  iteration_.gradient_norm = norm;
  double max_norm = 0.0;
  for (const double component : gradient_) {
    max_norm = std::max(max_norm, std::abs(component));
  }
  iteration_.gradient_max_norm = max_norm;
  if (const Program* program = objective_.program(); program != nullptr) {
    decrease_in_sight_ = LargestCoordinateMove(
        setup_.execution, *program, CoordinateMeasure::kDecrease, x_.data(),
        gradient_.data(), squared_column_norms_.data());
    SizesOfTerms(setup_.execution, *program, x_.data(),
                 squared_column_norms_.data(), delta_.data());
    size_of_terms_ = Norm(setup_.execution, num_delta_, delta_.data());
    return;
  }
  if (norm == 0.0) {
    decrease_in_sight_ = 0.0;
  } else if (inverse_curvature_ > 0.0) {
    const double root = std::sqrt(inverse_curvature_);
    decrease_in_sight_ = norm * root;
    size_of_terms_ =
        Norm(setup_.execution, static_cast<int>(x_.size()), x_.data()) / root;
  } else {
    decrease_in_sight_ = norm * std::sqrt(FirstStepSize());
  }
}

// Reads: the last step, the gradient before and after it.
void LineSearchMinimizer::MeasureCurvature() {
  double squared_step = 0.0;
  double curvature = 0.0;
  for (int j = 0; j < num_delta_; ++j) {
    const double step = previous_.step_size * previous_.direction[j];
    squared_step += step * step;
    curvature += step * (gradient_[j] - previous_.gradient[j]);
  }
  inverse_curvature_ = squared_step / std::abs(curvature);
}

bool LineSearchMinimizer::IsNegligible(const Negligible& negligible) const {
  const double initial =
      objective_.program() != nullptr ? initial_cost_ : initial_cost_ - cost_;
  return internal::IsNegligible(decrease_in_sight_, negligible, cost_, initial,
                                [this] { return size_of_terms_; });
}

bool LineSearchMinimizer::IsNegligibleForSteps(double parameter_tolerance,
                                               double rounding) const {
  return IsNegligible({kSearchPartOfResiduals * std::sqrt(parameter_tolerance),
                       kStepPartOfInitial * parameter_tolerance, rounding});
}

std::optional<Termination> LineSearchMinimizer::CheckSmallGradient() const {
  std::optional<Termination> small =
      CheckGradient(options_, iteration_.gradient_max_norm);
  const double tolerance = options_.gradient_tolerance;
  if (!small ||
      !IsNegligible({kGradientPartOfResiduals * tolerance,
                     kGradientPartOfInitial * tolerance, kRoundingOfTerms})) {
    return std::nullopt;
  }
  small->message +=
      Format(" A step promises to decrease the cost by %e of %e.",
             0.5 * decrease_in_sight_ * decrease_in_sight_, cost_);
  return small;
}

std::optional<Termination> LineSearchMinimizer::CheckSmallStep(
    double step_norm, double x_norm) const {
  std::optional<Termination> small = CheckStepNorm(options_, step_norm, x_norm);
  if (!small ||
      !IsNegligibleForSteps(options_.parameter_tolerance, kRoundingOfTerms)) {
    return std::nullopt;
  }
  return small;
}

// Finishes if the cost cannot be decreased beyond rounding. Called if a search
// fails. Returns whether it did.
bool LineSearchMinimizer::FinishAtRounding() {
  if (objective_.program() == nullptr && inverse_curvature_ == 0.0) {
    // Nothing is known of the scale of the function.
    return FinishIf(
        CheckGradient(options_, result_->iterations.back().gradient_max_norm));
  }
  const double default_tolerance = MinimizerOptions().parameter_tolerance;
  if (!IsNegligibleForSteps(default_tolerance, kRoundingOfRejected)) {
    return false;
  }
  Finish(CONVERGENCE,
         Format("The cost cannot be decreased beyond rounding. A step promises "
                "to decrease it by %e of %e.",
                0.5 * decrease_in_sight_ * decrease_in_sight_, cost_));
  return true;
}

// Called if no step size along the steepest descent decreases the cost.
void LineSearchMinimizer::FinishStuck() {
  if (FinishAtRounding()) {
    return;
  }
  const int num_trials = iteration_.line_search_function_evaluations;
  std::string message = Format(
      "Line search failed: after %s along the steepest descent the cost does "
      "not decrease enough. Gradient max norm: %e.",
      CountOf(num_trials, "step size").c_str(),
      result_->iterations.back().gradient_max_norm);
  if (failed_trials_.num() < num_trials) {
    AppendFormat(
        &message,
        " Check the derivatives%s, or change %s::min_line_search_step_size or "
        "max_num_line_search_step_size_iterations.",
        objective_.program() != nullptr ? " (Solver::Options::check_gradients)"
                                        : "",
        options_.options_name);
  }
  if (failed_trials_.num() > 0) {
    AppendFormat(&message,
                 " The cost could not be evaluated at %s. The first failure of "
                 "the solve: %s",
                 CountOf(failed_trials_.num(), "point").c_str(),
                 failed_trials_.first().c_str());
  }
  Finish(result_->num_successful_steps > 1 ? NO_CONVERGENCE : FAILURE,
         std::move(message));
}

// Called when a trial point cannot be evaluated.
void LineSearchMinimizer::RecordFailure() {
  failed_trials_.Record(
      options_, iteration_.iteration,
      "the cost cannot be evaluated at a point of the line search, which "
      "shortens its step.",
      message_);
}

}  // namespace ceres::internal
