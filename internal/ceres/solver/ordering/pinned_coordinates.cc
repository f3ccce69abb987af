// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/pinned_coordinates.h"

#include "ceres/problem/parameter_block.h"

namespace ceres::internal {

PinnedCoordinates::PinnedCoordinates(const ProblemImpl& problem) {
  if (!problem.may_have_bounds()) return;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    // A constant block outside of its bounds is an error.
    if (!block->has_bounds() || block->IsConstant()) continue;
    for (const int i : block->PinnedCoordinates()) {
      double& value = block->user_state()[i];
      if (value == block->LowerBound(i)) continue;
      before_.push_back({&value, value});
      value = block->LowerBound(i);
    }
  }
}

PinnedCoordinates::~PinnedCoordinates() {
  for (const Value& before : before_) *before.address = before.value;
}

}  // namespace ceres::internal
