// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_CONSTRAINT_ELIMINATION_H_
#define CERES_INTERNAL_COVARIANCE_CONSTRAINT_ELIMINATION_H_

#include <vector>

#include "Eigen/Core"

namespace ceres::internal {

// Dense steps of direct elimination: the variables of a least-squares problem
// are eliminated by its equality constraints A x = 0 before the residuals J x
// count. It is the limit of a QR factorization of [w A; J] for large w. Source:
// Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, 5.1.2.

// A pivot of A that is at most this part of the norm of its column is zero.
// Derivatives by finite differences have errors of this size.
inline constexpr double kDependentConstraint = 1e-8;

// Brings A to row echelon form by Householder reflections: row i begins with
// its pivot, in column pivots[i], in ascending order. Entries that are not
// above `tolerance` of their column count as zero; so rows that depend on
// others vanish. Returns the pivots. *a keeps one row for each of them.
std::vector<int> ReduceToEchelon(const Eigen::VectorXd& tolerance,
                                 Eigen::MatrixXd* a);

// Subtracts multiples of the first `count` rows of `echelon` from the rows of
// *j, so that the columns of their pivots are zero.
void EliminateColumns(const Eigen::MatrixXd& echelon,
                      const std::vector<int>& pivots, int count,
                      Eigen::Ref<Eigen::MatrixXd> j);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_CONSTRAINT_ELIMINATION_H_
