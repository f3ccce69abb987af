// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_ADDED_TIME_H_
#define CERES_INTERNAL_DISTRIBUTED_ADDED_TIME_H_

#include "ceres/base/stopwatch.h"

namespace ceres::internal {

// Adds the time of its scope to a sum of seconds.
class AddedTime {
 public:
  explicit AddedTime(double* seconds) : seconds_(seconds) {}
  ~AddedTime() { *seconds_ += stopwatch_.Seconds(); }
  AddedTime(const AddedTime&) = delete;
  AddedTime& operator=(const AddedTime&) = delete;

 private:
  double* const seconds_;
  const Stopwatch stopwatch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_ADDED_TIME_H_
