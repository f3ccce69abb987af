// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_MEMORY_SHORTAGE_H_
#define CERES_INTERNAL_BASE_MEMORY_SHORTAGE_H_

#include "ceres/base/platform.h"

namespace ceres::internal {

// The limit of memory is read from files, for 15,000 instructions, if more
// bytes than this are needed. Measure: instructions of
// `curve_fit_driver --problem=powell`.
inline constexpr double kBytesAtHand = 64e6;

// Whether `bytes` bytes are more than this process can have. If so, writes to
// `limit` the number of bytes that it can have.
inline bool ExceedsMemory(double bytes, double* limit) {
  if (bytes <= kBytesAtHand) return false;
  *limit = platform::MemoryLimit();
  return *limit > 0.0 && bytes > *limit;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_MEMORY_SHORTAGE_H_
