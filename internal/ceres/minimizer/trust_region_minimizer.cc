// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/trust_region_minimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/execution/loops.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {
namespace {

int MaxNonmonotonicSteps(const MinimizerOptions& options) {
  return options.use_nonmonotonic_steps
             ? options.max_consecutive_nonmonotonic_steps
             : 0;
}

// Of vectors that hold points at one time and steps at another.
int LargerSize(const Program& program) {
  return std::max(program.num_state(), program.num_delta());
}

bool NeedsAlternative(const TrustRegionMinimizer::Setup& setup) {
  return setup.inner_iterations != nullptr || setup.program->has_bounds();
}

// The size of a vector of steps that only problems with bounds need.
int SizeWithBounds(const Program& program) {
  return program.has_bounds() ? program.num_delta() : 0;
}

std::size_t TotalSizeOfVectors(const TrustRegionMinimizer::Setup& setup,
                               bool keeps_best_apart) {
  const Program& program = *setup.program;
  const std::size_t num_states =
      (keeps_best_apart ? 2 : 1) + (NeedsAlternative(setup) ? 1 : 0);
  const std::size_t num_deltas = program.has_bounds() ? 6 : 3;
  return (num_states + 1) * LargerSize(program) +
         num_deltas * program.num_delta();
}

bool IsEuclidean(const Program& program) {
  return !program.has_bounds() &&
         std::all_of(
             program.manifolds().begin(), program.manifolds().end(),
             [](const Manifold* manifold) { return manifold == nullptr; });
}

// |x - y|. Writes x - y to `difference`, if the vectors are not short. Both
// branches add in the same order.
double Distance(const Execution& execution, VectorView x, VectorView y,
                double* difference) {
  if (x.size() < kMinVectorLoopSize) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return std::sqrt(sum);
  }
  const int n = static_cast<int>(x.size());
  Axpby(execution, n, 1.0, x.data(), -1.0, y.data(), difference);
  return Norm(execution, n, difference);
}

// The largest value_of(i) of the indices below n, none of which is negative.
template <typename F>
double Largest(const Execution& execution, int n, F&& value_of) {
  const auto largest_in = [&value_of](IndexRange range) {
    double largest = 0.0;
    for (int i = range.begin; i < range.end; ++i) {
      largest = std::max(largest, value_of(i));
    }
    return largest;
  };
  if (n <= kMinVectorPiece) return largest_in({0, n});
  return ParallelReduce(
      execution, 0, n, 0.0, largest_in,
      [](double a, double b) { return std::max(a, b); }, kMinVectorPiece);
}

}  // namespace

TrustRegionMinimizer::TrustRegionMinimizer(const Setup& setup)
    : setup_(setup),
      options_(*setup.options),
      program_(*setup.program),
      is_euclidean_(IsEuclidean(program_)),
      keeps_best_apart_(!is_euclidean_ || MaxNonmonotonicSteps(options_) > 0),
      workspace_(setup.workspace != nullptr ? setup.workspace
                                            : &own_workspace_),
      vectors_(setup.execution, TotalSizeOfVectors(setup, keeps_best_apart_)),
      x_(keeps_best_apart_
             ? vectors_.Take(LargerSize(program_)).First(program_.num_state())
             : VectorView()),
      gradient_(vectors_.Take(program_.num_delta())),
      squared_column_norms_(vectors_.Take(program_.num_delta())),
      column_scale_(vectors_.Take(program_.num_delta())),
      step_(vectors_.Take(LargerSize(program_)).First(program_.num_delta())),
      candidate_(
          vectors_.Take(LargerSize(program_)).First(program_.num_state())),
      alternative_(
          NeedsAlternative(setup)
              ? vectors_.Take(LargerSize(program_)).First(program_.num_state())
              : VectorView()),
      shortened_step_(vectors_.Take(SizeWithBounds(program_))),
      squared_scale_(vectors_.Take(SizeWithBounds(program_))),
      strategy_(CreateTrustRegionStrategy(options_, program_.num_delta())),
      step_evaluator_(0.0, 0),
      active_set_(program_),
      parallel_tangents_(vectors_.Take(SizeWithBounds(program_))),
      inner_iterations_are_useful_(setup.inner_iterations != nullptr) {
  workspace_->Reserve(WorkspaceRegion::kDamping, program_.num_delta());
  std::fill(column_scale_.begin(), column_scale_.end(), 1.0);
  jacobian_.structure = &setup.evaluator->structure();
  jacobian_.values.Resize(setup.execution, jacobian_.structure->num_values());
  if (!options_.trust_region_minimizer_iterations_to_dump.empty()) {
    dump_.emplace(options_, setup.linear_solver);
  }
}

