// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The preprocessing of a bundle adjustment that is solved again and again:
// each time from nothing, or kept from the solve before.

#include "benchmark/benchmark.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"

namespace ceres::internal {
namespace {

enum class Preprocessing { kAfresh, kKept };

void BM_SolveAgain(benchmark::State& state, LinearSolverType solver,
                   Preprocessing preprocessing) {
  SmallBundle bundle(20, 5000, 1e-3);
  Solver::Options options;
  options.linear_solver_type = solver;
  options.max_num_iterations = 1;
  options.keep_preprocessing = preprocessing == Preprocessing::kKept;
  SolveWith(options, &bundle.problem);
  double seconds = 0.0;
  for (auto _ : state) {
    const Solver::Summary summary = SolveWith(options, &bundle.problem);
    seconds += summary.preprocessor_time_in_seconds;
    state.SetIterationTime(summary.total_time_in_seconds);
  }
  state.counters["preprocessing"] =
      benchmark::Counter(seconds, benchmark::Counter::kAvgIterations);
}

BENCHMARK_CAPTURE(BM_SolveAgain, DenseSchurAfresh, DENSE_SCHUR,
                  Preprocessing::kAfresh)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, DenseSchurKept, DENSE_SCHUR,
                  Preprocessing::kKept)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, NormalCholeskyAfresh, SPARSE_NORMAL_CHOLESKY,
                  Preprocessing::kAfresh)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, NormalCholeskyKept, SPARSE_NORMAL_CHOLESKY,
                  Preprocessing::kKept)
    ->UseManualTime();

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
