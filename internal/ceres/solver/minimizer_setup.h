// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_MINIMIZER_SETUP_H_
#define CERES_INTERNAL_SOLVER_MINIMIZER_SETUP_H_

#include <optional>

#include "ceres/gradient_problem_solver.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/minimizer/minimizer_result.h"
#include "ceres/solver.h"
#include "ceres/solver/reporting/progress_table.h"

// Between the public structs of the solvers and those of the minimizers.

namespace ceres::internal {

MinimizerOptions ToMinimizerOptions(const Solver::Options& options);
MinimizerOptions ToMinimizerOptions(
    const GradientProblemSolver::Options& options);

// Sets the callbacks of `setup`, the progress table first if `options` ask for
// it, and update_user_state. The table is created in `table`, which must
// outlive the minimizer.
void SetCallbacks(const Solver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup);
void SetCallbacks(const GradientProblemSolver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup);

// Overwrites the fields of the summary that the minimizer knows. The memory of
// the iterations moves to the summary.
void MoveToSummary(MinimizerResult&& result, Solver::Summary* summary);
void MoveToSummary(MinimizerResult&& result,
                   GradientProblemSolver::Summary* summary);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_MINIMIZER_SETUP_H_
