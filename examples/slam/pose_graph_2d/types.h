// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_TYPES_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_TYPES_H_

#include <string>

#include "Eigen/Core"
#include "ceres/io/text_file.h"
#include "slam/common/read_g2o.h"
#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {

// Pose of a robot in the plane: metres, and radians from the x axis.
struct Pose2d {
  static constexpr char kTag[] = "VERTEX_SE2";
  double x = 0.0;
  double y = 0.0;
  double yaw_radians = 0.0;
};

// The pose id_end as it was seen from the pose id_begin.
struct Constraint2d {
  static constexpr char kTag[] = "EDGE_SE2";
  int id_begin = 0;
  int id_end = 0;
  double x = 0.0;
  double y = 0.0;
  double yaw_radians = 0.0;
  // Inverse covariance of the measurement, in the order x, y, yaw.
  Eigen::Matrix3d information = Eigen::Matrix3d::Identity();
};

using PoseGraph2d = PoseGraph<Pose2d, Constraint2d>;

// "x y yaw", which vertices and edges have in common.
template <typename PoseOrConstraint>
bool ReadPlanarPose(G2oRecord* record, PoseOrConstraint* pose) {
  if (!record->ReadNumber("x", &pose->x) ||
      !record->ReadNumber("y", &pose->y) ||
      !record->ReadNumber("the yaw", &pose->yaw_radians)) {
    return false;
  }
  pose->yaw_radians = NormalizeAngle(pose->yaw_radians);
  return true;
}

inline bool ReadFields(G2oRecord* record, Pose2d* pose) {
  return ReadPlanarPose(record, pose);
}

inline bool ReadFields(G2oRecord* record, Constraint2d* constraint) {
  return ReadPlanarPose(record, constraint) &&
         record->ReadInformation(&constraint->information);
}

inline void AppendFields(const Pose2d& pose, std::string* text) {
  io::AppendNumber(pose.x, ' ', text);
  io::AppendNumber(pose.y, ' ', text);
  io::AppendNumber(pose.yaw_radians, '\n', text);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_TYPES_H_
