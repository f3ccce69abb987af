// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_STATUS_H_
#define CERES_PUBLIC_PARALLEL_STATUS_H_

#include <exception>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

// The way in which a loop, a group of tasks or a graph ended.
enum class Status {
  kCompleted,         // Every piece of work was done.
  kCancelled,         // Cancelled. Some pieces were not begun.
  kDeadlineExceeded,  // The deadline passed. Some pieces were not begun.
};

// The exception of a reduction that its token has stopped, so that it has no
// value to return. (Functions that return a Status do not throw it.)
class CERES_PARALLEL_EXPORT StoppedByToken : public std::exception {
 public:
  // status: kCancelled or kDeadlineExceeded.
  explicit StoppedByToken(Status status) : status_(status) {}

  // The reason: kCancelled or kDeadlineExceeded.
  Status status() const { return status_; }

  // A description of the error.
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
