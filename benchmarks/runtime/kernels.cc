// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Two small programs as users write them: a product of matrices by recursion,
// and one square root for each element of a vector.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bars.h"
#include "ceres/parallel/parallel_for.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/parallel_for_each.h"
#endif

namespace vesta_benchmarks {
namespace {

// ----- c += a b, by quadrants: four tasks, then four tasks

constexpr std::int64_t kSide = 256;
constexpr std::int64_t kLeaf = 16;

void MultiplyLeaf(std::int64_t n, const double* a, const double* b, double* c) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < n; ++j) {
        c[i * kSide + j] += a[i * kSide + k] * b[k * kSide + j];
      }
    }
  }
}

// spawn_all(4, f) calls f(0) to f(3), perhaps at the same time.
template <typename SpawnAll>
void Multiply(const SpawnAll& spawn_all, std::int64_t n, const double* a,
              const double* b, double* c) {
  if (n <= kLeaf) {
    MultiplyLeaf(n, a, b, c);
    return;
  }
  const std::int64_t half = n / 2;
  for (std::int64_t inner = 0; inner < 2; ++inner) {
    spawn_all(4, [=, &spawn_all](std::int64_t quadrant) {
      const std::int64_t row = half * (quadrant / 2);
      const std::int64_t column = half * (quadrant % 2);
      const std::int64_t k = half * inner;
      Multiply(spawn_all, half, a + row * kSide + k, b + k * kSide + column,
               c + row * kSide + column);
    });
  }
}

struct Matrices {
  Matrices() : a(kSide * kSide), b(kSide * kSide), c(kSide * kSide) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      a[k] = static_cast<double>(k % 7);
      b[k] = static_cast<double>(k % 5);
    }
  }
  template <typename SpawnAll>
  void Multiply(const SpawnAll& spawn_all) {
    std::fill(c.begin(), c.end(), 0.0);
    vesta_benchmarks::Multiply(spawn_all, kSide, a.data(), b.data(), c.data());
  }
  // The sum of c is that of column sums of a times row sums of b. (Small
  // integers: exact.)
  void Check() const {
    double expected = 0.0;
    for (std::int64_t k = 0; k < kSide; ++k) {
      double column = 0.0;
      double row = 0.0;
      for (std::int64_t i = 0; i < kSide; ++i) {
        column += a[i * kSide + k];
        row += b[k * kSide + i];
      }
      expected += column * row;
    }
    double sum = 0.0;
    for (const double value : c) sum += value;
    if (sum == expected) return;
    std::fprintf(stderr, "a product of matrices came out wrong\n");
    std::abort();
  }

  std::vector<double> a, b, c;
};

template <typename R>
Contestant Multiplying(R& runtime, Matrices& matrices) {
  return [&](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        matrices.Multiply(
            [&](std::int64_t n, const auto& f) { runtime.SpawnAll(n, f); });
      }
    });
    matrices.Check();
  };
}

struct Serial {
  static constexpr const char* kName = "serial";
  template <typename F>
  void Enter(const F& f) {
    f();
  }
  template <typename F>
  void EnterLoops(const F& f) {
    f();
  }
  template <typename F>
  void SpawnAll(std::int64_t n, const F& f) {
    for (std::int64_t k = 0; k < n; ++k) f(k);
  }
};

// ----- One function for each element

using Values = std::vector<double>;

void TakeRoot(double& x) { x = std::sqrt(x + 1.0); }

void ForEach(Serial& /*runtime*/, Values& values) {
  for (double& x : values) TakeRoot(x);
}
void ForEach(Vesta& runtime, Values& values) {
  ceres::parallel::ParallelFor(runtime.pool(), values,
                               [](double& x) { TakeRoot(x); });
}
#if defined(VESTA_HAVE_TBB)
void ForEach(Tbb& /*runtime*/, Values& values) {
  tbb::parallel_for(
      tbb::blocked_range<double*>(values.data(), values.data() + values.size()),
      [](const tbb::blocked_range<double*>& range) {
        for (double& x : range) TakeRoot(x);
      });
}
#endif
#if defined(_OPENMP)
void ForEach(OpenMp& runtime, Values& values) {
  double* const data = values.data();
  const auto n = static_cast<std::int64_t>(values.size());
#pragma omp parallel for num_threads(runtime.threads()) schedule(static)
  for (std::int64_t k = 0; k < n; ++k) TakeRoot(data[k]);
}
#endif

template <typename R>
Contestant Visiting(R& runtime, Values& values) {
  return [&](std::int64_t calls) {
    runtime.EnterLoops([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        ForEach(runtime, values);
      }
    });
  };
}

// ----- Judging

// contestant_of(runtime): of each runtime. Prints times over the serial one.
template <typename ContestantOf>
void Judge(BarTable& table, const std::string& what, int threads,
           const ContestantOf& contestant_of) {
  Serial serial;
  Vesta vesta(threads);
  std::vector<Contestant> contestants = {contestant_of(serial),
                                         contestant_of(vesta)};
  std::vector<const char*> names = {Serial::kName, Vesta::kName};
#if defined(VESTA_HAVE_TBB)
  Tbb tbb(threads);
  contestants.push_back(contestant_of(tbb));
  names.push_back(Tbb::kName);
#endif
#if defined(_OPENMP)
  OpenMp openmp(threads);
  contestants.push_back(contestant_of(openmp));
  names.push_back(OpenMp::kName);
#endif
  TurnsOptions options;
  options.is_judged = true;
  const std::vector<double> times = TimeInTurns(contestants, options);
  const std::string label = what + ", " + std::to_string(threads) + " threads";
#if defined(VESTA_HAVE_TBB)
  table.AtMost(label + ": time over oneTBB", times[1] / times[2], 1.1, "x");
#endif
  for (std::size_t k = 1; k < times.size(); ++k) {
    table.Tell(label + " over serial, " + names[k], times[k] / times[0], "x");
  }
}

void JudgeKernels(BarTable& table) {
  constexpr int kTeam = 2;
  Matrices matrices;
  Judge(table, "matmul/256", kTeam,
        [&matrices](auto& runtime) { return Multiplying(runtime, matrices); });
  for (const int size : {1000, 30'000, 3'000'000}) {
    Values values(static_cast<std::size_t>(size), 2.0);
    Judge(table, "for_each/" + std::to_string(size), kTeam,
          [&values](auto& runtime) { return Visiting(runtime, values); });
  }
}

}  // namespace

const Case kKernels = {"kernels", JudgeKernels};

}  // namespace vesta_benchmarks
