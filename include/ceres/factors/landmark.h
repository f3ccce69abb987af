// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_LANDMARK_H_
#define CERES_PUBLIC_FACTORS_LANDMARK_H_

#include <algorithm>
#include <cmath>
#include <string>

#include "Eigen/Core"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/reprojection.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"
#include "ceres/internal/factor_data.h"

namespace ceres::factors {

// The measured position z of a landmark in the frame of a sensor:
// W ((x s)^-1 y - z). Two blocks: the pose x of the body, and the landmark y in
// the world (2 numbers in the plane, 3 in space). s is the pose of the sensor
// in the frame of the body, a constant. W is the square root information of z.
// `Pose` is SE2 (3 numbers), SE3 or EigenSE3 (7 numbers).
template <typename Pose>
class LandmarkFactor {
 public:
  // The number of residuals, and of numbers of a landmark.
  static constexpr int kSize = Pose::kSpaceSize;
  // z, and W, which may be singular.
  using Vector = Eigen::Matrix<double, kSize, 1>;
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  // The sensor is at the origin of the body.
  LandmarkFactor(const Vector& measured, const Matrix& square_root_information)
      : z_(measured), W_(square_root_information) {
    Pose::Identity(sensor_);
  }

  // Copies the kAmbientSize numbers of `sensor_in_body`, s.
  LandmarkFactor(const Vector& measured, const Matrix& square_root_information,
                 const double* sensor_in_body)
      : z_(measured), W_(square_root_information) {
    std::copy_n(sensor_in_body, Pose::kAmbientSize, sensor_);
  }

  // Cost functions for Problem::AddResidualBlock, which takes them over. Null
  // if the data are not valid: `error` says why, or the log if it is null.
  // Derivatives are in closed form.
  static CostFunction* Create(const Vector& measured,
                              const Matrix& square_root_information,
                              std::string* error = nullptr) {
    double at_origin[Pose::kAmbientSize];
    Pose::Identity(at_origin);
    return Create(measured, square_root_information, at_origin, error);
  }
  static CostFunction* Create(const Vector& measured,
                              const Matrix& square_root_information,
                              const double* sensor_in_body,
                              std::string* error = nullptr) {
    if (!internal::FactorData("LandmarkFactor")
             .FiniteMatrix("measured", measured)
             .FiniteMatrix("square_root_information", square_root_information)
             .template Element<Pose>("sensor_in_body", sensor_in_body)
             .IsValid(error)) {
      return nullptr;
    }
    return new CostFunctionOfFactor(
        LandmarkFactor(measured, square_root_information, sensor_in_body));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residuals) const {
    T sensor[Pose::kAmbientSize];
    T in_body[kSize];
    T error[kSize];
    internal::Convert(sensor_, Pose::kAmbientSize, sensor);
    Pose::ActInverse(pose, landmark, in_body);
    Pose::ActInverse(sensor, in_body, error);
    for (int i = 0; i < kSize; ++i) error[i] -= T(z_[i]);
    internal::Whiten(W_, error, residuals);
    return true;
  }

  // The residuals and their Jacobians, as CostFunction::Evaluate. With the
  // landmark in the frame of the body, l = x^-1 y, they are functions of l with
  // the derivative W R(s)'.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    const double* pose = parameters[0];
    (*this)(pose, parameters[1], residuals);
    if (jacobians == nullptr) return true;
    double in_body[kSize];
    Pose::ActInverse(pose, parameters[1], in_body);
    double rows[kSize * kSize];
    for (int i = 0; i < kSize; ++i) {
      // A row w R(s)' is the vector R(s) w'.
      const Vector row = W_.row(i);
      Pose::Rotation::Act(sensor_, row.data(), rows + kSize * i);
    }
    double unused[kSize * kSize];
    double* by_landmark = jacobians[1] != nullptr ? jacobians[1] : unused;
    if constexpr (kSize == 2) {
      WritePlanarDerivatives(pose, in_body, rows, jacobians[0], by_landmark);
    } else {
      internal::WriteInversePoseDerivatives<Pose>(pose, in_body, kSize, rows,
                                                  jacobians[0], by_landmark);
    }
    return true;
  }

 private:
  using CostFunctionOfFactor =
      internal::FactorCostFunction<LandmarkFactor, kSize, Pose::kAmbientSize,
                                   kSize>;

  // l = R(-a) (y - p) for the pose (a, p): dl/da = (l_y, -l_x), dl/dy = R(-a),
  // dl/dp = -R(-a).
  static void WritePlanarDerivatives(const double* pose, const double* local,
                                     const double* rows, double* by_pose,
                                     double* by_landmark) {
    for (int i = 0; i < 2; ++i) {
      const double* row = rows + 2 * i;
      double* world = by_landmark + 2 * i;
      SO2::Act(pose, row, world);
      if (by_pose == nullptr) continue;
      by_pose[3 * i] = row[0] * local[1] - row[1] * local[0];
      by_pose[3 * i + 1] = -world[0];
      by_pose[3 * i + 2] = -world[1];
    }
  }

  Vector z_;
  Matrix W_;
  double sensor_[Pose::kAmbientSize];
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_LANDMARK_H_
