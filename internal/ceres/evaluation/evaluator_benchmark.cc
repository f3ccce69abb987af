// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The cost of the evaluator beyond the user's cost functions, per observation
// (the counter per_observation), on a problem shaped like bundle adjustment:
// residual blocks of 2 residuals, a camera (9) and a point (3). The cost
// function is nearly free, so "Bare" is the price of calling it.
//
// Rows are in the order of points, or (kShuffled) allocated in another order,
// as when a file lists observations by camera; or they have a loss function,
// for which all of them are inliers or outliers; or cameras have a manifold, a
// quaternion and five more coordinates.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/context_impl.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/product_manifold.h"
#include "ceres/sized_cost_function.h"

namespace ceres::internal {
namespace {

constexpr int kCameras = 50;
constexpr int kPoints = 20000;
constexpr int kObservationsPerPoint = 5;

// Linear in camera and point, with dense Jacobians.
class LinearCost final : public SizedCostFunction<2, 9, 3> {
 public:
  LinearCost(double a, double b) : a_(a), b_(b) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double* camera = parameters[0];
    const double* point = parameters[1];
    residuals[0] = camera[0] * a_ + point[0] - b_;
    residuals[1] = camera[1] * b_ + point[1] - a_;
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) {
      for (int i = 0; i < 18; ++i) jacobians[0][i] = a_;
    }
    if (jacobians[1] != nullptr) {
      for (int i = 0; i < 6; ++i) jacobians[1][i] = b_;
    }
    return true;
  }

 private:
  double a_, b_;
};

enum Kind {
  kInOrder,
  kShuffled,
  kHuberInliers,
  kHuberOutliers,
  kCauchy,
  kManifold
};

LossFunction* NewLoss(Kind kind) {
  switch (kind) {
    case kHuberInliers:
      return new HuberLoss(1e3);
    case kHuberOutliers:
      return new HuberLoss(1e-3);
    case kCauchy:
      return new CauchyLoss(0.1);
    default:
      return nullptr;
  }
}

struct Scene {
  explicit Scene(Kind kind)
      : cameras(9 * kCameras, 0.5), points(3 * kPoints, 0.25) {
    std::vector<int> order(kPoints * kObservationsPerPoint);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(1);
    if (kind == kShuffled) std::shuffle(order.begin(), order.end(), random);
    LossFunction* const loss = NewLoss(kind);
    for (const int observation : order) {
      const int point = observation / kObservationsPerPoint;
      const int camera = random() % kCameras;
      problem.AddResidualBlock(new LinearCost(0.1 * camera, 0.01), loss,
                               &cameras[9 * camera], &points[3 * point]);
    }
    if (kind == kManifold) {
      for (int camera = 0; camera < kCameras; ++camera) {
        problem.SetManifold(
            &cameras[9 * camera],
            new ProductManifold<QuaternionManifold, EuclideanManifold<5>>);
      }
    }
    std::vector<ParameterBlock*> varying;
    const ProblemImpl& impl = *problem.mutable_impl();
    varying.reserve(impl.parameter_blocks().size());
    for (int p = 0; p < kPoints; ++p) {
      varying.push_back(impl.GetParameterBlock(&points[3 * p]));
    }
    for (ParameterBlock* block : impl.parameter_blocks()) {
      if (block->size() == 9) varying.push_back(block);
    }
    program.emplace(varying, kPoints, impl.residual_blocks());
    state.resize(program->num_state());
    program->ReadUserMemory(state.data());
  }

  std::vector<double> cameras;
  std::vector<double> points;
  Problem problem;
  std::optional<Program> program;
  std::vector<double> state;
};

Scene& SceneFor(Kind kind) {
  static std::map<Kind, Scene> scenes;
  return scenes.try_emplace(kind, kind).first->second;
}

