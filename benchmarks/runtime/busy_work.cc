// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "busy_work.h"

#include <algorithm>
#include <cstdint>

#include "timing.h"

namespace vesta_benchmarks {
namespace {

// A step takes the latency of one multiplication and addition.
void Steps(std::int64_t steps) {
  std::uint64_t x = 1;
  for (std::int64_t step = 0; step < steps; ++step) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
}

double MeasureStepsPerNanosecond() {
  constexpr std::int64_t kSteps = 100000;
  double best = 0.0;
  for (int round = 0; round < 20; ++round) {
    const double start = NowNanoseconds();
    Steps(kSteps);
    best = std::max(best, kSteps / (NowNanoseconds() - start));
  }
  return best;
}

}  // namespace

void WorkByClock(double nanoseconds) {
  if (nanoseconds <= 0.0) return;
  const double end = NowNanoseconds() + nanoseconds;
  while (NowNanoseconds() < end) {
  }
}

void WorkBySteps(double nanoseconds) {
  static const double steps_per_nanosecond = MeasureStepsPerNanosecond();
  Steps(static_cast<std::int64_t>(steps_per_nanosecond * nanoseconds));
}

}  // namespace vesta_benchmarks
