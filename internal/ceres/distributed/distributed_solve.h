// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_
#define CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/base/stopwatch.h"
#include "ceres/distributed.h"
#include "ceres/distributed/agreement.h"
#include "ceres/distributed/leaf_system.h"
#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/rank_collective.h"
#include "ceres/distributed/rank_columns.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver/reporting/progress_table.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// One call of distributed::Solve, on one rank. The stages, each of which is
// collective:
//
// clang-format off
//
//   CompareCalls       the same call and options on all ranks   option_checks.h
//   FindLocalLeaves    private blocks, eliminated and promoted  local_leaf.h
//   BuildSharedLayout  shared blocks; columns of S              shared_layout.h
//   PrepareLeaves      columns of the rank; Jacobians, plans    rank_columns.h, leaf_system.h
//   Minimize           the minimizer of one process             minimizer/collective.h
//                      with a RankCollective and a              rank_collective.h
//                      SchurOverRanks                           schur_over_ranks.h
//   write back
//
// clang-format on
//
// A stage that fails on one rank fails on all, with the same message.
class DistributedSolve final {
 public:
  DistributedSolve(const distributed::Options& options, MPI_Comm comm,
                   const distributed::SharedBlocks& shared,
                   ProblemImpl* problem, distributed::Summary* summary);

  void Run();

 private:
  void RunStages();
  // Stages that return false have set the summary.
  bool CheckCall();
  bool FindBlocks();
  bool EvaluateFixedCost();
  void PrepareLeaves();
  void Minimize();
  void RunMinimizer(double* state, MinimizerResult* result);
  void FillSizes();
  void FillRanks(const RankCollective& collective,
                 const SchurOverRanks& linear_solver);
  bool Fail(std::string message);

  const Stopwatch stopwatch_;
  const std::chrono::steady_clock::time_point start_;
  const distributed::Options& options_;
  const distributed::SharedBlocks& shared_;
  ProblemImpl& problem_;
  distributed::Summary& summary_;
  RankGroup ranks_;
  std::optional<SolveExecution> execution_;
  std::optional<ProgressTable> progress_;

  std::vector<LocalLeaf> local_leaves_;
  SharedLayout layout_;
  std::optional<Agreement> agreement_;
  std::optional<RankColumns> columns_;
  SolveWorkspace workspace_;
  std::vector<std::unique_ptr<LeafSystem>> leaves_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_
