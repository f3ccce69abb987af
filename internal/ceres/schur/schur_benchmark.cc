// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/execution/context_impl.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/schur/schur_product.h"

// The passes of Schur elimination on synthetic bundle adjustment problems: n
// cameras (9 parameters) in a row, points (3) that are seen by some of the 13
// cameras around them, sorted by their median camera, tracks of 2 to 13
// observations, 4.8 on average. "ns_per_observation" is what to look at.
//
// Lower bounds, per observation, one thread, sizes (2, 3, 9), k the length of a
// track:
//
// clang-format off
//   bytes              the row block, 208, read once by each pass: 17 ns from
//                      memory at 12 GB/s
//   elimination        multiply-adds: E'E 18, U 54 + 12, diagonal block
//                      2 x 9 x 9 + 3 x 9 x 9 = 405, pairs 3 x 9 x 9 x (k - 1) / 2
//                      = 460 for k = 4.8; together 950, which is 60 cycles at 16 a
//                      cycle (AVX-512), 120 with AVX2
//   back substitution  18 + 6 + 6 multiply-adds and the latency of two dot products
//   explicit product   8 (88 + 18) bytes for each block of S
//   implicit product   216 bytes (U) for each observation
// clang-format on

namespace ceres::internal {
namespace {

struct Scene {
  BlockJacobianStructure structure;
  BlockJacobian jacobian;
  std::vector<double> damping;
};

std::vector<std::vector<int>> MakeTracks(int num_cameras, int num_points) {
  std::mt19937 random(1);
  std::vector<std::vector<int>> tracks(num_points);
  std::geometric_distribution<int> extra_length(0.265);
  for (std::vector<int>& track : tracks) {
    const int center =
        std::uniform_int_distribution<int>(0, num_cameras - 1)(random);
    const int low = std::clamp(center - 6, 0, std::max(0, num_cameras - 13));
    const int high = std::min(low + 12, num_cameras - 1);
    const int length = std::min(2 + extra_length(random), high - low + 1);
    std::vector<int> cameras(high - low + 1);
    std::iota(cameras.begin(), cameras.end(), low);
    std::shuffle(cameras.begin(), cameras.end(), random);
    track.assign(cameras.begin(), cameras.begin() + length);
    std::sort(track.begin(), track.end());
  }
  std::sort(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
    return a[a.size() / 2] < b[b.size() / 2];
  });
  return tracks;
}

// An unordered collection: each point is seen by cameras from anywhere. Sorted
// as far as that goes.
std::vector<std::vector<int>> MakeUnorderedTracks(int num_cameras,
                                                  int num_points) {
  std::mt19937 random(1);
  std::vector<std::vector<int>> tracks(num_points);
  std::geometric_distribution<int> extra_length(0.265);
  std::uniform_int_distribution<int> any(0, num_cameras - 1);
  for (std::vector<int>& track : tracks) {
    const int length = std::min(2 + extra_length(random), num_cameras);
    std::set<int> seen;
    while (static_cast<int>(seen.size()) < length) seen.insert(any(random));
    track.assign(seen.begin(), seen.end());
  }
  std::sort(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
    return a[a.size() / 2] < b[b.size() / 2];
  });
  return tracks;
}

enum class SceneKind { kSequence, kUnordered };

const Scene& SceneOf(SceneKind kind, int num_cameras, int num_points) {
  static std::unique_ptr<Scene> scene;
  static std::tuple<SceneKind, int, int> made;
  if (made == std::tuple(kind, num_cameras, num_points)) return *scene;
  made = {kind, num_cameras, num_points};
  scene = std::make_unique<Scene>();
  BlockJacobianStructure& s = scene->structure;
  for (int p = 0; p < num_points; ++p) {
    s.column_offset.push_back(s.num_columns() + 3);
  }
  for (int c = 0; c < num_cameras; ++c) {
    s.column_offset.push_back(s.num_columns() + 9);
  }
  s.num_eliminated = num_points;
  const auto tracks = kind == SceneKind::kSequence
                          ? MakeTracks(num_cameras, num_points)
                          : MakeUnorderedTracks(num_cameras, num_points);
  for (int p = 0; p < num_points; ++p) {
    for (const int camera : tracks[p]) {
      AppendRowBlock(2, {p, num_points + camera}, &s);
    }
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  CutIntoRowChunks(&s);
  scene->jacobian.structure = &s;
  scene->jacobian.values.Resize(s.num_values());
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::generate_n(scene->jacobian.values.data(), s.num_values(),
                  [&] { return uniform(random); });
  scene->damping.assign(s.num_columns(), 0.3);
  return *scene;
}

// Arguments of every benchmark: cameras, points, threads.
class Fixture {
 public:
  Fixture(const benchmark::State& state, ReducedMatrix matrix,
          SceneKind kind = SceneKind::kSequence,
          SchurFormation formation = SchurFormation::kChoose)
      : scene(SceneOf(kind, state.range(0), state.range(1))),
        execution(MakeExecution(state.range(2))),
        plan(execution, scene.structure, matrix,
             matrix == ReducedMatrix::kSchurComplement
                 ? kernels::PointDiagonal::kFused
                 : kernels::PointDiagonal::kNone,
             formation),
        eliminator(execution, plan,
                   matrix == ReducedMatrix::kSchurComplement
                       ? SchurEliminator::KeepU::kNo
                       : SchurEliminator::KeepU::kYes) {
    Eliminate();
  }

  void Eliminate() {
    std::string message;
    if (!eliminator.Eliminate(scene.jacobian, scene.damping.data(), &message)) {
      std::abort();
    }
  }

  void Report(benchmark::State* state) const {
    state->counters["ns_per_observation"] =
        benchmark::Counter(1e-9 * scene.structure.num_row_blocks(),
                           benchmark::Counter::kIsIterationInvariantRate |
                               benchmark::Counter::kInvert);
    state->counters["merged_chunks"] = plan.merged_chunks().size();
  }

  const Scene& scene;
  ContextImpl context;
  Execution execution;
  SchurPlan plan;
  SchurEliminator eliminator;

 private:
  Execution MakeExecution(int num_threads) {
    context.EnsureMinimumThreads(num_threads);
    return {&context, num_threads};
  }
};

void BM_Plan(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement);
  for (auto _ : state) {
    SchurPlan plan(fixture.execution, fixture.scene.structure,
                   ReducedMatrix::kSchurComplement,
                   kernels::PointDiagonal::kFused);
    benchmark::DoNotOptimize(plan.reduced().sources().data());
  }
  fixture.Report(&state);
}

