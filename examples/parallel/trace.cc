// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Shows where time goes: records a loop within a loop, writes the timeline for
// https://ui.perfetto.dev, and says what more threads would give.
//
// Prints: parallelism +.*recorded +0 tasks
// Prints: 64 +.* to
//
//   trace [trace.json]

#include "ceres/parallel/trace.h"

#include <cmath>
#include <fstream>
#include <iostream>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/parallel/trace_summary.h"

namespace parallel = ceres::parallel;

namespace {

// An "image": a serial part, then rows that may be computed side by side.
void Process(parallel::ThreadPool& pool, std::vector<double>& image) {
  {
    const parallel::TraceSpan span("read the image");
    double value = 1.0;
    for (int k = 0; k < 100'000; ++k) value = std::sqrt(value + 1.0);
    image[0] = value;
  }
  parallel::ParallelFor(pool, 1, static_cast<int>(image.size()), [&](int row) {
    double value = row;
    for (int k = 0; k < 1'000; ++k) value = std::sqrt(value + 1.0);
    image[row] = value;
  });
}

}  // namespace

int main(int argc, char** argv) {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();
  std::vector<std::vector<double>> images(12, std::vector<double>(200));

  parallel::Trace trace;
  trace.Start();
  parallel::ParallelFor(pool, 0, static_cast<int>(images.size()),
                        [&](int k) { Process(pool, images[k]); });
  trace.Stop();

  if (argc > 1) {
    std::ofstream file(argv[1]);
    trace.WriteJson(file);
  }
  std::cout << parallel::Summarize(trace);
}
