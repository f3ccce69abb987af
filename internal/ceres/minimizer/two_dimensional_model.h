// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_
#define CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_

#include "Eigen/Core"

namespace ceres::internal {

// The global minimizer of
//
//   1/2 y'B y + g'y    subject to    |y| <= radius,
//
// B (2 x 2) symmetric and positive semi-definite but for rounding, radius > 0,
// all finite.
//
// In the eigenvectors of B the minimizer is y_i = -g_i / (l_i + m) with the
// smallest multiplier m >= 0 for which it lies in the disk. On its rim m is the
// largest root of
//
//   g_1^2 / (l_1 + m)^2 + g_2^2 / (l_2 + m)^2 = radius^2,
//
// a quartic, found by Newton's method on 1/|y(m)| = 1/radius, which is concave
// in m: from below the root it never overshoots (More and Sorensen, Computing a
// Trust Region Step, 1983, section 3).
Eigen::Vector2d MinimizeInDisk(const Eigen::Matrix2d& b,
                               const Eigen::Vector2d& g, double radius);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_TWO_DIMENSIONAL_MODEL_H_