// The Jacobian is the largest array. Several threads release it faster.
TrustRegionMinimizer::~TrustRegionMinimizer() {
  jacobian_.values.Release(setup_.execution);
}

void TrustRegionMinimizer::Minimize(double* state, MinimizerResult* result) {
  result_ = result;
  best_ = VectorView(state, program_.num_state());
  if (keeps_best_apart_) {
    std::copy(best_.begin(), best_.end(), x_.begin());
  } else {
    x_ = best_;
  }
  const auto return_best = [this, state] {
    if (best_.data() != state) std::copy(best_.begin(), best_.end(), state);
  };
  iteration_start_ = timer_.last_reading();
  try {
    Iterate();
  } catch (const Stopped&) {
    FinishIf(
        DescribeStop(options_, *setup_.execution.stop,
                     static_cast<int>(result_->iterations.size()),
                     Seconds(setup_.start, parallel::detail::SteadyNow())));
  } catch (...) {
    return_best();
    throw;
  }
  return_best();
}

void TrustRegionMinimizer::KeepBest() {
  best_cost_ = x_cost_;
  if (keeps_best_apart_) {
    std::copy(x_.begin(), x_.end(), best_.begin());
  } else {
    best_ = x_;
  }
}

void TrustRegionMinimizer::Iterate() {
  if (!Start()) {
    return;
  }
  if (setup_.execution.stop != nullptr) {
    setup_.execution.stop->LetDeadlineCount();
  }
  while (FinishIteration()) {
    const IterationSummary& last = result_->iterations.back();
    iteration_ = IterationSummary();
    iteration_.iteration = last.iteration + 1;
    iteration_.gradient_norm = last.gradient_norm;
    iteration_.gradient_max_norm = last.gradient_max_norm;
    iteration_.eta = options_.eta;

    if (jacobian_point_ != Point::kState && !EvaluateAtState(true)) {
      return;
    }
    if (!ComputeStep()) {
      return;
    }
    if (!iteration_.step_is_valid) {
      continue;
    }
    if (!SearchWithinBounds()) {
      EvaluateCandidate();
    }
    RunInnerIterations();
    MeasureStep();
    if (IsConverged()) {
      return;
    }
    const double quality =
        step_evaluator_.Quality(candidate_cost_, model_cost_change_);
    iteration_.relative_decrease = quality;
    if (quality > options_.min_relative_decrease) {
      if (!AcceptStep(quality)) {
        return;
      }
    } else {
      RejectStep();
    }
    if (active_set_.is_deferred()) {
      ReviewDeferral();
    }
  }
}

