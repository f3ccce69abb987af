// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_GENERATE_SCENE_H_
#define VESTA_EXAMPLES_GENERATE_SCENE_H_

#include <cstdint>
#include <string>

#include "bal_problem.h"

namespace ceres::examples {

// Lengths in metres, angles in radians, image quantities in pixels.
struct SceneOptions {
  int num_cameras = 100;
  int num_points = 10000;
  uint64_t seed = 1;

  double pixel_noise = 0.5;  // Standard deviation of each coordinate.
  // Share of the observations of tracks longer than 2 that are mismatches, and
  // their standard deviation.
  double outlier_fraction = 0.01;
  double outlier_noise = 15.0;

  // Errors of the initial values: noise of each camera and point, and a drift
  // that grows as a random walk along the drive, shared by the cameras and the
  // points that they see.
  double rotation_noise = 0.003;
  double center_noise = 0.05;
  double point_noise = 0.15;
  double focal_noise = 0.01;        // Relative.
  double distortion_noise = 0.004;  // Of k1; a quarter of it of k2.
  double drift_per_camera = 0.01;
};

// Makes the scene that a car records which drives round a block: a street
// along a rectangle with rounded corners, facades on both sides, a few towers
// that are seen from far. Cameras look ahead, to the left and to the right in
// turn. A point is tracked by a window of frames of heavy-tailed length among
// those that have it in view, at least two; the last frames pass once more by
// the beginning and close the loop. Points come in the order of the street,
// observations sorted by point, values as perturbed as SceneOptions says.
//
// Numbers are rounded to 9 decimal places of their unit, pixels to 4, which
// hides how mathematical libraries differ in the last bit: the same options
// give the same bits on every machine. Time and memory are linear in
// num_points.
//
// Returns false and says why in *error for options out of range: there must be
// at least 2 cameras and 1 point.
[[nodiscard]] bool GenerateScene(const SceneOptions& options,
                                 BalProblem* problem, std::string* error);

// Parses "CAMERAS,POINTS,SEED" into options. Same errors as above.
[[nodiscard]] bool ParseSceneOptions(const std::string& text,
                                     SceneOptions* options, std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_GENERATE_SCENE_H_
