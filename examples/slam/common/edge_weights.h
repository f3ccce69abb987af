// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_COMMON_EDGE_WEIGHTS_H_
#define VESTA_EXAMPLES_SLAM_COMMON_EDGE_WEIGHTS_H_

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "ceres/io/pose_graph.h"

namespace ceres::examples {

// The information matrix of an edge with kSize errors.
template <int kSize>
Eigen::Matrix<double, kSize, kSize> InformationOf(
    const io::PoseGraph::Edge& edge) {
  return Eigen::Map<const Eigen::Matrix<double, kSize, kSize>>(
      edge.information.data());
}

// The upper triangular U with U'U = the information matrix of an edge, which
// may be singular.
template <int kSize>
Eigen::Matrix<double, kSize, kSize> SquareRootInformationOf(
    const io::PoseGraph::Edge& edge) {
  const Eigen::Matrix<double, kSize, kSize> information =
      InformationOf<kSize>(edge);
  const auto factor = information.llt();
  if (factor.info() == Eigen::Success) return factor.matrixU();
  double root[kSize * kSize];
  if (!io::SquareRootInformation(information.data(), kSize, root)) {
    return Eigen::Matrix<double, kSize, kSize>::Zero();
  }
  return Eigen::Map<const Eigen::Matrix<double, kSize, kSize>>(root)
      .transpose();
}

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

#endif  // VESTA_EXAMPLES_SLAM_COMMON_EDGE_WEIGHTS_H_