// Reads: the start. Writes: everything known at x, iteration 0.
bool TrustRegionMinimizer::Start() {
  result_->iterations.reserve(kReservedIterations);
  result_->num_successful_steps = 0;
  result_->num_unsuccessful_steps = 0;
  result_->num_linear_solves = 0;
  result_->num_residual_evaluations = 0;
  result_->num_jacobian_evaluations = 0;
  result_->num_line_search_steps = 0;
  result_->linear_solver_time_in_seconds = 0.0;
  result_->residual_evaluation_time_in_seconds = 0.0;
  result_->jacobian_evaluation_time_in_seconds = 0.0;
  if (setup_.inner_iterations != nullptr) {
    result_->num_inner_iteration_steps = 0;
    result_->inner_iteration_time_in_seconds = 0.0;
  }
  if (program_.has_bounds()) {
    result_->line_search_cost_evaluation_time_in_seconds = 0.0;
    result_->line_search_polynomial_minimization_time_in_seconds = 0.0;
    result_->line_search_total_time_in_seconds = 0.0;
    // A start outside of the bounds is moved to the nearest point inside.
    std::fill(step_.begin(), step_.end(), 0.0);
    if (!program_.Plus(x_.data(), step_.data(), candidate_.data())) {
      return Finish(FAILURE,
                    "The initial point could not be projected onto the bounds: "
                    "a manifold's Plus returned false.");
    }
    std::swap(x_, candidate_);
    active_set_.DeferHolding();
  }
  const int num_columns = program_.num_delta();
  x_norm_ = Norm(setup_.execution, static_cast<int>(x_.size()), x_.data());
  if (!EvaluateAtState(true)) {
    return false;
  }
  if (options_.jacobi_scaling) {
    ParallelFor(
        setup_.execution, 0, num_columns,
        [this](int j) {
          column_scale_[j] = 1.0 / (1.0 + std::sqrt(squared_column_norms_[j]));
        },
        kMinVectorPiece);
  }
  result_->initial_cost = x_cost_ + setup_.fixed_cost;
  KeepBest();
  step_evaluator_ = StepEvaluator(x_cost_, MaxNonmonotonicSteps(options_));
  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  iteration_.eta = options_.eta;
  return true;
}

// Reads: x. Writes: cost, Jacobian, gradient, column norms and their norms.
bool TrustRegionMinimizer::EvaluateAtState(bool new_evaluation_point) {
  const Evaluator::Result result =
      EvaluateJacobian(x_, new_evaluation_point, &x_cost_);
  if (!result) {
    return Finish(FAILURE,
                  "The residuals and their Jacobian could not be evaluated: " +
                      result.message);
  }
  jacobian_point_ = Point::kState;
  return MeasureGradient();
}

// Reads: x and what was evaluated there. Writes: the iteration's cost and
// norms of the gradient, step, candidate.
bool TrustRegionMinimizer::MeasureGradient() {
  iteration_.cost = x_cost_ + setup_.fixed_cost;
  iteration_.gradient_norm = Norm(
      setup_.execution, static_cast<int>(gradient_.size()), gradient_.data());

  // The projected gradient, x - Project(Plus(x, -g)); plain g where the space
  // is Euclidean and without bounds gives the same, but for rounding.
  const int num_state = static_cast<int>(x_.size());
  if (is_euclidean_) {
    iteration_.gradient_max_norm = Largest(
        setup_.execution, num_state,
        [this](int i) { return std::abs(x_[i] - (x_[i] - gradient_[i])); });
    return true;
  }
  ParallelFor(
      setup_.execution, 0, program_.num_delta(),
      [this](int j) { step_[j] = -gradient_[j]; }, kMinVectorPiece);
  // There is no candidate now.
  if (!program_.Plus(setup_.execution, x_.data(), step_.data(),
                     candidate_.data())) {
    return Finish(FAILURE,
                  "The gradient could not be projected: a manifold's Plus "
                  "returned false.");
  }
  iteration_.gradient_max_norm =
      Largest(setup_.execution, num_state,
              [this](int i) { return std::abs(x_[i] - candidate_[i]); });
  return true;
}

