// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "matrix_multiplication.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "google_benchmark.h"
#include "graphs.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

// Square, row-major.
struct Product {
  explicit Product(std::int64_t n)
      : size(n), a(static_cast<std::size_t>(n * n)), b(a.size()), c(a.size()) {}

  // Entries whose sums are exact, so that the result can be checked.
  void FillA(std::int64_t row) {
    for (std::int64_t k = 0; k < size; ++k) {
      a[row * size + k] = static_cast<double>(row + k);
    }
  }
  void FillB(std::int64_t row) {
    for (std::int64_t k = 0; k < size; ++k) {
      b[row * size + k] = row == k ? 2.0 : 1.0;
    }
  }
  void ClearC(std::int64_t row) {
    std::fill_n(c.begin() + row * size, size, 0.0);
  }
  __attribute__((noinline)) void ComputeRow(std::int64_t row) {
    double* const __restrict c_row = &c[row * size];
    for (std::int64_t k = 0; k < size; ++k) {
      const double factor = a[row * size + k];
      const double* const __restrict b_row = &b[k * size];
      for (std::int64_t j = 0; j < size; ++j) c_row[j] += factor * b_row[j];
    }
  }

  // B is the matrix of ones plus the identity.
  void Check() const {
    for (std::int64_t row = 0; row < size; ++row) {
      const double sum = static_cast<double>(row * size) +
                         0.5 * static_cast<double>(size * (size - 1));
      for (std::int64_t j = 0; j < size; ++j) {
        if (c[row * size + j] != sum + static_cast<double>(row + j)) {
          std::fprintf(stderr, "matrix_multiplication came out wrong\n");
          std::abort();
        }
      }
    }
  }

  std::int64_t size;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
};

void ComputeSerially(Product& product) {
  for (std::int64_t row = 0; row < product.size; ++row) {
    product.FillA(row);
    product.FillB(row);
    product.ClearC(row);
  }
  for (std::int64_t row = 0; row < product.size; ++row) {
    product.ComputeRow(row);
  }
}

template <typename Graph>
void ComputeByGraph(typename Graph::Runtime& runtime, Product& product) {
  Graph graph(runtime);
  const auto filled = graph.Add([] {});
  for (std::int64_t row = 0; row < product.size; ++row) {
    graph.Precede(graph.Add([&product, row] { product.FillA(row); }), filled);
    graph.Precede(graph.Add([&product, row] { product.FillB(row); }), filled);
    graph.Precede(graph.Add([&product, row] { product.ClearC(row); }), filled);
  }
  for (std::int64_t row = 0; row < product.size; ++row) {
    graph.Precede(filled,
                  graph.Add([&product, row] { product.ComputeRow(row); }));
  }
  graph.Run();
}

#if defined(_OPENMP)
void ComputeByOpenMpTasks(Product& product) {
#pragma omp taskgroup
  for (std::int64_t row = 0; row < product.size; ++row) {
#pragma omp task shared(product) firstprivate(row)
    product.FillA(row);
#pragma omp task shared(product) firstprivate(row)
    product.FillB(row);
#pragma omp task shared(product) firstprivate(row)
    product.ClearC(row);
  }
#pragma omp taskgroup
  for (std::int64_t row = 0; row < product.size; ++row) {
#pragma omp task shared(product) firstprivate(row)
    product.ComputeRow(row);
  }
}
#endif

const std::vector<std::int64_t> kSizes = {128, 256, 512, 1024};

template <typename Graph>
void RegisterGraph() {
  using R = typename Graph::Runtime;
  RegisterRow(std::string("matrix_multiplication/") + R::kName, "n", kSizes,
              kThreads,
              [](benchmark::State& state, std::int64_t n, int threads) {
                R runtime(threads);
                Product product(n);
                runtime.Enter([&] {
                  for (auto _ : state) ComputeByGraph<Graph>(runtime, product);
                });
                product.Check();
              });
}

Contestant SerialContestant(Product& product) {
  return [&product](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      ComputeSerially(product);
    }
  };
}

// What caches and memory leave of the second cpu: two threads, half of the rows
// each, and no runtime.
double EfficiencyOfHalves(std::int64_t size, int rounds) {
  Product product(size);
  const auto compute = [&product](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      product.FillA(row);
      product.ClearC(row);
      product.ComputeRow(row);
    }
  };
  const Contestant halves = [&](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      for (std::int64_t row = 0; row < size; ++row) product.FillB(row);
      std::thread other(compute, std::int64_t{0}, size / 2);
      compute(size / 2, size);
      other.join();
    }
  };
  TurnsOptions options;
  options.rounds = rounds;
  const std::vector<double> times =
      TimeInTurns({SerialContestant(product), halves}, options);
  product.Check();
  return 50.0 * times[0] / times[1];
}

template <typename Graph>
double Efficiency(std::int64_t size, int rounds) {
  constexpr int kTeam = 2;
  typename Graph::Runtime runtime(kTeam);
  Product product(size);
  const Contestant by_graph = [&](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        ComputeByGraph<Graph>(runtime, product);
      }
    });
  };
  TurnsOptions options;
  options.rounds = rounds;
  const std::vector<double> times =
      TimeInTurns({SerialContestant(product), by_graph}, options);
  product.Check();
  return 100.0 * times[0] / (kTeam * times[1]);
}

}  // namespace

void RegisterMatrixMultiplication() {
  RegisterRow("matrix_multiplication/serial", "n", kSizes, {1},
              [](benchmark::State& state, std::int64_t n, int /*threads*/) {
                Product product(n);
                for (auto _ : state) ComputeSerially(product);
                product.Check();
              });
  RegisterGraph<VestaGraph>();
#if defined(VESTA_HAVE_TBB)
  RegisterGraph<TbbGraph>();
#endif
#if defined(_OPENMP)
  RegisterRow("matrix_multiplication/openmp", "n", kSizes, kThreads,
              [](benchmark::State& state, std::int64_t n, int threads) {
                Product product(n);
                OpenMp(threads).Enter([&] {
                  for (auto _ : state) ComputeByOpenMpTasks(product);
                });
                product.Check();
              });
#endif
}

// Told, not judged: caches and memory decide, as two plain threads show.
void JudgeMatrixMultiplication(BarTable& table) {
  for (const std::int64_t size : kSizes) {
    const std::string what = "matrix_multiplication/" + std::to_string(size) +
                             ", 2 threads: efficiency";
    const int rounds = size > 512 ? 5 : 11;
    const double efficiency = Efficiency<VestaGraph>(size, rounds);
    table.Tell(what, efficiency, "%");
#if defined(VESTA_HAVE_TBB)
    table.Tell("tbb", Efficiency<TbbGraph>(size, rounds), "%");
#endif
    table.Tell("two threads, half of the rows each",
               EfficiencyOfHalves(size, rounds), "%");
  }
}

}  // namespace vesta_benchmarks
