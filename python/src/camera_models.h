// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Camera models: how a point in the frame of a camera, which looks along +z,
// becomes a pixel. With u = x / z, v = y / z, r^2 = u^2 + v^2.
//
//   pinhole        fx, fy, cx, cy
//                  (fx u + cx, fy v + cy)
//   simple_radial  f, cx, cy, k
//                  (f d u + cx, f d v + cy),  d = 1 + k r^2
//   radial         f, cx, cy, k1, k2
//                  the same with d = 1 + k1 r^2 + k2 r^4
//   opencv         fx, fy, cx, cy, k1, k2, p1, p2
//                  u' = d u + 2 p1 u v + p2 (r^2 + 2 u^2)
//                  v' = d v + p1 (r^2 + 2 v^2) + 2 p2 u v
//   fisheye        fx, fy, cx, cy, k1, k2, k3, k4
//                  (u', v') = t d / r (u, v),  t = atan(r),
//                  d = 1 + k1 t^2 + k2 t^4 + k3 t^6 + k4 t^8
//
// Brown, "Close-range camera calibration", 1971; Kannala and Brandt, "A Generic
// Camera Model and Calibration Method for Conventional, Wide-Angle, and
// Fish-Eye Lenses", 2006. The fisheye model uses the angle to the axis, so that
// points beside the camera (z <= 0) have an image, too.

#ifndef VESTA_PYTHON_CAMERA_MODELS_H_
#define VESTA_PYTHON_CAMERA_MODELS_H_

#include <cmath>

namespace vesta::python {

struct PinholeModel {
  static constexpr int kSize = 4;
  template <typename T>
  static bool Project(const T* c, const T* p, T* pixel) {
    if (!(p[2] > T(0.0))) return false;
    pixel[0] = c[0] * (p[0] / p[2]) + c[2];
    pixel[1] = c[1] * (p[1] / p[2]) + c[3];
    return true;
  }
};

struct SimpleRadialModel {
  static constexpr int kSize = 4;
  template <typename T>
  static bool Project(const T* c, const T* p, T* pixel) {
    if (!(p[2] > T(0.0))) return false;
    const T u = p[0] / p[2];
    const T v = p[1] / p[2];
    const T scale = c[0] * (1.0 + c[3] * (u * u + v * v));
    pixel[0] = scale * u + c[1];
    pixel[1] = scale * v + c[2];
    return true;
  }
};

struct RadialModel {
  static constexpr int kSize = 5;
  template <typename T>
  static bool Project(const T* c, const T* p, T* pixel) {
    if (!(p[2] > T(0.0))) return false;
    const T u = p[0] / p[2];
    const T v = p[1] / p[2];
    const T r2 = u * u + v * v;
    const T scale = c[0] * (1.0 + r2 * (c[3] + r2 * c[4]));
    pixel[0] = scale * u + c[1];
    pixel[1] = scale * v + c[2];
    return true;
  }
};

struct OpenCvModel {
  static constexpr int kSize = 8;
  template <typename T>
  static bool Project(const T* c, const T* p, T* pixel) {
    if (!(p[2] > T(0.0))) return false;
    const T u = p[0] / p[2];
    const T v = p[1] / p[2];
    const T uu = u * u;
    const T vv = v * v;
    const T uv = u * v;
    const T r2 = uu + vv;
    const T radial = 1.0 + r2 * (c[4] + r2 * c[5]);
    pixel[0] =
        c[0] * (radial * u + 2.0 * c[6] * uv + c[7] * (r2 + 2.0 * uu)) + c[2];
    pixel[1] =
        c[1] * (radial * v + c[6] * (r2 + 2.0 * vv) + 2.0 * c[7] * uv) + c[3];
    return true;
  }
};

struct FisheyeModel {
  static constexpr int kSize = 8;
  template <typename T>
  static bool Project(const T* c, const T* p, T* pixel) {
    using std::atan2;
    using std::sqrt;
    const T square = p[0] * p[0] + p[1] * p[1];
    T ratio;  // theta d(theta) / (distance from the axis)
    if (square > T(1e-24)) {
      const T distance = sqrt(square);
      const T theta = atan2(distance, p[2]);
      const T t2 = theta * theta;
      const T d = 1.0 + t2 * (c[4] + t2 * (c[5] + t2 * (c[6] + t2 * c[7])));
      ratio = theta * d / distance;
    } else {
      // On the axis, theta / distance tends to 1 / z.
      if (!(p[2] > T(0.0))) return false;
      ratio = 1.0 / p[2];
    }
    pixel[0] = c[0] * (ratio * p[0]) + c[2];
    pixel[1] = c[1] * (ratio * p[1]) + c[3];
    return true;
  }
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_CAMERA_MODELS_H_
