// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_CAMERA_MODELS_H_
#define CERES_PUBLIC_FACTORS_CAMERA_MODELS_H_

// Cameras: classes of static functions. Points are in the frame of the camera:
// x to the right, y down, z forward. A pixel is [u, v], u to the right, v down.
// T is a floating point type or a Jet.
//
//   Project(intrinsics, point, pixel)
//   ProjectWithJacobians(intrinsics, point, pixel, by_intrinsics, by_point)
//
// The second one, which cameras with kHasJacobians have, also writes
// derivatives: by_intrinsics is 2 x kNumIntrinsics, by_point is 2 x 3, both
// row-major. Functions return false for points that
// have no image: a solve then rejects the step.
//
// Programs often store poses world to camera. At the end are the classes for
// these: the argument Pose of factors of images may be InversePose<SE3>, for
// example, instead of SE3.

#include <cmath>
#include <limits>

#include "ceres/parallel/detail/language.h"
#include "ceres/rotation.h"

namespace ceres {
namespace internal {

// Derivatives of a pixel [f_x X + c_x, f_y Y + c_y] with respect to a point
// (., ., z), where (X, Y) depends on (x, y) = (p_x, p_y) / p_z by the row-major
// 2 x 2 matrix D.
inline void WriteImageDerivatives(double fx, double fy, const double D[4],
                                  double x, double y, double inverse_depth,
                                  double* by_point) {
  const double sx = fx * inverse_depth;
  const double sy = fy * inverse_depth;
  by_point[0] = sx * D[0];
  by_point[1] = sx * D[1];
  by_point[2] = -(by_point[0] * x + by_point[1] * y);
  by_point[3] = sy * D[2];
  by_point[4] = sy * D[3];
  by_point[5] = -(by_point[3] * x + by_point[4] * y);
}

// The image of a point in the cameras of OpenCV, which share
// [f_x, f_y, c_x, c_y, k_1, k_2, p_1, p_2]. `higher` is the function of r^2 by
// which the radial distortion 1 + k_1 r^2 + higher(r^2) r^4 ends.
template <typename T, typename Higher>
inline bool ProjectWithTangentialDistortion(const T* k, const T* point,
                                            const Higher& higher, T* pixel) {
  if (!(point[2] > T(0.0))) return false;
  const T inverse_depth = T(1.0) / point[2];
  const T x = point[0] * inverse_depth;
  const T y = point[1] * inverse_depth;
  const T x2 = x * x;
  const T y2 = y * y;
  const T twice_xy = T(2.0) * x * y;
  const T r2 = x2 + y2;
  const T d = T(1.0) + r2 * (k[4] + r2 * higher(r2));
  pixel[0] = k[0] * (d * x + k[6] * twice_xy + k[7] * (r2 + x2 + x2)) + k[2];
  pixel[1] = k[1] * (d * y + k[7] * twice_xy + k[6] * (r2 + y2 + y2)) + k[3];
  return true;
}

}  // namespace internal

namespace factors {

// [f_x, f_y, c_x, c_y]: u = f_x x + c_x, v = f_y y + c_y with x = p_x / p_z and
// y = p_y / p_z. Points need a positive depth p_z.
struct PinholeCamera {
  // f_x, f_y, c_x, c_y.
  static constexpr int kNumIntrinsics = 4;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = false;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    if (!(point[2] > T(0.0))) return false;
    const T inverse_depth = T(1.0) / point[2];
    pixel[0] = k[0] * (point[0] * inverse_depth) + k[2];
    pixel[1] = k[1] * (point[1] * inverse_depth) + k[3];
    return true;
  }
};

// [f, c_x, c_y, k_1]: u = f d x + c_x, v = f d y + c_y with x and y as in
// PinholeCamera and d = 1 + k_1 r^2, r^2 = x^2 + y^2. Points need a positive
// depth.
struct SimpleRadialCamera {
  // f, c_x, c_y, k_1.
  static constexpr int kNumIntrinsics = 4;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = false;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    if (!(point[2] > T(0.0))) return false;
    const T inverse_depth = T(1.0) / point[2];
    const T x = point[0] * inverse_depth;
    const T y = point[1] * inverse_depth;
    const T scale = k[0] * (T(1.0) + k[3] * (x * x + y * y));
    pixel[0] = scale * x + k[1];
    pixel[1] = scale * y + k[2];
    return true;
  }
};

