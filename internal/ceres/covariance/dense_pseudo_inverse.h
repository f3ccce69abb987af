// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_DENSE_PSEUDO_INVERSE_H_
#define CERES_INTERNAL_COVARIANCE_DENSE_PSEUDO_INVERSE_H_

#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// The (pseudo-)inverse of J'J for a dense J by singular values (Golub and Van
// Loan, Matrix Computations, 4th edition, 5.5.2):
//
//   J = U S V',    (J'J)^+ = V S^-2 V',    s_1 >= s_2 >= ... >= s_min(m, n)
//
// of the m rows that have cells, and n columns. If m < n, the n - m directions
// without a singular value are left out.
//
// is_constraint: by row block; empty: none. With the rows A of constraints, J
// is replaced by J Z with an orthonormal basis Z of the null space of A, and
// the result is Z (Z'J'J Z)^+ Z'. Rows of A that depend on others do not count.
//
// A singular value s is too small if s < sqrt(min_reciprocal_condition_number)
// s_1, or zero. If null_space_rank >= 0, the null_space_rank smallest singular
// values are left out; if another one is too small, the result is false and
// `message` says which. If null_space_rank < 0, all singular values that are
// too small are left out. If the result is true, `message` says whether more
// directions are left out than null_space_rank says; else it is empty.
[[nodiscard]] bool DensePseudoInverse(const BlockJacobian& jacobian,
                                      const std::vector<bool>& is_constraint,
                                      double min_reciprocal_condition_number,
                                      int null_space_rank,
                                      Eigen::MatrixXd* inverse,
                                      std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_DENSE_PSEUDO_INVERSE_H_
