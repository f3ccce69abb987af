// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The time of one observation of a bundle adjustment, residuals and Jacobian,
// as an AutoDiffCostFunction and in an AutoDiffBatch with each instruction set
// of this machine. Prints nanoseconds, medians of rounds in alternation.
//
// Usage: batch_driver [NUM_OBSERVATIONS [ROUNDS]]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/factor_batches.h"
#include "ceres/kernels/highway_targets.h"
#include "hwy/targets.h"

namespace {

using ceres::BatchColumns;
using ceres::CostFunction;

constexpr int kCameraSize = 9;
constexpr int kPointSize = 3;
constexpr int kRowSize = 2 + 2 * kCameraSize + 2 * kPointSize;

struct SnavelyBlock {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residuals) const {
    return ceres::factors::SnavelyReprojection()(camera, point, observed,
                                                 residuals);
  }
  double observed[2];
};

struct Scene {
  std::vector<double> cameras, points, observed;
  std::vector<std::int64_t> rows;
  std::vector<const double*> parameters;
};

Scene MakeScene(int num_observations) {
  constexpr int kNumCameras = 16;
  constexpr int kObservationsOfPoint = 4;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Scene scene;
  for (int i = 0; i < kNumCameras; ++i) {
    for (int k = 0; k < 6; ++k) scene.cameras.push_back(0.1 * normal(random));
    scene.cameras.insert(scene.cameras.end(), {500.0, -0.1, 0.01});
  }
  const int num_points = num_observations / kObservationsOfPoint + 1;
  for (int i = 0; i < num_points; ++i) {
    scene.points.push_back(normal(random));
    scene.points.push_back(normal(random));
    scene.points.push_back(-5.0 + normal(random));
  }
  for (int i = 0; i < num_observations; ++i) {
    scene.observed.push_back(100.0 * normal(random));
    scene.observed.push_back(100.0 * normal(random));
    scene.rows.push_back(i);
    scene.parameters.push_back(
        &scene.cameras[kCameraSize * (random() % kNumCameras)]);
    scene.parameters.push_back(
        &scene.points[kPointSize * (i / kObservationsOfPoint)]);
  }
  return scene;
}

template <typename F>
double NanosecondsOf(int num_observations, const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  const std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - start;
  return time.count() / num_observations;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<std::int64_t> Targets() {
  std::vector<std::int64_t> targets;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0;
       rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  const int num_rounds = argc > 2 ? std::atoi(argv[2]) : 201;
  const Scene scene = MakeScene(n);
  using Block = ceres::AutoDiffCostFunction<SnavelyBlock, 2, 9, 3>;
  std::vector<std::unique_ptr<CostFunction>> blocks;
  for (int i = 0; i < n; ++i) {
    blocks.push_back(std::make_unique<Block>(
        new SnavelyBlock{{scene.observed[2 * i], scene.observed[2 * i + 1]}}));
  }
  const ceres::factors::SnavelyBatch batch(
      BatchColumns(scene.observed.data(), n, 2));
  std::vector<double> output(static_cast<std::size_t>(n) * kRowSize);

  const auto run_blocks = [&] {
    for (int i = 0; i < n; ++i) {
      double* const row = &output[static_cast<std::size_t>(i) * kRowSize];
      double* jacobians[] = {row + 2, row + 2 + 2 * kCameraSize};
      blocks[i]->Evaluate(&scene.parameters[2 * i], row, jacobians);
    }
  };
  const auto run_batch = [&] {
    constexpr int kRowsOfCall = 512;
    for (int i = 0; i < n; i += kRowsOfCall) {
      double* const row = &output[static_cast<std::size_t>(i) * kRowSize];
      double* jacobians[] = {row + 2, row + 2 + 2 * kCameraSize};
      batch.Evaluate({std::min(kRowsOfCall, n - i), &scene.rows[i],
                      &scene.parameters[2 * i]},
                     {row, jacobians, kRowSize});
    }
  };
  const std::vector<std::int64_t> targets = Targets();
  std::vector<std::vector<double>> times(targets.size() + 1);
  for (int round = 0; round < num_rounds; ++round) {
    times[0].push_back(NanosecondsOf(n, run_blocks));
    for (std::size_t k = 0; k < targets.size(); ++k) {
      hwy::SetSupportedTargetsForTest(targets[k]);
      times[k + 1].push_back(NanosecondsOf(n, run_batch));
    }
  }
  const double alone = Median(times[0]);
  std::printf("AutoDiffCostFunction  %6.1f ns\n", alone);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const double time = Median(times[k + 1]);
    std::printf("%-20s  %6.1f ns  %4.2f\n", hwy::TargetName(targets[k]), time,
                time / alone);
  }
  return 0;
}
