// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Reprojection errors of the camera model of "Photo tourism" (Snavely, Seitz,
// Szeliski, SIGGRAPH 2006), as bal_problem.h spells it out: no principal point,
// two radial distortion terms, the camera looks along -z.

#ifndef VESTA_EXAMPLES_SNAVELY_REPROJECTION_ERROR_H_
#define VESTA_EXAMPLES_SNAVELY_REPROJECTION_ERROR_H_

#include "bal_problem.h"
#include "ceres/autodiff_cost_function.h"
#include "ceres/rotation.h"

namespace ceres::examples {

// residual = projection - observed, in pixels, for a point P in the coordinates
// of the camera and intrinsics f, k1, k2.
// D: double, or a column of a batch.
template <typename T, typename D>
void SnavelyResidual(const T camera_point[3], const T intrinsics[3],
                     const D& observed_x, const D& observed_y, T residual[2]) {
  const T inverse_depth = T(-1.0) / camera_point[2];
  const T x = camera_point[0] * inverse_depth;
  const T y = camera_point[1] * inverse_depth;

  const T& focal = intrinsics[0];
  const T& k1 = intrinsics[1];
  const T& k2 = intrinsics[2];
  const T radius2 = x * x + y * y;
  const T scale = focal * (T(1.0) + radius2 * (k1 + k2 * radius2));

  residual[0] = scale * x - T(observed_x);
  residual[1] = scale * y - T(observed_y);
}

// Camera: angle-axis (3), translation (3), f, k1, k2.
class SnavelyReprojectionError {
 public:
  SnavelyReprojectionError(double observed_x, double observed_y)
      : observed_x_(observed_x), observed_y_(observed_y) {}

  template <typename T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    T p[3];
    AngleAxisRotatePoint(camera, point, p);
    for (int k = 0; k < 3; ++k) p[k] += camera[3 + k];
    SnavelyResidual(p, camera + 6, observed_x_, observed_y_, residuals);
    return true;
  }

  // The caller owns the result.
  static CostFunction* Create(double observed_x, double observed_y) {
    return new AutoDiffCostFunction<SnavelyReprojectionError, 2,
                                    kAngleAxisCameraSize, kPointSize>(
        new SnavelyReprojectionError(observed_x, observed_y));
  }

 private:
  double observed_x_;
  double observed_y_;
};

// Camera: quaternion w, x, y, z (4, of any length but zero), translation (3),
// f, k1, k2.
class SnavelyReprojectionErrorWithQuaternions {
 public:
  SnavelyReprojectionErrorWithQuaternions(double observed_x, double observed_y)
      : observed_x_(observed_x), observed_y_(observed_y) {}

  template <typename T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    T p[3];
    QuaternionRotatePoint(camera, point, p);
    for (int k = 0; k < 3; ++k) p[k] += camera[4 + k];
    SnavelyResidual(p, camera + 7, observed_x_, observed_y_, residuals);
    return true;
  }

  // The caller owns the result.
  static CostFunction* Create(double observed_x, double observed_y) {
    return new AutoDiffCostFunction<SnavelyReprojectionErrorWithQuaternions, 2,
                                    kQuaternionCameraSize, kPointSize>(
        new SnavelyReprojectionErrorWithQuaternions(observed_x, observed_y));
  }

 private:
  double observed_x_;
  double observed_y_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SNAVELY_REPROJECTION_ERROR_H_
