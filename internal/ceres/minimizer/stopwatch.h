// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STOPWATCH_H_
#define CERES_INTERNAL_MINIMIZER_STOPWATCH_H_

#include <chrono>

namespace ceres::internal {

// Runs from its construction on. A look at the clock takes some 35 ns.
class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STOPWATCH_H_
