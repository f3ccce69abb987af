// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_BUNDLER_H_
#define CERES_PUBLIC_IO_BUNDLER_H_

// Reads and writes scenes of Bundler (Snavely, Seitz and Szeliski, "Photo
// Tourism", 2006), files named bundle.out, version 0.3:
//
//   # Bundle file v0.3
//   <cameras> <points>
//   f k1 k2, 9 numbers R by rows, 3 numbers t           once per camera
//   x y z, r g b, <views>, <views> times (camera key x y)   once per point
//
// Functions return false on failure and then say in *error which file, line and
// token, what was expected and what was found. They may be called by several
// threads at once, for different scenes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/io/bal.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// What Bundler knows of points beside a BalProblem. The problem's observations
// are in the order of points.
struct BundlerScene {
  // Cameras have the model of BAL. A camera whose numbers are zero was not
  // reconstructed; nothing observes it.
  BalProblem problem;
  // Red, green and blue of each point, in [0, 255].
  std::vector<std::array<int, 3>> colors;
  // For each observation, the number of the key point in its image.
  std::vector<std::int64_t> keys;
};

// Reads a file. *scene is unchanged on failure. Rotation matrices become
// angle-axes; one that is no rotation, beyond rounding, is an error.
[[nodiscard]] CERES_EXPORT bool ReadBundler(const std::string& path,
                                            BundlerScene* scene,
                                            std::string* error);

// Reads text that came from `name`, which appears in error messages only.
[[nodiscard]] CERES_EXPORT bool ParseBundler(std::string_view text,
                                             const std::string& name,
                                             BundlerScene* scene,
                                             std::string* error);

// Writes a scene by WriteFile (ceres/io/text_file.h). Points are black and keys
// zero where `colors` and `keys` are empty. Refuses numbers that are not
// finite.
[[nodiscard]] CERES_EXPORT bool WriteBundler(const BundlerScene& scene,
                                             const std::string& path,
                                             std::string* error);

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_BUNDLER_H_
