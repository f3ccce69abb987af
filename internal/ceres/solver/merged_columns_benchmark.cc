// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// ITERATIVE_SCHUR where parameter blocks always occur together: cameras in
// three parts, and hundreds of tiny blocks in one residual block.

#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"

namespace ceres::internal {
namespace {

// Solves from the same start again and again, and reports the iterations of the
// linear solver.
void Run(benchmark::State& state, std::vector<double>* x, Problem* problem) {
  const std::vector<double> start = *x;
  Solver::Options options;
  options.linear_solver_type = ITERATIVE_SCHUR;
  options.preconditioner_type = SCHUR_JACOBI;
  options.max_num_iterations = 5;
  int num_linear_iterations = 0;
  for (auto _ : state) {
    *x = start;
    const Solver::Summary summary = SolveWith(options, problem);
    num_linear_iterations = 0;
    for (const IterationSummary& iteration : summary.iterations) {
      num_linear_iterations += iteration.linear_solver_iterations;
    }
  }
  state.SetLabel(std::to_string(num_linear_iterations) + " linear iterations");
}

void BM_SplitCameras(benchmark::State& state) {
  const int num_cameras = static_cast<int>(state.range(0));
  const int num_points = 20 * num_cameras;
  std::vector<double> x(9 * num_cameras + 3 * num_points, 0.3);
  double* const points = &x[9 * num_cameras];
  Problem problem;
  int seed = 0;
  for (int p = 0; p < num_points; ++p) {
    for (int c = p % 3; c < num_cameras; c += 3) {
      double* const camera = &x[9 * c];
      problem.AddResidualBlock(new SineCost(2, {3, 3, 3, 3}, ++seed), nullptr,
                               camera, camera + 3, camera + 6, points + 3 * p);
    }
  }
  Run(state, &x, &problem);
}

void BM_TinyBlocks(benchmark::State& state) {
  const int num_blocks = static_cast<int>(state.range(0));
  const int size = static_cast<int>(state.range(1));
  std::vector<double> x(num_blocks * size, 0.3);
  std::vector<double*> blocks;
  for (int k = 0; k < num_blocks; ++k) blocks.push_back(&x[k * size]);
  Problem problem;
  problem.AddResidualBlock(
      new SineCost(1, std::vector<int>(num_blocks, size), 1), nullptr, blocks);
  Run(state, &x, &problem);
}

BENCHMARK(BM_SplitCameras)->Arg(15)->Arg(60)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_TinyBlocks)->Args({300, 1})->Args({100, 3});

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
