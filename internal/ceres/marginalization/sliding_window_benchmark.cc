// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A vehicle drives along a line of landmarks: frames of a sliding window. Time
// and memory of a frame must not depend on the number of frames before it.
//
//   sliding_window_benchmark --benchmark_filter=/100000
//
// Counters: median and 99th percentile of the time of a frame in microseconds,
// their ratio, and what the last tenth of the frames took at the median. blocks
// and residuals are those of the problem after the last frame.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/internal/eigen.h"
#include "ceres/linearized_prior.h"
#include "ceres/sized_cost_function.h"
#include "ceres/sliding_window.h"

namespace ceres {
namespace {

// The position of a landmark in the frame of a pose (x, y, heading).
class Sight final : public SizedCostFunction<2, 3, 2> {
 public:
  Sight(double ahead, double left) : ahead_(ahead), left_(left) {}
  bool Evaluate(double const* const* x, double* r,
                double** jacobians) const override {
    const double c = std::cos(x[0][2]), s = std::sin(x[0][2]);
    const double dx = x[1][0] - x[0][0], dy = x[1][1] - x[0][1];
    r[0] = c * dx + s * dy - ahead_;
    r[1] = -s * dx + c * dy - left_;
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) {
      MatrixRef(jacobians[0], 2, 3) << -c, -s, -s * dx + c * dy, s, -c,
          -c * dx - s * dy;
    }
    if (jacobians[1] != nullptr) MatrixRef(jacobians[1], 2, 2) << c, s, -s, c;
    return true;
  }

 private:
  const double ahead_, left_;
};

constexpr int kSeen = 9;  // landmarks in a frame, one every metre
constexpr double kLag = 9.5;

class Drive {
 public:
  explicit Drive(MarginalizationMethod method) : window_(MakeOptions(method)) {}

  void NextFrame() {
    Problem* const problem = window_.problem();
    const int k = frame_++;
    poses_.push_back({1.0 * k, 0.0, 0.0});
    double* const pose = poses_.back().data();
    if (k == 0) {
      problem->AddResidualBlock(
          new LinearizedPrior(Matrix::Identity(3, 3), Vector::Zero(3),
                              {{Vector::Zero(3), nullptr}}),
          nullptr, pose);
      for (int i = 1; i < kSeen; ++i) landmarks_.push_back({i - 5.0, 2.0});
    }
    landmarks_.push_back({k + 4.0, 2.0});
    for (int i = 0; i < kSeen; ++i) {
      double* const landmark = landmarks_[landmarks_.size() - kSeen + i].data();
      problem->AddResidualBlock(new Sight(i - 4.0 + Noise(), 2.0 + Noise()),
                                nullptr, pose, landmark);
      window_.Add(landmark, k);
    }
    window_.Add(pose, k);
    window_.Solve();
    if (!window_.Advance(k, kLag)) std::abort();
    while (!problem->HasParameterBlock(poses_.front().data())) {
      poses_.pop_front();
    }
    while (!problem->HasParameterBlock(landmarks_.front().data())) {
      landmarks_.pop_front();
    }
  }

  Problem* problem() { return window_.problem(); }

 private:
  static SlidingWindow::Options MakeOptions(MarginalizationMethod method) {
    SlidingWindow::Options options;
    options.marginalization.method = method;
    options.solver.linear_solver_type = DENSE_NORMAL_CHOLESKY;
    options.solver.logging_type = SILENT;
    options.solver.max_num_iterations = 2;
    return options;
  }
  double Noise() { return 0.02 * (random_() / 4294967296.0 - 0.5); }

  SlidingWindow window_;
  std::deque<std::array<double, 3>> poses_;
  std::deque<std::array<double, 2>> landmarks_;
  std::mt19937 random_{9};
  int frame_ = 0;
};

double Quantile(std::vector<double> values, double quantile) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                          quantile * (values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

void BM_Frames(benchmark::State& state, MarginalizationMethod method) {
  const int num_frames = static_cast<int>(state.range(0));
  for (auto _ : state) {
    Drive drive(method);
    std::vector<double> micros;
    micros.reserve(num_frames);
    for (int k = 0; k < num_frames; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      drive.NextFrame();
      micros.push_back(std::chrono::duration<double, std::micro>(
                           std::chrono::steady_clock::now() - begin)
                           .count());
    }
    const double median = Quantile(micros, 0.5);
    const double p99 = Quantile(micros, 0.99);
    state.counters["median_us"] = median;
    state.counters["p99_us"] = p99;
    state.counters["p99_by_median"] = p99 / median;
    state.counters["last_median_us"] =
        Quantile({micros.end() - num_frames / 10, micros.end()}, 0.5);
    state.counters["blocks"] = drive.problem()->NumParameterBlocks();
    state.counters["residuals"] = drive.problem()->NumResiduals();
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

}  // namespace
}  // namespace ceres

BENCHMARK_MAIN();
