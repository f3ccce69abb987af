// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_FILLING_H_
#define CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_FILLING_H_

#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/ordering/inner_iteration_order.h"
#include "ceres/solver/preprocessor.h"

namespace ceres::internal {

// Each function fills the fields of a Solver::Summary that one stage of a solve
// determines, and leaves the other fields unchanged. The fields that a
// minimizer determines are filled by MoveToSummary (minimizer_setup.h).

// The options, and the size of the problem. What a solve uses is set to what
// the options say, until FillPreparation corrects it.
void FillGiven(const Solver::Options& options, const ProblemImpl& problem,
               Solver::Summary* summary);

// The size of the reduced problem.
void FillReducedSizes(const ReducedSizes& sizes, Solver::Summary* summary);

// The size of the reduced problem, and the linear solver that is used, with its
// preconditioner, its ordering and the sizes of its blocks. Unless the
// preparation was kept: what became of a kept elimination order.
void FillPreparation(const Preparation& preparation, Solver::Summary* summary);

// The independent sets of inner iterations.
void FillInnerIterations(const InnerIterationOrder& order,
                         Solver::Summary* summary);

// The result of a solve without varying parameter block: convergence at
// summary->fixed_cost.
void FillNothingToMinimize(Solver::Summary* summary);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_FILLING_H_
