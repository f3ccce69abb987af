// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Recursion by loops within loops, beside the plain recursion:
//   skynet   the sum of the leaves of a tree, ten branches a node, 10^6 leaves
//   nqueens  the ways to put 12 queens on a board, a loop over columns a row

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

// Loops in the calling thread.
struct PlainLoops {
  template <typename F>
  void Loop(std::int64_t n, const F& f) {
    for (std::int64_t k = 0; k < n; ++k) f(k);
  }
};

struct Skynet {
  static constexpr const char* kName = "skynet";
  static constexpr std::int64_t kFanOut = 10;

  template <typename R>
  __attribute__((noinline)) static std::int64_t Sum(R& runtime,
                                                    std::int64_t first,
                                                    std::int64_t leaves) {
    if (leaves == 1) return first;
    std::int64_t sums[kFanOut];
    const std::int64_t below = leaves / kFanOut;
    runtime.Loop(kFanOut, [&](std::int64_t k) {
      sums[k] = Sum(runtime, first + k * below, below);
    });
    return std::accumulate(sums, sums + kFanOut, std::int64_t{0});
  }
  template <typename R>
  static bool RunsRight(R& runtime) {
    return Sum(runtime, 0, 1000000) == 499999500000;
  }
};

struct Queens {
  static constexpr const char* kName = "nqueens(12)";
  static constexpr int kRows = 12;
  struct Board {
    signed char columns[kRows];
  };

  static bool IsFree(const Board& board, int row, int column) {
    for (int k = 0; k < row; ++k) {
      const int distance = board.columns[k] - column;
      if (distance == 0 || std::abs(distance) == row - k) return false;
    }
    return true;
  }
  template <typename R>
  __attribute__((noinline)) static std::int64_t Count(R& runtime,
                                                      const Board& board,
                                                      int row) {
    if (row == kRows) return 1;
    std::int64_t counts[kRows] = {};
    runtime.Loop(kRows, [&](std::int64_t column) {
      if (!IsFree(board, row, static_cast<int>(column))) return;
      Board more = board;
      more.columns[row] = static_cast<signed char>(column);
      counts[column] = Count(runtime, more, row + 1);
    });
    return std::accumulate(counts, counts + kRows, std::int64_t{0});
  }
  template <typename R>
  static bool RunsRight(R& runtime) {
    return Count(runtime, Board{}, 0) == 14200;
  }
};

template <typename Recursion, typename R>
Contestant ContestantOf(R& runtime) {
  return [&runtime](std::int64_t calls) {
    const auto run = [&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        if (!Recursion::RunsRight(runtime)) std::abort();
      }
    };
    if constexpr (std::is_same_v<R, PlainLoops>) {
      run();
    } else {
      runtime.Enter(run);
    }
  };
}

// Time over that of the plain recursion.
template <typename Recursion, typename R>
double RatioOf(int threads, const TurnsOptions& options) {
  PlainLoops plain;
  R runtime(threads);
  const std::vector<double> times = TimeInTurns(
      {ContestantOf<Recursion>(plain), ContestantOf<Recursion>(runtime)},
      options);
  return times[1] / times[0];
}

template <typename Recursion>
void JudgeRecursion(BarTable& table) {
  constexpr double kOverhead = 1.5;
  TurnsOptions options;
  options.is_judged = true;
  const std::string over = " by loops, time over plain, ";
  table.Tell(Recursion::kName + over + "1 thread",
             RatioOf<Recursion, Vesta>(1, options), "x");
  table.AtMost(Recursion::kName + over + "2 threads",
               RatioOf<Recursion, Vesta>(2, options), 1.0, "x");
  // On two CPUs, two of them run.
  table.AtMost(Recursion::kName + over + "8 threads",
               RatioOf<Recursion, Vesta>(8, options), kOverhead, "x");
  ForEachPeer([&](auto tag) {
    using R = typename decltype(tag)::Runtime;
    TurnsOptions few;
    few.rounds = 5;
    table.Tell(Recursion::kName + over + "2 threads: " + R::kName,
               RatioOf<Recursion, R>(2, few), "x");
  });
}

void JudgeRecursiveLoops(BarTable& table) {
  JudgeRecursion<Skynet>(table);
  JudgeRecursion<Queens>(table);
}

}  // namespace

const Case kRecursiveLoops = {"recursive_loops", JudgeRecursiveLoops};

}  // namespace vesta_benchmarks
