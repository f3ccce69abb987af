// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of what a robot in space measures besides relative poses. Parameter
// blocks of a pose are p (3) and q (4; x, y, z, w); a landmark is a block of
// size 3. U is upper triangular, U'U = the information matrix of the edge.

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_SENSOR_ERROR_TERMS_3D_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_SENSOR_ERROR_TERMS_3D_H_

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/io/pose_graph.h"
#include "slam/common/edge_weights.h"

namespace ceres::examples {

// U (l - z): l = R(q_s)' (R(q)' (landmark - p) - p_s) is the landmark in the
// frame of a sensor with the pose p_s, q_s on the robot.
struct LandmarkError3d {
  LandmarkError3d(const io::PoseGraph::Edge& edge,
                  const io::PoseGraph::Values& sensor)
      : z(edge.measurement.data()),
        p_sensor(sensor.data()),
        q_sensor(sensor.data() + 3),
        u(SquareRootInformationOf<3>(edge)) {}

  template <typename T>
  bool operator()(const T* p_data, const T* q_data, const T* landmark_data,
                  T* residual) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Vector3> p(p_data);
    const Eigen::Map<const Eigen::Quaternion<T>> q(q_data);
    const Eigen::Map<const Vector3> landmark(landmark_data);
    const Vector3 in_robot = q.conjugate() * (landmark - p);
    const Vector3 local = q_sensor.conjugate().template cast<T>() *
                          (in_robot - p_sensor.template cast<T>());
    for (int i = 0; i < 3; ++i) residual[i] = local[i] - z[i];
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  Eigen::Vector3d z;
  Eigen::Vector3d p_sensor;
  Eigen::Quaterniond q_sensor;
  Eigen::Matrix3d u;
};

// U [p + R(q) p_s - p_z; 2 vec(q q_s q_z^-1)]: a prior of the pose of a sensor.
struct PriorError3d {
  PriorError3d(const io::PoseGraph::Edge& edge,
               const io::PoseGraph::Values& sensor)
      : p_z(edge.measurement.data()),
        q_z(edge.measurement.data() + 3),
        p_sensor(sensor.data()),
        q_sensor(sensor.data() + 3),
        u(SquareRootInformationOf<6>(edge)) {}

  template <typename T>
  bool operator()(const T* p_data, const T* q_data, T* residual) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Vector3> p(p_data);
    const Eigen::Map<const Eigen::Quaternion<T>> q(q_data);
    const Vector3 moved = q * p_sensor.template cast<T>();
    const Eigen::Quaternion<T> delta =
        q * (q_sensor * q_z.conjugate()).template cast<T>();
    for (int i = 0; i < 3; ++i) {
      residual[i] = p[i] + moved[i] - p_z[i];
      residual[3 + i] = 2.0 * delta.vec()[i];
    }
    MultiplyByUpperTriangle(u, residual);
    return true;
  }

  Eigen::Vector3d p_z;
  Eigen::Quaterniond q_z;
  Eigen::Vector3d p_sensor;
  Eigen::Quaterniond q_sensor;
  Eigen::Matrix<double, 6, 6> u;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_SENSOR_ERROR_TERMS_3D_H_
