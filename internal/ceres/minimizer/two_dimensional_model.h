// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_
#define CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_

#include "Eigen/Core"

namespace ceres::internal {

// Returns the global minimizer of
//
//   1/2 y'B y + g'y    subject to    |y| <= radius.
//
// B is 2 x 2, symmetric and, up to rounding, positive semi-definite. radius >
// 0. All values are finite.
//
// In the eigenvectors of B, with eigenvalues l_i, the minimizer is
//
//   y_i = -g_i / (l_i + m)
//
// for the smallest multiplier m >= 0 with |y| <= radius. If |y| = radius, then
// m is the largest root of
//
//   g_1^2 / (l_1 + m)^2 + g_2^2 / (l_2 + m)^2 = radius^2.
//
// Newton's method solves 1/|y(m)| = 1/radius, which is concave in m: from below
// the root it never overshoots.
//
// J. More, D. Sorensen, Computing a Trust Region Step, SIAM J. Sci. Stat.
// Comput. 4, 1983, section 3.
Eigen::Vector2d MinimizeInDisk(const Eigen::Matrix2d& b,
                               const Eigen::Vector2d& g, double radius);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_
