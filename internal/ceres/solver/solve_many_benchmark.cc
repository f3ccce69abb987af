// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Thousands of small fits, one Solve after the other, or by SolveMany.

#include <memory>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/solve_many.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"

namespace ceres::internal {
namespace {

constexpr int kNumProblems = 2000;

class Fits {
 public:
  Fits() : x_(2 * kNumProblems) {
    for (int i = 0; i < kNumProblems; ++i) {
      problems_.push_back(std::make_unique<Problem>());
      problems_.back()->AddResidualBlock(NewRosenbrock(), nullptr, &x_[2 * i]);
      pointers_.push_back(problems_.back().get());
    }
  }
  void Reset() {
    for (int i = 0; i < kNumProblems; ++i) x_[2 * i] = -1.2, x_[2 * i + 1] = 1;
  }
  const std::vector<Problem*>& problems() const { return pointers_; }

 private:
  std::vector<double> x_;
  std::vector<std::unique_ptr<Problem>> problems_;
  std::vector<Problem*> pointers_;
};

void BM_OneSolveAfterTheOther(benchmark::State& state) {
  Fits fits;
  std::vector<Solver::Summary> summaries(kNumProblems);
  for (auto _ : state) {
    fits.Reset();
    for (int i = 0; i < kNumProblems; ++i) {
      Solve(DenseQrOptions(), fits.problems()[i], &summaries[i]);
    }
  }
  state.SetItemsProcessed(state.iterations() * kNumProblems);
}

void BM_SolveMany(benchmark::State& state) {
  Fits fits;
  std::vector<Solver::Summary> summaries;
  Solver::Options options = DenseQrOptions();
  options.num_threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
    fits.Reset();
    SolveMany(options, fits.problems(), &summaries);
  }
  state.SetItemsProcessed(state.iterations() * kNumProblems);
}

BENCHMARK(BM_OneSolveAfterTheOther)->UseRealTime();
BENCHMARK(BM_SolveMany)->Arg(1)->Arg(2)->Arg(4)->UseRealTime();

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
