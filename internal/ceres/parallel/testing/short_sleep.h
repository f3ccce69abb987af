// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_SHORT_SLEEP_H_
#define CERES_INTERNAL_PARALLEL_TESTING_SHORT_SLEEP_H_

#include <chrono>

namespace ceres::parallel {

// For tests: a time for std::this_thread::sleep_for that is long to the
// runtime. MinGW-w64 does not sleep for less than a millisecond.
#if defined(_WIN32)
inline constexpr std::chrono::microseconds kShortSleep(1000);
#else
inline constexpr std::chrono::microseconds kShortSleep(200);
#endif

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_SHORT_SLEEP_H_
