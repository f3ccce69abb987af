// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_INTERLEAVED_TIMING_H_
#define CERES_INTERNAL_BASE_TESTING_INTERLEAVED_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

// For benchmarks that check a bar: compares the times of two functions on a
// machine that runs other programs.

namespace ceres::parallel {

// Nanoseconds of one call, averaged over `calls`.
template <typename F>
double TimePerCall(int calls, const F& f) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) f();
  const std::chrono::duration<double, std::nano> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}

inline double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Comparison {
  double baseline = 0.0;  // Median of nanoseconds per call.
  double candidate = 0.0;
};

// Runs both functions alternately, for `rounds` rounds. In a round each
// function runs repeatedly for about `round_time` nanoseconds. Returns the
// medians over the rounds. Other load that lasts longer than a round slows both
// functions.
template <typename Baseline, typename Candidate>
Comparison CompareInTurns(const Baseline& baseline, const Candidate& candidate,
                          int rounds = 61, double round_time = 1e6) {
  const double once = std::max(1.0, TimePerCall(3, baseline));
  const int calls = std::max(1, static_cast<int>(round_time / once));
  TimePerCall(calls, candidate);
  std::vector<double> baseline_times;
  std::vector<double> candidate_times;
  for (int round = 0; round < rounds; ++round) {
    baseline_times.push_back(TimePerCall(calls, baseline));
    candidate_times.push_back(TimePerCall(calls, candidate));
  }
  return {Median(baseline_times), Median(candidate_times)};
}

// Prints a line.
inline void Show(const std::string& name, const Comparison& times) {
  std::printf("%-48s %12.1f ns %12.1f ns  ratio %5.2f\n", name.c_str(),
              times.baseline, times.candidate,
              times.candidate / times.baseline);
}

// Prints a line, and returns whether the candidate takes at most `limit` ns.
inline bool Judge(const std::string& name, const Comparison& times,
                  double limit) {
  const bool met = times.candidate <= limit;
  std::printf("%-48s %12.1f ns %12.1f ns  ratio %5.2f  limit %12.1f  %s\n",
              name.c_str(), times.baseline, times.candidate,
              times.candidate / times.baseline, limit, met ? "ok" : "MISSED");
  return met;
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_BASE_TESTING_INTERLEAVED_TIMING_H_
