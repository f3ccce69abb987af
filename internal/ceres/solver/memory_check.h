// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_MEMORY_CHECK_H_
#define CERES_INTERNAL_SOLVER_MEMORY_CHECK_H_

#include <string>
#include <vector>

#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "ceres/solver/linear_solver_factory.h"

namespace ceres::internal {

// The bytes that the Jacobian and the dense matrices of a linear solver take.
// Counts what a solver needs at least, in doubles, with N columns, M residuals,
// and columns n_b in column block b:
//
//   all                     the Jacobian, as it is stored
//   DENSE_QR                (M + N) (N + 1)
//   DENSE_NORMAL_CHOLESKY   N^2
//   DENSE_SCHUR             R^2 for the R columns that are not eliminated,
//                           and n_b^2 / 2 for each block that is
//   SPARSE_*                n_b^2 / 2 for each block, or c^2 / 2 for the c
//                           columns of a row block that are not eliminated, if
//                           that is more; sparse/factor_memory.h checks the
//                           factor, when it is known
//   ITERATIVE_SCHUR, CGNR   n_b^2 / 2 for each block that is eliminated, and
//                           n_b^2 for all others unless the preconditioner is
//                           IDENTITY or SUBSET
double BytesOfMatrices(const LinearMethod& method,
                       const BlockJacobianStructure& structure);

// Checks, before anything is allocated, that BytesOfMatrices can be in memory.
// Returns empty, or an error with the size, the largest parameter block, and
// the option to change.
//
// program, merged_columns: those of `structure` (merged_columns.h). bytes: what
// the process can have; 0: not known.
std::string FindMemoryError(const LinearMethod& method,
                            const BlockJacobianStructure& structure,
                            const Program& program,
                            const std::vector<int>& merged_columns,
                            double bytes);

// Checks that inner iterations can minimize over each block of `groups`, column
// blocks of the program, by DENSE_QR: with n columns and m residuals that the
// block touches, (m + n) (n + 1) + m n doubles for one block at a time. Returns
// empty, or an error with the size, the block and the options to change. Reads
// the memory that the process can have, unless max_bytes > 0 limits it.
std::string FindInnerMemoryError(const Program& program,
                                 const std::vector<std::vector<int>>& groups,
                                 double max_bytes = 0.0);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_MEMORY_CHECK_H_
