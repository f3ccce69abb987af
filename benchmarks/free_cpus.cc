// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "free_cpus.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace vesta_benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Additions that do not wait for each other keep a core busy: chains of them
// would leave room for another thread of the same core.
void AddALot() {
  constexpr int kRounds = 20000;
  constexpr int kSums = 8;
  unsigned long sums[kSums] = {};
  for (int round = 0; round < kRounds; ++round) {
    for (unsigned long& sum : sums) {
      sum += 3;
      asm volatile("" : "+r"(sum));
    }
  }
}

// Calls of AddALot a second: the highest of some short times, or the mean.
struct Rate {
  double best = 0.0;
  double mean = 0.0;
};

Rate MeasureRate(double seconds) {
  constexpr double kShortTime = 1e-3;
  Rate rate;
  const Clock::time_point start = Clock::now();
  double calls = 0.0;
  while (SecondsSince(start) < seconds) {
    const Clock::time_point begin = Clock::now();
    double few = 0.0;
    while (SecondsSince(begin) < kShortTime) {
      AddALot();
      few += 1.0;
    }
    calls += few;
    rate.best = std::max(rate.best, few / SecondsSince(begin));
  }
  rate.mean = calls / SecondsSince(start);
  return rate;
}

}  // namespace

double ThroughputOfTwo() {
  constexpr double kSeconds = 5e-3;
  // So long the system may leave a new thread on the cpu of its maker.
  constexpr double kSettling = 10e-3;
  std::atomic<int> num_settled{0};
  const auto settle = [&num_settled] {
    MeasureRate(kSettling);
    num_settled.fetch_add(1);
    while (num_settled.load() < 2) AddALot();
  };
  Rate theirs;
  std::thread other([&] {
    settle();
    theirs = MeasureRate(kSeconds);
  });
  settle();
  const Rate ours = MeasureRate(kSeconds);
  other.join();
  const Rate alone = MeasureRate(kSeconds);
  static double best = 0.0;
  best = std::max({best, ours.best, theirs.best, alone.best});
  return (ours.mean + theirs.mean) / (2.0 * best);
}

bool HasTwoCores() {
  constexpr double kEnough = 0.9;
  return std::thread::hardware_concurrency() < 2 ||
         ThroughputOfTwo() >= kEnough;
}

bool WaitForTwoCores(double seconds) {
  const Clock::time_point start = Clock::now();
  while (!HasTwoCores()) {
    if (SecondsSince(start) > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

// proc(5): the eighth number of the first line of /proc/stat, in ticks.
double StolenSeconds() {
  constexpr int kPosition = 8;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double ticks = 0.0;
  for (int k = 0; k < kPosition; ++k) {
    if (!(file >> ticks)) return 0.0;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace vesta_benchmarks
