// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What the linear layer costs. Floors: a pass over the records of a bundle
// adjustment problem reads 208 bytes an observation (2 residuals, cells of 2 x
// 3 and 2 x 9), some 20 ns at 10 GB/s; a dense factorization does n^3 / 3
// multiplications and additions, Householder QR m n^2 of each.

#include <memory>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/internal/config.h"
#include "ceres/linear/cholesky.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/normal_operator.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/linear/simple_solvers.h"

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
  CutIntoSlabs(&s);
  result->jacobian.structure = &s;
  result->jacobian.values.Resize(s.num_values());
  std::mt19937 random(1);
  FillWithRandomValues(&random, result->jacobian.values.data(), s.num_values());
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
  CutIntoSlabs(&p.structure);
  p.jacobian.structure = &p.structure;
  p.jacobian.values.Resize(p.structure.num_values());
  std::mt19937 random(1);
  FillWithRandomValues(&random, p.jacobian.values.data(),
                       p.structure.num_values());
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

// Normal equations of a graph whose nodes are the points of a box and whose
// edges join neighbours: L x M, L the graph's Laplacian, M a dense block.
struct BoxGraph {
  BlockSymmetricStructure structure;
  AlignedBuffer values;
};
std::unique_ptr<BoxGraph> MakeBoxGraph(int nx, int ny, int nz, int block) {
  auto result = std::make_unique<BoxGraph>();
  BlockSymmetricStructure& s = result->structure;
  std::vector<int> degree(nx * ny * nz, 0);
  for (int i = 0; i < nx * ny * nz; ++i) {
    const auto add = [&](int j) {
      s.entry_column.push_back(j);
      s.value_offset.push_back(s.num_values() + block * block);
      if (j != i) ++degree[i], ++degree[j];
    };
    s.block_offset.push_back(s.size() + block);
    add(i);
    if (i % nx + 1 < nx) add(i + 1);
    if (i / nx % ny + 1 < ny) add(i + nx);
    if (i / (nx * ny) + 1 < nz) add(i + nx * ny);
    s.first_entry.push_back(static_cast<int>(s.entry_column.size()));
  }
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(block, block);
  const Eigen::MatrixXd m = b * b.transpose();
  result->values.Resize(s.num_values());
  for (int i = 0; i < s.num_blocks(); ++i) {
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      Eigen::Map<Eigen::MatrixXd> value(
          result->values.data() + s.value_offset[e], block, block);
      if (s.entry_column[e] == i) {
        value = degree[i] * m + Eigen::MatrixXd::Identity(block, block);
      } else {
        value = -m;
      }
    }
  }
  return result;
}

// Arguments: library (0 CHOLMOD, 1 Eigen, 5 native), threads, box, scalars of
// a node.
void BM_SparseCholesky(benchmark::State& state) {
  const auto a = MakeBoxGraph(
      static_cast<int>(state.range(2)), static_cast<int>(state.range(3)),
      static_cast<int>(state.range(4)), static_cast<int>(state.range(5)));
  TestThreads threads(static_cast<int>(state.range(1)));
  SparseCholesky::Options options;
  options.library = static_cast<SparseLinearAlgebraLibraryType>(state.range(0));
  const auto cholesky = SparseCholesky::Create(options, a->structure, nullptr);
  std::string message;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        cholesky->Factorize(threads.execution(), a->values.data(), &message));
  }
}
void LibrariesAndBoxes(benchmark::internal::Benchmark* benchmark) {
  std::vector<std::vector<int64_t>> libraries = {{NATIVE_SPARSE, 1},
                                                 {NATIVE_SPARSE, 2}};
#ifndef CERES_NO_SUITESPARSE
  libraries.push_back({SUITE_SPARSE, 1});
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  libraries.push_back({EIGEN_SPARSE, 1});
#endif
  for (const std::vector<int64_t>& box : std::vector<std::vector<int64_t>>{
           {100, 100, 1, 3}, {13, 13, 13, 6}, {3000, 2, 1, 9}}) {
    for (std::vector<int64_t> arguments : libraries) {
      arguments.insert(arguments.end(), box.begin(), box.end());
      benchmark->Args(arguments);
    }
  }
}
BENCHMARK(BM_SparseCholesky)->Apply(LibrariesAndBoxes)->UseRealTime();

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
