// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the examples do with bundle adjustment problems.

#ifndef VESTA_EXAMPLES_BAL_PROBLEM_H_
#define VESTA_EXAMPLES_BAL_PROBLEM_H_

#include <cstdint>

#include "ceres/io/bal.h"

namespace ceres::examples {

using io::BalProblem;
using io::kAngleAxisCameraSize;
using io::kPointSize;
using io::kQuaternionCameraSize;

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
