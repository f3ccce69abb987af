// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_COMMON_UPPER_TRIANGLE_H_
#define VESTA_EXAMPLES_SLAM_COMMON_UPPER_TRIANGLE_H_

#include "Eigen/Core"

namespace ceres::examples {

// x := U x, with only the upper triangle of U read. In place: row i of the
// product needs no entry of x above i.
template <int kSize, typename T>
void MultiplyByUpperTriangle(const Eigen::Matrix<double, kSize, kSize>& u,
                             T* x) {
  for (int i = 0; i < kSize; ++i) {
    x[i] *= u(i, i);
    for (int j = i + 1; j < kSize; ++j) x[i] += u(i, j) * x[j];
  }
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_UPPER_TRIANGLE_H_
