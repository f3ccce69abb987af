// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
#define CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_

#include <memory>
#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/ordering/kept_block_order.h"
#include "ceres/solver/preprocessor.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// Solver::Options::keep_preprocessing: between two solves the problem owns the
// preparation of the first solve.
//
// clang-format off
//
//   the second solve has                        it takes
//   ------------------------------------------  --------------------------
//   the same structure, threads, and options    the preparation
//     that preprocessing reads
//   such options that are the same, the groups  the elimination order of
//     of linear_solver_ordering excepted          the sparse factorization
//   other options                               nothing
//
// clang-format on
//
// Threads do not matter to the order. Otherwise bits would depend on them: a
// problem that grows is worth more threads at some size. Options that only the
// minimizer reads may differ. With check_gradients nothing is kept, because the
// program then has cost functions of its own.

// What a solve takes.
struct KeptParts {
  std::unique_ptr<Preparation> preparation;  // null: none that fits
  KeptBlockOrder order;                      // if there is no preparation
};

// Takes what the problem keeps. What does not fit this solve is destroyed.
KeptParts TakeKeptPreparation(const Solver::Options& options,
                              const ThreadChoice& threads,
                              ProblemImpl* problem);

// Leaves a preparation with the problem, or destroys it if the options say so.
void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem);

// The elimination order that the problem keeps, as indices of its parameter
// blocks. Empty: none.
std::vector<int> KeptEliminationOrder(ProblemImpl* problem);

// Leaves an elimination order with the problem in place of what it keeps. The
// next solve with these options uses it, however many operations it needs.
void KeepEliminationOrder(const Solver::Options& options,
                          const std::vector<int>& order, ProblemImpl* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
