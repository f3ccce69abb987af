// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/motion_readings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "Eigen/Geometry"

namespace ceres::internal {
namespace {

using Eigen::Vector3d;
using ConstVector3 = Eigen::Map<const Vector3d>;

Vector3d Moved(const Vector3d& x, const SimilarityMotion& m) {
  return m.translation + m.rotation.cross(x) + m.scale * x;
}

// The change of an angle-axis vector when its rotation is multiplied from the
// left by one of the small vector w: the inverse of the left Jacobian of the
// rotation group (Barfoot, State Estimation for Robotics, 7.1.5).
Vector3d LeftChange(const Vector3d& angle_axis, const Vector3d& w) {
  const double angle = angle_axis.norm();
  const double half = 0.5 * angle;
  const double factor = angle < 1e-3
                            ? 1.0 / 12.0 + angle * angle / 720.0
                            : (1.0 - half / std::tan(half)) / (angle * angle);
  const Vector3d cross = angle_axis.cross(w);
  return w - 0.5 * cross + factor * angle_axis.cross(cross);
}
// The same from the right.
Vector3d RightChange(const Vector3d& angle_axis, const Vector3d& w) {
  return LeftChange(-angle_axis, w);
}

Eigen::Matrix3d RotationOf(const Vector3d& angle_axis) {
  const double angle = angle_axis.norm();
  if (angle == 0.0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, angle_axis / angle).toRotationMatrix();
}

// The order of the values of a rotation.
enum class Rotation { kAngleAxis, kWxyz, kXyzw };
constexpr int SizeOf(Rotation r) { return r == Rotation::kAngleAxis ? 3 : 4; }

template <Rotation kRotation>
Eigen::Quaterniond QuaternionOf(const double* q) {
  return kRotation == Rotation::kWxyz
             ? Eigen::Quaterniond(q[0], q[1], q[2], q[3])
             : Eigen::Quaterniond(q[3], q[0], q[1], q[2]);
}

template <Rotation kRotation>
Eigen::Matrix3d MatrixOf(const double* values) {
  if constexpr (kRotation == Rotation::kAngleAxis) {
    return RotationOf(ConstVector3(values));
  } else {
    return QuaternionOf<kRotation>(values).normalized().toRotationMatrix();
  }
}

// d(values) if the rotation is multiplied by that of the small vector w.
template <Rotation kRotation, bool kFromLeft>
void Rotate(const double* values, const Vector3d& w, double* derivative) {
  if constexpr (kRotation == Rotation::kAngleAxis) {
    const ConstVector3 angle_axis(values);
    Eigen::Map<Vector3d>{derivative} =
        kFromLeft ? LeftChange(angle_axis, w) : RightChange(angle_axis, w);
  } else {
    const Eigen::Quaterniond q = QuaternionOf<kRotation>(values);
    const Eigen::Quaterniond small(0.0, 0.5 * w.x(), 0.5 * w.y(), 0.5 * w.z());
    const Eigen::Quaterniond d = kFromLeft ? small * q : q * small;
    const std::array<double, 4> wxyz = {d.w(), d.x(), d.y(), d.z()};
    for (int k = 0; k < 4; ++k) {
      derivative[k] =
          kRotation == Rotation::kWxyz ? wxyz[k] : wxyz[(k + 1) % 4];
    }
  }
}

// A pose: rotation R and translation t, in the given order. It maps the frame
// of the thing to that of space (X = R x + t), or space to the thing (x = R X +
// t). Further values, as those of a lens, do not move.
template <Rotation kRotation, bool kRotationFirst, bool kToSpace>
void MovePose(const double* values, int size, const SimilarityMotion& m,
              double* derivative) {
  const int at_rotation = kRotationFirst ? 0 : 3;
  const int at_translation = kRotationFirst ? SizeOf(kRotation) : 0;
  std::fill_n(derivative, size, 0.0);
  const ConstVector3 t(values + at_translation);
  Eigen::Map<Vector3d> dt(derivative + at_translation);
  if constexpr (kToSpace) {
    Rotate<kRotation, true>(values + at_rotation, m.rotation,
                            derivative + at_rotation);
    dt = Moved(t, m);
  } else {
    Rotate<kRotation, false>(values + at_rotation, -m.rotation,
                             derivative + at_rotation);
    dt =
        m.scale * t - MatrixOf<kRotation>(values + at_rotation) * m.translation;
  }
}

template <Rotation kRotation, bool kToSpace>
void MoveRotation(const double* values, int size, const SimilarityMotion& m,
                  double* derivative) {
  std::fill_n(derivative, size, 0.0);
  Rotate<kRotation, kToSpace>(
      values, kToSpace ? m.rotation : Vector3d(-m.rotation), derivative);
}

void MovePoint(const double* values, int /*size*/, const SimilarityMotion& m,
               double* derivative) {
  Eigen::Map<Vector3d>{derivative} = Moved(ConstVector3(values), m);
}

void MoveVelocity(const double* values, int /*size*/, const SimilarityMotion& m,
                  double* derivative) {
  const ConstVector3 v(values);
  Eigen::Map<Vector3d>{derivative} = m.rotation.cross(v) + m.scale * v;
}

void MovePlanarPoint(const double* values, int size, const SimilarityMotion& m,
                     double* derivative) {
  const Vector3d moved = Moved({values[0], values[1], 0.0}, m);
  std::fill_n(derivative, size, 0.0);
  derivative[0] = moved.x();
  derivative[1] = moved.y();
}

void MovePlanarPose(const double* values, int size, const SimilarityMotion& m,
                    double* derivative) {
  MovePlanarPoint(values, size, m, derivative);
  derivative[2] = m.rotation.z();
}

// The angle comes first.
void MoveTurnedPose(const double* values, int size, const SimilarityMotion& m,
                    double* derivative) {
  const Vector3d moved = Moved({values[1], values[2], 0.0}, m);
  std::fill_n(derivative, size, 0.0);
  derivative[0] = m.rotation.z();
  derivative[1] = moved.x();
  derivative[2] = moved.y();
}

void MoveAngle(const double* /*values*/, int /*size*/,
               const SimilarityMotion& m, double* derivative) {
  derivative[0] = m.rotation.z();
}

void MoveOnLine(const double* values, int /*size*/, const SimilarityMotion& m,
                double* derivative) {
  derivative[0] = m.translation.x() + m.scale * values[0];
}

void Stay(const double* /*values*/, int size, const SimilarityMotion& /*m*/,
          double* derivative) {
  std::fill_n(derivative, size, 0.0);
}

constexpr MotionReading kStays = {"a thing that does not move", 0, &Stay};

std::vector<MotionReading> PosesOfQuaternion() {
  constexpr Rotation kWxyz = Rotation::kWxyz;
  constexpr Rotation kXyzw = Rotation::kXyzw;
  return {
      {"a pose (position, quaternion w x y z)", 3,
       &MovePose<kWxyz, false, true>},
      {"a pose (position, quaternion x y z w)", 3,
       &MovePose<kXyzw, false, true>},
      {"a pose (quaternion w x y z, position)", 3,
       &MovePose<kWxyz, true, true>},
      {"a pose (quaternion x y z w, position)", 3,
       &MovePose<kXyzw, true, true>},
      {"a camera (quaternion w x y z, translation)", 3,
       &MovePose<kWxyz, true, false>},
      {"a camera (quaternion x y z w, translation)", 3,
       &MovePose<kXyzw, true, false>},
      {"a camera (translation, quaternion w x y z)", 3,
       &MovePose<kWxyz, false, false>},
      {"a camera (translation, quaternion x y z w)", 3,
       &MovePose<kXyzw, false, false>},
  };
}

std::vector<MotionReading> PosesOfAngleAxis() {
  constexpr Rotation kAngleAxis = Rotation::kAngleAxis;
  return {
      {"a camera (angle-axis, translation)", 3,
       &MovePose<kAngleAxis, true, false>},
      {"a pose (position, angle-axis)", 3, &MovePose<kAngleAxis, false, true>},
      {"a pose (angle-axis, position)", 3, &MovePose<kAngleAxis, true, true>},
      {"a camera (translation, angle-axis)", 3,
       &MovePose<kAngleAxis, false, false>},
  };
}

std::vector<MotionReading> MakeReadings(int size) {
  constexpr Rotation kAngleAxis = Rotation::kAngleAxis;
  std::vector<MotionReading> readings;
  switch (size) {
    case 1:
      readings = {{"a position on a line", 1, &MoveOnLine},
                  {"an angle", 2, &MoveAngle}};
      break;
    case 2:
      readings = {{"a point in the plane", 2, &MovePlanarPoint}};
      break;
    case 3:
      readings = {
          {"a point in space", 3, &MovePoint},
          {"a pose in the plane (x, y, angle)", 2, &MovePlanarPose},
          {"a pose in the plane (angle, x, y)", 2, &MoveTurnedPose},
          {"a rotation (angle-axis)", 3, &MoveRotation<kAngleAxis, true>},
          {"a rotation of space (angle-axis)", 3,
           &MoveRotation<kAngleAxis, false>},
          {"a velocity in space", 3, &MoveVelocity},
      };
      break;
    case 4:
      readings = {
          {"a rotation (quaternion w x y z)", 3,
           &MoveRotation<Rotation::kWxyz, true>},
          {"a rotation (quaternion x y z w)", 3,
           &MoveRotation<Rotation::kXyzw, true>},
          {"a rotation of space (quaternion w x y z)", 3,
           &MoveRotation<Rotation::kWxyz, false>},
          {"a rotation of space (quaternion x y z w)", 3,
           &MoveRotation<Rotation::kXyzw, false>},
      };
      break;
    default:
      if (size == 7) readings = PosesOfQuaternion();
      if (size >= 6) {
        for (const MotionReading& reading : PosesOfAngleAxis()) {
          readings.push_back(reading);
        }
      }
      if (size > 7) {
        for (const MotionReading& reading : PosesOfQuaternion()) {
          readings.push_back(reading);
        }
      }
  }
  readings.push_back(kStays);
  return readings;
}

}  // namespace

const std::vector<MotionReading>& ReadingsOfSize(int size) {
  // Sizes above 8 are read alike.
  constexpr int kSizes = 9;
  static const std::array<std::vector<MotionReading>, kSizes> kReadings = [] {
    std::array<std::vector<MotionReading>, kSizes> readings;
    for (int k = 0; k < kSizes; ++k) readings[k] = MakeReadings(k);
    return readings;
  }();
  return kReadings[std::clamp(size, 0, kSizes - 1)];
}

}  // namespace ceres::internal
