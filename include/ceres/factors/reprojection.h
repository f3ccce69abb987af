// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_REPROJECTION_H_
#define CERES_PUBLIC_FACTORS_REPROJECTION_H_

#include <string>
#include <type_traits>

#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/camera_models.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"
#include "ceres/internal/factor_data.h"

namespace ceres {
namespace internal {

// Derivatives of rows . (x^-1 point) with respect to the pose x (as the
// Jacobian of a cost function, `num_rows` x 7, unless null) and to the point
// (`num_rows` x 3). `local` is x^-1 point: a step (w, v) of the pose changes it
// by local x w - v. The outputs of the points must not overlap the rows.
template <typename Pose>
inline void WriteInversePoseDerivatives(const double* x, const double* local,
                                        int num_rows, const double* rows,
                                        double* by_pose, double* by_point) {
  for (int i = 0; i < num_rows; ++i) {
    const double* row = rows + 3 * i;
    double* world = by_point + 3 * i;
    Pose::Rotation::Act(x, row, world);
    if (by_pose == nullptr) continue;
    double turn[3];
    Cross(row, local, turn);
    Pose::Rotation::ToAmbientRow(x, turn, by_pose + 7 * i);
    for (int k = 0; k < 3; ++k) {
      by_pose[7 * i + 4 + k] = -world[k];
    }
  }
}

// Whether a pose is a group, whose derivatives there are closed forms for.
template <typename Pose, typename = void>
inline constexpr bool kIsGroup = false;
template <typename Pose>
inline constexpr bool kIsGroup<Pose, std::void_t<typename Pose::Rotation>> =
    true;

// Turns the pixel into residuals and scales Jacobians. Null pointers are left
// out.
inline void WeighPixel(double weight, const double* observed, double* pixel) {
  for (int i = 0; i < 2; ++i) {
    pixel[i] = weight * (pixel[i] - observed[i]);
  }
}

inline void CopyScaled(double scale, int size, const double* from, double* to) {
  if (to == nullptr) return;
  for (int i = 0; i < size; ++i) {
    to[i] = scale * from[i];
  }
}

}  // namespace internal

namespace factors {

// The image of a point, in units of its standard deviation:
// (Project(intrinsics, x^-1 point) - observed) / sigma. Three blocks: the pose
// x of the camera, camera to world (7 numbers), the point in the world (3), and
// the intrinsics of the camera, which images of one camera share. `Camera` is a
// class of ceres/factors/camera_models.h. `Pose` is SE3 or EigenSE3; with a
// class of the end of that header, the block is world to camera.
template <typename Camera, typename Pose = SE3>
class ReprojectionFactor {
 public:
  // `sigma` is in pixels.
  ReprojectionFactor(double observed_u, double observed_v, double sigma)
      : observed_{observed_u, observed_v},
        weight_(internal::InverseSigma(sigma)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(double observed_u, double observed_v,
                              double sigma, std::string* error = nullptr) {
    if (!internal::FactorData("ReprojectionFactor")
             .Finite("observed_u", observed_u)
             .Finite("observed_v", observed_v)
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<ReprojectionFactor, 2, Pose::kAmbientSize,
                                    3, Camera::kNumIntrinsics>(
        new ReprojectionFactor(observed_u, observed_v, sigma));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose, const T* point, const T* intrinsics,
                  T* residuals) const {
    T local[3];
    Pose::ActInverse(pose, point, local);
    if (!Camera::Project(intrinsics, local, residuals)) return false;
    for (int i = 0; i < 2; ++i) {
      residuals[i] = T(weight_) * (residuals[i] - T(observed_[i]));
    }
    return true;
  }

 private:
  double observed_[2];
  double weight_;
};

// The image of a point in a camera of a rig, in units of its standard
// deviation: (Project(intrinsics, (x e)^-1 point) - observed) / sigma. Four
// blocks: the pose x of the body, body to world (7 numbers), the extrinsics e,
// camera to body (7), the point in the world (3), and the intrinsics of the
// camera. All images of a camera share e and the intrinsics.
template <typename Camera, typename Pose = SE3>
class RigReprojectionFactor {
 public:
  // `sigma` is in pixels.
  RigReprojectionFactor(double observed_u, double observed_v, double sigma)
      : observed_{observed_u, observed_v},
        weight_(internal::InverseSigma(sigma)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(double observed_u, double observed_v,
                              double sigma, std::string* error = nullptr) {
    if (!internal::FactorData("RigReprojectionFactor")
             .Finite("observed_u", observed_u)
             .Finite("observed_v", observed_v)
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    if constexpr (Camera::kHasJacobians && internal::kIsGroup<Pose>) {
      return new internal::FactorCostFunction<
          RigReprojectionFactor, 2, Pose::kAmbientSize, Pose::kAmbientSize, 3,
          Camera::kNumIntrinsics>(
          RigReprojectionFactor(observed_u, observed_v, sigma));
    } else {
      return new AutoDiffCostFunction<RigReprojectionFactor, 2,
                                      Pose::kAmbientSize, Pose::kAmbientSize, 3,
                                      Camera::kNumIntrinsics>(
          new RigReprojectionFactor(observed_u, observed_v, sigma));
    }
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose, const T* extrinsics, const T* point,
                  const T* intrinsics, T* residuals) const {
    T body[3];
    T local[3];
    Pose::ActInverse(pose, point, body);
    Pose::ActInverse(extrinsics, body, local);
    if (!Camera::Project(intrinsics, local, residuals)) return false;
    for (int i = 0; i < 2; ++i) {
      residuals[i] = T(weight_) * (residuals[i] - T(observed_[i]));
    }
    return true;
  }

  // The residuals and their Jacobians, as CostFunction::Evaluate. Needs a
  // camera with ProjectWithJacobians.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    if (jacobians == nullptr) {
      return (*this)(parameters[0], parameters[1], parameters[2], parameters[3],
                     residuals);
    }
    double body[3];
    double local[3];
    double by_intrinsics[2 * Camera::kNumIntrinsics];
    double rows[6];
    Pose::ActInverse(parameters[0], parameters[2], body);
    Pose::ActInverse(parameters[1], body, local);
    if (!Camera::ProjectWithJacobians(parameters[3], local, residuals,
                                      by_intrinsics, rows)) {
      return false;
    }
    internal::WeighPixel(weight_, observed_, residuals);
    internal::CopyScaled(weight_, 2 * Camera::kNumIntrinsics, by_intrinsics,
                         jacobians[3]);
    internal::CopyScaled(weight_, 6, rows, rows);
    double by_body_point[6];
    internal::WriteInversePoseDerivatives<Pose>(parameters[1], local, 2, rows,
                                                jacobians[1], by_body_point);
    double by_point[6];
    internal::WriteInversePoseDerivatives<Pose>(
        parameters[0], body, 2, by_body_point, jacobians[0],
        jacobians[2] != nullptr ? jacobians[2] : by_point);
    return true;
  }

 private:
  double observed_[2];
  double weight_;
};

}  // namespace factors
}  // namespace ceres

#endif  // CERES_PUBLIC_FACTORS_REPROJECTION_H_
