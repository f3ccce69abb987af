// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/incremental/incremental_solver_impl.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/logging/logging.h"
#include "ceres/solver/incremental/incremental_tuning.h"
#include "ceres/solver/option_checker.h"

namespace ceres {
namespace internal {

IncrementalSolverImpl::IncrementalSolverImpl(
    const IncrementalSolver::Options& options, Problem* problem)
    : options_(options),
      problem_(*problem->mutable_impl()),
      public_problem_(*problem) {
  VESTA_CHECK(problem_.journal() == nullptr)
      << "The problem has an IncrementalSolver already. Destroy it first.";
  problem_.SetJournal(&journal_);
}

IncrementalSolverImpl::~IncrementalSolverImpl() {
  problem_.SetJournal(nullptr);
}

void IncrementalSolverImpl::Update(IncrementalSolver::Summary* summary) {
  const auto start = parallel::detail::SteadyNow();
  const ProblemImpl::BeingSolved being_solved(&problem_);
  *summary = IncrementalSolver::Summary();
  if (must_restart_) Restart();
  must_restart_ = true;
  execution_ = ChooseExecution();
  bool succeeded = UpdateStructure(summary);
  while (succeeded) {
    const int num_before = summary->num_blocks_relinearized;
    succeeded = TakeStep(summary);
    if (!succeeded ||
        !HasAnotherStep(*summary,
                        summary->num_blocks_relinearized - num_before)) {
      break;
    }
  }
  if (succeeded) {
    Report(summary);
    // The rest needs no memory: an update that throws has changed no parameter.
    must_restart_ = false;
    ++num_updates_;
    WriteEstimates();
  }
  summary->total_time_in_seconds =
      std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
          .count();
}

bool IncrementalSolverImpl::HasAnotherStep(
    const IncrementalSolver::Summary& summary, int num_relinearized) const {
  if (exceeding_.empty() || summary.num_steps == options_.max_num_steps) {
    return false;
  }
  // The first step has no blocks to linearize again if the last update left
  // none. A later step without such blocks has no budget.
  return OperationsLeft(summary.num_operations) > 0 &&
         (summary.num_steps == 1 || num_relinearized > 0);
}

void IncrementalSolverImpl::Report(IncrementalSolver::Summary* summary) const {
  summary->predicted_cost = cost_ + cholesky_->minimum();
  for (const int v : damped_) {
    summary->predicted_cost -=
        cholesky_->DampingEnergy(variables_[v].core_block);
  }
  summary->num_fronts = cholesky_->num_fronts();
  summary->num_required_operations =
      std::min(summary->num_required_operations, summary->num_operations);
  summary->num_blocks_waiting = static_cast<int>(exceeding_.size());
  summary->fill_ratio = cholesky_->fill_ratio();
  const bool converged = exceeding_.empty() && summary->num_fronts_waiting == 0;
  if (converged) {
    summary->message = "No update exceeds the relinearization threshold.";
  } else {
    summary->message = Format(
        "The updates of %s exceed the threshold, and the back substitution has "
        "%s left; the next updates continue.",
        CountOf(summary->num_blocks_waiting, "parameter block").c_str(),
        CountOf(summary->num_fronts_waiting, "front").c_str());
  }
  ReportGuard(summary);
  summary->termination_type = converged ? CONVERGENCE : NO_CONVERGENCE;
}

Execution IncrementalSolverImpl::ChooseExecution() {
  Execution execution;
  if (options_.num_threads == 1) return execution;
  execution.context = problem_.context();
  execution.num_threads = std::min(
      options_.num_threads, execution.context->thread_pool().RunningLimit());
  if (execution.num_threads > 1) {
    execution.context->EnsureMinimumThreads(execution.num_threads);
  }
  return execution;
}

bool IncrementalSolverImpl::UpdateStructure(
    IncrementalSolver::Summary* summary) {
  if (problem_.options().evaluation_callback != nullptr) {
    summary->message =
        "IncrementalSolver does not support Problem::Options::"
        "evaluation_callback: use Solve.";
    return false;
  }
  summary->message = problem_.RefuseConstraints("IncrementalSolver");
  if (!summary->message.empty()) return false;
  for (ResidualBlock* block : ReadJournal()) {
    if (!AddFactor(block, &summary->message)) return false;
  }
  ReadUserValues();
  return true;
}

bool IncrementalSolverImpl::TakeStep(IncrementalSolver::Summary* summary) {
  PrepareStep(summary);
  Relinearize(summary);
  if (!EvaluateDirty(&summary->num_residual_blocks_evaluated,
                     &summary->message)) {
    return false;
  }
  CheckNewFactors();
  const int64_t operations = DampAnew();
  summary->num_operations += operations;
  summary->num_required_operations += operations;
  ++summary->num_steps;
  for (int attempt = 0; attempt <= incremental_tuning::kMaxRejections;
       ++attempt) {
    if (!SolveSystem(summary)) return false;
    ReadSolution();
    if (AcceptStep(summary)) break;
  }
  return true;
}

bool IncrementalSolverImpl::SolveSystem(IncrementalSolver::Summary* summary) {
  const int64_t first_waiting = cholesky_->FirstWaitingOperations();
  const IncrementalCholesky::Report report = cholesky_->Update(
      execution_, options_.update_tolerance,
      OperationsLeft(summary->num_operations),
      [this](int core_block) { return ScaleOfBlock(core_block); });
  summary->num_blocks_eliminated += report.num_blocks_eliminated;
  summary->num_fronts_eliminated += report.num_fronts_eliminated;
  summary->num_fronts_solved += report.num_fronts_solved;
  summary->num_fronts_waiting = report.num_fronts_waiting;
  summary->num_blocks_reordered += report.num_blocks_reordered;
  summary->num_operations += report.num_reorder_operations +
                             report.num_solve_operations - first_waiting;
  if (report.failed_block != IncrementalCholesky::kNone) {
    summary->message = DescribeFailedBlock(report.failed_block);
    return false;
  }
  if (!std::isfinite(cholesky_->minimum())) {
    summary->message =
        "The step is not finite. Look for weights or residuals that are very "
        "large.";
    return false;
  }
  return true;
}

std::string IncrementalSolverImpl::DescribeFailedBlock(int core_block) const {
  const ParameterBlock& block =
      *variables_[variable_of_core_[core_block]].block;
  return Format(
      "J'J has values that are not finite, or too large, at the parameter "
      "block with index %d in the problem, at %p. Look for weights or "
      "parameters that are very large.",
      block.index(), static_cast<const void*>(block.user_state()));
}

void IncrementalSolverImpl::MarkFactorsDirty(const Variable& variable) {
  for (const int f : variable.factors) {
    if (factors_[f].is_dirty) continue;
    factors_[f].is_dirty = true;
    dirty_.push_back(f);
  }
}

// Moves estimates to the new solution.
void IncrementalSolverImpl::ReadSolution() {
  // With damping, every step is tried.
  const double long_step =
      damped_.empty()
          ? incremental_tuning::kLongStep * options_.relinearization_threshold
          : -1.0;
  for (const int b : cholesky_->solved_blocks()) {
    const int v = variable_of_core_[b];
    Variable& variable = variables_[v];
    const double* const x = cholesky_->Solution(b);
    double largest = 0.0;
    for (int i = 0; i < variable.tangent_size; ++i) {
      largest = std::max(largest, std::abs(x[i]));
    }
    if (const Manifold* manifold = variable.block->manifold()) {
      manifold->Plus(variable.theta.data(), x, variable.estimate.data());
    } else {
      for (int i = 0; i < variable.size; ++i) {
        variable.estimate[i] = variable.theta[i] + x[i];
      }
    }
    written_.push_back(v);
    const bool exceeds = largest > options_.relinearization_threshold;
    if (largest > long_step) AddSuspect(v, largest);
    if (exceeds && !variable.exceeds) {
      variable.since = num_updates_;
      // Otherwise it is listed, from earlier in this call.
      exceeding_.push_back(v);
    }
    variable.change = largest;
    variable.exceeds = exceeds;
  }
  exceeding_.erase(
      std::remove_if(exceeding_.begin(), exceeding_.end(),
                     [this](int v) { return !variables_[v].exceeds; }),
      exceeding_.end());
}

void IncrementalSolverImpl::WriteEstimates() {
  for (const int v : written_) {
    const Variable& variable = variables_[v];
    std::copy(variable.estimate.begin(), variable.estimate.end(),
              variable.block->user_state());
  }
  written_.clear();
}

}  // namespace internal

bool IncrementalSolver::Options::IsValid(std::string* error) const {
  VESTA_CHECK(error != nullptr) << "IsValid needs a string for the reason.";
  const internal::OptionChecker check("IncrementalSolver::Options", error);
  return check.AtLeast(CERES_OPTION(*this, num_threads), 1.0) &&
         check.AtLeast(CERES_OPTION(*this, relinearization_threshold), 0.0) &&
         check.AtLeast(CERES_OPTION(*this, update_tolerance), 0.0) &&
         check.AtLeast(CERES_OPTION(*this, max_num_steps), 1.0) &&
         check.Greater(CERES_OPTION(*this, relinearization_budget), 0.0) &&
         check.AtLeast(CERES_OPTION(*this, reorder_fill_factor),
                       reorder_fill_factor == 0.0 ? 0.0 : 1.0) &&
         check.Greater(CERES_OPTION(*this, reorder_budget), 0.0) &&
         check.AtLeast({"max_operations_per_update",
                        static_cast<double>(max_operations_per_update)},
                       0.0);
}

IncrementalSolver::IncrementalSolver(const Options& options, Problem* problem) {
  VESTA_CHECK(problem != nullptr) << "IncrementalSolver needs a problem.";
  std::string error;
  VESTA_CHECK(options.IsValid(&error)) << error;
  impl_ = std::make_unique<internal::IncrementalSolverImpl>(options, problem);
}

IncrementalSolver::~IncrementalSolver() = default;

void IncrementalSolver::Update(Summary* summary) {
  VESTA_CHECK(summary != nullptr) << "Update needs a summary.";
  impl_->Update(summary);
}

void IncrementalSolver::CompareWithBatch(const Solver::Options& options,
                                         Comparison* comparison) {
  VESTA_CHECK(comparison != nullptr) << "CompareWithBatch needs a result.";
  impl_->CompareWithBatch(options, comparison);
}

}  // namespace ceres
