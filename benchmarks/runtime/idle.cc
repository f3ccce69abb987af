// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The costs of a runtime that has little or nothing to do: how long a sleeping
// thread takes to come, and the cpu time of an idle second.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bars.h"
#include "free_cpus.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

constexpr auto kLongEnoughToFallAsleep = std::chrono::milliseconds(4);
constexpr double kNever = 0.0;

template <typename R, typename = void>
struct CanStart : std::false_type {};
template <typename R>
struct CanStart<R, std::void_t<decltype(std::declval<R&>().Start(
                       std::declval<void (*)()>()))>> : std::true_type {};

template <typename Visitor>
void ForEachThatStarts(const Visitor& visit) {
  ForEachRuntime([&visit](auto tag) {
    using R = typename decltype(tag)::Runtime;
    if constexpr (CanStart<R>::value) visit(tag);
  });
  visit(RuntimeTag<StdAsync>());
}

struct Latency {
  double caller;   // Nanoseconds that the caller is kept.
  double arrival;  // Nanoseconds until the task begins.
};

// A task for another thread, when all have been asleep for milliseconds.
template <typename R>
Latency StartOnce(R& runtime) {
  std::atomic<double> begun{kNever};
  const auto task = [&begun] {
    begun.store(NowNanoseconds(), std::memory_order_release);
  };
  std::this_thread::sleep_for(kLongEnoughToFallAsleep);
  const double start = NowNanoseconds();
  runtime.Start(task);
  const double returned = NowNanoseconds();
  double arrival = kNever;
  while ((arrival = begun.load(std::memory_order_acquire)) == kNever) {
  }
  return {returned - start, arrival - start};
}

// When a helper begins its first piece of a loop of 1.3 ms, after the threads
// have been asleep. kNever: no helper came.
template <typename R>
double LoopArrival(R& runtime) {
  double arrival = kNever;
  runtime.EnterLoops([&] {
    std::atomic<double> first{kNever};
    const auto caller = std::this_thread::get_id();
    std::this_thread::sleep_for(kLongEnoughToFallAsleep);
    const double start = NowNanoseconds();
    runtime.Loop(64, [&](std::int64_t /*k*/) {
      if (first.load(std::memory_order_relaxed) == kNever &&
          std::this_thread::get_id() != caller) {
        first.store(NowNanoseconds(), std::memory_order_relaxed);
      }
      WorkByClock(20e3);
    });
    const double seen = first.load(std::memory_order_relaxed);
    if (seen != kNever) arrival = seen - start;
  });
  return arrival;
}

// Seconds of cpu that the process burns in a second in which nothing happens,
// after the runtime has worked.
template <typename R>
double CpuOfIdleSecond(R& runtime) {
  runtime.EnterLoops([&] {
    for (int k = 0; k < 20; ++k) {
      runtime.Loop(64, [](std::int64_t /*k*/) { WorkByClock(5e3); });
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double before = ProcessCpuSeconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return ProcessCpuSeconds() - before;
}

void TellLatencies(BarTable& table) {
  constexpr int kTrials = 51;
  ForEachThatStarts([&table](auto tag) {
    using R = typename decltype(tag)::Runtime;
    R runtime(2);
    std::vector<double> caller;
    std::vector<double> arrival;
    for (int trial = 0; trial < kTrials; ++trial) {
      const Latency latency = StartOnce(runtime);
      caller.push_back(latency.caller);
      arrival.push_back(latency.arrival);
    }
    table.Tell(std::string("wake-up from idle: task begins after, ") + R::kName,
               1e-3 * Median(arrival), "us",
               "caller kept " +
                   std::to_string(static_cast<int>(Median(caller))) + " ns");
  });
  ForEachRuntime([&table](auto tag) {
    using R = typename decltype(tag)::Runtime;
    R runtime(2);
    std::vector<double> arrival;
    for (int trial = 0; trial < kTrials; ++trial) {
      const double once = LoopArrival(runtime);
      if (once != kNever) arrival.push_back(once);
    }
    if (arrival.empty()) arrival.push_back(kNever);
    table.Tell(
        std::string("wake-up from idle: helper in a loop after, ") + R::kName,
        1e-3 * Median(arrival), "us",
        std::to_string(arrival.size()) + " of " + std::to_string(kTrials));
  });
}

void JudgeCpuTime(BarTable& table) {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double start = ProcessCpuSeconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double sleeping = ProcessCpuSeconds() - start;
  {
    Vesta vesta(2);
    // A tick is the least that the system may count.
    table.AtMost("cpu time of an idle second, above that of sleep",
                 1e3 * std::max(0.0, CpuOfIdleSecond(vesta) - sleeping), 0.1,
                 "ms");
  }
  ForEachPeer([&](auto tag) {
    using R = typename decltype(tag)::Runtime;
    R runtime(2);
    table.Tell(R::kName, 1e3 * (CpuOfIdleSecond(runtime) - sleeping), "ms");
  });
}

void JudgeIdle(BarTable& table) {
  constexpr double kLongestWait = 3.0;
  WaitForTwoCores(kLongestWait);
  TellLatencies(table);
  JudgeCpuTime(table);
}

}  // namespace

const Case kIdle = {"idle", JudgeIdle};

}  // namespace vesta_benchmarks