void CountObservations(benchmark::State& state, const Scene& scene) {
  state.counters["per_observation"] = benchmark::Counter(
      static_cast<double>(scene.program->num_row_blocks()) * state.iterations(),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Calls every cost function, in row order, into one small buffer.
void BareCalls(benchmark::State& state, Kind kind, bool with_jacobians) {
  const Scene& scene = SceneFor(kind);
  const Program& program = *scene.program;
  for (auto _ : state) {
    double sum = 0.0;
    for (int row = 0; row < program.num_row_blocks(); ++row) {
      const int first = program.first_argument()[row];
      const double* parameters[] = {
          program.Values(first, scene.state.data()),
          program.Values(first + 1, scene.state.data())};
      double row_block[26];
      double* jacobians[] = {row_block + 8, row_block + 2};
      program.cost_functions()[row]->Evaluate(
          parameters, row_block, with_jacobians ? jacobians : nullptr);
      sum += row_block[0];
    }
    benchmark::DoNotOptimize(sum);
  }
  CountObservations(state, scene);
}

// Costs, or row blocks and sums. Threads: state.range(0).
void EvaluateProgram(benchmark::State& state, const Program& program,
                     const std::vector<double>& point, bool with_jacobian) {
  ContextImpl context;
  Evaluator::Options options;
  const int num_threads = static_cast<int>(state.range(0));
  context.EnsureMinimumThreads(num_threads);
  options.execution = {&context, num_threads};
  Evaluator evaluator(program, options);
  BlockJacobian jacobian;
  jacobian.structure = &evaluator.structure();
  jacobian.values.Resize(jacobian.structure->num_values());
  std::vector<double> gradient(program.num_delta());
  std::vector<double> norms(program.num_delta());
  double cost;
  for (auto _ : state) {
    const Evaluator::Result result =
        with_jacobian
            ? evaluator.EvaluateJacobian(point.data(), true, &cost, &jacobian,
                                         gradient.data(), norms.data())
            : evaluator.EvaluateCost(point.data(), true, &cost, nullptr);
    benchmark::DoNotOptimize(result.ok);
  }
}

void EvaluateScene(benchmark::State& state, Kind kind, bool with_jacobian) {
  const Scene& scene = SceneFor(kind);
  EvaluateProgram(state, *scene.program, scene.state, with_jacobian);
  CountObservations(state, scene);
}
void EvaluateCost(benchmark::State& state, Kind kind) {
  EvaluateScene(state, kind, /*with_jacobian=*/false);
}
void EvaluateJacobian(benchmark::State& state, Kind kind) {
  EvaluateScene(state, kind, /*with_jacobian=*/true);
}

// One evaluation of a curve fit: 67 residuals of 2 parameters. The time is that
// of a call; threads should cost nothing.
void EvaluateCurveFit(benchmark::State& state) {
  class LineCost final : public SizedCostFunction<1, 1, 1> {
   public:
    bool Evaluate(double const* const* parameters, double* residuals,
                  double** jacobians) const override {
      residuals[0] = parameters[0][0] * 0.5 + parameters[1][0];
      if (jacobians != nullptr) {
        jacobians[0][0] = 0.5;
        jacobians[1][0] = 1.0;
      }
      return true;
    }
  };
  Problem problem;
  double m = 0.0, c = 0.0;
  for (int i = 0; i < 67; ++i) {
    problem.AddResidualBlock(new LineCost, nullptr, &m, &c);
  }
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  EvaluateProgram(state, program, {0.1, 0.2}, /*with_jacobian=*/true);
}

// 16 residuals that take 100 us each: one row chunk, and all threads at work on
// it.
void EvaluateExpensive(benchmark::State& state) {
  class SpinningCost final : public SizedCostFunction<1, 1> {
   public:
    bool Evaluate(double const* const* parameters, double* residuals,
                  double**) const override {
      using Clock = std::chrono::steady_clock;
      const auto end = Clock::now() + std::chrono::microseconds(100);
      while (Clock::now() < end) {
      }
      residuals[0] = parameters[0][0];
      return true;
    }
  };
  Problem problem;
  double x = 0.0;
  for (int i = 0; i < 16; ++i) {
    problem.AddResidualBlock(new SpinningCost, nullptr, &x);
  }
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  EvaluateProgram(state, program, {0.0}, /*with_jacobian=*/false);
}

void MakeEvaluator(benchmark::State& state) {
  Scene& scene = SceneFor(kInOrder);
  for (auto _ : state) {
    Evaluator evaluator(*scene.program, {});
    benchmark::DoNotOptimize(evaluator.structure().num_rows());
  }
  CountObservations(state, scene);
}

void MakeProgram(benchmark::State& state) {
  Scene& scene = SceneFor(kInOrder);
  const std::vector<ParameterBlock*> blocks = scene.program->parameter_blocks();
  for (auto _ : state) {
    const Program program(blocks, kPoints,
                          scene.problem.mutable_impl()->residual_blocks());
    benchmark::DoNotOptimize(program.num_residuals());
  }
  CountObservations(state, scene);
}

BENCHMARK_CAPTURE(BareCalls, Cost, kInOrder, false);
BENCHMARK_CAPTURE(EvaluateCost, InOrder, kInOrder)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();
BENCHMARK_CAPTURE(BareCalls, Jacobian, kInOrder, true);
BENCHMARK_CAPTURE(EvaluateJacobian, InOrder, kInOrder)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();
BENCHMARK_CAPTURE(BareCalls, CostShuffled, kShuffled, false);
BENCHMARK_CAPTURE(EvaluateCost, Shuffled, kShuffled)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(BareCalls, JacobianShuffled, kShuffled, true);
BENCHMARK_CAPTURE(EvaluateJacobian, Shuffled, kShuffled)->Arg(1)->UseRealTime();
BENCHMARK_CAPTURE(EvaluateCost, HuberInliers, kHuberInliers)->Arg(1);
BENCHMARK_CAPTURE(EvaluateCost, HuberOutliers, kHuberOutliers)->Arg(1);
BENCHMARK_CAPTURE(EvaluateCost, Cauchy, kCauchy)->Arg(1);
BENCHMARK_CAPTURE(EvaluateCost, Manifold, kManifold)->Arg(1);
BENCHMARK_CAPTURE(EvaluateJacobian, HuberInliers, kHuberInliers)->Arg(1);
BENCHMARK_CAPTURE(EvaluateJacobian, HuberOutliers, kHuberOutliers)->Arg(1);
BENCHMARK_CAPTURE(EvaluateJacobian, Cauchy, kCauchy)->Arg(1);
BENCHMARK_CAPTURE(EvaluateJacobian, Manifold, kManifold)->Arg(1);
BENCHMARK(EvaluateCurveFit)->Arg(1)->Arg(4)->UseRealTime();
BENCHMARK(EvaluateExpensive)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(MakeProgram);
BENCHMARK(MakeEvaluator);

}  // namespace
}  // namespace ceres::internal

BENCHMARK_MAIN();
