// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_SUBSET_ROWS_H_
#define CERES_INTERNAL_SOLVER_SUBSET_ROWS_H_

#include <string>
#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"

namespace ceres::internal {

// The row blocks that Options::residual_blocks_for_subset_preconditioner names,
// ascending. Residual blocks whose parameter blocks are all constant have no
// row, and are left out; with a warning so are those that are not in the
// problem, removed ones say. False, with the reason in `error`: none is left.
[[nodiscard]] bool FindSubsetRows(const Solver::Options& options,
                                  const ProblemImpl& problem,
                                  const Program& program,
                                  std::vector<int>* rows, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_SUBSET_ROWS_H_
