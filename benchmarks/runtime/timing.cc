// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "timing.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "free_cpus.h"

namespace vesta_benchmarks {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_usec);
}

std::int64_t CallsThatFill(const Contestant& contestant, double seconds) {
  constexpr std::int64_t kManyCalls = std::int64_t{1} << 30;
  std::int64_t calls = 1;
  while (calls < kManyCalls) {
    const double start = NowNanoseconds();
    contestant(calls);
    const double taken = NowNanoseconds() - start;
    if (taken >= 0.3e9 * seconds) {
      const double wanted = static_cast<double>(calls) * 1e9 * seconds / taken;
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
    }
    calls *= 2;
  }
  return calls;
}

std::vector<double> TakeTurns(const std::vector<Contestant>& contestants,
                              const TurnsOptions& options) {
  std::vector<std::int64_t> calls;
  for (const Contestant& contestant : contestants) {
    calls.push_back(CallsThatFill(contestant, options.round_seconds));
    if (options.wait_until_quiet) WaitUntilQuiet();
  }
  std::vector<std::vector<double>> times(contestants.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      if (calls[k] > 1) contestants[k](1);
      const double start = NowNanoseconds();
      contestants[k](calls[k]);
      const double taken = NowNanoseconds() - start;
      times[k].push_back(taken / static_cast<double>(calls[k]));
      if (options.wait_until_quiet) WaitUntilQuiet();
    }
  }
  std::vector<double> told;
  told.reserve(times.size());
  for (std::vector<double>& of_one : times) {
    told.push_back(Median(std::move(of_one)));
  }
  return told;
}

// Seconds that disturbed measurements of this case may still take.
double retry_seconds = 0.0;

int num_disturbed = 0;

}  // namespace

double NowNanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void WorkByClock(double nanoseconds) {
  if (nanoseconds <= 0.0) return;
  const double end = NowNanoseconds() + nanoseconds;
  while (NowNanoseconds() < end) {
  }
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

double ProcessCpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

void WaitUntilQuiet() {
  for (int look = 0; look < 20; ++look) {
    const double before = ProcessCpuSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (ProcessCpuSeconds() - before < 0.4e-3) return;
  }
}

void ResetRetryTime() { retry_seconds = 75.0; }

std::vector<double> TimeInTurns(const std::vector<Contestant>& contestants,
                                const TurnsOptions& options) {
  constexpr double kLongestWait = 3.0;
  constexpr double kAllowedTheft = 0.01;
  constexpr double kShareOfOneMeasurement = 0.2;
  double remaining =
      options.is_judged ? kShareOfOneMeasurement * retry_seconds : 0.0;
  std::vector<double> told;
  do {
    const double begin = NowNanoseconds();
    const bool had_two_cores =
        WaitForTwoCores(std::min(kLongestWait, remaining));
    const double start = NowNanoseconds();
    const double stolen_before = StolenSeconds();
    told = TakeTurns(contestants, options);
    const double stolen = StolenSeconds() - stolen_before;
    const double seconds = 1e-9 * (NowNanoseconds() - start);
    if (had_two_cores && stolen <= kAllowedTheft * seconds && HasTwoCores()) {
      return told;
    }
    const double lost = 1e-9 * (NowNanoseconds() - begin);
    remaining -= lost;
    if (options.is_judged) retry_seconds = std::max(0.0, retry_seconds - lost);
  } while (remaining > 0.0);
  ++num_disturbed;
  return told;
}

int TakeNumDisturbed() { return std::exchange(num_disturbed, 0); }

}  // namespace vesta_benchmarks
