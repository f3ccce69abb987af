// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Frames: a vehicle drives along a line of landmarks: frames of a sliding
// window. Time and memory of a frame must not depend on the number of frames
// before it.
// Stereo: a window with about 2000 blocks, of which 210 leave at once with 550
// neighbours. Arguments: frames and threads. Advance alone is timed.
//
// Leaving: which landmarks a window marginalizes, and which it drops.
//
//   sliding_window_benchmark --benchmark_filter=block_qr/100000
//   sliding_window_benchmark --benchmark_filter=Stereo
//
// Counters: median and 99th percentile of the CPU time of a frame in
// microseconds, their ratio, and what the last tenth of the frames took at the
// median. blocks and residuals are those of the problem after the last frame.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/marginalization/drive_test_utils.h"
#include "ceres/marginalization/stereo_sequence_test_utils.h"
#include "ceres/sliding_window.h"

namespace ceres {
namespace {

using internal::Drive;

double Quantile(std::vector<double> values, double quantile) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                          quantile * (values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

void BM_Frames(benchmark::State& state, MarginalizationMethod method) {
  const int num_frames = static_cast<int>(state.range(0));
  for (auto _ : state) {
    MarginalizationOptions options;
    options.method = method;
    Drive drive(options);
    std::vector<double> micros;
    micros.reserve(num_frames);
    for (int k = 0; k < num_frames; ++k) {
      const std::clock_t begin = std::clock();
      if (!drive.NextFrame()) std::abort();
      micros.push_back(1e6 * static_cast<double>(std::clock() - begin) /
                       CLOCKS_PER_SEC);
    }
    const double median = Quantile(micros, 0.5);
    const double p99 = Quantile(micros, 0.99);
    state.counters["median_us"] = median;
    state.counters["p99_us"] = p99;
    state.counters["p99_by_median"] = p99 / median;
    state.counters["last_median_us"] =
        Quantile({micros.end() - num_frames / 10, micros.end()}, 0.5);
    state.counters["blocks"] = drive.window.problem()->NumParameterBlocks();
    state.counters["residuals"] = drive.window.problem()->NumResiduals();
  }
}
BENCHMARK_CAPTURE(BM_Frames, block_qr, MarginalizationMethod::kBlockQr)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Frames, schur_complement,
                  MarginalizationMethod::kSchurComplement)
    ->Arg(10000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_Stereo(benchmark::State& state, MarginalizationMethod method) {
  MarginalizationOptions options;
  options.method = method;
  options.num_threads = static_cast<int>(state.range(1));
  for (auto _ : state) {
    internal::StereoSequence sequence(options, 760, 210);
    std::vector<double> seconds;
    int num_columns = 0;
    int num_undetermined = 0;
    for (int k = 0; k < state.range(0); ++k) {
      sequence.AddFrame();
      const auto begin = std::chrono::steady_clock::now();
      if (!sequence.Advance()) std::abort();
      const std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - begin;
      const MarginalizationSummary& done =
          sequence.window.last_marginalization();
      if (done.num_removed_residuals == 0) continue;
      seconds.push_back(time.count());
      num_columns = std::max(num_columns, done.num_columns);
      num_undetermined =
          std::max(num_undetermined, done.num_columns - done.rank);
    }
    state.counters["median_s"] = Quantile(seconds, 0.5);
    state.counters["largest_s"] = Quantile(seconds, 1.0);
    state.counters["columns"] = num_columns;
    state.counters["undetermined"] = num_undetermined;
    state.counters["blocks"] = sequence.window.problem()->NumParameterBlocks();
  }
}
BENCHMARK_CAPTURE(BM_Stereo, block_qr, MarginalizationMethod::kBlockQr)
    ->ArgsProduct({{12, 77}, {1, 2}})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(BM_Stereo, schur_complement,
                  MarginalizationMethod::kSchurComplement)
    ->ArgsProduct({{12, 77}, {1, 2}})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

// Forty frames, each solved. Arguments: landmarks that a frame sees, and that
// are lost after it. Counters: mean times of a frame, and the distance of the
// last pose from the truth, over the sequences of several seeds.
void BM_Leaving(benchmark::State& state, internal::LeavingLandmarks leaving) {
  constexpr int kNumFrames = 40;
  constexpr int kNumSeeds = 20;
  MarginalizationOptions options;
  for (auto _ : state) {
    double squared_error = 0.0;
    std::chrono::duration<double> solve(0.0), advance(0.0);
    for (int seed = 1; seed <= kNumSeeds; ++seed) {
      internal::StereoSequence sequence(
          options, static_cast<int>(state.range(0)),
          static_cast<int>(state.range(1)), leaving, seed);
      for (int k = 0; k < kNumFrames; ++k) {
        sequence.AddFrame();
        if (k == 0) {
          sequence.window.problem()->SetParameterBlockConstant(
              sequence.poses[0].data());
        }
        const auto begin = std::chrono::steady_clock::now();
        sequence.window.Solve();
        const auto middle = std::chrono::steady_clock::now();
        if (!sequence.Advance()) std::abort();
        solve += middle - begin;
        advance += std::chrono::steady_clock::now() - middle;
      }
      squared_error += sequence.LastError() * sequence.LastError();
    }
    state.counters["error_m"] = std::sqrt(squared_error / kNumSeeds);
    state.counters["solve_ms"] = 1e3 * solve.count() / (kNumFrames * kNumSeeds);
    state.counters["advance_ms"] =
        1e3 * advance.count() / (kNumFrames * kNumSeeds);
  }
}
BENCHMARK_CAPTURE(BM_Leaving, with_last_frame,
                  internal::LeavingLandmarks::kWithLastFrame)
    ->Args({100, 28})
    ->Args({100, 8})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(BM_Leaving, each_fifth,
                  internal::LeavingLandmarks::kEachFifth)
    ->Args({100, 28})
    ->Args({100, 8})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(BM_Leaving, dropped, internal::LeavingLandmarks::kDropped)
    ->Args({100, 28})
    ->Args({100, 8})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace ceres

BENCHMARK_MAIN();
