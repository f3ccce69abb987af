// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
#define CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_

#include <memory>

#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/preprocessor.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// Solver::Options::keep_preprocessing: between two solves the problem owns the
// preparation of the first solve. The second solve takes it if the structure of
// the problem, the options that preprocessing reads, and the threads are equal.
// Options that only the minimizer reads may differ. With check_gradients
// nothing is kept, because the program then has cost functions of its own.

// Takes the preparation from the problem. Returns null if there is none, or,
// after destroying it, if it does not fit this solve.
std::unique_ptr<Preparation> TakeKeptPreparation(const Solver::Options& options,
                                                 const ThreadChoice& threads,
                                                 ProblemImpl* problem);

// Leaves a preparation with the problem, or destroys it if the options say so.
void KeepPreparation(const Solver::Options& options,
                     std::unique_ptr<Preparation> preparation,
                     ProblemImpl* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_KEPT_PREPARATION_H_
