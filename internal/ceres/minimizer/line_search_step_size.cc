// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/base/clock.h"
#include "ceres/minimizer/line_search_minimizer.h"
#include "ceres/minimizer/wolfe_search.h"

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
  shortest_trial_ = std::numeric_limits<double>::infinity();
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

// The first step size depends on the norm of the gradient. Later step sizes
// assume the decrease of the previous step, by value or by slope (Nocedal and
// Wright, (3.60) and the line before it).
double LineSearchMinimizer::InitialStepSize() const {
  if (search_direction_->IsScaled()) {
    return 1.0;
  }
  if (!has_previous_) {
    return std::min(1.0, 1.0 / MaxNorm(gradient_));
  }
  const double by_value = 2.0 * (cost_ - previous_cost_) / slope_;
  const double by_slope = previous_.step_size * previous_slope_ / slope_;
  const double guess = std::max(by_value, by_slope);
  constexpr double kShortest = 10.0;
  return std::isfinite(guess) ? std::max(guess, kShortest * MinStepSize())
                              : 1.0;
}

// min_line_search_step_size is the change of the coordinate that changes most.
double LineSearchMinimizer::MinStepSize() const {
  return options_.min_line_search_step_size / MaxNorm(direction_);
}

// A step size at which the gradient cannot be evaluated is too long.
LineSearchResult LineSearchMinimizer::SearchArmijo() {
  LineSearchResult total;
  StepSizes sizes = {InitialStepSize(), MinStepSize()};
  while (true) {
    const LineSearchResult search = Backtrack(
        options_, sizes, {0.0, cost_, slope_}, [&](double size, double* cost) {
          const bool valid = EvaluateAlong(size, cost, nullptr);
          candidate_cost_ = *cost;
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
  return Evaluate(candidate_, /*is_new_point=*/false, &candidate_cost_,
                  &candidate_gradient_);
}

LineSearchResult LineSearchMinimizer::SearchWolfeConditions() {
  return SearchWolfe(options_, {InitialStepSize(), MinStepSize()},
                     {0.0, cost_, slope_}, [&](LineSample* sample) {
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
  shortest_trial_ = std::min(shortest_trial_, step_size);
  for (int j = 0; j < num_delta_; ++j) {
    delta_[j] = step_size * direction_[j];
  }
  const bool valid =
      objective_.Plus(x_.data(), delta_.data(), candidate_.data()) &&
      Evaluate(candidate_, /*is_new_point=*/true, cost, gradient);
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
