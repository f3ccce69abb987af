// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_BAL_H_
#define CERES_PUBLIC_IO_BAL_H_

// Reads and writes problems of "Bundle Adjustment in the Large" (Agarwal,
// Snavely, Seitz and Szeliski, ECCV 2010), as text of tokens between white
// space:
//
//   <cameras> <points> <observations>
//   <camera> <point> <x> <y>              once per observation, indices from 0
//   9 numbers per camera, then 3 numbers per point
//
// Functions return false on failure and then say in *error which file, line and
// token, what was expected and what was found. They may be called by several
// threads at once, for different problems.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// Numbers of a camera, by how its rotation is stored, and of a point.
inline constexpr int kAngleAxisCameraSize = 9;
inline constexpr int kQuaternionCameraSize = 10;
inline constexpr int kPointSize = 3;

// Cameras, points and observations, as flat arrays.
//
// A camera is 9 numbers: rotation as angle-axis (3), translation t (3), focal
// length f (pixels), radial distortion k1 and k2. With quaternions it is 10:
// rotation as a unit quaternion w, x, y, z (4), then the same. A point X of the
// world projects to
//
//   P = R X + t,   p = -P.xy / P.z,   p' = f (1 + k1 |p|^2 + k2 |p|^4) p,
//
// in pixels from the image centre, y up: the camera looks along its -z axis.
struct BalProblem {
  // The sizes of the arrays.
  int num_cameras() const {
    return static_cast<int>(cameras.size() / static_cast<size_t>(camera_size));
  }
  int num_points() const {
    return static_cast<int>(points.size() / kPointSize);
  }
  int num_observations() const { return static_cast<int>(camera_index.size()); }

  // The numbers of camera i and of point i.
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

  // kAngleAxisCameraSize or kQuaternionCameraSize.
  int camera_size = kAngleAxisCameraSize;
  // num_cameras x camera_size and num_points x 3 numbers, row-major.
  std::vector<double> cameras;
  std::vector<double> points;
};

// Reads a file. *problem is unchanged on failure. Counts that the file is too
// short for are refused before memory is reserved for them.
[[nodiscard]] CERES_EXPORT bool ReadBal(const std::string& path,
                                        BalProblem* problem,
                                        std::string* error);

// Reads text that came from `name`, which appears in error messages only.
[[nodiscard]] CERES_EXPORT bool ParseBal(std::string_view text,
                                         const std::string& name,
                                         BalProblem* problem,
                                         std::string* error);

// Writes a problem by WriteFile (ceres/io/text_file.h), with the digits that it
// takes to read the same doubles again. Quaternions become angle-axes. Refuses
// numbers that are not finite.
[[nodiscard]] CERES_EXPORT bool WriteBal(const BalProblem& problem,
                                         const std::string& path,
                                         std::string* error);

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_BAL_H_
