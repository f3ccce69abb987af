// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/g2o_records.h"

#include <algorithm>
#include <cmath>

namespace ceres::internal {
namespace {

using Kind = G2oRecordKind;
using Subject = Kind::Subject;
using Rotation = Kind::Rotation;
using Weight = Kind::Weight;
using Type = io::PoseGraph::EdgeType;

Kind Vertex(std::string_view tag, int dimension, bool is_landmark,
            Rotation rotation = Rotation::kQuaternion) {
  Kind kind{tag, Subject::kVertex, dimension};
  kind.takes_landmark = is_landmark;
  kind.rotation = rotation;
  return kind;
}

Kind Edge(std::string_view tag, int dimension, Type type,
          bool takes_landmark = false, bool may_have_offset = false,
          Weight weight = Weight::kRows,
          Rotation rotation = Rotation::kQuaternion) {
  return {tag,      Subject::kEdge, dimension,
          type,     takes_landmark, may_have_offset,
          rotation, weight};
}

const std::vector<Kind>& Kinds() {
  static const auto* const kinds = new std::vector<Kind>{
      // The most frequent ones come first.
      Edge("EDGE_SE2", 2, Type::kRelativePose),
      Edge("EDGE_SE3:QUAT", 3, Type::kRelativePose),
      Vertex("VERTEX_SE2", 2, false),
      Vertex("VERTEX_SE3:QUAT", 3, false),
      Edge("EDGE_SE2_XY", 2, Type::kLandmark, true, true),
      Edge("EDGE_SE3_TRACKXYZ", 3, Type::kLandmark, true, true),
      Vertex("VERTEX_XY", 2, true),
      Vertex("VERTEX_TRACKXYZ", 3, true),
      Vertex("VERTEX_XYZ", 3, true),
      Edge("EDGE_BEARING_SE2_XY", 2, Type::kBearing, true),
      Edge("EDGE_PRIOR_SE2", 2, Type::kPose),
      Edge("EDGE_SE3_PRIOR", 3, Type::kPose, false, true),
      Edge("EDGE_PRIOR_SE2_XY", 2, Type::kPosition),
      Edge("EDGE_PRIOR_XY", 2, Type::kPosition, true),
      Edge("EDGE_POINTXYZ_PRIOR", 3, Type::kPosition, true),
      Edge("EDGE_XYZ_PRIOR", 3, Type::kPosition, true),
      {"FIX", Subject::kFix, 0},
      {"PARAMS_SE2OFFSET", Subject::kOffset, 2},
      {"PARAMS_SE3OFFSET", Subject::kOffset, 3},
      Edge("EDGE2", 2, Type::kRelativePose, false, false, Weight::kToro),
      Edge("EDGE3", 3, Type::kRelativePose, false, false, Weight::kRows,
           Rotation::kEuler),
      Vertex("VERTEX2", 2, false),
      Vertex("VERTEX3", 3, false, Rotation::kEuler),
      Edge("BR", 2, Type::kBearingAndRange, true, false, Weight::kSigmas),
  };
  return *kinds;
}

const Kind& First(Subject subject, int dimension, Type type,
                  bool takes_landmark) {
  return *std::find_if(Kinds().begin(), Kinds().end(), [&](const Kind& kind) {
    return kind.subject == subject && kind.dimension == dimension &&
           kind.type == type && kind.takes_landmark == takes_landmark;
  });
}

}  // namespace

int Kind::NumVertices() const {
  return type == Type::kPose || type == Type::kPosition ? 1 : 2;
}

int Kind::NumValues() const {
  const int pose_size =
      dimension == 2 ? 3 : (rotation == Rotation::kEuler ? 6 : 7);
  switch (subject) {
    case Subject::kFix:
      return 0;
    case Subject::kOffset:
      return pose_size;
    case Subject::kVertex:
      return takes_landmark ? dimension : pose_size;
    case Subject::kEdge:
      break;
  }
  switch (type) {
    case Type::kRelativePose:
    case Type::kPose:
      return pose_size;
    case Type::kLandmark:
    case Type::kPosition:
      return dimension;
    case Type::kBearing:
      return 1;
    case Type::kBearingAndRange:
      return 2;
  }
  return 0;
}

int Kind::NumWeights() const {
  if (subject != Subject::kEdge) return 0;
  if (weight == Weight::kSigmas) return NumValues();
  const bool is_pose = type == Type::kRelativePose || type == Type::kPose;
  const int n = is_pose ? (dimension == 2 ? 3 : 6) : NumValues();
  return n * (n + 1) / 2;
}

const Kind* FindG2oRecordKind(std::string_view tag) {
  for (const Kind& kind : Kinds()) {
    if (kind.tag == tag) return &kind;
  }
  return nullptr;
}

const Kind& VertexKind(int dimension, bool is_landmark) {
  return First(Subject::kVertex, dimension, Type::kRelativePose, is_landmark);
}

const Kind& OffsetKind(int dimension) {
  return First(Subject::kOffset, dimension, Type::kRelativePose, false);
}

const Kind& EdgeKind(int dimension, Type type, bool takes_landmark) {
  return First(Subject::kEdge, dimension, type, takes_landmark);
}

void EulerToQuaternion(const double* euler, double* quaternion) {
  double c[3], s[3];
  for (int k = 0; k < 3; ++k) {
    c[k] = std::cos(0.5 * euler[k]);
    s[k] = std::sin(0.5 * euler[k]);
  }
  quaternion[0] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  quaternion[1] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  quaternion[2] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
  quaternion[3] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
}

void QuaternionToEuler(const double* q, double* euler) {
  // Entries of the rotation matrix.
  const double r20 = 2.0 * (q[0] * q[2] - q[3] * q[1]);
  const double r21 = 2.0 * (q[1] * q[2] + q[3] * q[0]);
  const double r22 = 1.0 - 2.0 * (q[0] * q[0] + q[1] * q[1]);
  const double r10 = 2.0 * (q[0] * q[1] + q[3] * q[2]);
  const double r00 = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
  const double cosine = std::hypot(r21, r22);
  euler[1] = std::atan2(-r20, cosine);
  if (cosine > 1e-8) {
    euler[0] = std::atan2(r21, r22);
    euler[2] = std::atan2(r10, r00);
  } else {
    // The body's x axis points up or down: roll and yaw turn about the same
    // axis, and yaw takes all of it.
    const double r01 = 2.0 * (q[0] * q[1] - q[3] * q[2]);
    const double r11 = 1.0 - 2.0 * (q[0] * q[0] + q[2] * q[2]);
    euler[0] = 0.0;
    euler[2] = std::atan2(-r01, r11);
  }
}

}  // namespace ceres::internal
