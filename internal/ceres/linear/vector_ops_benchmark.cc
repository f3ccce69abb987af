// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Vector operations beside the serial loop, OpenMP and oneTBB.
//
//   vector_ops_benchmark           all of it, by Google Benchmark
//   vector_ops_benchmark --bars    our own on 2 threads against serial code, in
//                                  turns; fails if one of our bars is missed

#include <algorithm>
#include <cstring>
#include <string>

#include "benchmark/benchmark.h"
#include "ceres/base/testing/interleaved_timing.h"
#include "ceres/execution/context_impl.h"
#include "ceres/internal/eigen.h"
#include "ceres/linear/vector_ops.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/blocked_range.h"
#include "tbb/parallel_for.h"
#include "tbb/task_arena.h"
#endif

namespace ceres::internal {
namespace {

constexpr int kMinLog = 7;
constexpr int kMaxLog = 23;

// The vectors of one length, and the operations on them, parallel and serial.
class Operations {
 public:
  Operations(int n, int num_threads)
      : x_(Vector::LinSpaced(n, 1.0, 2.0)),
        y_(Vector::LinSpaced(n, -1.0, 1.0)),
        z_(Vector::Zero(n)),
        n_(n) {
    context_.EnsureMinimumThreads(num_threads);
    exec_ = {&context_, num_threads};
  }

  void ParallelSetZero() { SetZero(exec_, n_, z_.data()); }
  void SerialSetZero() { z_.setZero(); }
  void ParallelCopy() { Copy(exec_, n_, x_.data(), z_.data()); }
  void SerialCopy() { z_ = x_; }
  void ParallelAxpby() {
    Axpby(exec_, n_, 2.0, x_.data(), 3.0, y_.data(), z_.data());
  }
  void SerialAxpby() { z_ = 2.0 * x_ + 3.0 * y_; }
  void ParallelDot() {
    benchmark::DoNotOptimize(Dot(exec_, n_, x_.data(), y_.data()));
  }
  void SerialDot() { benchmark::DoNotOptimize(x_.dot(y_)); }
  void ParallelNorm() { benchmark::DoNotOptimize(Norm(exec_, n_, x_.data())); }
  void SerialNorm() { benchmark::DoNotOptimize(x_.norm()); }

  void OpenMpAxpby() {
    const double* const x = x_.data();
    const double* const y = y_.data();
    double* const z = z_.data();
#pragma omp parallel for num_threads(exec_.num_threads)
    for (int i = 0; i < n_; ++i) z[i] = 2.0 * x[i] + 3.0 * y[i];
  }

#if defined(VESTA_HAVE_TBB)
  void TbbAxpby() {
    const double* const x = x_.data();
    const double* const y = y_.data();
    double* const z = z_.data();
    tbb::parallel_for(tbb::blocked_range<int>(0, n_),
                      [=](const tbb::blocked_range<int>& range) {
                        for (int i = range.begin(); i < range.end(); ++i) {
                          z[i] = 2.0 * x[i] + 3.0 * y[i];
                        }
                      });
  }
#endif

 private:
  Vector x_;
  Vector y_;
  Vector z_;
  int n_;
  ContextImpl context_;
  Execution exec_;
};

using Operation = void (Operations::*)();

struct NamedOperation {
  const char* name;
  Operation serial;
  Operation parallel;
};

const NamedOperation kOperations[] = {
    {"set_zero", &Operations::SerialSetZero, &Operations::ParallelSetZero},
    {"copy", &Operations::SerialCopy, &Operations::ParallelCopy},
    {"axpby", &Operations::SerialAxpby, &Operations::ParallelAxpby},
    {"dot", &Operations::SerialDot, &Operations::ParallelDot},
    {"norm", &Operations::SerialNorm, &Operations::ParallelNorm},
};

void Run(benchmark::State& state, Operation operation) {
  Operations operations(static_cast<int>(state.range(0)),
                        static_cast<int>(state.range(1)));
  for (auto _ : state) {
    (operations.*operation)();
    benchmark::ClobberMemory();
  }
}

void Register(const std::string& name, Operation operation,
              const std::vector<std::int64_t>& threads) {
  benchmark::RegisterBenchmark(name.c_str(), Run, operation)
      ->ArgsProduct(
          {benchmark::CreateRange(1 << kMinLog, 1 << kMaxLog, 4), threads})
      ->ArgNames({"n", "threads"})
      ->UseRealTime();
}

void RegisterAll() {
  for (const NamedOperation& operation : kOperations) {
    const std::string name = operation.name;
    Register(name + "/serial", operation.serial, {1});
    Register(name + "/vesta", operation.parallel, {1, 2, 4, 8, 16});
  }
#if defined(_OPENMP)
  Register("axpby/openmp", &Operations::OpenMpAxpby, {1, 2, 4});
#endif
#if defined(VESTA_HAVE_TBB)
  Register("axpby/tbb", &Operations::TbbAxpby, {2});
#endif
}

// Never more than 1.05 x the serial time, at any length and number of threads;
// a nanosecond or two of a call that takes ten is below what can be measured.
bool JudgeAll() {
  bool met = true;
  for (const NamedOperation& operation : kOperations) {
    for (const int threads : {2, 8}) {
      for (int log = kMinLog; log <= kMaxLog; log += log < 20 ? 1 : 3) {
        Operations operations(1 << log, threads);
        const parallel::Comparison times = parallel::CompareInTurns(
            [&] {
              (operations.*operation.serial)();
              benchmark::ClobberMemory();
            },
            [&] {
              (operations.*operation.parallel)();
              benchmark::ClobberMemory();
            },
            log < 20 ? 31 : 9);
        const double slack = std::max(10.0, 0.05 * times.baseline);
        met &= parallel::Judge(std::string(operation.name) + " n=2^" +
                                   std::to_string(log) +
                                   " threads=" + std::to_string(threads),
                               times, times.baseline + slack);
      }
    }
  }
  return met;
}

}  // namespace
}  // namespace ceres::internal

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--bars") == 0) {
    return ceres::internal::JudgeAll() ? 0 : 1;
  }
  ceres::internal::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
