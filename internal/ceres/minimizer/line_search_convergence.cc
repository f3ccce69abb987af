// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/logging/logging.h"
#include "ceres/minimizer/line_search_minimizer.h"

// When a line search minimizer has converged, and what it says when it is
// stuck.

namespace ceres::internal {
namespace {

// See LineSearchMinimizer.
constexpr double kStationary = 1e-8;
constexpr double kNegligible = 1e-8;

}  // namespace

// Reads: the gradient and the column norms at x. Writes their norms.
void LineSearchMinimizer::MeasureGradient() {
  iteration_.gradient_norm =
      Norm(setup_.execution, num_delta_, gradient_.data());
  double max_norm = 0.0;
  for (const double component : gradient_) {
    max_norm = std::max(max_norm, std::abs(component));
  }
  iteration_.gradient_max_norm = max_norm;
  largest_projection_ = 0.0;
  for (size_t j = 0; j < squared_column_norms_.size(); ++j) {
    // The gradient of a column of zeros is 0.
    if (gradient_[j] != 0.0) {
      largest_projection_ =
          std::max(largest_projection_,
                   std::abs(gradient_[j]) / std::sqrt(squared_column_norms_[j]));
    }
  }
}

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

// The decrease of the cost that a step can be expected to bring.
double LineSearchMinimizer::PromisedDecrease() const {
  if (objective_.HasColumns()) {
    return 0.5 * largest_projection_ * largest_projection_;
  }
  const double squared_gradient =
      Dot(setup_.execution, num_delta_, gradient_.data(), gradient_.data());
  if (squared_gradient == 0.0) {
    return 0.0;
  }
  const double step_size =
      inverse_curvature_ > 0.0 ? inverse_curvature_ : FirstStepSize();
  return step_size * squared_gradient;
}

bool LineSearchMinimizer::IsNearlyStationary() const {
  return PromisedDecrease() <=
         kStationary *
             std::max(std::abs(cost_), kNegligible * (initial_cost_ - cost_));
}

std::optional<Termination> LineSearchMinimizer::CheckGradientAndStationarity()
    const {
  std::optional<Termination> termination =
      CheckGradient(options_, iteration_.gradient_max_norm);
  if (!termination || !IsNearlyStationary()) {
    return std::nullopt;
  }
  termination->message +=
      Format(" A step promises to decrease the cost by %e of %e.",
             PromisedDecrease(), cost_);
  return termination;
}

std::optional<Termination> LineSearchMinimizer::CheckStep(double step_norm,
                                                          double x_norm) {
  std::optional<Termination> termination =
      CheckStepNorm(options_, step_norm, x_norm);
  if (!termination ||
      !(IsNearlyStationary() || NaturalStepIsBelowRounding())) {
    return std::nullopt;
  }
  return termination;
}

// Whether doubles cannot represent a natural step at x: no coordinate changes
// by more than rounding. Overwrites the candidate.
bool LineSearchMinimizer::NaturalStepIsBelowRounding() {
  const std::vector<double>& diagonal = column_scaling_.inverse_diagonal();
  if (diagonal.empty() && inverse_curvature_ == 0.0) {
    return false;
  }
  for (int j = 0; j < num_delta_; ++j) {
    delta_[j] =
        -gradient_[j] * (diagonal.empty() ? inverse_curvature_ : diagonal[j]);
  }
  if (!objective_.Plus(x_.data(), delta_.data(), candidate_.data())) {
    return false;
  }
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  for (size_t i = 0; i < x_.size(); ++i) {
    if (!(std::abs(candidate_[i] - x_[i]) <= kRounding * std::abs(x_[i]))) {
      return false;
    }
  }
  return true;
}

// Finishes if the cost cannot be decreased beyond rounding. Called if a search
// fails. Returns whether it did.
bool LineSearchMinimizer::FinishAtRounding() {
  if (!objective_.HasColumns() && inverse_curvature_ == 0.0) {
    // Nothing is known of the scale of the function.
    return FinishIf(CheckGradient(
        options_, result_->iterations.back().gradient_max_norm));
  }
  if (!IsNearlyStationary() && !NaturalStepIsBelowRounding()) {
    return false;
  }
  Finish(CONVERGENCE,
         Format("The cost cannot be decreased beyond rounding. A step promises "
                "to decrease it by %e of %e.",
                PromisedDecrease(), cost_));
  return true;
}

// Called if no step size along the steepest descent decreases the cost.
void LineSearchMinimizer::FinishStuck() {
  if (FinishAtRounding()) {
    return;
  }
  const int num_trials = iteration_.line_search_function_evaluations;
  std::string message = Format(
      "Line search failed: %d step sizes along the steepest descent do not "
      "decrease the cost enough. Gradient max norm: %e.",
      num_trials, result_->iterations.back().gradient_max_norm);
  if (num_failures_ < num_trials) {
    AppendFormat(
        &message,
        " Check the derivatives%s, or change %s::min_line_search_step_size or "
        "max_num_line_search_step_size_iterations.",
        objective_.HasColumns() ? " (Solver::Options::check_gradients)" : "",
        options_.options_name);
  }
  if (num_failures_ > 0) {
    AppendFormat(&message,
                 " At %d of the step sizes the evaluation failed. The first: %s",
                 num_failures_, first_failure_.c_str());
    VESTA_LOG(kWarning) << message;
  }
  Finish(result_->num_successful_steps > 1 ? NO_CONVERGENCE : FAILURE,
         std::move(message));
}

}  // namespace ceres::internal
