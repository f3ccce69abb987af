// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/distributed_solve.h"

#include <exception>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/distributed/cgnr_over_ranks.h"
#include "ceres/distributed/rank_checkpoints.h"
#include "ceres/distributed/rank_collective.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/execution/context_impl.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"
#include "ceres/minimizer/trust_region_minimizer.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/solver/minimizer_setup.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/solver/reporting/summary_filling.h"

namespace ceres::internal {
namespace {

parallel::detail::PoolState* PoolOf(const Execution& execution) {
  return execution.IsSerial() || execution.context == nullptr
             ? nullptr
             : &execution.context->thread_pool().state();
}

// The options of the minimizer's callbacks: rank 0 prints.
Solver::Options CallbackOptions(const distributed::Options& options,
                                bool prints) {
  Solver::Options result = options;
  if (!prints) {
    result.minimizer_progress_to_stdout = false;
    result.logging_type = SILENT;
  }
  return result;
}

}  // namespace

DistributedSolve::DistributedSolve(const distributed::Options& options,
                                   MPI_Comm comm,
                                   const distributed::SharedBlocks& shared,
                                   ProblemImpl* problem,
                                   distributed::Summary* summary)
    : rank_problem_(options, comm, shared, problem),
      options_(options),
      problem_(*problem),
      summary_(*summary) {}

void DistributedSolve::Run() {
  summary_ = distributed::Summary();
  summary_.rank = rank_problem_.ranks().rank();
  FillGiven(options_, problem_, &summary_);
  try {
    RunStages();
  } catch (const RankFailure& failure) {
    Fail(failure.message);
  } catch (const Stopped&) {
    // Before there was a minimizer to catch it.
    summary_.termination_type = NO_CONVERGENCE;
    summary_.message =
        "The solve was stopped before the initial point was evaluated. "
        "Parameters are unchanged.";
  } catch (const std::exception& error) {
    // Other ranks are waiting for this one.
    rank_problem_.ranks().EndJob(
        Format("an error outside of user code: %s.", error.what()));
  }
  summary_.postprocessor_time_in_seconds = 0.0;
  summary_.total_time_in_seconds = stopwatch_.Seconds();
}

void DistributedSolve::RunStages() {
  std::string error = rank_problem_.CheckCall("distributed::Solve");
  if (!error.empty()) {
    Fail(std::move(error));
    return;
  }
  SolveExecution& execution = rank_problem_.execution();
  summary_.num_threads_used = execution.choice().max_threads;
  const parallel::detail::KeepWorkersSpinning spinning(PoolOf(execution.get()));
  error = rank_problem_.FindBlocks();
  if (!error.empty()) {
    Fail(std::move(error));
    return;
  }
  FillSizes();
  if (!EvaluateFixedCost()) return;
  if (summary_.num_parameter_blocks_reduced == 0) {
    FillNothingToMinimize(&summary_);
    return;
  }
  reduced_choice_ =
      ChooseBeforeLeaves(options_, &rank_problem_.ranks(),
                         rank_problem_.layout(), rank_problem_.local_leaves());
  rank_problem_.PrepareLeaves(reduced_choice_);
  Minimize();
}

bool DistributedSolve::EvaluateFixedCost() {
  std::vector<double> costs;
  const Fault mine = RunPart([&] {
    for (const LocalLeaf& leaf : rank_problem_.local_leaves()) {
      std::string error;
      const std::optional<double> cost =
          internal::EvaluateFixedCost(problem_, rank_problem_.execution().get(),
                                      leaf.fixed_residual_blocks, &error);
      if (!cost) return Fault{Fault::kRejected, std::move(error)};
      costs.push_back(*cost);
    }
    return Fault();
  });
  costs.resize(rank_problem_.local_leaves().size(), 0.0);
  const Fault worst = rank_problem_.agreement().Settle(
      Phase::kSetup, mine, costs.data(), &summary_.fixed_cost);
  return worst.kind == Fault::kNone || Fail(worst.message);
}

void DistributedSolve::Minimize() {
  const Program& program = rank_problem_.columns().program();
  const Execution& execution = rank_problem_.execution().get();
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(execution, state.data());
  const bool writes_user_memory =
      options_.update_state_every_iteration ||
      problem_.options().evaluation_callback != nullptr;
  const std::vector<double> start =
      writes_user_memory ? state : std::vector<double>();
  const auto restore_start = [&] {
    if (!start.empty()) program.WriteUserMemory(start.data());
  };
  MinimizerResult result;
  try {
    RunMinimizer(state.data(), &result);
  } catch (...) {
    MoveToSummary(std::move(result), &summary_);
    restore_start();
    throw;
  }
  if (summary_.IsSolutionUsable()) {
    program.WriteUserMemory(execution, state.data());
  } else {
    restore_start();
  }
}

void DistributedSolve::RunMinimizer(double* state, MinimizerResult* result) {
  const MinimizerOptions options = ToMinimizerOptions(options_);
  const Solver::Options callback_options =
      CallbackOptions(options_, rank_problem_.ranks().is_root());
  const RankParts parts = rank_problem_.parts();
  std::optional<RankCheckpoints> checkpoints;
  if (!options_.checkpoint_path.empty()) {
    checkpoints.emplace(&rank_problem_);
    std::string error = checkpoints->Read();
    if (!error.empty()) {
      Fail(std::move(error));
      return;
    }
    summary_.continued_from_iteration = checkpoints->saved_iteration();
  }
  RankCollective collective(parts, options, &rank_problem_.execution().stop(),
                            rank_problem_.start());
  const std::unique_ptr<SolverOverRanks> linear_solver =
      options_.linear_solver_type == CGNR
          ? CreateCgnrOverRanks(options_, parts)
          : CreateSchurOverRanks(options_, reduced_choice_, parts);
  // Gives the minimizer the structure of the columns.
  Evaluator::Options evaluator_options;
  Evaluator columns(rank_problem_.columns().program(), evaluator_options);

  TrustRegionMinimizer::Setup setup;
  setup.options = &options;
  setup.execution = rank_problem_.execution().get();
  setup.execution.stop = nullptr;  // RankCollective::Agree checks the signal.
  setup.program = &rank_problem_.columns().program();
  setup.evaluator = &columns;
  setup.linear_solver = linear_solver.get();
  setup.collective = &collective;
  if (checkpoints) setup.checkpoints = &*checkpoints;
  setup.fixed_cost = summary_.fixed_cost;
  setup.start = rank_problem_.start();
  SetCallbacks(callback_options, &progress_, &setup);
  summary_.preprocessor_time_in_seconds = stopwatch_.Seconds();
  TrustRegionMinimizer(setup).Minimize(state, result);
  MoveToSummary(std::move(*result), &summary_);
  summary_.minimizer_time_in_seconds =
      stopwatch_.Seconds() - summary_.preprocessor_time_in_seconds;
  summary_.reduced_system = linear_solver->description();
  FillRanks(collective, *linear_solver);
}

// The sizes of the whole problem: sums over ranks of what is private, and
// shared blocks once.
void DistributedSolve::FillSizes() {
  struct Sizes {
    int blocks, parameters, effective;
    int reduced_blocks, reduced_parameters, reduced_effective;
    int residual_blocks, residuals;
    int reduced_residual_blocks, reduced_residuals;
    int is_constrained;
  };
  Sizes mine = {};
  const auto add = [](const ParameterBlock& block, int sign, int* blocks,
                      int* parameters, int* effective) {
    *blocks += sign;
    *parameters += sign * block.size();
    *effective += sign * block.tangent_size();
  };
  for (const ParameterBlock* block : problem_.parameter_blocks()) {
    add(*block, 1, &mine.blocks, &mine.parameters, &mine.effective);
    mine.is_constrained |= block->has_bounds() && !block->IsConstant() ? 1 : 0;
  }
  for (const auto& [id, values] : rank_problem_.shared().blocks()) {
    add(*problem_.FindParameterBlock(values), -1, &mine.blocks,
        &mine.parameters, &mine.effective);
  }
  mine.residual_blocks = static_cast<int>(problem_.residual_blocks().size());
  mine.residuals = problem_.num_residuals();
  for (const LocalLeaf& leaf : rank_problem_.local_leaves()) {
    for (const ParameterBlock* block : leaf.eliminated) {
      add(*block, 1, &mine.reduced_blocks, &mine.reduced_parameters,
          &mine.reduced_effective);
    }
    mine.reduced_residual_blocks +=
        static_cast<int>(leaf.residual_blocks.size());
    for (const ResidualBlock* row : leaf.residual_blocks) {
      mine.reduced_residuals += row->num_residuals();
    }
  }
  Sizes sum = {};
  for (const Sizes& rank : rank_problem_.ranks().Gather(Phase::kSetup, mine)) {
    const int* from = &rank.blocks;
    int* to = &sum.blocks;
    for (std::size_t i = 0; i < sizeof(Sizes) / sizeof(int); ++i) {
      to[i] += from[i];
    }
  }
  const SharedLayout::Totals& shared = rank_problem_.layout().all_shared;
  const SharedLayout::Totals& columns = rank_problem_.layout().columns;
  summary_.num_parameter_blocks = sum.blocks + shared.num_blocks;
  summary_.num_parameters = sum.parameters + shared.num_parameters;
  summary_.num_effective_parameters =
      sum.effective + shared.num_effective_parameters;
  summary_.num_residual_blocks = sum.residual_blocks;
  summary_.num_residuals = sum.residuals;
  summary_.num_parameter_blocks_reduced =
      sum.reduced_blocks + columns.num_blocks;
  summary_.num_parameters_reduced =
      sum.reduced_parameters + columns.num_parameters;
  summary_.num_effective_parameters_reduced =
      sum.reduced_effective + columns.num_effective_parameters;
  summary_.num_residual_blocks_reduced = sum.reduced_residual_blocks;
  summary_.num_residuals_reduced = sum.reduced_residuals;
  summary_.is_constrained = sum.is_constrained > 0;
  summary_.linear_solver_ordering_used = {sum.reduced_blocks,
                                          columns.num_blocks};
}

void DistributedSolve::FillRanks(const RankCollective& collective,
                                 const SolverOverRanks& linear_solver) {
  distributed::RankSummary mine;
  for (const LocalLeaf& leaf : rank_problem_.local_leaves()) {
    mine.num_residual_blocks += static_cast<int>(leaf.residual_blocks.size());
    mine.num_private_blocks +=
        static_cast<int>(leaf.eliminated.size() + leaf.promoted.size());
  }
  mine.num_leaves = static_cast<int>(rank_problem_.local_leaves().size());
  mine.num_shared_blocks =
      static_cast<int>(rank_problem_.layout().local_numbers.size());
  for (const LocalLeaf& leaf : rank_problem_.local_leaves()) {
    mine.num_shared_blocks -= static_cast<int>(leaf.promoted.size());
  }
  mine.evaluation_seconds = collective.evaluation_seconds();
  mine.elimination_seconds = linear_solver.elimination_seconds();
  mine.reduced_solve_seconds = linear_solver.reduced_seconds();
  mine.waiting_seconds = rank_problem_.ranks().waiting_seconds();
  mine.setup_bytes = rank_problem_.ranks().bytes(Phase::kSetup);
  mine.evaluation_bytes = rank_problem_.ranks().bytes(Phase::kEvaluation);
  mine.reduced_system_bytes =
      rank_problem_.ranks().bytes(Phase::kReducedSystem);
  mine.step_bytes = rank_problem_.ranks().bytes(Phase::kStep);
  mine.decision_bytes = rank_problem_.ranks().bytes(Phase::kDecision);
  summary_.ranks = rank_problem_.ranks().Gather(Phase::kDecision, mine);
}

bool DistributedSolve::Fail(std::string message) {
  summary_.termination_type = FAILURE;
  summary_.message = std::move(message);
  return false;
}

}  // namespace ceres::internal

namespace ceres::distributed {

void Solve(const Options& options, MPI_Comm comm, const SharedBlocks& shared,
           Problem* problem, Summary* summary) {
  VESTA_CHECK(problem != nullptr) << "distributed::Solve: the problem is null.";
  VESTA_CHECK(summary != nullptr) << "distributed::Solve: the summary is null.";
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  VESTA_CHECK(is_initialized != 0)
      << "distributed::Solve: call MPI_Init or MPI_Init_thread first.";
  internal::DistributedSolve(options, comm, shared, problem->mutable_impl(),
                             summary)
      .Run();
}

}  // namespace ceres::distributed
