// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_
#define CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_

#include "ceres/minimizer/vector_view.h"

namespace ceres::internal {

// Extrapolates slow sequences of steps.
//
// Where the curvature of the cost is larger than that of the Gauss-Newton model
// in some directions, damped steps overshoot in these directions. The radius
// settles where half of the predicted decrease is found, and the steps
// alternate between the two sides of a valley, with little progress along it:
//
//   step_k = a + (-1)^k z        a along the valley, z across
//
// The sum of two successive steps has no component z. After a step to the
// point x the point
//
//   x + factor (step_{k-1} + step_k)
//
// is therefore tried as well, and taken if its cost is lower. The factor is
// doubled when the point is taken and quartered when it is not. A point is
// tried only where the sequence is slow: where the step decreases the cost by
// at least half of what the step before did.
//
// B. Shah, R. Buehler and O. Kempthorne, Some Algorithms for Minimizing a
// Function of Several Variables, J. SIAM 12, 1964 (parallel tangents).
class ParallelTangents {
 public:
  // previous_step: memory for the last step taken, which must outlive this.
  explicit ParallelTangents(VectorView previous_step)
      : previous_step_(previous_step) {}

  // Whether a point is to be tried after a step that decreases the cost by
  // `decrease`. Writes the displacement from the end of `step` to the point.
  bool Propose(double decrease, VectorView step, VectorView displacement) const;

  // Whether the proposed point had the lower cost.
  void Judge(bool is_better);

  // The step, with the displacement if that was better, is taken. `decrease` is
  // that of the step alone.
  void Accept(double decrease, VectorView step);

  // A step of which nothing else is known is taken.
  void Forget() { has_previous_step_ = false; }

 private:
  static constexpr double kSlow = 0.5;
  static constexpr double kMinFactor = 0.5;
  static constexpr double kMaxFactor = 64.0;

  VectorView previous_step_;
  bool has_previous_step_ = false;
  double previous_decrease_ = 0.0;
  double factor_ = 1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_
