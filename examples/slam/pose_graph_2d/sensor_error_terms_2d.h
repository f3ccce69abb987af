// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of what a planar robot measures besides relative poses. Parameter
// blocks of a pose are x, y, yaw, of size 1 each; a landmark is a block of
// size 2. U is upper triangular, U'U = the information matrix of the edge.

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_SENSOR_ERROR_TERMS_2D_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_SENSOR_ERROR_TERMS_2D_H_

#include <cmath>

#include "Eigen/Core"
#include "ceres/io/pose_graph.h"
#include "slam/common/edge_weights.h"
#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {

// The landmark in the frame of a sensor with the pose `offset` on the robot.
template <typename T>
void LandmarkInSensor(const T& x, const T& y, const T& yaw,
                      const io::PoseGraph::Values& offset, const T* landmark,
                      T* local) {
  using std::cos;
  using std::sin;
  const T c = cos(yaw);
  const T s = sin(yaw);
  const T dx = landmark[0] - x;
  const T dy = landmark[1] - y;
  const T in_robot[2] = {c * dx + s * dy - offset[0],
                         c * dy - s * dx - offset[1]};
  const double c_offset = cos(offset[2]);
  const double s_offset = sin(offset[2]);
  local[0] = c_offset * in_robot[0] + s_offset * in_robot[1];
  local[1] = c_offset * in_robot[1] - s_offset * in_robot[0];
}

// U (l - z): l is the landmark in the frame of the sensor.
struct LandmarkError2d {
  LandmarkError2d(const io::PoseGraph::Edge& edge,
                  const io::PoseGraph::Values& sensor)
      : z(edge.measurement), offset(sensor) {
    u = SquareRootInformationOf<2>(edge);
  }

  template <typename T>
  bool operator()(const T* x, const T* y, const T* yaw, const T* landmark,
                  T* residual) const {
    LandmarkInSensor(*x, *y, *yaw, offset, landmark, residual);
    for (int i = 0; i < 2; ++i) residual[i] -= z[i];
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  io::PoseGraph::Values z;
  io::PoseGraph::Values offset;
  Eigen::Matrix2d u;
};

// U [bearing of l - z_0; |l| - z_1], or the first row alone. There is no
// bearing of a landmark at the position of the sensor.
template <int kSize>
struct BearingError2d {
  BearingError2d(const io::PoseGraph::Edge& edge,
                 const io::PoseGraph::Values& sensor)
      : z(edge.measurement), offset(sensor) {
    u = SquareRootInformationOf<kSize>(edge);
  }

  template <typename T>
  bool operator()(const T* x, const T* y, const T* yaw, const T* landmark,
                  T* residual) const {
    using std::atan2;
    using std::sqrt;
    T local[2];
    LandmarkInSensor(*x, *y, *yaw, offset, landmark, local);
    const T squared = local[0] * local[0] + local[1] * local[1];
    if (!(squared > 0.0)) return false;
    residual[0] = NormalizeAngle(atan2(local[1], local[0]) - z[0]);
    if (kSize == 2) residual[kSize - 1] = sqrt(squared) - z[1];
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  io::PoseGraph::Values z;
  io::PoseGraph::Values offset;
  Eigen::Matrix<double, kSize, kSize> u;
};

// U (pose - z): a prior.
struct PriorError2d {
  explicit PriorError2d(const io::PoseGraph::Edge& edge)
      : z(edge.measurement), u(SquareRootInformationOf<3>(edge)) {}

  template <typename T>
  bool operator()(const T* x, const T* y, const T* yaw, T* residual) const {
    residual[0] = *x - z[0];
    residual[1] = *y - z[1];
    residual[2] = NormalizeAngle(*yaw - z[2]);
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  io::PoseGraph::Values z;
  Eigen::Matrix3d u;
};

// U (position - z): a prior.
struct PositionError2d {
  explicit PositionError2d(const io::PoseGraph::Edge& edge)
      : z(edge.measurement), u(SquareRootInformationOf<2>(edge)) {}

  template <typename T>
  bool operator()(const T* x, const T* y, T* residual) const {
    residual[0] = *x - z[0];
    residual[1] = *y - z[1];
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  io::PoseGraph::Values z;
  Eigen::Matrix2d u;
};

// The same for a landmark.
struct LandmarkPriorError2d {
  template <typename T>
  bool operator()(const T* landmark, T* residual) const {
    return error(landmark, landmark + 1, residual);
  }

  PositionError2d error;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_SENSOR_ERROR_TERMS_2D_H_
