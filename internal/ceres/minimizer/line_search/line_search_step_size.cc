// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>

#include "ceres/base/clock.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/line_search/line_search_minimizer.h"
#include "ceres/minimizer/line_search/wolfe_search.h"
#include "ceres/minimizer/minimizer_tuning.h"

// How a line search minimizer finds a step size along its direction.

namespace ceres::internal {
namespace {

double MaxNorm(const std::vector<double>& x) {
  double largest = 0.0;
  for (const double value : x) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

// Reads: the direction. Writes: the candidate, its cost and gradient.
bool LineSearchMinimizer::SearchAlongDirection() {
  const Clock::time_point start = parallel::detail::SteadyNow();
  const bool is_armijo = options_.line_search_type == ARMIJO;
  const LineSearchResult search =
      is_armijo ? SearchArmijo() : SearchWolfeConditions();
  iteration_.line_search_iterations += search.num_iterations;
  result_->num_line_search_steps += search.num_iterations;
  result_->line_search_polynomial_minimization_time_in_seconds +=
      search.interpolation_seconds;
  const bool success =
      search.success &&
      (search.last_step_size == search.step_size ||
       EvaluateAlong(search.step_size, &candidate_cost_, &candidate_gradient_));
  result_->line_search_total_time_in_seconds += SecondsSince(start);
  if (success) {
    iteration_.step_size = search.step_size;
    return true;
  }
  if (is_steepest_) {
    FinishStuck();
    return false;
  }
  return Restart("has no step size that decreases the cost") &&
         ChooseDirection() && SearchAlongDirection();
}

// The first step size that a search tries. It does not depend on units, and
// assumes the decrease of the previous step, by value (Nocedal and Wright,
// (3.60)) or, where no natural step size is known, by slope (the line before
// (3.60)).
double LineSearchMinimizer::InitialStepSize() const {
  if (!has_previous_) {
    return FirstStepSize();
  }
  const double by_value = 2.0 * (cost_ - previous_cost_) / slope_;
  if (search_direction_->IsScaled()) {
    constexpr double kMargin = 1.01;
    return std::clamp(kMargin * by_value, kShortestFirstTrial, 1.0);
  }
  const double by_slope = previous_.step_size * previous_slope_ / slope_;
  const double guess = std::max(by_value, by_slope);
  return std::isfinite(guess) && guess > 0.0 ? guess : previous_.step_size;
}

// The first step size along the steepest descent, before anything is known of
// the curvature.
//
// With column norms: the full step of the linear model along one coordinate,
// or the step whose parabola ends at a cost of zero if that is shorter.
//
// Otherwise a coordinate changes by about its size, |x| / |g|, or the cost by
// its own, 2 |f| / |g|^2. Either may be off by many powers of ten, by the
// choice of an origin; the geometric mean is off by the root.
double LineSearchMinimizer::FirstStepSize() const {
  if (!column_scaling_.inverse_diagonal().empty()) {
    return std::min(1.0, 2.0 * cost_ / -slope_);
  }
  const double gradient_norm = MaxNorm(gradient_);
  const double by_size = MaxNorm(x_) / gradient_norm;
  const double by_cost =
      2.0 * std::abs(cost_) /
      Dot(setup_.execution, num_delta_, gradient_.data(), gradient_.data());
  const bool has_size = by_size > 0.0 && std::isfinite(by_size);
  const bool has_cost = by_cost > 0.0 && std::isfinite(by_cost);
  if (has_size && has_cost) {
    return std::sqrt(by_size) * std::sqrt(by_cost);
  }
  return has_size   ? by_size
         : has_cost ? by_cost
                    : std::min(1.0, 1.0 / gradient_norm);
}

// min_line_search_step_size counts in the first step size that is tried.
StepSizes LineSearchMinimizer::ChooseStepSizes() const {
  const double initial = InitialStepSize();
  return {initial, options_.min_line_search_step_size * initial};
}

// A step size at which the gradient cannot be evaluated is too long.
LineSearchResult LineSearchMinimizer::SearchArmijo() {
  LineSearchResult total;
  StepSizes sizes = ChooseStepSizes();
  while (true) {
    const LineSearchResult search = Backtrack(
        options_, sizes, {0.0, cost_, slope_}, [&](LineSample* sample) {
          const bool valid =
              EvaluateAlong(sample->step_size, &sample->value, nullptr);
          candidate_cost_ = sample->value;
          return valid;
        });
    total.num_iterations += search.num_iterations;
    total.num_evaluations += search.num_evaluations;
    total.interpolation_seconds += search.interpolation_seconds;
    total.step_size = total.last_step_size = search.step_size;
    if (!search.success) return total;
    total.success = EvaluateGradientOfCandidate();
    if (total.success) return total;
    sizes.initial = 0.5 * search.step_size;
    if (sizes.initial < sizes.shortest) return total;
  }
}

// Backtrack evaluated the candidate's cost last.
bool LineSearchMinimizer::EvaluateGradientOfCandidate() {
  ++iteration_.line_search_gradient_evaluations;
  const bool valid = Evaluate(candidate_, /*is_new_point=*/false,
                              &candidate_cost_, &candidate_gradient_);
  if (!valid) {
    RecordFailure();
  }
  return valid;
}

LineSearchResult LineSearchMinimizer::SearchWolfeConditions() {
  return SearchWolfe(options_, ChooseStepSizes(), {0.0, cost_, slope_},
                     [&](LineSample* sample) {
                       if (!EvaluateAlong(sample->step_size, &sample->value,
                                          &candidate_gradient_)) {
                         return false;
                       }
                       candidate_cost_ = sample->value;
                       sample->slope = DotDirection(candidate_gradient_);
                       return true;
                     });
}

bool LineSearchMinimizer::EvaluateAlong(double step_size, double* cost,
                                        std::vector<double>* gradient) {
  const Clock::time_point start = parallel::detail::SteadyNow();
  for (int j = 0; j < num_delta_; ++j) {
    delta_[j] = step_size * direction_[j];
  }
  message_ = "A manifold's Plus returned false.";
  const bool valid =
      objective_.Plus(x_.data(), delta_.data(), candidate_.data()) &&
      Evaluate(candidate_, /*is_new_point=*/true, cost, gradient);
  if (!valid) {
    RecordFailure();
  }
  ++iteration_.line_search_function_evaluations;
  if (gradient != nullptr) {
    ++iteration_.line_search_gradient_evaluations;
    result_->line_search_gradient_evaluation_time_in_seconds +=
        SecondsSince(start);
  } else {
    result_->line_search_cost_evaluation_time_in_seconds += SecondsSince(start);
  }
  return valid;
}

}  // namespace ceres::internal