// [f, c_x, c_y, k_1, k_2]: the same with d = 1 + k_1 r^2 + k_2 r^4.
struct RadialCamera {
  // f, c_x, c_y, k_1, k_2.
  static constexpr int kNumIntrinsics = 5;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = false;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    if (!(point[2] > T(0.0))) return false;
    const T inverse_depth = T(1.0) / point[2];
    const T x = point[0] * inverse_depth;
    const T y = point[1] * inverse_depth;
    const T r2 = x * x + y * y;
    const T scale = k[0] * (T(1.0) + r2 * (k[3] + r2 * k[4]));
    pixel[0] = scale * x + k[1];
    pixel[1] = scale * y + k[2];
    return true;
  }
};

// OpenCV's model with five coefficients, in the order of cv::calibrateCamera:
// [f_x, f_y, c_x, c_y, k_1, k_2, p_1, p_2, k_3]. With x, y and r as above and
// d = 1 + k_1 r^2 + k_2 r^4 + k_3 r^6,
//
//   u = f_x (d x + 2 p_1 x y + p_2 (r^2 + 2 x^2)) + c_x,
//   v = f_y (d y + 2 p_2 x y + p_1 (r^2 + 2 y^2)) + c_y.
//
// Points need a positive depth. Brown, "Decentering Distortion of Lenses",
// 1966.
struct OpenCVCamera {
  // f_x, f_y, c_x, c_y, k_1, k_2, p_1, p_2, k_3.
  static constexpr int kNumIntrinsics = 9;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = true;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    return internal::ProjectWithTangentialDistortion(
        k, point, [k](const T& r2) { return k[5] + r2 * k[8]; }, pixel);
  }

  // The image of a point and its derivatives.
  static bool ProjectWithJacobians(const double* k, const double* point,
                                   double* pixel, double* by_intrinsics,
                                   double* by_point) {
    if (!(point[2] > 0.0)) return false;
    const double inverse_depth = 1.0 / point[2];
    const double x = point[0] * inverse_depth;
    const double y = point[1] * inverse_depth;
    const double xy = x * y;
    const double r2 = x * x + y * y;
    const double d = 1.0 + r2 * (k[4] + r2 * (k[5] + r2 * k[8]));
    const double slope = 2.0 * (k[4] + r2 * (2.0 * k[5] + r2 * 3.0 * k[8]));
    const double tx = r2 + 2.0 * x * x;
    const double ty = r2 + 2.0 * y * y;
    const double X = d * x + 2.0 * k[6] * xy + k[7] * tx;
    const double Y = d * y + 2.0 * k[7] * xy + k[6] * ty;
    pixel[0] = k[0] * X + k[2];
    pixel[1] = k[1] * Y + k[3];
    const double fx2 = k[0] * r2 * x;
    const double fy2 = k[1] * r2 * y;
    const double rows[18] = {X,
                             0.0,
                             1.0,
                             0.0,
                             fx2,
                             fx2 * r2,
                             2.0 * k[0] * xy,
                             k[0] * tx,
                             fx2 * r2 * r2,
                             0.0,
                             Y,
                             0.0,
                             1.0,
                             fy2,
                             fy2 * r2,
                             k[1] * ty,
                             2.0 * k[1] * xy,
                             fy2 * r2 * r2};
    for (int i = 0; i < 18; ++i) by_intrinsics[i] = rows[i];
    const double mixed = slope * xy + 2.0 * (k[6] * x + k[7] * y);
    const double D[4] = {d + slope * x * x + 2.0 * k[6] * y + 6.0 * k[7] * x,
                         mixed, mixed,
                         d + slope * y * y + 6.0 * k[6] * y + 2.0 * k[7] * x};
    internal::WriteImageDerivatives(k[0], k[1], D, x, y, inverse_depth,
                                    by_point);
    return true;
  }
};

// OpenCVCamera without k_3, as COLMAP's OPENCV:
// [f_x, f_y, c_x, c_y, k_1, k_2, p_1, p_2].
struct OpenCV4Camera {
  // f_x, f_y, c_x, c_y, k_1, k_2, p_1, p_2.
  static constexpr int kNumIntrinsics = 8;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = false;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    return internal::ProjectWithTangentialDistortion(
        k, point, [k](const T& /*r2*/) { return k[5]; }, pixel);
  }
};

// OpenCV's fisheye model: [f_x, f_y, c_x, c_y, k_1, k_2, k_3, k_4]. With the
// angle t = atan2(r, p_z) to the axis, r^2 = p_x^2 + p_y^2, and
// g(t) = t (1 + k_1 t^2 + k_2 t^4 + k_3 t^6 + k_4 t^8),
//
//   u = f_x g(t) p_x / r + c_x,   v = f_y g(t) p_y / r + c_y.
//
// Points may be behind the camera, but not on the axis there. Kannala and
// Brandt, "A Generic Camera Model and Calibration Method for Conventional,
// Wide-Angle, and Fish-Eye Lenses", 2006.
struct FisheyeCamera {
  // f_x, f_y, c_x, c_y, k_1, k_2, k_3, k_4.
  static constexpr int kNumIntrinsics = 8;

