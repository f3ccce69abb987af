// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/moved_values.h"

#include <algorithm>
#include <cmath>

#include "ceres/manifold.h"

namespace ceres::internal {
namespace {

constexpr double kRelativeStep = 1e-4;

}  // namespace

MovedValues::MovedValues(const Direction& direction,
                         const ProblemImpl& problem) {
  for (const Direction::Entry& entry : direction.entries) {
    Block& own = blocks_[entry.parameter_block];
    if (own.block == nullptr) {
      own.block = problem.parameter_blocks()[entry.parameter_block_index];
      own.values.assign(entry.parameter_block,
                        entry.parameter_block + own.block->size());
      own.delta.assign(own.block->tangent_size(), 0.0);
    }
    own.delta[entry.coordinate] = entry.value;
  }
}

double MovedValues::Step() const {
  double largest = 1.0;
  for (const auto& [values, own] : blocks_) {
    for (const double value : own.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  return kRelativeStep * largest;
}

bool MovedValues::MoveBy(double step) {
  for (auto& [values, own] : blocks_) {
    std::vector<double> delta = own.delta;
    for (double& d : delta) d *= step;
    const Manifold* const manifold = own.block->manifold();
    if (manifold != nullptr) {
      if (!manifold->Plus(own.values.data(), delta.data(), values)) {
        return false;
      }
      continue;
    }
    for (std::size_t k = 0; k < delta.size(); ++k) {
      values[k] = own.values[k] + delta[k];
    }
  }
  return true;
}

void MovedValues::Restore() {
  for (const auto& [values, own] : blocks_) {
    std::copy(own.values.begin(), own.values.end(), values);
  }
}

}  // namespace ceres::internal