// Closes the iteration: bookkeeping, callbacks, and the reasons to stop that
// need no step.
bool TrustRegionMinimizer::FinishIteration() {
  if (iteration_.step_is_successful) {
    ++result_->num_successful_steps;
    // Each step that is taken decreases the cost, unless told otherwise.
    if (x_cost_ < best_cost_ || !keeps_best_apart_) KeepBest();
  } else {
    ++result_->num_unsuccessful_steps;
  }
  iteration_.trust_region_radius = strategy_->radius();
  // Every iteration ends with an evaluation or a linear solve, which read the
  // clock. Another reading would cost 1 % of an iteration of a microsecond.
  const Clock::time_point now = timer_.last_reading();
  iteration_.iteration_time_in_seconds = Seconds(iteration_start_, now);
  iteration_.cumulative_time_in_seconds = Seconds(setup_.start, now);
  result_->iterations.push_back(iteration_);
  result_->final_cost = best_cost_ + setup_.fixed_cost;

  if (setup_.update_user_state) {
    program_.WriteUserMemory(setup_.execution, x_.data());
  }
  if (FinishIf(RunCallbacks(setup_.callbacks, iteration_))) {
    return false;
  }
  if (!setup_.callbacks.empty()) {
    timer_.EndPhase();
  }
  iteration_start_ = timer_.last_reading();
  if (FinishIf(CheckLimits(options_, iteration_.iteration,
                           Seconds(setup_.start, timer_.last_reading())))) {
    return false;
  }
  CheckStop(setup_.execution);
  if (iteration_.step_is_successful &&
      FinishIf(CheckGradient(options_, iteration_.gradient_max_norm))) {
    return false;
  }
  if (iteration_.trust_region_radius <= options_.min_trust_region_radius) {
    return Finish(CONVERGENCE,
                  Format("The trust region radius %e is not above "
                         "%s::min_trust_region_radius = %e.",
                         iteration_.trust_region_radius, options_.options_name,
                         options_.min_trust_region_radius));
  }
  return true;
}

// Reads: x, candidate and their costs. Writes: the step's norm and gain, step.
void TrustRegionMinimizer::MeasureStep() {
  iteration_.step_norm =
      Distance(setup_.execution, candidate_, x_, step_.data());
  iteration_.cost_change = x_cost_ - candidate_cost_;
}

// The reasons to stop that look at the step; it is not taken then. A small step
// says nothing while active set are not held.
bool TrustRegionMinimizer::IsConverged() {
  if (active_set_.is_deferred()) {
    return false;
  }
  return FinishIf(CheckStepNorm(options_, iteration_.step_norm, x_norm_)) ||
         FinishIf(CheckCostChange(options_, iteration_.cost_change, x_cost_));
}

bool TrustRegionMinimizer::AcceptStep(double quality) {
  iteration_.step_is_successful = true;
  iteration_.step_is_nonmonotonic = candidate_cost_ > best_cost_;
  std::swap(x_, candidate_);
  x_norm_ = Norm(setup_.execution, static_cast<int>(x_.size()), x_.data());
  strategy_->Accept(quality);
  step_evaluator_.Accept(candidate_cost_, model_cost_change_);
  if (program_.has_bounds()) {
    RecordStep();
  }
  acceptance_predictor_.RecordAccepted();
  if (jacobian_point_ == Point::kCandidate) {
    jacobian_point_ = Point::kState;
    x_cost_ = candidate_cost_;
    return MeasureGradient();
  }
  return EvaluateAtState(!was_evaluated_last_);
}

void TrustRegionMinimizer::RejectStep() {
  iteration_.step_is_successful = false;
  iteration_.cost = candidate_cost_ + setup_.fixed_cost;
  strategy_->Reject();
  acceptance_predictor_.RecordRejected(jacobian_point_ != Point::kState);
}

bool TrustRegionMinimizer::EvaluateCost(VectorView x, double* cost) {
  const Evaluator::Result result =
      setup_.evaluator->EvaluateCost(x.data(), true, cost, nullptr);
  ++result_->num_residual_evaluations;
  result_->residual_evaluation_time_in_seconds += timer_.EndPhase();
  return result.ok;
}

// Writes: Jacobian, gradient, column norms.
Evaluator::Result TrustRegionMinimizer::EvaluateJacobian(
    VectorView x, bool new_evaluation_point, double* cost) {
  Evaluator::Result result = setup_.evaluator->EvaluateJacobian(
      x.data(), new_evaluation_point, cost, &jacobian_, gradient_.data(),
      squared_column_norms_.data());
  ++result_->num_jacobian_evaluations;
  result_->jacobian_evaluation_time_in_seconds += timer_.EndPhase();
  return result;
}

bool TrustRegionMinimizer::Finish(TerminationType type, std::string message) {
  result_->termination_type = type;
  result_->message = std::move(message);
  return false;
}

}  // namespace ceres::internal
