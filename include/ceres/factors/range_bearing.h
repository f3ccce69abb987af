// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_RANGE_BEARING_H_
#define CERES_PUBLIC_FACTORS_RANGE_BEARING_H_

#include <cmath>
#include <limits>
#include <string>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_data.h"
#include "ceres/internal/sphere_frame.h"

namespace ceres::factors {

// The distance of a landmark from a body, in units of its standard deviation:
// (|landmark - position| - range) / sigma. Two blocks: the pose of the body and
// the landmark in the world. `Pose` is SE2, SE3 or EigenSE3. Evaluation fails
// if the landmark is at the position of the body, where there is no derivative.
template <typename Pose>
class RangeFactor {
 public:
  // Both have the unit of the positions.
  RangeFactor(double range, double sigma)
      : range_(range), weight_(internal::InverseSigma(sigma)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(double range, double sigma,
                              std::string* error = nullptr) {
    if (!internal::FactorData("RangeFactor")
             .Finite("range", range)
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<RangeFactor, 1, Pose::kAmbientSize,
                                    Pose::kSpaceSize>(
        new RangeFactor(range, sigma));
  }

  // The residual.
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residuals) const {
    using std::sqrt;
    // The position is behind the rotation.
    constexpr int kPosition = Pose::kAmbientSize - Pose::kSpaceSize;
    T squared = T(0.0);
    for (int i = 0; i < Pose::kSpaceSize; ++i) {
      const T offset = landmark[i] - pose[kPosition + i];
      squared += offset * offset;
    }
    if (!(squared > T(0.0))) return false;
    residuals[0] = T(weight_) * (sqrt(squared) - T(range_));
    return true;
  }

 private:
  double range_;
  double weight_;
};

// The direction of a landmark, seen from a body in the plane:
// (atan2(y, x) - bearing) / sigma for the landmark (x, y) in the frame of the
// body, with the difference in [-pi, pi]. Two blocks: the pose of the body
// (SE2, 3 numbers) and the landmark in the world (2). Evaluation fails if the
// landmark is at the position of the body.
class PlanarBearingFactor {
 public:
  // Both in radians, the bearing counter-clockwise from the body's x axis.
  PlanarBearingFactor(double bearing, double sigma)
      : bearing_(bearing), weight_(internal::InverseSigma(sigma)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(double bearing, double sigma,
                              std::string* error = nullptr) {
    if (!internal::FactorData("PlanarBearingFactor")
             .Finite("bearing", bearing)
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<PlanarBearingFactor, 1, 3, 2>(
        new PlanarBearingFactor(bearing, sigma));
  }

  // The residual.
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residuals) const {
    using std::atan2;
    const T offset[2] = {landmark[0] - pose[1], landmark[1] - pose[2]};
    if (!(offset[0] * offset[0] + offset[1] * offset[1] > T(0.0))) return false;
    const T angle = atan2(offset[1], offset[0]) - pose[0] - T(bearing_);
    residuals[0] = T(weight_) * NormalizeAngle(angle);
    return true;
  }

 private:
  double bearing_;
  double weight_;
};

// The direction of a landmark, seen from a body in space: the angle from the
// measured direction in radians, as a vector of two coordinates across the
// measured direction, over sigma. Two blocks: the pose of the body (7 numbers)
// and the landmark in the world (3). Evaluation fails if the landmark is at the
// position of the body, or exactly opposite to the measured direction.
template <typename Pose = SE3>
class BearingFactor {
 public:
  // `direction` is in the frame of the body, and of any length but 0. `sigma`
  // is in radians, for each coordinate.
  BearingFactor(const Eigen::Vector3d& direction, double sigma)
      : direction_(direction.normalized()),
        weight_(internal::InverseSigma(sigma)) {
    internal::CheckThat(direction.squaredNorm() > 0.0,
                        "The direction of a BearingFactor is zero.");
    internal::SphereFrame<3>(direction_.data(), 3)
        .WriteUnitMinusJacobian(3, across_);
  }

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const Eigen::Vector3d& direction, double sigma,
                              std::string* error = nullptr) {
    if (!internal::FactorData("BearingFactor")
             .Direction("direction", direction.data())
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<BearingFactor, 2, Pose::kAmbientSize, 3>(
        new BearingFactor(direction, sigma));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residuals) const {
    using std::atan2;
    using std::sqrt;
    T local[3];
    Pose::ActInverse(pose, landmark, local);
    const T along = Dot(direction_.data(), local);
    const T h[2] = {Dot(across_, local), Dot(across_ + 3, local)};
    const T squared = h[0] * h[0] + h[1] * h[1];
    T ratio;  // The angle over |h|.
    if (squared > T(std::numeric_limits<double>::epsilon()) * along * along) {
      const T sine = sqrt(squared);
      ratio = atan2(sine, along) / sine;
    } else {
      if (!(along > T(0.0))) return false;
      ratio = T(1.0) / along;
    }
    residuals[0] = T(weight_) * ratio * h[0];
    residuals[1] = T(weight_) * ratio * h[1];
    return true;
  }

 private:
  template <typename T>
  static T Dot(const double* row, const T* v) {
    return T(row[0]) * v[0] + T(row[1]) * v[1] + T(row[2]) * v[2];
  }

  Eigen::Vector3d direction_;
  double across_[6];  // Two rows: an orthonormal basis across the direction.
  double weight_;
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_RANGE_BEARING_H_
