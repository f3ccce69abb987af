// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_INTRINSICS_H_
#define CERES_INTERNAL_BASE_INTRINSICS_H_

#include <chrono>
#include <cstdint>

#include "ceres/parallel/detail/compiler.h"

// Instructions for which C++17 has no name: one definition per compiler and
// CPU. What depends on the operating system is in platform.h.

#if defined(_MSC_VER)
#include <intrin.h>
#endif

// Asks the CPU to fetch the cache line at `address`. Has no other effect. Any
// address is allowed. CERES_PREFETCH_FAR fetches it into the second-level
// cache. (Macros: GCC removes calls of a function that only prefetches.)
#if defined(__GNUC__)
#define CERES_PREFETCH(address) __builtin_prefetch(address)
#define CERES_PREFETCH_FAR(address) __builtin_prefetch(address, 0, 2)
#elif defined(_M_X64)
#define CERES_PREFETCH(address) \
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T0)
#define CERES_PREFETCH_FAR(address) \
  _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T1)
#else
#define CERES_PREFETCH(address) static_cast<void>(address)
#define CERES_PREFETCH_FAR(address) static_cast<void>(address)
#endif

// The arguments that are checked like those of printf. MinGW-w64 has two
// printfs; C++ uses that of C99.
#if defined(__MINGW32__) && !defined(__clang__)
#define CERES_PRINTF(text, arguments) \
  __attribute__((format(gnu_printf, text, arguments)))
#elif defined(__GNUC__)
#define CERES_PRINTF(text, arguments) \
  __attribute__((format(printf, text, arguments)))
#else
#define CERES_PRINTF(text, arguments)
#endif

namespace ceres::base {

// CERES_PREFETCH as a function. GCC keeps calls of it: the asm statement counts
// as a side effect.
inline void PrefetchForReading(const void* address) {
  CERES_PREFETCH(address);
#if defined(__GNUC__)
  asm volatile("");
#endif
}

// Asks the CPU to fetch the cache line at `address` exclusively, as a store
// needs it. Has no other effect. Any address is allowed.
inline void PrefetchForWriting(const void* address) {
#if defined(__GNUC__) && defined(__x86_64__)
  // __builtin_prefetch emits prefetchw only if all CPUs of the target have it.
  // CPUs without prefetchw ignore it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#elif defined(__GNUC__)
  __builtin_prefetch(address, 1);
  asm volatile("");
#elif defined(_M_X64)
  _m_prefetchw(address);
#else
  static_cast<void>(address);
#endif
}

// Tells the CPU that the thread spins.
inline void Pause() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#elif defined(_M_X64)
  _mm_pause();
#elif defined(_M_ARM64)
  __isb(_ARM64_BARRIER_SY);
#endif
}

// The counter that the CPU advances at a fixed rate, or nanoseconds of
// std::chrono::steady_clock if it has none.
inline std::int64_t ReadCounter() {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__GNUC__) && defined(__aarch64__)
  std::int64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#elif defined(_M_X64)
  return static_cast<std::int64_t>(__rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

// The number of zeros below the lowest one. `word` is not 0.
inline int CountTrailingZeros(std::uint64_t word) {
#if defined(__GNUC__)
  return __builtin_ctzll(word);
#elif defined(_M_X64) || defined(_M_ARM64)
  unsigned long index;
  _BitScanForward64(&index, word);
  return static_cast<int>(index);
#else
  int count = 0;
  for (; (word & 1) == 0; word >>= 1) ++count;
  return count;
#endif
}

}  // namespace ceres::base

#endif  // CERES_INTERNAL_BASE_INTRINSICS_H_
