// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_ERROR_TERM_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_ERROR_TERM_H_

#include <cmath>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/io/pose_graph.h"
#include "slam/common/edge_weights.h"
#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {

// How far two poses are from a measurement of b seen from a:
//
//                | R(yaw_a)^T (p_b - p_a) - p_ab         |
//   residual = U |                                       |
//                | NormalizeAngle(yaw_b - yaw_a - yaw_ab) |
//
//   p, yaw   position and orientation; without index ab: of the poses
//   R(yaw)   the rotation by yaw
//   U        upper triangular, U'U = the information matrix of the measurement,
//            so that the squared norm is weighed by the information
//
// Parameter blocks: x, y, yaw of a, then x, y, yaw of b, of size 1 each.
class PoseGraph2dErrorTerm {
 public:
  explicit PoseGraph2dErrorTerm(const io::PoseGraph::Edge& edge)
      : x_ab_(edge.measurement[0]),
        y_ab_(edge.measurement[1]),
        yaw_ab_(NormalizeAngle(edge.measurement[2])),
        sqrt_information_(SquareRootInformationOf<3>(edge)) {}

  template <typename T>
  bool operator()(const T* x_a, const T* y_a, const T* yaw_a, const T* x_b,
                  const T* y_b, const T* yaw_b, T* residual) const {
    using std::cos;
    using std::sin;
    const T cos_a = cos(*yaw_a);
    const T sin_a = sin(*yaw_a);
    const T dx = *x_b - *x_a;
    const T dy = *y_b - *y_a;
    residual[0] = cos_a * dx + sin_a * dy - x_ab_;
    residual[1] = cos_a * dy - sin_a * dx - y_ab_;
    residual[2] = NormalizeAngle(*yaw_b - *yaw_a - yaw_ab_);
    MultiplyByUpperTriangle(sqrt_information_, residual);
    return true;
  }

  // The caller owns the result.
  static CostFunction* Create(const io::PoseGraph::Edge& edge) {
    return new AutoDiffCostFunction<PoseGraph2dErrorTerm, 3, 1, 1, 1, 1, 1, 1>(
        new PoseGraph2dErrorTerm(edge));
  }

 private:
  double x_ab_;
  double y_ab_;
  double yaw_ab_;
  Eigen::Matrix3d sqrt_information_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_ERROR_TERM_H_
