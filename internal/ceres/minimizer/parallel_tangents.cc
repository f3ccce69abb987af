// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/parallel_tangents.h"

#include <algorithm>
#include <cstddef>

#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {

bool ParallelTangents::Propose(double decrease, VectorView step,
                               VectorView displacement) const {
  if (!has_previous_step_ || decrease < kSlowSequence * previous_decrease_) {
    return false;
  }
  for (std::size_t j = 0; j < step.size(); ++j) {
    displacement[j] = factor_ * (previous_step_[j] + step[j]);
  }
  return true;
}

void ParallelTangents::Judge(bool is_better) {
  factor_ = is_better ? std::min(kMaxExtrapolation, factor_ * 2.0)
                      : std::max(kMinExtrapolation, factor_ / 4.0);
}

void ParallelTangents::Accept(double decrease, VectorView step) {
  std::copy(step.begin(), step.end(), previous_step_.begin());
  previous_decrease_ = decrease;
  has_previous_step_ = true;
}

}  // namespace ceres::internal
