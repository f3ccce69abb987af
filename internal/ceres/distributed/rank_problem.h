// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_RANK_PROBLEM_H_
#define CERES_INTERNAL_DISTRIBUTED_RANK_PROBLEM_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/agreement.h"
#include "ceres/distributed/leaf_system.h"
#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/option_checks.h"
#include "ceres/distributed/rank_collective.h"
#include "ceres/distributed/rank_columns.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/distributed/reduced_choice.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// A problem over ranks, prepared for evaluations and eliminations: what all
// functions of ceres::distributed begin with. The stages, to be called in this
// order, are collective:
//
// clang-format off
//
//   CheckCall      the same call and options on all ranks   option_checks.h
//   FindBlocks     private blocks, eliminated and promoted  local_leaf.h
//                  shared blocks; columns of S              shared_layout.h
//   PrepareLeaves  columns of the rank; Jacobians, plans    rank_columns.h, leaf_system.h
//
// clang-format on
//
// A stage that fails on one rank fails on all, with the same message.
class RankProblem final {
 public:
  // All arguments must outlive this. Collective.
  RankProblem(const distributed::Options& options, MPI_Comm comm,
              const distributed::SharedBlocks& shared, ProblemImpl* problem);

  // Return an empty string, or the error. operation: the name of the function;
  // more: what else must agree.
  std::string CheckCall(const char* operation,
                        const std::vector<OptionHash>& more = {});
  std::string FindBlocks();
  // choice: how the reduced system is solved. Throws Stopped or RankFailure on
  // all ranks.
  void PrepareLeaves(const ReducedChoice& choice);

  const distributed::Options& options() const { return options_; }
  const distributed::SharedBlocks& shared() const { return shared_; }
  ProblemImpl& problem() { return problem_; }
  std::chrono::steady_clock::time_point start() const { return start_; }
  RankGroup& ranks() { return ranks_; }
  // After CheckCall.
  SolveExecution& execution() { return *execution_; }
  // After FindBlocks.
  const std::vector<LocalLeaf>& local_leaves() const { return local_leaves_; }
  const SharedLayout& layout() const { return layout_; }
  Agreement& agreement() { return *agreement_; }
  // After PrepareLeaves.
  const RankColumns& columns() const { return *columns_; }
  RankParts parts();

 private:
  const std::chrono::steady_clock::time_point start_;
  const distributed::Options& options_;
  const distributed::SharedBlocks& shared_;
  ProblemImpl& problem_;
  RankGroup ranks_;
  std::optional<SolveExecution> execution_;
  std::vector<LocalLeaf> local_leaves_;
  SharedLayout layout_;
  std::optional<Agreement> agreement_;
  std::optional<RankColumns> columns_;
  SolveWorkspace workspace_;
  std::vector<std::unique_ptr<LeafSystem>> leaves_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_RANK_PROBLEM_H_
