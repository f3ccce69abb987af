// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_
#define CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ceres::internal {

// While it lives, this thread takes numbers below the normal range for zero,
// where the CPU can be told to. What fills a sparse factor decays along chains,
// and beyond 1e-308 (or 1e-38) each operation would take a hundred times as
// long. Bits stay the same for every number of threads if all of them do it.
class FlushDenormals {
 public:
#if defined(__SSE2__)
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
#if defined(__SSE2__)
  const unsigned before_;
#endif
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_FLUSH_DENORMALS_H_
