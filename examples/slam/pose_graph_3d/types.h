// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_TYPES_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_TYPES_H_

#include <cmath>
#include <string>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/io/text_file.h"
#include "slam/common/read_g2o.h"

namespace ceres::examples {

// Pose of a robot in space: metres, and the unit quaternion that rotates from
// the robot's frame to the world's.
struct Pose3d {
  static constexpr char kTag[] = "VERTEX_SE3:QUAT";
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
};

// The pose id_end as it was seen from the pose id_begin.
struct Constraint3d {
  static constexpr char kTag[] = "EDGE_SE3:QUAT";
  int id_begin = 0;
  int id_end = 0;
  Pose3d t_be;
  // Inverse covariance of the measurement: position, then rotation.
  Eigen::Matrix<double, 6, 6> information =
      Eigen::Matrix<double, 6, 6>::Identity();
};

using PoseGraph3d = PoseGraph<Pose3d, Constraint3d>;

inline bool ReadFields(G2oRecord* record, Pose3d* pose) {
  // Files round to few digits; what is further from unit length is a mistake.
  constexpr double kUnitLengthTolerance = 1e-2;
  if (!record->ReadNumbers("a coordinate", 3, pose->p.data()) ||
      !record->ReadNumbers("an entry of the quaternion", 4,
                           pose->q.coeffs().data())) {
    return false;
  }
  const double length = pose->q.norm();
  if (!(std::abs(length - 1.0) <= kUnitLengthTolerance)) {
    return record->Fail("expected a quaternion of unit length, found length " +
                        std::to_string(length));
  }
  pose->q.normalize();
  return true;
}

inline bool ReadFields(G2oRecord* record, Constraint3d* constraint) {
  return ReadFields(record, &constraint->t_be) &&
         record->ReadInformation(&constraint->information);
}

inline void AppendFields(const Pose3d& pose, std::string* text) {
  for (const double coordinate : {pose.p.x(), pose.p.y(), pose.p.z(),
                                  pose.q.x(), pose.q.y(), pose.q.z()}) {
    io::AppendNumber(coordinate, ' ', text);
  }
  io::AppendNumber(pose.q.w(), '\n', text);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_TYPES_H_
