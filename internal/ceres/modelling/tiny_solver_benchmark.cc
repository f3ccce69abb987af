// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// TinySolver on problems of three parameters with derivatives by hand.
//
//   BM_TinySolver<P>   Difference: three residuals x - t, which a step or two
//   solve. Exponential: a exp(b u) + c through 10 points.

#include <algorithm>
#include <cmath>

#include "benchmark/benchmark.h"
#include "ceres/tiny_solver.h"

namespace ceres {
namespace {

struct Difference {
  using Scalar = double;
  enum { NUM_RESIDUALS = 3, NUM_PARAMETERS = 3 };

  static Eigen::Vector3d Start() { return {1.0, 2.0, 3.0}; }

  bool operator()(const double* x, double* residuals, double* jacobian) const {
    for (int i = 0; i < 3; ++i) residuals[i] = x[i] - 0.5 * i;
    if (jacobian == nullptr) return true;
    std::fill_n(jacobian, 9, 0.0);
    for (int i = 0; i < 3; ++i) jacobian[i + 3 * i] = 1.0;
    return true;
  }
};

struct Exponential {
  using Scalar = double;
  enum { NUM_RESIDUALS = 10, NUM_PARAMETERS = 3 };

  static Eigen::Vector3d Start() { return {1.0, -0.5, 0.0}; }

  bool operator()(const double* x, double* residuals, double* jacobian) const {
    for (int i = 0; i < NUM_RESIDUALS; ++i) {
      const double u = 0.3 * i;
      const double y = 2.0 * truth[i] + 0.25;
      const double e = std::exp(x[1] * u);
      residuals[i] = x[0] * e + x[2] - y;
      if (jacobian == nullptr) continue;
      jacobian[i] = e;
      jacobian[i + NUM_RESIDUALS] = x[0] * u * e;
      jacobian[i + 2 * NUM_RESIDUALS] = 1.0;
    }
    return true;
  }

  // exp(-0.8 u), and an error that is not of the model.
  double truth[NUM_RESIDUALS];
  Exponential() {
    for (int i = 0; i < NUM_RESIDUALS; ++i) {
      truth[i] = std::exp(-0.8 * 0.3 * i) + 0.01 * (i % 3 - 1);
    }
  }
};

template <typename Function>
void BM_TinySolver(benchmark::State& state) {
  const Function function;
  TinySolver<Function> solver;
  Eigen::Vector3d x;
  for (auto _ : state) {
    x = Function::Start();
    benchmark::DoNotOptimize(x.data());
    solver.Solve(function, &x);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
  state.counters["iterations"] = solver.summary.iterations;
  state.counters["x0"] = x[0];
}

BENCHMARK_TEMPLATE(BM_TinySolver, Difference);
BENCHMARK_TEMPLATE(BM_TinySolver, Exponential);

}  // namespace
}  // namespace ceres

BENCHMARK_MAIN();
