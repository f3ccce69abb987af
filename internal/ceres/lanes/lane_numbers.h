// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LANES_LANE_NUMBERS_H_
#define CERES_INTERNAL_LANES_LANE_NUMBERS_H_

#include <vector>

#include "ceres/lanes/lane_program.h"

namespace ceres::internal::lanes {

// A number of each lane, aligned for all instruction sets.
struct alignas(64) LaneNumbers {
  double lane[kLanes] = {};

  double& operator[](int i) { return lane[i]; }
  double operator[](int i) const { return lane[i]; }
};

// An array of them.
class LaneArray {
 public:
  explicit LaneArray(std::size_t size = 0) : numbers_(size) {}
  // Keeps what is there.
  void Grow(std::size_t size) {
    if (size > numbers_.size()) numbers_.resize(size);
  }
  LaneNumbers& operator[](std::size_t i) { return numbers_[i]; }
  const LaneNumbers& operator[](std::size_t i) const { return numbers_[i]; }
  std::size_t size() const { return numbers_.size(); }
  // Null if it is empty.
  double* data() { return numbers_.empty() ? nullptr : numbers_.data()->lane; }
  const double* data() const {
    return numbers_.empty() ? nullptr : numbers_.data()->lane;
  }

 private:
  std::vector<LaneNumbers> numbers_;
};

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_LANE_NUMBERS_H_
