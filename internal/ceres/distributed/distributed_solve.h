// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_
#define CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_

#include <optional>
#include <string>

#include "ceres/base/stopwatch.h"
#include "ceres/distributed.h"
#include "ceres/distributed/rank_problem.h"
#include "ceres/distributed/solver_over_ranks.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver/reporting/progress_table.h"

namespace ceres::internal {

// One call of distributed::Solve, on one rank: the stages of a RankProblem,
// then the minimizer of one process, with a RankCollective and a
// SolverOverRanks.
class DistributedSolve final {
 public:
  DistributedSolve(const distributed::Options& options, MPI_Comm comm,
                   const distributed::SharedBlocks& shared,
                   ProblemImpl* problem, distributed::Summary* summary);

  void Run();

 private:
  void RunStages();
  // Stages that return false have set the summary.
  bool EvaluateFixedCost();
  void Minimize();
  void RunMinimizer(double* state, MinimizerResult* result);
  void FillSizes();
  void FillRanks(const RankCollective& collective,
                 const SolverOverRanks& linear_solver);
  bool Fail(std::string message);

  const Stopwatch stopwatch_;
  RankProblem rank_problem_;
  const distributed::Options& options_;
  ProblemImpl& problem_;
  distributed::Summary& summary_;
  ReducedChoice reduced_choice_;
  std::optional<ProgressTable> progress_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_DISTRIBUTED_SOLVE_H_
