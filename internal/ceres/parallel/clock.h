// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_CLOCK_H_
#define CERES_INTERNAL_PARALLEL_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

// The cheapest clock of the machine, for decisions about microseconds: the time
// stamp counter where there is one (11 ns, where steady_clock takes 28).

namespace ceres::parallel::detail {

using Ticks = std::int64_t;

inline Ticks Now() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<Ticks>(__rdtsc());
#elif defined(__aarch64__)
  Ticks ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

// 0 until the first use.
inline std::atomic<float> nanoseconds_per_tick{0.0f};

// Measures it against steady_clock, over the time since the library was loaded,
// or 20 us if that was less: to a few thousandths then, and better later.
float CalibrateClock();

inline float NanosecondsPerTick() {
  const float value = nanoseconds_per_tick.load(std::memory_order_relaxed);
  return value > 0.0f ? value : CalibrateClock();
}

// Never negative: counters of two cpus may differ by a little.
inline float Nanoseconds(Ticks ticks) {
  return ticks > 0 ? static_cast<float>(ticks) * NanosecondsPerTick() : 0.0f;
}

// A hint to the cpu that the thread waits for another.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_CLOCK_H_
