// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves one problem with 1, 2 and 4 threads, and compares the bits.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/thread_pool.h"
#include "noise.h"

namespace {

// The distance between a beacon and a position, both unknown, in the plane.
struct Range {
  template <typename T>
  bool operator()(const T* beacon, const T* position, T* residual) const {
    using std::hypot;
    residual[0] =
        (hypot(beacon[0] - position[0], beacon[1] - position[1]) - distance) /
        0.05;
    return true;
  }

  double distance;
};

using Point = std::array<double, 2>;

// [solve]
// The result of a solve, bit by bit: all parameters, then the cost of each
// iteration.
std::vector<double> Solve(int num_threads) {
  Noise noise;
  std::vector<Point> beacons, positions;
  for (int i = 0; i < 8; ++i) {
    beacons.push_back({noise.Normal(20.0), noise.Normal(20.0)});
  }
  for (int i = 0; i < 2000; ++i) {
    positions.push_back({noise.Normal(20.0), noise.Normal(20.0)});
  }

  ceres::Problem problem;
  for (Point& position : positions) {
    for (Point& beacon : beacons) {
      const double distance =
          std::hypot(beacon[0] - position[0], beacon[1] - position[1]) +
          noise.Normal(0.05);
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<Range, 1, 2, 2>(new Range{distance}),
          nullptr, beacon.data(), position.data());
    }
  }
  for (Point& position : positions) position[0] += noise.Normal(0.5);
  problem.SetParameterBlockConstant(beacons[0].data());
  problem.SetParameterBlockConstant(beacons[1].data());

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.num_threads = num_threads;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::vector<double> result;
  for (const Point& p : beacons)
    result.insert(result.end(), p.begin(), p.end());
  for (const Point& p : positions) {
    result.insert(result.end(), p.begin(), p.end());
  }
  for (const auto& iteration : summary.iterations) {
    result.push_back(iteration.cost);
  }
  return result;
}
// [/solve]

// [bits]
bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}
// [/bits]

const char* Answer(bool same) { return same ? "the same bits" : "different"; }

}  // namespace

int main() {
  // [compare]
  const std::vector<double> one = Solve(1);
  for (int num_threads : {2, 4}) {
    std::printf("Solve, %d threads: %s\n", num_threads,
                Answer(SameBits(Solve(num_threads), one)));
  }
  // [/compare]

  // [sum]
  Noise noise;
  std::vector<double> terms(1000000);
  for (double& term : terms) term = noise.Normal(1.0);
  ceres::parallel::ThreadPool none(0);
  const double expected = ceres::parallel::ParallelSum(none, terms);
  for (int num_workers : {1, 3}) {
    ceres::parallel::ThreadPool pool(num_workers);
    std::printf("ParallelSum, %d threads: %s\n", num_workers + 1,
                Answer(ceres::parallel::ParallelSum(pool, terms) == expected));
  }
  double in_order = 0.0;
  for (double term : terms) in_order += term;
  std::printf("a plain loop instead of ParallelSum: %s\n",
              Answer(in_order == expected));
  // [/sum]
}
