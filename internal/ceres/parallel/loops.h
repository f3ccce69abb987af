// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ceres/parallel/execution.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"

// The loops of the solver: those of ceres/parallel on a context's pool, with
// the solver's int indices. See ceres/parallel/parallel_for.h for what they
// promise.

namespace ceres::internal {

// What a body that takes a range is given: [begin, end) with int bounds.
using IndexRange = parallel::BasicIndexRange<int>;

// Calls the body for every index of [start, end), each once. Forms of the body:
// (i), (thread_id, i), (range), (thread_id, range), with thread_id in
// [0, num_threads) and held by one thread at a time. min_block_size: the fewest
// indices worth a piece of their own. context null or num_threads <= 1: serial.
template <typename F>
inline void ParallelFor(ContextImpl* context, int start, int end,
                        int num_threads, F&& body, int min_block_size = 1) {
  const bool serial = context == nullptr || num_threads <= 1;
  parallel::detail::ParallelForOnHost<int>(
      [context]() -> parallel::ThreadPool& { return ThreadPoolOf(context); },
      start, end, std::forward<F>(body),
      {serial ? 1 : num_threads, min_block_size});
}

template <typename F>
inline void ParallelFor(const Execution& exec, int start, int end, F&& body,
                        int min_block_size = 1) {
  ParallelFor(exec.context, start, end, exec.num_threads, std::forward<F>(body),
              min_block_size);
}

// The number of pieces into which ParallelForByCost cuts a loop.
inline int NumCostPieces(int n, int num_threads) {
  constexpr int kPiecesPerThread = 8;
  return std::min(n, kPiecesPerThread * num_threads);
}

// A loop over [start, end) whose indices differ in cost: cut into pieces of
// about equal cost, not length.
//
// cumulative_cost has end + 1 entries that never decrease: index i costs
// cumulative_cost[i + 1] - cumulative_cost[i], in any unit. (The row starts of
// a compressed matrix are such an array.) Cost is any arithmetic type. Forms of
// the body as in ParallelFor.
template <typename Cost, typename F>
inline void ParallelForByCost(const Execution& exec, int start, int end,
                              const Cost* cumulative_cost, F&& body) {
  if (start >= end) return;
  if (exec.IsSerial()) {
    ParallelFor(nullptr, start, end, 1, std::forward<F>(body));
    return;
  }
  const double first = static_cast<double>(cumulative_cost[start]);
  const double total = static_cast<double>(cumulative_cost[end]) - first;
  const int pieces = NumCostPieces(end - start, exec.num_threads);
  // Piece p begins at the first index before which at least p / pieces of the
  // cost lies; an index that costs more than a piece leaves pieces empty.
  const auto boundary = [&](int p) {
    if (p == 0) return start;
    if (p == pieces) return end;
    const double target = first + total * p / pieces;
    const Cost* position =
        std::lower_bound(cumulative_cost + start, cumulative_cost + end, target,
                         [](Cost cost, double bound) {
                           return static_cast<double>(cost) < bound;
                         });
    return static_cast<int>(position - cumulative_cost);
  };
  ParallelFor(exec, 0, pieces, [&](int thread_id, int p) {
    const int piece_begin = boundary(p);
    const int piece_end = boundary(p + 1);
    if (piece_begin < piece_end) {
      parallel::detail::RunBody<int>(body, thread_id, piece_begin, piece_end);
    }
  });
}

// Reduces [start, end) with the same bits for every number of threads; see
// ceres/parallel/parallel_reduce.h. map: (IndexRange) -> T.
template <typename T, typename Map, typename Combine>
inline T ParallelReduce(const Execution& exec, int start, int end, T identity,
                        Map&& map, Combine&& combine, int min_block_size = 1) {
  ContextImpl* context = exec.context;
  return parallel::detail::ParallelReduceOnHost<int>(
      [context]() -> parallel::ThreadPool& { return ThreadPoolOf(context); },
      start, end, std::move(identity), std::forward<Map>(map),
      std::forward<Combine>(combine), exec.IsSerial() ? 1 : exec.num_threads,
      min_block_size);
}

// Calls the functions, each once, perhaps at the same time.
template <typename... Functions>
inline void ParallelInvoke(const Execution& exec, Functions&&... functions) {
  if (exec.IsSerial()) {
    (functions(), ...);
  } else {
    parallel::ParallelInvoke(ThreadPoolOf(exec.context),
                             std::forward<Functions>(functions)...);
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_H_
