// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_CHECKPOINTS_H_
#define CERES_INTERNAL_MINIMIZER_CHECKPOINTS_H_

#include <functional>
#include <optional>

#include "ceres/minimizer/state_archive.h"
#include "ceres/minimizer/stopping_rules.h"

namespace ceres::internal {

// Keeps the state of a minimizer, so that a later run takes the same further
// steps. With several processes every function is collective.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  Checkpoints() = default;
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // The state to continue from, or null: the minimizer starts anew.
  virtual StateArchive* saved() = 0;

  // Called after each iteration whose step was accepted, the start included.
  // Saves what `transfer` writes, if it is time to. Returns a reason to stop,
  // or nothing.
  virtual std::optional<Termination> AfterIteration(
      int iteration, const std::function<void(StateArchive*)>& transfer) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_CHECKPOINTS_H_