void BM_Eliminate(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement);
  for (auto _ : state) fixture.Eliminate();
  fixture.Report(&state);
}

void BM_EliminateAndKeepU(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kRemainingBlocks);
  for (auto _ : state) fixture.Eliminate();
  fixture.Report(&state);
}

void BM_AssembleDense(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement);
  const int64_t n = fixture.plan.pattern().size();
  std::vector<double> matrix(n * n);
  for (auto _ : state) fixture.eliminator.AssembleDense(matrix.data());
  fixture.Report(&state);
}

void BM_AssembleBlocks(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement);
  std::vector<double> values(fixture.plan.pattern().num_values());
  for (auto _ : state) fixture.eliminator.AssembleBlocks(values.data());
  fixture.Report(&state);
}

void BM_BackSubstitute(benchmark::State& state) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement);
  std::vector<double> step(fixture.scene.structure.num_columns(), 0.1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(fixture.eliminator.BackSubstitute(step.data()));
  }
  fixture.Report(&state);
}

void RunProduct(benchmark::State& state, ReducedMatrix matrix) {
  Fixture fixture(state, matrix);
  SchurProductOperator product(fixture.execution, fixture.plan);
  product.Update(fixture.eliminator);
  std::vector<double> x(product.size(), 0.5);
  std::vector<double> y(product.size());
  for (auto _ : state) product.Apply(x.data(), y.data());
  fixture.Report(&state);
}
void BM_ExplicitProduct(benchmark::State& state) {
  RunProduct(state, ReducedMatrix::kSchurComplement);
}
void BM_ImplicitProduct(benchmark::State& state) {
  RunProduct(state, ReducedMatrix::kRemainingBlocks);
}

void RunUnordered(benchmark::State& state, SchurFormation formation) {
  Fixture fixture(state, ReducedMatrix::kSchurComplement, SceneKind::kUnordered,
                  formation);
  std::vector<double> values(fixture.plan.pattern().num_values());
  for (auto _ : state) {
    fixture.Eliminate();
    fixture.eliminator.AssembleBlocks(values.data());
  }
  fixture.Report(&state);
}
void BM_UnorderedPartialSums(benchmark::State& state) {
  RunUnordered(state, SchurFormation::kPartialSums);
}
void BM_UnorderedGatherByRow(benchmark::State& state) {
  RunUnordered(state, SchurFormation::kGatherByRow);
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (const auto& [cameras, points] :
       {std::pair(16, 17500), std::pair(50, 30000), std::pair(200, 100000)}) {
    for (const int threads : {1, 2})
      benchmark->Args({cameras, points, threads});
  }
  benchmark->Unit(benchmark::kMicrosecond)->UseRealTime();
}

void UnorderedSizes(benchmark::internal::Benchmark* benchmark) {
  for (const auto& [cameras, points] :
       {std::pair(16, 17500), std::pair(50, 30000), std::pair(100, 60000),
        std::pair(200, 100000), std::pair(400, 62500),
        std::pair(1000, 200000)}) {
    for (const int threads : {1, 2})
      benchmark->Args({cameras, points, threads});
  }
  benchmark->Unit(benchmark::kMicrosecond)->UseRealTime();
}

BENCHMARK(BM_Eliminate)->Apply(Sizes);
BENCHMARK(BM_AssembleDense)->Apply(Sizes);
BENCHMARK(BM_AssembleBlocks)->Apply(Sizes);
BENCHMARK(BM_BackSubstitute)->Apply(Sizes);
BENCHMARK(BM_ExplicitProduct)->Apply(Sizes);
BENCHMARK(BM_EliminateAndKeepU)->Apply(Sizes);
BENCHMARK(BM_ImplicitProduct)->Apply(Sizes);
BENCHMARK(BM_Plan)->Apply(Sizes);
BENCHMARK(BM_UnorderedPartialSums)->Apply(UnorderedSizes);
BENCHMARK(BM_UnorderedGatherByRow)->Apply(UnorderedSizes);

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
