// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_ERROR_TERM_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_ERROR_TERM_H_

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/autodiff_cost_function.h"
#include "ceres/io/pose_graph.h"
#include "slam/common/edge_weights.h"

namespace ceres::examples {

// How far two poses are from a measurement of b seen from a:
//
//                | R(q_a)^T (p_b - p_a) - p_ab       |
//   residual = U |                                   |
//                | 2 vec((q_a^-1 q_b) q_ab^-1)       |
//
//   p, q     position and rotation; without index ab: of the poses
//   R(q)     the rotation matrix of q
//   vec(q)   the imaginary part: of a small rotation, half of axis times angle
//   U        upper triangular, U'U = the information matrix of the measurement,
//            so that the squared norm is weighed by the information
//
// Parameter blocks: p (3) and q (4; x, y, z, w) of a, then of b.
class PoseGraph3dErrorTerm {
 public:
  explicit PoseGraph3dErrorTerm(const io::PoseGraph::Edge& edge)
      : p_ab_(edge.measurement.data()),
        q_ab_inverse_(
            Eigen::Quaterniond(edge.measurement.data() + 3).conjugate()),
        sqrt_information_(SquareRootInformationOf<6>(edge)) {}

  template <typename T>
  bool operator()(const T* p_a_data, const T* q_a_data, const T* p_b_data,
                  const T* q_b_data, T* residual) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    using Quaternion = Eigen::Quaternion<T>;
    const Eigen::Map<const Vector3> p_a(p_a_data);
    const Eigen::Map<const Quaternion> q_a(q_a_data);
    const Eigen::Map<const Vector3> p_b(p_b_data);
    const Eigen::Map<const Quaternion> q_b(q_b_data);

    const Quaternion q_a_inverse = q_a.conjugate();
    const Vector3 p = q_a_inverse * (p_b - p_a);
    const Quaternion delta =
        q_a_inverse * q_b * q_ab_inverse_.template cast<T>();
    for (int i = 0; i < 3; ++i) {
      residual[i] = p[i] - p_ab_[i];
      residual[3 + i] = 2.0 * delta.vec()[i];
    }
    MultiplyByUpperTriangle(sqrt_information_, residual);
    return true;
  }

  // The caller owns the result.
  static CostFunction* Create(const io::PoseGraph::Edge& edge) {
    return new AutoDiffCostFunction<PoseGraph3dErrorTerm, 6, 3, 4, 3, 4>(
        new PoseGraph3dErrorTerm(edge));
  }

 private:
  Eigen::Vector3d p_ab_;
  Eigen::Quaterniond q_ab_inverse_;
  Eigen::Matrix<double, 6, 6> sqrt_information_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_ERROR_TERM_H_
