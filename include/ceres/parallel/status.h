// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_STATUS_H_
#define CERES_PUBLIC_PARALLEL_STATUS_H_

#include <exception>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

// How a loop, a group of tasks or a graph ended.
enum class Status {
  kCompleted,         // Every piece of work was done.
  kCancelled,         // Cancelled. Some pieces were not begun.
  kDeadlineExceeded,  // The deadline passed. Some pieces were not begun.
};

// Thrown by a reduction that its token has stopped: it has no value to return.
// (What returns a Status does not throw this.)
class CERES_PARALLEL_EXPORT StoppedByToken : public std::exception {
 public:
  explicit StoppedByToken(Status status) : status_(status) {}

  // kCancelled or kDeadlineExceeded.
  Status status() const { return status_; }

  const char* what() const noexcept override {
    return status_ == Status::kDeadlineExceeded
               ? "ceres::parallel: the deadline passed before there was a "
                 "result"
               : "ceres::parallel: cancelled before there was a result";
  }

 private:
  Status status_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_STATUS_H_
