// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops of 40 to 900 ns whose indices are long, one after the other at one
// place: what they add to a plain loop, with 0, 1, 3 and 7 workers.

#include <cstdint>
#include <string>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

// A chain of multiplications for each index.
struct ShortLoop {
  int indices;
  int steps;
};
constexpr ShortLoop kLoops[] = {{4, 40}, {2, 100}, {12, 50}, {30, 40}};
constexpr double kMostAdded = 15.0;  // Nanoseconds.

inline void Multiply(std::uint64_t* value, int steps) {
  std::uint64_t product = *value;
  for (int k = 0; k < steps; ++k) {
    product *= 6364136223846793005;
    asm volatile("" : "+r"(product));
  }
  *value = product;
}

void JudgeShortLoops(BarTable& table) {
  for (const ShortLoop& loop : kLoops) {
    for (const int workers : {0, 1, 3, 7}) {
      std::vector<std::uint64_t> values(loop.indices, 1);
      std::uint64_t* const data = values.data();
      const int steps = loop.steps;
      const int n = loop.indices;
      ceres::parallel::ThreadPool pool(workers);
      const Contestant serial = [=](std::int64_t calls) {
        for (std::int64_t call = 0; call < calls; ++call) {
          for (int i = 0; i < n; ++i) Multiply(data + i, steps);
        }
      };
      const Contestant shared = [=, &pool](std::int64_t calls) {
        for (std::int64_t call = 0; call < calls; ++call) {
          ceres::parallel::ParallelFor(
              pool, 0, n, [=](int i) { Multiply(data + i, steps); });
        }
      };
      shared(1000);
      TurnsOptions options;
      options.is_judged = true;
      const std::vector<double> times = TimeInTurns({serial, shared}, options);
      table.AtMost("loop of " + std::to_string(static_cast<int>(times[0])) +
                       " ns, " + std::to_string(workers) +
                       " workers: time added",
                   times[1] - times[0], kMostAdded, "ns");
    }
  }
}

}  // namespace

const Case kShortLoops = {"short_loops", JudgeShortLoops};

}  // namespace vesta_benchmarks
