// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_STIEFEL_H_
#define CERES_INTERNAL_POSE_GRAPH_STIEFEL_H_

#include "Eigen/Core"

namespace ceres::internal {

// The manifold of matrices X = [Y, p] of r x (d + 1) numbers with Y'Y = I: the
// Stiefel manifold times space. Absil, Mahony and Sepulchre, "Optimization
// Algorithms on Matrix Manifolds", 2008, sections 3.5.7 and 4.1.1.

// The degrees of freedom.
int TangentSize(int rank, int dimension);

// An orthonormal basis of the tangent space at X, as columns of r (d + 1)
// numbers, the columns of a matrix one behind the other. First
// Y (e_a e_b' - e_b e_a') / sqrt(2) for a < b, then the columns of the
// orthogonal complement of Y in each column of Y, then the position.
Eigen::MatrixXd TangentBasis(const Eigen::MatrixXd& X);

// The point next to X + V, for a tangent V: the orthogonal factor of Y + V_Y,
// and p + V_p.
Eigen::MatrixXd Retract(const Eigen::MatrixXd& X, const Eigen::MatrixXd& V);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_STIEFEL_H_
