// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PREFETCH_H_
#define CERES_INTERNAL_BASE_PREFETCH_H_

namespace ceres::parallel::detail {

// Starts to fetch the cache line at `address`. A hint without any other effect:
// there need not be anything.
inline void PrefetchForReading(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
  // GCC takes a function that does nothing but fetch for one without effect,
  // and leaves out its calls. This is an effect.
  asm volatile("");
#else
  static_cast<void>(address);
#endif
}

// Starts to fetch the cache line at `address` for this cpu alone, as a store to
// it will need it. A hint without any other effect.
inline void PrefetchForWriting(const void* address) {
#if defined(__x86_64__)
  // __builtin_prefetch makes this only where all cpus of the target have it;
  // those that do not, ignore it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
  asm volatile("");
#else
  static_cast<void>(address);
#endif
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_BASE_PREFETCH_H_
