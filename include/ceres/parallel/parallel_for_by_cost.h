// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/cost_cut.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// ParallelFor for indices with different, known costs. Cuts [begin, end) into
// pieces of about equal cost, 8 per thread, which threads claim one after the
// other. A plain loop, or a loop with max_threads 1, is one piece.
//
// cumulative_cost gives the cost of all indices before i, for i in [begin, end]
// (the end included), as cumulative_cost(i) or cumulative_cost[i]: index i
// costs the difference of entries i + 1 and i, in any unit. It must not
// decrease; the cost of the first index need not be 0. (The row starts of a
// compressed sparse matrix are such an array.) A callable is called some 20
// times per piece, by several threads at once.
//
// The body and the result are as in ParallelFor. options.grain limits the
// number of pieces: at most one for each `grain` indices. options.schedule says
// how threads claim pieces. The token is checked before each piece.
//
//   ParallelForByCost(pool, 0, rows, row_starts.data(), [&](int row) { ... });
template <typename Host, typename Begin, typename End, typename CumulativeCost,
          typename Body, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
Status ParallelForByCost(Host& host, Begin begin, End end,
                         const CumulativeCost& cumulative_cost, Body&& body,
                         const LoopOptions& options = {}) {
  const auto bounds = detail::LoopBounds(begin, end);
  LoopOptions piece_options = options;
  piece_options.grain = 1;
  if (options.max_threads <= 0) {
    piece_options.max_threads = host.MaxConcurrency();
  }
  if constexpr (detail::CheckBody<std::common_type_t<Begin, End>, Body>()) {
    return detail::ParallelForByCostOnHost(
        detail::HostReference<Host>{host}, bounds.begin, bounds.end,
        cumulative_cost, body, options.grain, piece_options);
  } else {
    return Status::kCompleted;
  }
}

// ParallelForByCost on ThreadPool::Default().
template <typename Begin, typename End, typename CumulativeCost, typename Body,
          detail::IfIntegers<Begin, End> = 0>
Status ParallelForByCost(Begin begin, End end,
                         const CumulativeCost& cumulative_cost, Body&& body,
                         const LoopOptions& options = {}) {
  return ParallelForByCost(ThreadPool::Default(), begin, end, cumulative_cost,
                           std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_BY_COST_H_
