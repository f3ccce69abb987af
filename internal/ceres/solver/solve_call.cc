// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/solve_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnose_problem.h"
#include "ceres/evaluation_callback.h"
#include "ceres/execution/context_impl.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/minimizer/constrained/constrained_minimizer.h"
#include "ceres/minimizer/line_search/line_search_minimizer.h"
#include "ceres/minimizer/line_search/objective.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/minimizer/trust_region_minimizer.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/solver/constraint_rows.h"
#include "ceres/solver/kept_preparation.h"
#include "ceres/solver/memory_check.h"
#include "ceres/solver/minimizer_setup.h"
#include "ceres/solver/ordering/inner_iteration_order.h"
#include "ceres/solver/ordering/pinned_coordinates.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/solver/reporting/summary_filling.h"

namespace ceres::internal {
namespace {

// Returns a default summary that has the memory of the iterations of `used`.
Solver::Summary NewSummary(Solver::Summary&& used) {
  Solver::Summary summary;
  summary.iterations = std::move(used.iterations);
  summary.iterations.clear();
  return summary;
}

// The pool whose workers stay awake between the loops of a solve, or null.
parallel::detail::PoolState* PoolOf(const Execution& execution) {
  return execution.IsSerial() || execution.context == nullptr
             ? nullptr
             : &execution.context->thread_pool().state();
}

}  // namespace

SolveCall::SolveCall(const Solver::Options& options, ProblemImpl* problem,
                     Solver::Summary* summary)
    : start_(parallel::detail::SteadyNow()),
      options_(options),
      problem_(*problem),
      summary_(*summary) {}

void SolveCall::Run() {
  const ProblemImpl::BeingSolved being_solved(&problem_);
  summary_ = NewSummary(std::move(summary_));
  FillGiven(options_, problem_, &summary_);
  std::string error;
  if (options_.IsValid(&error)) {
    RunStages();
  } else {
    Fail("Terminating: " + error);
  }
  // The time after the minimizer is part of the minimizer's time.
  summary_.postprocessor_time_in_seconds = 0.0;
  summary_.total_time_in_seconds = SecondsSinceStart();
}

void SolveCall::RunStages() {
  const ThreadChoice threads = ChooseThreads(options_, &problem_);
  summary_.num_threads_used = threads.max_threads;
  KeptParts kept = TakeKeptPreparation(options_, threads, &problem_);
  summary_.preprocessing_was_kept = kept.preparation != nullptr;
  const std::shared_ptr<SolveExecution> execution =
      kept.preparation != nullptr
          ? kept.preparation->execution
          : std::make_shared<SolveExecution>(threads, &problem_);
  execution->stop().Set(
      options_.cancellation_token,
      DeadlineOf(options_.max_solver_time_in_seconds, start_));
  try {
    const parallel::detail::KeepWorkersSpinning spinning(
        PoolOf(execution->get()));
    PinnedCoordinates pinned(problem_);
    std::unique_ptr<Preparation> prepared = Prepare(execution, std::move(kept));
    summary_.preprocessor_time_in_seconds = SecondsSinceStart();
    summary_.minimizer_time_in_seconds = 0.0;
    if (prepared != nullptr) MinimizeAndWriteBack(prepared.get());
    if (HasResult()) pinned.Keep();
    if (prepared == nullptr) return;
    summary_.minimizer_time_in_seconds =
        SecondsSinceStart() - summary_.preprocessor_time_in_seconds;
    KeepPreparation(options_, std::move(prepared), &problem_);
  } catch (const Stopped&) {
    // Before there was a minimizer to catch it.
    Termination stopped =
        DescribeStop(ToMinimizerOptions(options_), execution->stop(),
                     /*iteration=*/0, SecondsSinceStart());
    summary_.termination_type = stopped.type;
    summary_.message = std::move(stopped.message);
  } catch (...) {
    Fail("An exception was thrown; the caller of Solve has it.");
    throw;
  }
}

std::unique_ptr<Preparation> SolveCall::Prepare(
    std::shared_ptr<SolveExecution> solve_execution, KeptParts kept) {
  const Execution& execution = solve_execution->get();
  std::string error;
  const bool is_constrained = !problem_.constraints().empty();
  if (!CheckStart(problem_, execution, &error) ||
      (is_constrained && !CheckConstraints(options_, problem_, &error))) {
    Fail(std::move(error));
    return nullptr;
  }
  std::unique_ptr<Preparation> prepared = std::move(kept.preparation);
  ReducedProblem reduced;
  std::unique_ptr<ConstraintRows> constraints;
  if (is_constrained) constraints = MakeConstraints(prepared.get());
  if (prepared == nullptr) {
    reduced = constraints == nullptr
                  ? ReduceProblem(problem_, execution)
                  : ReduceProblem(problem_, execution,
                                  constraints->residual_blocks());
  }
  const std::optional<double> fixed_cost =
      EvaluateFixedCost(problem_, execution,
                        prepared != nullptr ? prepared->fixed_residual_blocks
                                            : reduced.fixed_residual_blocks,
                        &error);
  if (!fixed_cost) {
    Fail(std::move(error));
    return nullptr;
  }
  CheckStop(execution);
  summary_.fixed_cost = *fixed_cost;
  const ConstraintRows* const rows =
      prepared != nullptr ? prepared->constraints.get() : constraints.get();
  if (rows != nullptr && !CheckFixedConstraints(*rows)) return nullptr;

  if (prepared == nullptr) {
    if (reduced.parameter_blocks.empty()) {
      FillReducedSizes(ReducedSizes::Of(reduced), &summary_);
      FillNothingToMinimize(&summary_);
      return nullptr;
    }
    prepared = Preprocess(options_, problem_, std::move(solve_execution),
                          std::move(reduced), kept.order, &error);
  }
  if (prepared != nullptr && constraints != nullptr) {
    prepared->sizes.num_residual_blocks -=
        static_cast<int>(constraints->residual_blocks().size());
    prepared->constraints = std::move(constraints);
  }
  if (prepared == nullptr) {
    Fail(std::move(error));
    return nullptr;
  }
  FillPreparation(*prepared, &summary_);
  if (!PrepareInnerIterations(*prepared)) return nullptr;
  return prepared;
}

// Null if they are prepared.
std::unique_ptr<ConstraintRows> SolveCall::MakeConstraints(
    const Preparation* prepared) {
  summary_.num_constraints = static_cast<int>(problem_.constraints().size());
  return prepared != nullptr ? nullptr
                             : std::make_unique<ConstraintRows>(problem_);
}

bool SolveCall::CheckFixedConstraints(const ConstraintRows& constraints) {
  std::string error;
  ConstraintRows::FixedViolations violations;
  EvaluationCallback* const callback = problem_.options().evaluation_callback;
  if (callback != nullptr && constraints.has_fixed()) {
    callback->PrepareForEvaluation(/*evaluate_jacobians=*/true,
                                   /*new_evaluation_point=*/true);
  }
  if (!constraints.FindFixedViolations(options_.constraint_tolerance,
                                       &violations, &error)) {
    Fail(std::move(error));
    return false;
  }
  std::vector<std::string>& violated = violations.constraints;
  if (violated.empty()) return true;
  summary_.termination_type = INFEASIBLE;
  summary_.num_active_constraints = 0;
  summary_.constraint_violation = violations.largest;
  summary_.message =
      "Constraints whose parameter blocks are all constant are violated. The "
      "first: " +
      violated.front() + '.';
  summary_.violated_constraints = std::move(violated);
  return false;
}

bool SolveCall::PrepareInnerIterations(const Preparation& prepared) {
  if (options_.minimizer_type == LINE_SEARCH) return true;
  std::string error;
  std::optional<InnerIterationOrder> order =
      OrderInnerIterations(options_, problem_, *prepared.program, &error);
  if (!order) {
    Fail(std::move(error));
    return false;
  }
  if (!order->is_used) return true;
  error = FindInnerMemoryError(*prepared.program, order->groups);
  if (!error.empty()) {
    Fail(std::move(error));
    return false;
  }
  FillInnerIterations(*order, &summary_);
  inner_iterations_.emplace(*prepared.program, std::move(order->groups),
                            options_.max_solver_time_in_seconds,
                            prepared.execution->get(), start_);
  return true;
}

void SolveCall::MinimizeAndWriteBack(Preparation* prepared) {
  const Program& program = *prepared->program;
  const Execution& execution = prepared->execution->get();
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(execution, state.data());
  // A copy of the start, if the user's parameters change during the solve.
  std::vector<double> start;
  if (options_.update_state_every_iteration ||
      problem_.options().evaluation_callback != nullptr) {
    start = state;
  }
  const auto restore_start = [&] {
    if (!start.empty()) program.WriteUserMemory(start.data());
  };

  MinimizerResult result(std::move(summary_.iterations));
  try {
    RunMinimizer(prepared, state.data(), &result);
  } catch (...) {
    MoveToSummary(std::move(result), &summary_);
    if (options_.keep_progress_on_exception) {
      program.WriteUserMemory(state.data());
    } else {
      restore_start();
    }
    throw;
  }
  const bool lacks_step = result.lacks_step;
  MoveToSummary(std::move(result), &summary_);
  if (lacks_step) summary_.message += DescribeLackOfStep(*prepared, state);
  if (prepared->checked && prepared->checked->found_error()) {
    Fail(prepared->checked->report());
  }
  if (HasResult()) {
    program.WriteUserMemory(execution, state.data());
    if (prepared->constraints != nullptr) {
      prepared->constraints->WriteMultipliers();
    }
  } else {
    restore_start();
  }
}

std::string SolveCall::DescribeLackOfStep(const Preparation& prepared,
                                          const std::vector<double>& state) {
  DiagnosisOptions options;
  // Not those of a user's executor.
  const Execution& execution = prepared.execution->get();
  if (execution.context != nullptr) options.num_threads = execution.num_threads;
  options.max_time_in_seconds =
      std::max(0.0, options_.max_solver_time_in_seconds - SecondsSinceStart());
  options.cancellation_token = options_.cancellation_token;
  // A diagnosis is of the values in the user's memory.
  const Program& program = *prepared.program;
  std::vector<double> before(program.num_state());
  program.ReadUserMemory(before.data());
  program.WriteUserMemory(state.data());
  std::string text =
      DescribeDirections(options, /*max_directions=*/1, &problem_);
  program.WriteUserMemory(before.data());
  return text;
}

void SolveCall::RunMinimizer(Preparation* prepared, double* state,
                             MinimizerResult* result) {
  const MinimizerOptions options = ToMinimizerOptions(options_);
  if (options_.minimizer_type == LINE_SEARCH) {
    const std::unique_ptr<Objective> objective =
        CreateProgramObjective(*prepared->program, prepared->evaluator.get());
    LineSearchMinimizer::Setup setup;
    setup.objective = objective.get();
    FillSetup(*prepared, options, &setup);
    LineSearchMinimizer(setup).Minimize(state, result);
    return;
  }
  if (prepared->constraints != nullptr) {
    prepared->constraints->ReadMultipliers();
    ConstrainedMinimizer::Setup setup;
    setup.program = prepared->program.get();
    setup.evaluator = prepared->evaluator.get();
    setup.linear_solver = prepared->linear_solver.get();
    setup.workspace = &prepared->workspace;
    setup.constraints = prepared->constraints->functions();
    FillSetup(*prepared, options, &setup);
    ConstrainedMinimizer(setup).Minimize(state, result);
    return;
  }
  TrustRegionMinimizer::Setup setup;
  setup.program = prepared->program.get();
  setup.evaluator = prepared->evaluator.get();
  setup.linear_solver = prepared->linear_solver.get();
  setup.workspace = &prepared->workspace;
  // A callback learns of every point at which Jacobians are evaluated, and
  // check_gradients looks for errors there: these must be the points that the
  // minimizer accepts.
  setup.may_evaluate_ahead =
      problem_.options().evaluation_callback == nullptr && !prepared->checked;
  if (inner_iterations_) setup.inner_iterations = &*inner_iterations_;
  FillSetup(*prepared, options, &setup);
  TrustRegionMinimizer(setup).Minimize(state, result);
}

void SolveCall::FillSetup(const Preparation& prepared,
                          const MinimizerOptions& options,
                          MinimizerSetup* setup) {
  setup->options = &options;
  setup->execution = prepared.execution->get();
  setup->fixed_cost = summary_.fixed_cost;
  setup->start = start_;
  SetCallbacks(options_, &progress_, setup);
}

bool SolveCall::HasResult() const {
  return summary_.IsSolutionUsable() || summary_.termination_type == INFEASIBLE;
}

void SolveCall::Fail(std::string message) {
  summary_.termination_type = FAILURE;
  summary_.message = std::move(message);
}

double SolveCall::SecondsSinceStart() const {
  return std::chrono::duration<double>(parallel::detail::SteadyNow() - start_)
      .count();
}

}  // namespace ceres::internal
