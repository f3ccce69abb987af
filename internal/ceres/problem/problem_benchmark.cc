// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The cost of adding a residual block and of destroying it, on problems shaped
// like bundle adjustment: each point is seen by 5 of 500 cameras. Observations
// come by point or, as in BAL files, by camera.

#include <memory>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"

namespace ceres {
namespace {

constexpr int kCameras = 500;
constexpr int kObservationsPerPoint = 5;

class EmptyCost final : public SizedCostFunction<2, 9, 3> {
 public:
  bool Evaluate(double const* const*, double*, double**) const override {
    return false;
  }
};

enum class Order { kByPoint, kByCamera };

// One cost function serves all: its allocation is the user's.
void AddObservations(Order order, int num_points, CostFunction* cost_function,
                     std::vector<double>* cameras, std::vector<double>* points,
                     Problem* problem) {
  const int num_observations = num_points * kObservationsPerPoint;
  unsigned random = 1;
  for (int i = 0; i < num_observations; ++i) {
    random = random * 1664525u + 1013904223u;
    const int any = static_cast<int>(random >> 8);
    const bool by_point = order == Order::kByPoint;
    const int point = by_point ? i / kObservationsPerPoint : any % num_points;
    const int camera = by_point ? any % kCameras
                                : static_cast<int>(static_cast<long long>(i) *
                                                   kCameras / num_observations);
    problem->AddResidualBlock(cost_function, nullptr, &(*cameras)[9 * camera],
                              &(*points)[3 * point]);
  }
}

void AddResidualBlocks(benchmark::State& state, Order order) {
  const int num_points = static_cast<int>(state.range(0));
  std::vector<double> cameras(9 * kCameras);
  std::vector<double> points(3 * num_points);
  for (auto _ : state) {
    Problem problem;
    AddObservations(order, num_points, new EmptyCost, &cameras, &points,
                    &problem);
    benchmark::DoNotOptimize(problem.NumResiduals());
  }
  state.counters["per_residual_block"] = benchmark::Counter(
      static_cast<double>(num_points) * kObservationsPerPoint *
          state.iterations(),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// All points leave, which takes their residual blocks along.
void RemoveParameterBlocks(benchmark::State& state) {
  const int num_points = static_cast<int>(state.range(0));
  std::vector<double> cameras(9 * kCameras);
  std::vector<double> points(3 * static_cast<std::size_t>(num_points));
  Problem::Options options;
  options.enable_fast_removal = true;
  for (auto _ : state) {
    state.PauseTiming();
    auto problem = std::make_unique<Problem>(options);
    AddObservations(Order::kByPoint, num_points, new EmptyCost, &cameras,
                    &points, problem.get());
    state.ResumeTiming();
    for (int p = 0; p < num_points; ++p) {
      problem->RemoveParameterBlock(&points[3 * static_cast<std::size_t>(p)]);
    }
    state.PauseTiming();
    problem.reset();
    state.ResumeTiming();
  }
  state.counters["per_parameter_block"] = benchmark::Counter(
      static_cast<double>(num_points) * state.iterations(),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// A million observations of a cost function each, in the two ways to add them;
// what the cost functions cost is not measured.
enum class Way { kOneByOne, kInBulk };

void AddManyResidualBlocks(benchmark::State& state, Way way) {
  constexpr int kNumPoints = 200000;
  constexpr int kNumObservations = kNumPoints * kObservationsPerPoint;
  std::vector<double> cameras(9 * kCameras);
  std::vector<double> points(3 * kNumPoints);
  std::vector<double*> parameters;
  unsigned random = 1;
  for (int i = 0; i < kNumObservations; ++i) {
    random = random * 1664525u + 1013904223u;
    parameters.push_back(
        &cameras[9 * static_cast<std::size_t>(static_cast<long long>(i) *
                                              kCameras / kNumObservations)]);
    parameters.push_back(&points[3 * ((random >> 8) % kNumPoints)]);
  }
  std::vector<std::unique_ptr<EmptyCost>> owned(kNumObservations);
  for (auto& cost : owned) cost = std::make_unique<EmptyCost>();
  std::vector<CostFunction*> costs;
  for (const auto& cost : owned) costs.push_back(cost.get());
  Problem::Options options;
  options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  for (auto _ : state) {
    Problem problem(options);
    if (way == Way::kInBulk) {
      benchmark::DoNotOptimize(
          problem.AddResidualBlocks(costs, nullptr, parameters).data());
    } else {
      for (int i = 0; i < kNumObservations; ++i) {
        problem.AddResidualBlock(costs[i], nullptr, parameters[2 * i],
                                 parameters[2 * i + 1]);
      }
    }
  }
  state.counters["per_residual_block"] = benchmark::Counter(
      static_cast<double>(kNumObservations) * state.iterations(),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(AddManyResidualBlocks, OneByOne, Way::kOneByOne)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(AddManyResidualBlocks, InBulk, Way::kInBulk)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(AddResidualBlocks, ByPoint, Order::kByPoint)
    ->Arg(1000)
    ->Arg(200000);
BENCHMARK_CAPTURE(AddResidualBlocks, ByCamera, Order::kByCamera)
    ->Arg(1000)
    ->Arg(200000);
BENCHMARK(RemoveParameterBlocks)
    ->Arg(1000)
    ->Arg(30000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ceres

BENCHMARK_MAIN();
