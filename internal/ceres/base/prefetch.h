// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PREFETCH_H_
#define CERES_INTERNAL_BASE_PREFETCH_H_

namespace ceres::parallel::detail {

// Asks the CPU to fetch the cache line at `address`. Has no other effect. Any
// address is allowed.
inline void PrefetchForReading(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
  // GCC removes calls of a function that only prefetches. The asm statement
  // counts as a side effect, so that GCC keeps the call.
  asm volatile("");
#else
  static_cast<void>(address);
#endif
}

// Asks the CPU to fetch the cache line at `address` exclusively, as a store
// needs it. Has no other effect. Any address is allowed.
inline void PrefetchForWriting(const void* address) {
#if defined(__x86_64__)
  // __builtin_prefetch emits prefetchw only if all CPUs of the target have it.
  // CPUs without prefetchw ignore it.
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
