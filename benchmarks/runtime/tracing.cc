// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How much slower a running trace makes what it records: tasks, and loops whose
// indices take as long. A task has two records, of its spawn and of itself, and
// each is for the most part a reading of the clock.

#include <cstdint>
#include <string>
#include <vector>

#include "bars.h"
#include "busy_work.h"
#include "ceres/parallel/trace.h"
#include "google_benchmark.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

constexpr double kAllowedSlowDown = 2.0;
const std::vector<std::int64_t> kMicroseconds = {2, 5, 10};

constexpr int kTasks = 8192;
constexpr int kIndices = 64;

void RunTasks(Vesta& runtime, double nanoseconds) {
  runtime.SpawnAll(kTasks,
                   [nanoseconds](std::int64_t) { WorkByClock(nanoseconds); });
}

void RunLoops(Vesta& runtime, double nanoseconds) {
  for (int k = 0; k < kTasks / kIndices; ++k) {
    runtime.Loop(kIndices,
                 [nanoseconds](std::int64_t) { WorkByClock(nanoseconds); });
  }
}

struct Subject {
  const char* name;
  void (*run)(Vesta& runtime, double nanoseconds);
};
constexpr Subject kSubjects[] = {{"tasks", RunTasks},
                                 {"loops with indices", RunLoops}};

Contestant Untraced(Vesta& runtime, const Subject& subject, double length) {
  return [&runtime, run = subject.run, length](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) run(runtime, length);
  };
}

Contestant Traced(Vesta& runtime, const Subject& subject, double length) {
  return [&runtime, run = subject.run, length](std::int64_t calls) {
    ceres::parallel::Trace trace;
    trace.Start();
    for (std::int64_t call = 0; call < calls; ++call) run(runtime, length);
    trace.Stop();
  };
}

void RegisterTracing() {
  for (const Subject& subject : kSubjects) {
    RegisterRow(
        std::string("tracing/") + subject.name, "us", kMicroseconds, {1, 2},
        [&subject](benchmark::State& state, std::int64_t us, int threads) {
          Vesta runtime(threads);
          const double length = 1e3 * static_cast<double>(us);
          const Contestant traced = Traced(runtime, subject, length);
          for (auto _ : state) traced(1);
        });
  }
}

void JudgeSubject(BarTable& table, const Subject& subject, std::int64_t us,
                  int threads) {
  TurnsOptions options;
  options.rounds = 31;
  options.is_judged = true;
  Vesta runtime(threads);
  const double length = 1e3 * static_cast<double>(us);
  const std::vector<double> times = TimeInTurns(
      {Untraced(runtime, subject, length), Traced(runtime, subject, length)},
      options);
  const std::string what = std::string("a running trace: ") + subject.name +
                           " of " + std::to_string(us) + " us, " +
                           std::to_string(threads) +
                           (threads == 1 ? " thread" : " threads");
  const double slow_down = 100.0 * (times[1] / times[0] - 1.0);
  table.AtMost(what, slow_down, kAllowedSlowDown, "%");
}

void JudgeTracing(BarTable& table) {
  for (const Subject& subject : kSubjects) {
    for (const std::int64_t us : kMicroseconds) {
      for (const int threads : {1, 2}) {
        JudgeSubject(table, subject, us, threads);
      }
    }
  }
}

}  // namespace

const Case kTracing = {"tracing", RegisterTracing, JudgeTracing};

}  // namespace vesta_benchmarks
