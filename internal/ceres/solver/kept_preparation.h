// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
#define CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_

#include <memory>
#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/ordering/carried_order.h"
#include "ceres/solver/preprocessor.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// Solver::Options::keep_preprocessing: between two solves the problem owns the
// preparation of the first solve.
//
// clang-format off
//
//   if the second solve has                     it reuses
//   ------------------------------------------  -----------------------------
//   the same structure, thread count, and       the whole preparation
//     options that preprocessing reads
//   the same options that preprocessing reads,  the elimination order of the
//     except linear_solver_ordering               sparse factorization
//   other options                               nothing
//
// clang-format on
//
// The order is kept whatever the thread count; otherwise results would depend
// on it, because a growing problem gets more threads at some size. Options that
// only the minimizer reads may differ. With check_gradients nothing is kept,
// because the program then has its own cost functions.

// What a solve reuses of an earlier solve.
struct KeptParts {
  std::unique_ptr<Preparation> preparation;  // null if it cannot be reused
  CarriedOrder order;                        // set if `preparation` is null
};

// Takes the kept preparation out of the problem. Destroys the parts that this
// solve cannot reuse.
KeptParts TakeKeptPreparation(const Solver::Options& options,
                              const ThreadChoice& threads,
                              ProblemImpl* problem);

// Stores a preparation in the problem. Destroys it if
// options.keep_preprocessing is false.
void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem);

// The elimination order that the problem keeps, as indices of its parameter
// blocks. Empty if it keeps none.
std::vector<int> KeptEliminationOrder(ProblemImpl* problem);

// Stores an elimination order in the problem, and destroys what the problem
// kept before. The next solve with these options uses this order, even if
// another order would need fewer operations.
void KeepEliminationOrder(const Solver::Options& options,
                          const std::vector<int>& order, ProblemImpl* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
