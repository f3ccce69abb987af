// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_QR_SOLVER_H_
#define CERES_INTERNAL_LINEAR_DENSE_QR_SOLVER_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/types.h"

namespace ceres::internal {

// DENSE_QR: Householder QR factorization of [J; D]. It is backward stable and
// takes (m + n) n^2 operations: for small problems, and for problems where J'J
// would lose half of the digits. Solve allocates no memory. `structure` must
// outlive the solver. Golub and Van Loan, Matrix Computations, section 5.2.
std::unique_ptr<LinearSolver> CreateDenseQrSolver(
    DenseLinearAlgebraLibraryType library, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_QR_SOLVER_H_
