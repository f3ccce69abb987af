// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_
#define CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_

#include <algorithm>
#include <cstddef>

#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/state_archive.h"
#include "ceres/minimizer/vector_view.h"

namespace ceres::internal {

// Extrapolates slow sequences of steps (the method of parallel tangents).
//
// Assume that in some directions the curvature of the cost exceeds the
// curvature of the Gauss-Newton model. Damped steps overshoot in these
// directions. The radius adapts until a step achieves about half of the
// predicted decrease, and the steps alternate between two sides of a valley:
//
//   step_k = a + (-1)^k z        a along the valley, z across the valley
//
// The sum of two successive steps has no component z. After a step to the
// point x, the minimizer also tries
//
//   x + factor (step_{k-1} + step_k)
//
// and takes this point if its cost is lower. The factor is doubled if the point
// is taken, and divided by 4 if not. A point is tried only if the sequence is
// slow: a step decreases the cost by at least half of what the previous step
// did. Not thread-safe.
//
// B. Shah, R. Buehler, O. Kempthorne, Some Algorithms for Minimizing a Function
// of Several Variables, J. SIAM 12, 1964.
class ParallelTangents {
 public:
  // previous_step: memory for the last accepted step, num_delta values; must
  // outlive this.
  explicit ParallelTangents(VectorView previous_step)
      : previous_step_(previous_step) {}

  // Returns whether to try a point after a step that decreases the cost by
  // `decrease`. Writes the displacement from the end of `step` to the point.
  bool Propose(double decrease, VectorView step,
               VectorView displacement) const {
    if (!has_previous_step_ || decrease < kSlowSequence * previous_decrease_) {
      return false;
    }
    for (std::size_t j = 0; j < step.size(); ++j) {
      displacement[j] = factor_ * (previous_step_[j] + step[j]);
    }
    return true;
  }

  // Records whether the cost at the proposed point was lower.
  void Judge(bool is_better) {
    factor_ = is_better ? std::min(kMaxExtrapolation, factor_ * 2.0)
                        : std::max(kMinExtrapolation, factor_ / 4.0);
  }

  // Records an accepted step, displacement included if it was better.
  // decrease: of the cost, by the step without displacement.
  void Accept(double decrease, VectorView step) {
    std::copy(step.begin(), step.end(), previous_step_.begin());
    previous_decrease_ = decrease;
    has_previous_step_ = true;
  }

  // Records that a step was accepted that cannot be extrapolated.
  void Forget() { has_previous_step_ = false; }

  void TransferState(StateArchive* archive) {
    archive->Array(previous_step_.data(), previous_step_.size());
    archive->Value(&has_previous_step_);
    archive->Value(&previous_decrease_);
    archive->Value(&factor_);
  }

 private:
  VectorView previous_step_;
  bool has_previous_step_ = false;
  double previous_decrease_ = 0.0;
  double factor_ = 1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_PARALLEL_TANGENTS_H_
