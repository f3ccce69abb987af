// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_PINNED_COORDINATES_H_
#define CERES_INTERNAL_SOLVER_ORDERING_PINNED_COORDINATES_H_

#include <vector>

#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// Gives the coordinates whose lower bound equals the upper one their value, in
// the user's memory, for the time of a solve: such coordinates are constant,
// and a solve reads constants from there. Not thread-safe.
class PinnedCoordinates {
 public:
  // Writes the values. `problem` must outlive this.
  explicit PinnedCoordinates(const ProblemImpl& problem);
  // Restores what was there before, unless Keep was called.
  ~PinnedCoordinates();
  PinnedCoordinates(const PinnedCoordinates&) = delete;
  PinnedCoordinates& operator=(const PinnedCoordinates&) = delete;

  void Keep() { before_.clear(); }

 private:
  struct Value {
    double* address;
    double value;
  };
  std::vector<Value> before_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_PINNED_COORDINATES_H_
