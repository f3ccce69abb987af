// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/trust_region_minimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

// The size of a vector that holds a point or a step.
int LargerSize(const Program& program) {
  return std::max(program.num_state(), program.num_delta());
}

bool NeedsAlternative(const TrustRegionMinimizer::Setup& setup,
                      bool has_bounds) {
  return setup.inner_iterations != nullptr || has_bounds;
}

// The size of a vector of steps that only problems with bounds need.
int SizeWithBounds(const Program& program, bool has_bounds) {
  return has_bounds ? program.num_delta() : 0;
}

std::size_t TotalSizeOfVectors(const TrustRegionMinimizer::Setup& setup,
                               bool has_bounds, bool keeps_best_apart) {
  const Program& program = *setup.program;
  const std::size_t num_states = (keeps_best_apart ? 2 : 1) +
                                 (NeedsAlternative(setup, has_bounds) ? 1 : 0);
  const std::size_t num_deltas = has_bounds ? 6 : 3;
  return (num_states + 1) * LargerSize(program) +
         num_deltas * program.num_delta();
}

}  // namespace

TrustRegionMinimizer::TrustRegionMinimizer(const Setup& setup)
    : setup_(setup),
      options_(*setup.options),
      program_(*setup.program),
      local_collective_(setup_, setup.program, setup.evaluator, &jacobian_),
      collective_(setup.collective != nullptr ? *setup.collective
                                              : local_collective_),
      is_euclidean_(collective_.is_euclidean()),
      has_bounds_(collective_.has_bounds()),
      keeps_best_apart_(!is_euclidean_ || MaxNonmonotonicSteps(options_) > 0),
      vectors_(setup.execution,
               TotalSizeOfVectors(setup, has_bounds_, keeps_best_apart_)),
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
          NeedsAlternative(setup, has_bounds_)
              ? vectors_.Take(LargerSize(program_)).First(program_.num_state())
              : VectorView()),
      shortened_step_(vectors_.Take(SizeWithBounds(program_, has_bounds_))),
      squared_scale_(vectors_.Take(SizeWithBounds(program_, has_bounds_))),
      strategy_(CreateTrustRegionStrategy(options_, program_.num_delta())),
      step_evaluator_(0.0, 0),
      active_set_(program_, &collective_),
      parallel_tangents_(vectors_.Take(SizeWithBounds(program_, has_bounds_))),
      inner_iterations_are_useful_(setup.inner_iterations != nullptr) {
  std::fill(column_scale_.begin(), column_scale_.end(), 1.0);
  setup.evaluator->Allocate(&jacobian_);
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
    const int iteration = static_cast<int>(result_->iterations.size());
    FinishIf(collective_.DescribeStop(iteration));
  } catch (...) {
    return_best();
    throw;
  }
  return_best();
}

void TrustRegionMinimizer::KeepBestApart() {
  if (keeps_best_apart_) return;
  memory_of_best_.assign(best_.begin(), best_.end());
  best_ = VectorView(memory_of_best_.data(), program_.num_state());
  keeps_best_apart_ = true;
}

