// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/line_search_minimizer.h"

#include <algorithm>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/stationarity.h"

namespace ceres::internal {

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
      squared_column_norms_(objective_.program() != nullptr ? num_delta_ : 0),
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
    failed_trials_.RestartCount();
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
  initial_cost_ = cost_;
  if (objective_.program() != nullptr && options_.jacobi_scaling) {
    SizesOfTerms(setup_.execution, *objective_.program(), x_.data(),
                 squared_column_norms_.data(), delta_.data());
    column_scaling_.Start(squared_column_norms_, gradient_, delta_);
  }
  result_->initial_cost = cost_ + setup_.fixed_cost;
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  MeasureGradient();
  return true;
}

// Records the iteration, runs the callbacks, and checks the limits and the
// gradient.
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
  return !FinishIf(CheckSmallGradient());
}

// Reads: the gradient, the last step. Writes: the direction and the slope.
bool LineSearchMinimizer::ChooseDirection() {
  search_direction_->Next(has_previous_ ? &previous_ : nullptr, gradient_,
                          column_scaling_.inverse_diagonal(), &direction_);
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

// Restarts from the steepest descent.
bool LineSearchMinimizer::Restart(const char* reason) {
  if (num_restarts_ >= options_.max_num_line_search_direction_restarts) {
    if (FinishAtRounding()) {
      return false;
    }
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

// Reads: the candidate. Writes: x, its cost and gradient. The tests of step and
// cost come after the step, which is kept.
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
  if (!column_scaling_.inverse_diagonal().empty()) {
    column_scaling_.Update(squared_column_norms_);
  }

  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  iteration_.step_norm = step_norm;
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.cost_change = previous_cost_ - cost_;
  MeasureCurvature();
  MeasureGradient();
  return FinishIteration() && !FinishIf(CheckSmallStep(step_norm, x_norm)) &&
         !FinishIf(
             CheckCostChange(options_, iteration_.cost_change, previous_cost_));
}

bool LineSearchMinimizer::Evaluate(const std::vector<double>& x,
                                   bool is_new_point, double* cost,
                                   std::vector<double>* gradient) {
  CheckStop(setup_.execution);
  const Clock::time_point start = parallel::detail::SteadyNow();
  const bool valid =
      objective_.Evaluate(x.data(), is_new_point, cost,
                          gradient == nullptr ? nullptr : gradient->data(),
                          gradient == nullptr || squared_column_norms_.empty()
                              ? nullptr
                              : squared_column_norms_.data(),
                          &message_);
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

}  // namespace ceres::internal
