// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_
#define CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_

#if defined(__SSE2__) || defined(_M_X64)
#define CERES_CAN_FLUSH_DENORMALS
#include <xmmintrin.h>
#endif

namespace ceres::internal {

// During its lifetime the calling thread treats denormal numbers as zero, if
// the CPU can (x86 with SSE2). For one thread.
//
// The fill of a sparse factor decays along chains. Below 1e-308 (double) or
// 1e-38 (float), an operation on denormal numbers takes about a hundred times
// as long. Use it in every thread of a computation, or in none: otherwise the
// result depends on which thread computes what.
class FlushDenormals {
 public:
#ifdef CERES_CAN_FLUSH_DENORMALS
  FlushDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
  }
  ~FlushDenormals() { _mm_setcsr(before_); }
#else
  FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#ifdef CERES_CAN_FLUSH_DENORMALS
  const unsigned before_;
#endif
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_