// The candidate has a cost and no Jacobian. The minimizer cannot go on from it,
// but may return it.
void TrustRegionMinimizer::KeepCandidateIfBest() {
  if (!(candidate_cost_ < best_cost_)) return;
  KeepBestApart();
  best_cost_ = candidate_cost_;
  std::copy(candidate_.begin(), candidate_.end(), best_.begin());
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
  const bool continues =
      setup_.checkpoints != nullptr && setup_.checkpoints->saved() != nullptr;
  if (!(continues ? Continue() : Start())) {
    return;
  }
  if (setup_.execution.stop != nullptr) {
    setup_.execution.stop->LetDeadlineCount();
  }
  // The last iteration of a checkpoint is recorded already.
  for (bool goes_on = continues ? CheckIteration(false) : FinishIteration();
       goes_on; goes_on = FinishIteration()) {
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
    const bool is_good = StepIsGood();
    if (EndsByStep(is_good) || EndsByCost(iteration_.relative_decrease)) {
      return;
    }
    if (is_good && LinearizeCandidate()) {
      if (!AcceptStep(iteration_.relative_decrease)) {
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

void TrustRegionMinimizer::StartResult() {
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
  if (has_bounds_) {
    result_->line_search_cost_evaluation_time_in_seconds = 0.0;
    result_->line_search_polynomial_minimization_time_in_seconds = 0.0;
    result_->line_search_total_time_in_seconds = 0.0;
  }
}

// Reads: the initial point. Writes: x, its cost and Jacobian, iteration 0.
bool TrustRegionMinimizer::Start() {
  StartResult();
  if (has_bounds_) {
    // Projects the initial point onto the bounds.
    std::fill(step_.begin(), step_.end(), 0.0);
    if (!collective_.All(
            program_.Plus(x_.data(), step_.data(), candidate_.data()))) {
      return Finish(FAILURE,
                    "The initial point could not be projected onto the bounds: "
                    "a manifold's Plus returned false.");
    }
    std::swap(x_, candidate_);
    active_set_.DeferHolding();
  }
  x_norm_ = collective_.NormOfPoint(x_.data());
  best_cost_ = std::numeric_limits<double>::infinity();
  if (!EvaluateAtState(true) && !StartInsideBounds()) {
    return false;
  }
  if (options_.jacobi_scaling) {
    ScaleColumns();
  }
  initial_cost_ = x_cost_;
  result_->initial_cost = x_cost_ + setup_.fixed_cost;
  if (x_cost_ < best_cost_) KeepBest();
  step_evaluator_ = StepEvaluator(x_cost_, MaxNonmonotonicSteps(options_));
  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  iteration_.eta = options_.eta;
  return true;
}

// Records the iteration, saves the state if it is time to, and checks the
// iteration.
bool TrustRegionMinimizer::FinishIteration() {
  if (iteration_.step_is_successful) {
    ++result_->num_successful_steps;
    // Without nonmonotonic steps every accepted step decreases the cost.
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
  if (setup_.checkpoints != nullptr && iteration_.step_is_successful &&
      FinishIf(setup_.checkpoints->AfterIteration(
          iteration_.iteration,
          [this](StateArchive* archive) { TransferState(archive); }))) {
    return false;
  }
  return CheckIteration(true);
}

// Runs the callbacks, and checks the limits, the gradient and the radius.
bool TrustRegionMinimizer::CheckIteration(bool runs_callbacks) {
  if (setup_.update_user_state) {
    program_.WriteUserMemory(setup_.execution, x_.data());
  }
  const auto check = [this, runs_callbacks] {
    return CheckBetweenIterations(runs_callbacks);
  };
  if (FinishIf(collective_.Agree(check))) {
    return false;
  }
  return !(iteration_.step_is_successful && EndsByGradient()) &&
         !EndsByRadius();
}

std::optional<Termination> TrustRegionMinimizer::CheckBetweenIterations(
    bool runs_callbacks) {
  std::optional<Termination> termination;
  if (runs_callbacks && !setup_.callbacks.empty()) {
    termination = RunCallbacks(setup_.callbacks, iteration_);
    if (termination) return termination;
    timer_.EndPhase();
  }
  iteration_start_ = timer_.last_reading();
  termination = CheckLimits(options_, iteration_.iteration,
                            Seconds(setup_.start, timer_.last_reading()));
  if (!termination) {
    CheckStop(setup_.execution);
  } else if (HasTakenNoStep() && iteration_.iteration > 0) {
    termination->message += ' ' + DescribeRejectedSteps();
  }
  return termination;
}

// Reads: the candidate's cost. Writes: the quality of the step.
bool TrustRegionMinimizer::StepIsGood() {
  iteration_.relative_decrease =
      step_evaluator_.Quality(candidate_cost_, model_cost_change_);
  return iteration_.relative_decrease > options_.min_relative_decrease;
}

// The candidate's Jacobian is known.
bool TrustRegionMinimizer::AcceptStep(double quality) {
  iteration_.step_is_successful = true;
  iteration_.step_is_nonmonotonic = candidate_cost_ > best_cost_;
  std::swap(x_, candidate_);
  x_norm_ = collective_.NormOfPoint(x_.data());
  strategy_->Accept(quality);
  step_evaluator_.Accept(candidate_cost_, model_cost_change_);
  if (has_bounds_) {
    RecordStep();
  }
  acceptance_predictor_.RecordAccepted();
  jacobian_point_ = Point::kState;
  x_cost_ = linearized_cost_;
  return MeasureGradient();
}

void TrustRegionMinimizer::RejectStep() {
  iteration_.step_is_successful = false;
  iteration_.cost = candidate_cost_ + setup_.fixed_cost;
  strategy_->Reject();
  acceptance_predictor_.RecordRejected(jacobian_point_ != Point::kState);
}

bool TrustRegionMinimizer::Finish(TerminationType type, std::string message) {
  result_->termination_type = type;
  result_->message = std::move(message);
  return false;
}

}  // namespace ceres::internal
