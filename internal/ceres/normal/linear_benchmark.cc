// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The costs of the linear layer. Floors: a pass over the row blocks of a bundle
// adjustment problem reads 208 bytes an observation (2 residuals, cells of 2 x
// 3 and 2 x 9), some 20 ns at 10 GB/s; a dense factorization does n^3 / 3
// multiplications and additions, Householder QR m n^2 of each.

#include <memory>
#include <random>
#include <vector>

#include "Eigen/Cholesky"
#include "benchmark/benchmark.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/dense_cholesky.h"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/normal/normal_operator.h"

namespace ceres::internal {
namespace {

// Points with 4 or 5 observations each by neighbouring cameras.
std::unique_ptr<RandomJacobian> BundleAdjustment(int num_cameras,
                                                 int num_points) {
  auto result = std::make_unique<RandomJacobian>();
  BlockJacobianStructure& s = result->structure;
  for (int p = 0; p < num_points; ++p) s.column_offset.push_back(3 * (p + 1));
  for (int c = 0; c < num_cameras; ++c) {
    s.column_offset.push_back(s.column_offset.back() + 9);
  }
  s.num_eliminated = num_points;
  for (int p = 0; p < num_points; ++p) {
    const int first = static_cast<int>(int64_t{p} * num_cameras / num_points);
    for (int k = 0; k < 4 + p % 2; ++k) {
      AppendRowBlock(2, {p, num_points + (first + k) % num_cameras}, &s);
    }
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  CutIntoRowChunks(&s);
  std::mt19937 random(1);
  FillJacobian(&random, result.get());
  return result;
}

void BM_NormalOperator(benchmark::State& state) {
  const auto p = BundleAdjustment(50, 20000);
  TestThreads threads(static_cast<int>(state.range(0)));
  NormalOperator a(threads.execution(), p->structure);
  a.Bind(p->jacobian, nullptr);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(a.size());
  Eigen::VectorXd y(a.size());
  for (auto _ : state) a.Apply(x.data(), y.data());
  state.counters["ns/observation"] =
      benchmark::Counter(1e-9 * p->structure.num_row_blocks(),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}
BENCHMARK(BM_NormalOperator)->Arg(1)->Arg(2)->UseRealTime();

void BM_ModelCostChange(benchmark::State& state) {
  const auto p = BundleAdjustment(50, 20000);
  TestThreads threads(static_cast<int>(state.range(0)));
  const Eigen::VectorXd x = Eigen::VectorXd::Random(p->structure.num_columns());
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ModelCostChange(threads.execution(), p->jacobian, x.data()));
  }
  state.counters["ns/observation"] =
      benchmark::Counter(1e-9 * p->structure.num_row_blocks(),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}
BENCHMARK(BM_ModelCostChange)->Arg(1)->Arg(2)->UseRealTime();

// Arguments: library, rows, columns. 67 x 2 is a small curve fit.
void BM_DenseQr(benchmark::State& state) {
  const int m = static_cast<int>(state.range(1));
  const int n = static_cast<int>(state.range(2));
  RandomJacobian p;
  p.structure.column_offset = {0, n};
  for (int i = 0; i < m; ++i) AppendRowBlock(1, {0}, &p.structure);
  CutIntoRowChunks(&p.structure);
  std::mt19937 random(1);
  FillJacobian(&random, &p);
  const auto solver = CreateDenseQrSolver(
      static_cast<DenseLinearAlgebraLibraryType>(state.range(0)), Execution(),
      p.structure);
  const Eigen::VectorXd damping = Eigen::VectorXd::Ones(n);
  LinearSolver::SolveOptions options;
  options.damping = damping.data();
  Eigen::VectorXd step(n);
  for (auto _ : state) {
    benchmark::DoNotOptimize(solver->Solve(p.jacobian, options, step.data()));
  }
}
BENCHMARK(BM_DenseQr)
    ->ArgsProduct({{EIGEN, LAPACK}, {67}, {2}})
    ->ArgsProduct({{EIGEN, LAPACK}, {154}, {9}})
    ->ArgsProduct({{EIGEN, LAPACK}, {1000}, {100}})
    ->ArgsProduct({{EIGEN, LAPACK}, {2000}, {400}});

// Arguments: library, n.
void FactorDense(benchmark::State& state, DenseCholesky* cholesky) {
  const int n = static_cast<int>(state.range(1));
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  const Eigen::MatrixXd a = b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd factor(n, n);
  std::string message;
  for (auto _ : state) {
    factor = a;
    benchmark::DoNotOptimize(cholesky->Factorize(n, factor.data(), &message));
  }
  state.counters["flops"] = benchmark::Counter(
      double(n) * n * n / 3.0, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_DenseCholesky(benchmark::State& state) {
  FactorDense(state,
              DenseCholesky::Create(
                  static_cast<DenseLinearAlgebraLibraryType>(state.range(0)))
                  .get());
}
BENCHMARK(BM_DenseCholesky)
    ->ArgsProduct({{EIGEN, LAPACK}, {3, 9, 54, 144, 441, 1000}});

void BM_SinglePrecisionCholesky(benchmark::State& state) {
  FactorDense(state,
              DenseCholesky::CreateSinglePrecision(
                  static_cast<DenseLinearAlgebraLibraryType>(state.range(0)))
                  .get());
}
BENCHMARK(BM_SinglePrecisionCholesky)
    ->ArgsProduct({{EIGEN, LAPACK}, {144, 441, 1000}});

void BM_EigenLlt(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  const Eigen::MatrixXd a = b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
  Eigen::LLT<Eigen::MatrixXd> llt(n);
  for (auto _ : state) {
    llt.compute(a);
    benchmark::DoNotOptimize(llt);
  }
}
BENCHMARK(BM_EigenLlt)->Arg(9)->Arg(54)->Arg(144)->Arg(441)->Arg(1000);

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