  // Whether there is a ProjectWithJacobians.
  static constexpr bool kHasJacobians = true;

  // The image of a point.
  template <typename T>
  static bool Project(const T* k, const T* point, T* pixel) {
    using std::atan2;
    using std::sqrt;
    const T r2 = point[0] * point[0] + point[1] * point[1];
    T scale;  // g(t) / r.
    if (r2 > T(kSmall) * point[2] * point[2]) {
      const T r = sqrt(r2);
      const T t = atan2(r, point[2]);
      const T t2 = t * t;
      const T g = T(1.0) + t2 * (k[4] + t2 * (k[5] + t2 * (k[6] + t2 * k[7])));
      scale = t * g / r;
    } else {
      if (!(point[2] > T(0.0))) return false;
      scale = T(1.0) / point[2];
    }
    pixel[0] = k[0] * (scale * point[0]) + k[2];
    pixel[1] = k[1] * (scale * point[1]) + k[3];
    return true;
  }

  // The image of a point and its derivatives.
  static bool ProjectWithJacobians(const double* k, const double* point,
                                   double* pixel, double* by_intrinsics,
                                   double* by_point) {
    const double r2 = point[0] * point[0] + point[1] * point[1];
    const double rho2 = r2 + point[2] * point[2];
    double scale, powers, by_depth, curvature = 0.0, t2 = 0.0;
    if (r2 > kSmall * point[2] * point[2]) {
      const double r = std::sqrt(r2);
      const double t = std::atan2(r, point[2]);
      t2 = t * t;
      const double g =
          1.0 + t2 * (k[4] + t2 * (k[5] + t2 * (k[6] + t2 * k[7])));
      const double slope =
          1.0 + t2 * (3.0 * k[4] +
                      t2 * (5.0 * k[5] + t2 * (7.0 * k[6] + t2 * 9.0 * k[7])));
      powers = t * t2 / r;  // The derivative of the scale by k_1.
      scale = t * g / r;
      by_depth = -slope / rho2;
      // The derivative of the scale by p_x is p_x times this.
      curvature = (slope * point[2] / rho2 - scale) / r2;
    } else {
      if (!(point[2] > 0.0)) return false;
      scale = 1.0 / point[2];
      powers = 0.0;
      by_depth = -1.0 / rho2;
    }
    for (int i = 0; i < 2; ++i) {
      const double value = scale * point[i];
      pixel[i] = k[i] * value + k[2 + i];
      double* row = by_intrinsics + kNumIntrinsics * i;
      row[i] = value;
      row[1 - i] = 0.0;
      row[2 + i] = 1.0;
      row[3 - i] = 0.0;
      double power = k[i] * powers * point[i];
      for (int n = 4; n < kNumIntrinsics; ++n) {
        row[n] = power;
        power *= t2;
      }
      double* gradient = by_point + 3 * i;
      const double product = k[i] * curvature * point[i];
      gradient[i] = k[i] * scale + product * point[i];
      gradient[1 - i] = product * point[1 - i];
      gradient[2] = k[i] * by_depth * point[i];
    }
    return true;
  }

 private:
  // Below this r^2 / p_z^2, t = r / p_z to rounding, and the terms of k_1 to
  // k_4 are below rounding.
  static constexpr double kSmall = std::numeric_limits<double>::epsilon();
};

// The inverse of a pose: world to camera, or for a rig world to body and body
// to camera. The numbers are those of `Pose`, which is SE3 or EigenSE3. Points
// in the frame of the camera are R point + t.
template <typename Pose>
struct InversePose {
  // The numbers of a pose, and of a point.
  static constexpr int kAmbientSize = Pose::kAmbientSize;
  static constexpr int kSpaceSize = Pose::kSpaceSize;

  // The point of the world, in the frame of the camera.
  template <typename T>
  static void ActInverse(const T* x, const T* point, T* result) {
    Pose::Act(x, point, result);
  }
};

// The same with [w, t] (6 numbers): R is the rotation by the angle-axis vector
// w. These are OpenCV's rvec and tvec. The block needs no manifold.
struct AngleAxisInversePose {
  // w, t; a point.
  static constexpr int kAmbientSize = 6;
  static constexpr int kSpaceSize = 3;

  // The point of the world, in the frame of the camera.
  template <typename T>
  static void ActInverse(const T* x, const T* point, T* result) {
    AngleAxisRotatePoint(x, point, result);
    for (int i = 0; i < 3; ++i) result[i] += x[3 + i];
  }
};

}  // namespace factors
}  // namespace ceres

#endif  // CERES_PUBLIC_FACTORS_CAMERA_MODELS_H_
