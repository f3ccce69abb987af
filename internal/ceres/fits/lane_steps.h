// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The decisions of Levenberg-Marquardt in lanes, between two evaluations. The
// instruction set is chosen at run time; see lane_kernels.h about bits.

#ifndef CERES_INTERNAL_FITS_LANE_STEPS_H_
#define CERES_INTERNAL_FITS_LANE_STEPS_H_

namespace ceres::internal::fits {

// The state of the fits in the lanes. Each number stands for kLanes numbers, of
// which only those of one lane belong together. Truth values are 1 and 0. All
// memory is aligned to 64 bytes.
struct LaneFits {
  int size = 0;  // Parameters.
  double function_tolerance = 0.0;
  double gradient_tolerance = 0.0;
  double parameter_tolerance = 0.0;

  // The best point, and the point that was evaluated: parameters [size], sums
  // of products as AddProducts has them, for `size` derivatives and the
  // residual, costs.
  double *x = nullptr, *trial_x = nullptr;
  double *products = nullptr, *trial_products = nullptr;
  double *cost = nullptr, *trial_cost = nullptr;
  // Whether the trial point is the start, which has not been judged.
  double* is_fresh = nullptr;

  const double* is_fixed = nullptr;  // [size]
  // [size]; null without bounds.
  const double *lower = nullptr, *upper = nullptr;

  // [size]: the largest diagonal of J'J so far.
  double* scale = nullptr;
  double *damping = nullptr, *growth = nullptr;
  // [size]: whether the step changes the parameter, and is not given.
  double* is_free = nullptr;
  double* step = nullptr;  // [size]
  // Whether the damped matrix is positive definite, and by how much the linear
  // model of the cost falls.
  double *is_solved = nullptr, *model_decrease = nullptr;
  double* workspace = nullptr;  // [size * size + size]

  // Set by both functions: kGoOn, kConverged or kFailed.
  double* outcome = nullptr;
  static constexpr double kGoOn = 0.0;
  static constexpr double kConverged = 1.0;
  static constexpr double kFailed = 2.0;
};

// Accepts the trial points that are better, adapts the damping, and finds the
// parameters that are free at the best point.
void JudgeTrials(const LaneFits& fits);

// Computes steps from the best points, and the next trial points. Lanes that
// are fresh keep theirs.
void MakeTrials(const LaneFits& fits);

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_LANE_STEPS_H_
