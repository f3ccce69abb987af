// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/rank_problem.h"

#include "ceres/base/clock.h"
#include "ceres/minimizer/stopping_rules.h"
#include "ceres/solver/ordering/reduced_problem.h"

namespace ceres::internal {

RankProblem::RankProblem(const distributed::Options& options, MPI_Comm comm,
                         const distributed::SharedBlocks& shared,
                         ProblemImpl* problem)
    : start_(parallel::detail::SteadyNow()),
      options_(options),
      shared_(shared),
      problem_(*problem),
      ranks_(comm, options.communication_timeout_in_seconds) {}

std::string RankProblem::CheckCall(const char* operation,
                                   const std::vector<OptionHash>& more) {
  std::string error;
  (void)CheckOptions(options_, &error);
  std::vector<OptionHash> hashes = HashOptions(options_);
  hashes.insert(hashes.end(), more.begin(), more.end());
  error = CompareCalls(&ranks_, operation, hashes, error);
  if (!error.empty()) return error;
  execution_.emplace(ChooseThreads(options_, &problem_), &problem_);
  execution_->stop().Set(
      options_.cancellation_token,
      DeadlineOf(options_.max_solver_time_in_seconds, start_));
  return "";
}

std::string RankProblem::FindBlocks() {
  std::string error = problem_.RefuseConstraints("Ceres::distributed");
  if (error.empty() && CheckStart(problem_, execution_->get(), &error)) {
    (void)FindLocalLeaves(problem_, shared_,
                          options_.linear_solver_ordering.get(), ranks_.rank(),
                          &local_leaves_, &error);
  }
  error = FirstError(&ranks_, error);
  if (!error.empty()) return error;
  if (!BuildSharedLayout(&ranks_, problem_, shared_, local_leaves_, &layout_,
                         &error)) {
    return error;
  }
  agreement_.emplace(&ranks_, layout_.tree, layout_.local_leaves);
  return "";
}

void RankProblem::PrepareLeaves(const ReducedChoice& choice) {
  // CGNR eliminates nothing.
  std::optional<SchurSolverOptions> schur;
  if (options_.linear_solver_type != CGNR)
    schur = LeafOptions(options_, choice);
  const Fault mine = RunPart([&] {
    columns_.emplace(layout_, local_leaves_, execution_->get());
    for (std::size_t k = 0; k < local_leaves_.size(); ++k) {
      leaves_.push_back(std::make_unique<LeafSystem>(
          execution_->get(), *columns_, layout_, static_cast<int>(k),
          local_leaves_[k], schur ? &*schur : nullptr, &workspace_));
      CheckStop(execution_->get());
    }
    return Fault();
  });
  (void)agreement_->Settle(Phase::kSetup, mine);
}

RankParts RankProblem::parts() {
  RankParts parts;
  parts.execution = execution_->get();
  parts.ranks = &ranks_;
  parts.layout = &layout_;
  parts.columns = &*columns_;
  parts.leaves = &leaves_;
  parts.agreement = &*agreement_;
  parts.workspace = &workspace_;
  parts.evaluation_callback = problem_.options().evaluation_callback;
  return parts;
}

}  // namespace ceres::internal
