// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// TinySolver beside a Levenberg-Marquardt loop written by hand for just these
// problems of three parameters: plain arrays, an unrolled Cholesky factor, no
// scaling of columns. Both stop by the same tolerances.
//
//   BM_TinySolver<P>, BM_ByHand<P>   Difference: three residuals x - t, which a
//   step or two solve. Exponential: a exp(b u) + c through 10 points.
//   Derivatives by hand.

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

// Solves A d = b for a symmetric, positive definite A of size 3.
void Solve3(const double a[3][3], const double b[3], double d[3]) {
  const double l00 = 1.0 / std::sqrt(a[0][0]);
  const double l10 = a[1][0] * l00;
  const double l20 = a[2][0] * l00;
  const double l11 = 1.0 / std::sqrt(a[1][1] - l10 * l10);
  const double l21 = (a[2][1] - l20 * l10) * l11;
  const double l22 = 1.0 / std::sqrt(a[2][2] - l20 * l20 - l21 * l21);
  const double y0 = b[0] * l00;
  const double y1 = (b[1] - l10 * y0) * l11;
  const double y2 = (b[2] - l20 * y0 - l21 * y1) * l22;
  d[2] = y2 * l22;
  d[1] = (y1 - l21 * d[2]) * l11;
  d[0] = (y0 - l10 * d[1] - l20 * d[2]) * l00;
}

template <typename Function>
int SolveByHand(const Function& function, double x[3]) {
  constexpr int m = Function::NUM_RESIDUALS;
  double r[m], j[3 * m], candidate_r[m], a[3][3], damped[3][3], g[3], d[3];
  const auto linearize = [&] {
    function(x, r, j);
    double cost = 0.0;
    for (int i = 0; i < m; ++i) cost += r[i] * r[i];
    for (int p = 0; p < 3; ++p) {
      g[p] = 0.0;
      for (int i = 0; i < m; ++i) g[p] -= j[p * m + i] * r[i];
      for (int q = 0; q <= p; ++q) {
        a[p][q] = 0.0;
        for (int i = 0; i < m; ++i) a[p][q] += j[p * m + i] * j[q * m + i];
      }
    }
    return cost;
  };
  const auto is_flat = [&] {
    return std::max({std::abs(g[0]), std::abs(g[1]), std::abs(g[2])}) < 1e-10;
  };
  double cost = linearize();
  double damping = 1e-4;
  double growth = 2.0;
  int iterations = 0;
  while (iterations < 50 && !is_flat() && cost > 4e-16) {
    ++iterations;
    for (int p = 0; p < 3; ++p) {
      for (int q = 0; q <= p; ++q) damped[p][q] = a[p][q];
      damped[p][p] += damping * a[p][p];
    }
    Solve3(damped, g, d);
    const double step2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double x2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    if (step2 < 1e-16 * x2) break;
    const double candidate[3] = {x[0] + d[0], x[1] + d[1], x[2] + d[2]};
    function(candidate, candidate_r, nullptr);
    double candidate_cost = 0.0;
    for (int i = 0; i < m; ++i) {
      candidate_cost += candidate_r[i] * candidate_r[i];
    }
    double model = 0.0;
    for (int p = 0; p < 3; ++p) {
      model += d[p] * (g[p] + damping * a[p][p] * d[p]);
    }
    const double gain = (cost - candidate_cost) / model;
    if (!(gain > 0.0)) {
      damping *= growth;
      growth *= 2.0;
      continue;
    }
    std::copy_n(candidate, 3, x);
    const double old_cost = cost;
    cost = linearize();
    if (old_cost - cost < 1e-6) break;
    const double t = 2.0 * gain - 1.0;
    damping *= std::max(1.0 / 3.0, 1.0 - t * t * t);
    growth = 2.0;
  }
  return iterations;
}

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

template <typename Function>
void BM_ByHand(benchmark::State& state) {
  const Function function;
  Eigen::Vector3d x;
  int iterations = 0;
  for (auto _ : state) {
    x = Function::Start();
    benchmark::DoNotOptimize(x.data());
    iterations = SolveByHand(function, x.data());
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
  state.counters["iterations"] = iterations;
  state.counters["x0"] = x[0];
}

BENCHMARK_TEMPLATE(BM_TinySolver, Difference);
BENCHMARK_TEMPLATE(BM_ByHand, Difference);
BENCHMARK_TEMPLATE(BM_TinySolver, Exponential);
BENCHMARK_TEMPLATE(BM_ByHand, Exponential);

}  // namespace
}  // namespace ceres

BENCHMARK_MAIN();
