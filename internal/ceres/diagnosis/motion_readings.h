// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_MOTION_READINGS_H_
#define CERES_INTERNAL_DIAGNOSIS_MOTION_READINGS_H_

#include <vector>

#include "Eigen/Core"

namespace ceres::internal {

// An infinitesimal similarity of space (or of the plane: x, y and the rotation
// about z): a point X moves by translation + rotation x X + scale X.
struct SimilarityMotion {
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  Eigen::Vector3d rotation = Eigen::Vector3d::Zero();
  double scale = 0.0;
};

// One way to read the values of a parameter block as a thing in space, and how
// a similarity of space changes the values.
struct MotionReading {
  // "a point in space".
  const char* name;
  // 1, 2 or 3: of a line, of the plane or of space; 0: in all (the block does
  // not move).
  int dimension;
  // Writes the derivative of the `size` values.
  void (*move)(const double* values, int size, const SimilarityMotion& motion,
               double* derivative);
};

// The readings of blocks with that number of values, the usual ones first. The
// last one does not move.
const std::vector<MotionReading>& ReadingsOfSize(int size);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_MOTION_READINGS_H_
