// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// A bundle adjustment problem of "Bundle Adjustment in the Large" (Agarwal,
// Snavely, Seitz, Szeliski, ECCV 2010), kept as flat arrays.
//
// A camera is 9 numbers: rotation as angle-axis (3), translation t (3), focal
// length f (pixels), radial distortion k1 and k2. With quaternions it is 10:
// rotation as a unit quaternion w, x, y, z (4), then the same. A point X of the
// world projects to
//
//   P = R X + t,   p = -P.xy / P.z,   p' = f (1 + k1 |p|^2 + k2 |p|^4) p,
//
// in pixels from the image centre, y up: the camera looks along its -z axis.

#ifndef VESTA_EXAMPLES_BAL_PROBLEM_H_
#define VESTA_EXAMPLES_BAL_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ceres::examples {

inline constexpr int kAngleAxisCameraSize = 9;
inline constexpr int kQuaternionCameraSize = 10;
inline constexpr int kPointSize = 3;

struct BalProblem {
  int num_cameras() const {
    return static_cast<int>(cameras.size() / static_cast<size_t>(camera_size));
  }
  int num_points() const {
    return static_cast<int>(points.size() / kPointSize);
  }
  int num_observations() const { return static_cast<int>(camera_index.size()); }

  double* camera(int i) {
    return cameras.data() + static_cast<int64_t>(i) * camera_size;
  }
  const double* camera(int i) const {
    return cameras.data() + static_cast<int64_t>(i) * camera_size;
  }
  double* point(int i) {
    return points.data() + static_cast<int64_t>(i) * kPointSize;
  }
  const double* point(int i) const {
    return points.data() + static_cast<int64_t>(i) * kPointSize;
  }

  // Observation i is pixel (observations[2 i], observations[2 i + 1]) of point
  // point_index[i] in the image of camera camera_index[i].
  std::vector<int> camera_index;
  std::vector<int> point_index;
  std::vector<double> observations;

  int camera_size = kAngleAxisCameraSize;
  std::vector<double> cameras;  // num_cameras x camera_size, row-major.
  std::vector<double> points;   // num_points x 3, row-major.
};

// X_normalized = scale * (X - center).
struct Normalization {
  double scale = 1.0;
  double center[3] = {0.0, 0.0, 0.0};
};

// Moves the median of the points (by coordinate) to the origin and scales the
// scene so that the median 1-norm of the points becomes 100. Reprojections do
// not change but by rounding. Returns what was done, for Denormalize.
Normalization Normalize(BalProblem* problem);
void Denormalize(const Normalization& normalization, BalProblem* problem);

// Standard deviations of the noise that Perturb adds.
struct PerturbationOptions {
  double rotation_sigma = 0.0;     // Radians, by component of the angle-axis.
  double translation_sigma = 0.0;  // Units of the scene, by component of t.
  double point_sigma = 0.0;        // Units of the scene, by coordinate.
  uint64_t seed = 38401;
};

// Turns each camera about its own centre, then shifts its translation and
// every point. The same options give the same numbers on every machine.
void Perturb(const PerturbationOptions& options, BalProblem* problem);

// Change how rotations are stored; no-ops where they are stored so already.
void UseQuaternions(BalProblem* problem);
void UseAngleAxis(BalProblem* problem);

// center = -R' t, the position of the camera in the world.
void CameraCenter(const BalProblem& problem, int camera, double center[3]);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_BAL_PROBLEM_H_
