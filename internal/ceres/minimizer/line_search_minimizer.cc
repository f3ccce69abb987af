// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search_minimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/wolfe_search.h"

namespace ceres::internal {
namespace {

using Clock = LineSearchMinimizer::Clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
      .count();
}

double MaxNorm(const std::vector<double>& x) {
  double largest = 0.0;
  for (const double value : x) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

LineSearchMinimizer::LineSearchMinimizer(const Setup& setup)
    : setup_(setup),
      options_(*setup.options),
      objective_(*setup.objective),
      num_delta_(objective_.num_delta()),
      x_(objective_.num_state()),
      gradient_(num_delta_),
      search_direction_(
          CreateSearchDirection(options_, setup.execution, num_delta_)),
      direction_(num_delta_),
      candidate_(objective_.num_state()),
      candidate_gradient_(num_delta_),
      delta_(num_delta_) {}

void LineSearchMinimizer::Minimize(double* state, MinimizerResult* result) {
  result_ = result;
  std::copy(state, state + x_.size(), x_.begin());
  best_ = state;
  iteration_start_ = parallel::detail::SteadyNow();
  try {
    Iterate();
  } catch (const Stopped&) {
    FinishIf(DescribeStop(options_, *setup_.execution.stop,
                          static_cast<int>(result_->iterations.size()),
                          SecondsSince(setup_.start)));
  }
}

void LineSearchMinimizer::Iterate() {
  bool goes_on = Start();
  if (setup_.execution.stop != nullptr) {
    setup_.execution.stop->LetDeadlineCount();
  }
  goes_on = goes_on && FinishIteration();
  while (goes_on) {
    IterationSummary next;
    next.iteration = iteration_.iteration + 1;
    iteration_ = next;
    goes_on = ChooseDirection() && SearchAlongDirection() && TakeStep();
  }
}

bool LineSearchMinimizer::Start() {
  result_->num_successful_steps = 0;
  result_->num_unsuccessful_steps = 0;
  result_->num_line_search_steps = 0;
  result_->num_residual_evaluations = 0;
  result_->num_jacobian_evaluations = 0;
  result_->residual_evaluation_time_in_seconds = 0.0;
  result_->jacobian_evaluation_time_in_seconds = 0.0;
  result_->line_search_cost_evaluation_time_in_seconds = 0.0;
  result_->line_search_gradient_evaluation_time_in_seconds = 0.0;
  result_->line_search_polynomial_minimization_time_in_seconds = 0.0;
  result_->line_search_total_time_in_seconds = 0.0;
  if (!Evaluate(x_, /*is_new_point=*/true, &cost_, &gradient_)) {
    return Finish(FAILURE,
                  "The cost and its gradient could not be evaluated at the "
                  "initial point. " +
                      message_);
  }
  result_->initial_cost = cost_ + setup_.fixed_cost;
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  return MeasureGradient();
}

// The norms of the gradient, the largest entry as that of x - Plus(x, -g).
bool LineSearchMinimizer::MeasureGradient() {
  iteration_.gradient_norm =
      Norm(setup_.execution, num_delta_, gradient_.data());
  for (int j = 0; j < num_delta_; ++j) {
    delta_[j] = -gradient_[j];
  }
  if (!objective_.Plus(x_.data(), delta_.data(), candidate_.data())) {
    return Finish(FAILURE,
                  "The gradient could not be projected: a manifold's Plus "
                  "returned false.");
  }
  double max_norm = 0.0;
  for (size_t i = 0; i < x_.size(); ++i) {
    max_norm = std::max(max_norm, std::abs(x_[i] - candidate_[i]));
  }
  iteration_.gradient_max_norm = max_norm;
  return true;
}

// Closes the iteration: bookkeeping, callbacks, and the reasons to stop that
// need no step.
bool LineSearchMinimizer::FinishIteration() {
  ++result_->num_successful_steps;
  iteration_.iteration_time_in_seconds = SecondsSince(iteration_start_);
  iteration_.cumulative_time_in_seconds = SecondsSince(setup_.start);
  result_->iterations.push_back(iteration_);
  result_->final_cost = iteration_.cost;
  std::copy(x_.begin(), x_.end(), best_);
  if (setup_.update_user_state) {
    objective_.SetUserState(x_.data());
  }
  if (FinishIf(RunCallbacks(setup_.callbacks, iteration_))) {
    return false;
  }
  iteration_start_ = parallel::detail::SteadyNow();
  if (FinishIf(CheckLimits(options_, iteration_.iteration,
                           SecondsSince(setup_.start)))) {
    return false;
  }
  CheckStop(setup_.execution);
  return !FinishIf(CheckGradient(options_, iteration_.gradient_max_norm));
}

// Reads: the gradient, the last step. Writes: the direction and the slope.
bool LineSearchMinimizer::ChooseDirection() {
  search_direction_->Next(has_previous_ ? &previous_ : nullptr, gradient_,
                          &direction_);
  is_steepest_ = !has_previous_;
  slope_ = DotDirection(gradient_);
  if (slope_ < 0.0) {
    return true;
  }
  if (is_steepest_) {
    FinishStuck();
    return false;
  }
  return Restart("is not a direction of descent") && ChooseDirection();
}

// Forgets what was seen before.
bool LineSearchMinimizer::Restart(const char* reason) {
  if (num_restarts_ >= options_.max_num_line_search_direction_restarts) {
    return Finish(
        NO_CONVERGENCE,
        Format("Line search direction failure: %s's direction %s, and the "
               "limit of %s::max_num_line_search_direction_restarts, %d, is "
               "reached.",
               LineSearchDirectionTypeToString(
                   options_.line_search_direction_type),
               reason, options_.options_name,
               options_.max_num_line_search_direction_restarts));
  }
  ++num_restarts_;
  search_direction_ =
      CreateSearchDirection(options_, setup_.execution, num_delta_);
  has_previous_ = false;
  return true;
}

// Reads: the direction. Writes: the candidate, its cost and gradient.
bool LineSearchMinimizer::SearchAlongDirection() {
  const Clock::time_point start = parallel::detail::SteadyNow();
  shortest_trial_ = std::numeric_limits<double>::infinity();
  double step_size = 0.0;
  const bool success = options_.line_search_type == ARMIJO
                           ? SearchArmijo(&step_size)
                           : SearchWolfeConditions(&step_size);
  result_->line_search_total_time_in_seconds += SecondsSince(start);
  if (success) {
    iteration_.step_size = step_size;
    return true;
  }
  if (is_steepest_) {
    FinishStuck();
    return false;
  }
  return Restart("has no step size that decreases the cost") &&
         ChooseDirection() && SearchAlongDirection();
}

// The first one is a guess from the size of the gradient; later ones expect
// the same decrease as before, by value or by slope (Nocedal and Wright, (3.60)
// and the line before it).
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

// The option is about the coordinate that moves most: directions have any
// length.
double LineSearchMinimizer::MinStepSize() const {
  return options_.min_line_search_step_size / MaxNorm(direction_);
}

bool LineSearchMinimizer::SearchArmijo(double* step_size) {
  BacktrackingOptions search;
  search.interpolation = options_.line_search_interpolation_type;
  search.initial_step_size = InitialStepSize();
  search.sufficient_decrease =
      options_.line_search_sufficient_function_decrease;
  search.max_contraction = options_.max_line_search_step_contraction;
  search.min_contraction = options_.min_line_search_step_contraction;
  search.min_step_size = MinStepSize();
  search.max_num_iterations = options_.max_num_line_search_step_size_iterations;
  const BacktrackingResult result =
      Backtrack(search, cost_, slope_, [&](double size, double* cost) {
        const bool valid = EvaluateAlong(size, cost, nullptr);
        candidate_cost_ = *cost;
        return valid;
      });
  iteration_.line_search_iterations += result.num_iterations;
  result_->num_line_search_steps += result.num_iterations;
  result_->line_search_polynomial_minimization_time_in_seconds +=
      result.interpolation_seconds;
  *step_size = result.step_size;
  if (!result.success) {
    return false;
  }
  // The candidate's cost was evaluated at this very point.
  ++iteration_.line_search_gradient_evaluations;
  return Evaluate(candidate_, /*is_new_point=*/false, &candidate_cost_,
                  &candidate_gradient_);
}

bool LineSearchMinimizer::SearchWolfeConditions(double* step_size) {
  WolfeOptions search;
  search.interpolation = options_.line_search_interpolation_type;
  search.initial_step_size = InitialStepSize();
  search.sufficient_decrease =
      options_.line_search_sufficient_function_decrease;
  search.sufficient_curvature_decrease =
      options_.line_search_sufficient_curvature_decrease;
  search.max_expansion = options_.max_line_search_step_expansion;
  search.min_step_size = MinStepSize();
  search.max_num_iterations = options_.max_num_line_search_step_size_iterations;
  const WolfeResult result =
      SearchWolfe(search, {0.0, cost_, slope_}, [&](LineSample* sample) {
        if (!EvaluateAlong(sample->step_size, &sample->value,
                           &candidate_gradient_)) {
          return false;
        }
        candidate_cost_ = sample->value;
        sample->slope = DotDirection(candidate_gradient_);
        return true;
      });
  iteration_.line_search_iterations += result.num_iterations;
  result_->num_line_search_steps += result.num_iterations;
  result_->line_search_polynomial_minimization_time_in_seconds +=
      result.interpolation_seconds;
  *step_size = result.step_size;
  return result.success && (result.last_step_size == result.step_size ||
                            EvaluateAlong(result.step_size, &candidate_cost_,
                                          &candidate_gradient_));
}

// Reads: the candidate. Writes: x and everything known there. Also the reasons
// to stop that look at the step, which was a good one, and is kept.
bool LineSearchMinimizer::TakeStep() {
  const int n = static_cast<int>(x_.size());
  const double x_norm = Norm(setup_.execution, n, x_.data());
  Axpby(setup_.execution, n, 1.0, candidate_.data(), -1.0, x_.data(),
        x_.data());
  const double step_norm = Norm(setup_.execution, n, x_.data());
  std::swap(x_, candidate_);
  std::swap(previous_.gradient, gradient_);
  std::swap(gradient_, candidate_gradient_);
  candidate_gradient_.resize(num_delta_);
  std::swap(previous_.direction, direction_);
  direction_.resize(num_delta_);
  previous_.step_size = iteration_.step_size;
  previous_slope_ = slope_;
  previous_cost_ = cost_;
  cost_ = candidate_cost_;
  has_previous_ = true;

  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  iteration_.step_norm = step_norm;
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.cost_change = previous_cost_ - cost_;
  return MeasureGradient() && FinishIteration() &&
         !FinishIf(CheckStepNorm(options_, step_norm, x_norm)) &&
         !FinishIf(
             CheckCostChange(options_, iteration_.cost_change, previous_cost_));
}

// No step along the steepest descent is any good.
void LineSearchMinimizer::FinishStuck() {
  const double promised = -shortest_trial_ * slope_;
  constexpr double kRounding = 1e3 * std::numeric_limits<double>::epsilon();
  if (!(promised > kRounding * std::abs(cost_))) {
    Finish(CONVERGENCE,
           Format("The cost cannot be decreased beyond rounding. Last change "
                  "that the steepest descent promised: %e, cost: %e.",
                  promised, cost_));
    return;
  }
  Finish(result_->num_successful_steps > 1 ? NO_CONVERGENCE : FAILURE,
         Format("Line search failed: %d step sizes along the steepest descent "
                "do not decrease the cost enough. Gradient max norm: %e. Check "
                "the derivatives, or change %s::min_line_search_step_size or "
                "max_num_line_search_step_size_iterations. %s",
                iteration_.line_search_function_evaluations,
                result_->iterations.back().gradient_max_norm,
                options_.options_name, message_.c_str()));
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

bool LineSearchMinimizer::Evaluate(const std::vector<double>& x,
                                   bool is_new_point, double* cost,
                                   std::vector<double>* gradient) {
  CheckStop(setup_.execution);
  const Clock::time_point start = parallel::detail::SteadyNow();
  const bool valid = objective_.Evaluate(
      x.data(), is_new_point, cost,
      gradient == nullptr ? nullptr : gradient->data(), &message_);
  if (gradient != nullptr) {
    ++result_->num_jacobian_evaluations;
    result_->jacobian_evaluation_time_in_seconds += SecondsSince(start);
  } else {
    ++result_->num_residual_evaluations;
    result_->residual_evaluation_time_in_seconds += SecondsSince(start);
  }
  return valid;
}

double LineSearchMinimizer::DotDirection(
    const std::vector<double>& gradient) const {
  return Dot(setup_.execution, num_delta_, gradient.data(), direction_.data());
}

bool LineSearchMinimizer::Finish(TerminationType type, std::string message) {
  result_->termination_type = type;
  result_->message = std::move(message);
  return false;
}

bool LineSearchMinimizer::FinishIf(std::optional<Termination> termination) {
  if (!termination) {
    return false;
  }
  Finish(termination->type, std::move(termination->message));
  return true;
}

}  // namespace ceres::internal
