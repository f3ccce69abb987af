// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_PREPARATION_H_
#define CERES_INTERNAL_SOLVER_PREPARATION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/problem/kept_preprocessing.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "ceres/solver/column_order.h"
#include "ceres/solver/reduced_problem.h"
#include "ceres/solver/worth_sharing.h"

namespace ceres::internal {

// What a solve prepares that depends on the problem's structure and on options,
// but on no value of a parameter (reduced.fixed_cost excepted). Its parts point
// at each other: it does not move.
struct Preparation final : public KeptPreprocessing {
  Preparation() = default;
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  StopSignal stop;                     // execution.stop
  ThreadsOfProblem threads_on_demand;  // execution.on_demand, or none
  Execution execution;

  // Those of the options, or what stands in for them.
  LinearSolverType linear_solver_type = DENSE_QR;
  PreconditionerType preconditioner_type = IDENTITY;

  ReducedProblem reduced;
  ColumnOrder order;
  std::vector<int> merged_columns;  // see merged_columns.h; empty: none
  std::optional<Program> program;
  std::optional<Evaluator> evaluator;
  std::unique_ptr<LinearSolver> linear_solver;  // null: LINE_SEARCH

  // For whom it was made: null before it is complete and kept.
  struct Purpose {
    std::int64_t structure_revision;
    Solver::Options options;
    std::map<int, std::set<double*>> linear_solver_ordering;
  };
  std::unique_ptr<const Purpose> purpose;
};

// Takes what an earlier solve has left with the problem, if it is what this one
// would prepare, execution included; else null.
std::unique_ptr<Preparation> TakeKeptPreparation(const Solver::Options& options,
                                                 const Execution& execution,
                                                 ProblemImpl* problem);

// Leaves a complete preparation with the problem.
void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_PREPARATION_H_
