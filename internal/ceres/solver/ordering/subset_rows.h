// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_SUBSET_ROWS_H_
#define CERES_INTERNAL_SOLVER_ORDERING_SUBSET_ROWS_H_

#include <optional>
#include <string>
#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"

namespace ceres::internal {

// Returns the row blocks of the program that
// Solver::Options::residual_blocks_for_subset_preconditioner names, ascending.
// A residual block whose parameter blocks are all constant has no row; it is
// left out. A residual block that is not in the problem is left out with a
// warning. Returns nothing, with an error, if no row is left.
[[nodiscard]] std::optional<std::vector<int>> FindSubsetRows(
    const Solver::Options& options, const ProblemImpl& problem,
    const Program& program, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_SUBSET_ROWS_H_
