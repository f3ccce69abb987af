// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The cost of a numerical factorization of sparse normal equations, by this
// library and by others:
//
//   sparse_cholesky_benchmark [graph.g2o ...] [--benchmark_filter=...]
//
// The matrices are those of boxes, of a ring of cameras, and of the pose graphs
// in the files, whose values do not count. Multiplications and the longest path
// through the tree of fronts, in millions, are those of the native
// factorization. "CHOLMOD, threads": with as many threads as its BLAS uses by
// itself; all others use one thread unless the name says more.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "benchmark/benchmark.h"
#include "ceres/internal/config.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/native_cholesky.h"
#ifndef CERES_NO_SUITESPARSE
#include "ceres/sparse/permuted_csc.h"
#include "cholmod.h"
#endif

namespace ceres::internal {
namespace {

struct NormalMatrix {
  BlockSymmetricStructure structure;
  AlignedBuffer values;
};
using Edges = std::set<std::pair<int, int>>;

// L x M + I: L the graph's Laplacian, M a dense block. Edges (i, j), i < j.
std::shared_ptr<NormalMatrix> MakeNormalMatrix(int num_nodes,
                                               const Edges& edges, int block) {
  auto result = std::make_shared<NormalMatrix>();
  BlockSymmetricStructure& s = result->structure;
  std::vector<int> degree(num_nodes, 0);
  auto edge = edges.begin();
  for (int i = 0; i < num_nodes; ++i) {
    s.block_offset.push_back(s.size() + block);
    s.entry_column.push_back(i);
    for (; edge != edges.end() && edge->first == i; ++edge) {
      s.entry_column.push_back(edge->second);
      ++degree[i];
      ++degree[edge->second];
    }
    s.first_entry.push_back(static_cast<int>(s.entry_column.size()));
  }
  for (size_t e = 1; e <= s.entry_column.size(); ++e) {
    s.value_offset.push_back(static_cast<int64_t>(e) * block * block);
  }
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(block, block);
  const Eigen::MatrixXd m = b * b.transpose();
  result->values.Resize(s.num_values());
  for (int i = 0; i < num_nodes; ++i) {
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

// The points of a box, joined to their neighbours.
std::shared_ptr<NormalMatrix> MakeBox(int nx, int ny, int nz, int block) {
  Edges edges;
  for (int i = 0; i < nx * ny * nz; ++i) {
    if (i % nx + 1 < nx) edges.emplace(i, i + 1);
    if (i / nx % ny + 1 < ny) edges.emplace(i, i + nx);
    if (i / (nx * ny) + 1 < nz) edges.emplace(i, i + nx * ny);
  }
  return MakeNormalMatrix(nx * ny * nz, edges, block);
}

// Cameras that look at what `reach` neighbours on each side see.
std::shared_ptr<NormalMatrix> MakeRing(int num_cameras, int reach, int block) {
  Edges edges;
  for (int i = 0; i < num_cameras; ++i) {
    for (int k = 1; k <= reach; ++k) {
      edges.insert(std::minmax({i, (i + k) % num_cameras}));
    }
  }
  return MakeNormalMatrix(num_cameras, edges, block);
}

// The graph of a g2o file; null: there is none.
std::shared_ptr<NormalMatrix> ReadPoseGraph(const std::string& path) {
  std::ifstream file(path);
  std::string line, tag;
  Edges edges;
  int num_nodes = 0, block = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    int i = 0, j = 0;
    if (!(words >> tag >> i >> j) || tag.rfind("EDGE_SE", 0) != 0) continue;
    block = tag == "EDGE_SE2" ? 3 : 6;
    num_nodes = std::max({num_nodes, i + 1, j + 1});
    if (i != j) edges.insert(std::minmax(i, j));
  }
  return edges.empty() ? nullptr : MakeNormalMatrix(num_nodes, edges, block);
}

// By way of the tree of fronts; each of its fronts' multiplications.
void TellWork(const FrontPlan<double>& plan, benchmark::State* state) {
  double work = 0.0, longest = 0.0;
  std::vector<double> path(plan.fronts.size(), 0.0);
  for (size_t s = 0; s < plan.fronts.size(); ++s) {
    const double w = plan.fronts[s].width, b = plan.fronts[s].below;
    const double own = w * w * w / 6.0 + w * w * b / 2.0 + w * b * b / 2.0;
    work += own;
    path[s] += own;
    longest = std::max(longest, path[s]);
    const int parent = plan.fronts[s].parent;
    if (parent != -1) path[parent] = std::max(path[parent], path[s]);
  }
  state->counters["work/1e6"] = work * 1e-6;
  state->counters["path/1e6"] = longest * 1e-6;
}

void Factorize(benchmark::State& state, SparseCholesky* cholesky,
               const NormalMatrix& a, int num_threads) {
  TestThreads threads(num_threads);
  std::string message;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        cholesky->Factorize(threads.execution(), a.values.data(), &message));
  }
}

#ifndef CERES_NO_SUITESPARSE
// CHOLMOD as it is called by a program that lets its BLAS use threads.
void BM_ThreadedCholmod(benchmark::State& state,
                        const std::shared_ptr<NormalMatrix>& a) {
  std::vector<int> order(a->structure.num_blocks());
  for (size_t b = 0; b < order.size(); ++b) order[b] = static_cast<int>(b);
  const PermutedCsc csc(a->structure, order, PermutedCsc::Triangle::kLower);
  std::vector<double> entries(csc.num_entries());
  csc.Gather(Execution(), a->values.data(), entries.data());
  cholmod_sparse view{};
  view.nrow = view.ncol = csc.size();
  view.nzmax = entries.size();
  view.p = const_cast<int*>(csc.column_start().data());
  view.i = const_cast<int*>(csc.row().data());
  view.x = entries.data();
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  cholmod_common common;
  cholmod_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_AMD;
  cholmod_factor* factor = cholmod_analyze(&view, &common);
  for (auto _ : state) cholmod_factorize(&view, factor, &common);
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
}
#endif

// The work once per structure: ordering and symbolic factorization.
void RegisterAnalysis(const std::string& name,
                      const std::shared_ptr<NormalMatrix>& a,
                      LinearSolverOrderingType ordering) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 SparseCholesky::Options options;
                                 options.ordering = ordering;
                                 for (auto _ : state) {
                                   CreateNativeFactor(options, a->structure);
                                 }
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void Register(const std::string& name, const std::shared_ptr<NormalMatrix>& a) {
  const auto add = [&](const std::string& how,
                       SparseLinearAlgebraLibraryType library,
                       LinearSolverOrderingType ordering, int num_threads) {
    SparseCholesky::Options options;
    options.library = library;
    options.ordering = ordering;
    benchmark::RegisterBenchmark(
        (name + "/" + how).c_str(),
        [=](benchmark::State& state) {
          if (library != NATIVE_SPARSE) {
            const auto cholesky =
                SparseCholesky::Create(options, a->structure, nullptr);
            Factorize(state, cholesky.get(), *a, num_threads);
            return;
          }
          const auto cholesky = CreateNativeFactor(options, a->structure);
          Factorize(state, cholesky.get(), *a, num_threads);
          TellWork(cholesky->plan(), &state);
        })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  };
  RegisterAnalysis(name + "/native, analysis", a, AMD);
  add("native", NATIVE_SPARSE, AMD, 1);
  add("native, 2 threads", NATIVE_SPARSE, AMD, 2);
#if !defined(CERES_NO_CHOLMOD_PARTITION) || !defined(CERES_NO_EIGEN_METIS)
  RegisterAnalysis(name + "/native, NESDIS, analysis", a, NESDIS);
  add("native, NESDIS", NATIVE_SPARSE, NESDIS, 1);
  add("native, NESDIS, 2 threads", NATIVE_SPARSE, NESDIS, 2);
#endif
#ifndef CERES_NO_SUITESPARSE
  add("CHOLMOD", SUITE_SPARSE, AMD, 1);
  benchmark::RegisterBenchmark(
      (name + "/CHOLMOD, threads").c_str(),
      [a](benchmark::State& state) { BM_ThreadedCholmod(state, a); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  add("Eigen", EIGEN_SPARSE, AMD, 1);
#endif
}

}  // namespace
}  // namespace ceres::internal

int main(int argc, char** argv) {
  using namespace ceres::internal;  // NOLINT
  benchmark::Initialize(&argc, argv);
  Register("box 100 x 100, 3", MakeBox(100, 100, 1, 3));
  Register("box 13 x 13 x 13, 6", MakeBox(13, 13, 13, 6));
  Register("box 3000 x 2, 9", MakeBox(3000, 2, 1, 9));
  Register("ring of 400, 9", MakeRing(400, 15, 9));
  for (int k = 1; k < argc; ++k) {
    const auto graph = ReadPoseGraph(argv[k]);
    if (graph == nullptr) {
      std::fprintf(stderr, "%s is not a g2o file.\n", argv[k]);
      return 1;
    }
    const std::string path = argv[k];
    Register(path.substr(path.find_last_of('/') + 1), graph);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
