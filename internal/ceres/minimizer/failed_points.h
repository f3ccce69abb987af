// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_FAILED_POINTS_H_
#define CERES_INTERNAL_MINIMIZER_FAILED_POINTS_H_

#include <string>

#include "ceres/logging/logging.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// Counts the points of a solve at which the cost or its derivatives could not
// be evaluated, and keeps why the first of them could not.
class FailedPoints {
 public:
  // consequence: what the minimizer does. The first failure of the solve is
  // logged, unless the options are silent.
  void Record(const MinimizerOptions& options, int iteration,
              const char* consequence, const std::string& message) {
    ++num_;
    if (!first_.empty()) return;
    first_ = message;
    if (options.logging_type == SILENT) return;
    VESTA_LOG(kWarning) << "Iteration " << iteration << ": " << consequence
                        << ' ' << message;
  }
  void RestartCount() { num_ = 0; }

  int num() const { return num_; }  // since RestartCount
  const std::string& first() const { return first_; }

 private:
  int num_ = 0;
  std::string first_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_FAILED_POINTS_H_
