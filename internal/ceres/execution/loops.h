// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_LOOPS_H_
#define CERES_INTERNAL_EXECUTION_LOOPS_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/execution/execution.h"
#include "ceres/parallel/detail/cost_cut.h"
#include "ceres/parallel/detail/reduce_blocks.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/parallel_invoke.h"

// The parallel loops of the solver: the loops of ceres/parallel with int
// indices, on the host of an Execution. ceres/parallel/parallel_for.h is their
// contract.

namespace ceres::internal {

// The range [begin, end) that is passed to a body.
using IndexRange = parallel::BasicIndexRange<int>;

// Calls the body once for every index of [start, end). Forms of the body: (i),
// (thread_id, i), (range), (thread_id, range). thread_id is in [0,
// num_threads); one thread has it at a time. min_block_size: the fewest indices
// in a piece. Without host, or with num_threads <= 1, the loop is serial.
template <typename F>
inline void ParallelFor(const Execution& exec, int start, int end, F&& body,
                        int min_block_size = 1) {
  const LoopHost host{exec.context, exec.executor};
  parallel::detail::ParallelForOnHost<int>(
      [host] { return host; }, start, end, std::forward<F>(body),
      parallel::detail::LoopSettings{exec.IsSerial() ? 1 : exec.num_threads,
                                     min_block_size});
}

template <typename F>
inline void ParallelFor(ContextImpl* context, int start, int end,
                        int num_threads, F&& body, int min_block_size = 1) {
  ParallelFor(Execution{context, num_threads}, start, end,
              std::forward<F>(body), min_block_size);
}

// A loop over [start, end) that is cut into pieces of about equal cost; see
// ceres/parallel/parallel_for_by_cost.h.
//
// cumulative_cost has end + 1 entries that never decrease: index i costs
// cumulative_cost[i + 1] - cumulative_cost[i], in any unit. Cost: an arithmetic
// type. Forms of the body as in ParallelFor.
template <typename Cost, typename F>
inline void ParallelForByCost(const Execution& exec, int start, int end,
                              const Cost* cumulative_cost, F&& body) {
  if (exec.IsSerial()) {
    ParallelFor(nullptr, start, end, 1, std::forward<F>(body));
    return;
  }
  parallel::detail::ParallelForByCostOnHost(
      [host = LoopHost{exec.context, exec.executor}] { return host; }, start,
      end, cumulative_cost, body, /*grain=*/1,
      parallel::detail::LoopSettings{exec.num_threads, 1});
}

// A loop over [start, end) whose indices differ in cost by an unknown amount:
// threads claim blocks of `grain` indices, in order. cost: the expected mean
// time of an index in nanoseconds, from which the loop decides how many workers
// to wake. Forms of the body as in ParallelFor.
template <typename F>
inline void ParallelForInOrder(const Execution& exec, int start, int end,
                               int grain, float cost, F&& body) {
  if (start >= end) return;
  using Body = std::remove_reference_t<F>&;
  parallel::detail::LoopClosure<int, Body> closure(body, start);
  parallel::detail::LoopSite site;
  site.measurements().cost.store(cost, std::memory_order_relaxed);
  parallel::LoopOptions options;
  options.schedule = parallel::Schedule::kDynamic;
  options.grain = grain;
  options.max_threads = exec.IsSerial() ? 1 : exec.num_threads;
  if (exec.IsSerial()) {
    parallel::detail::RunLoopWithOptions(site, closure.Erase(),
                                         std::int64_t{end} - start, options);
  } else {
    RunLoopWithOptions(LoopHost{exec.context, exec.executor}, site,
                       closure.Erase(), std::int64_t{end} - start, options);
  }
}

// Reduces [start, end) with the same bits for every number of threads; see
// ceres/parallel/parallel_reduce.h. map: (IndexRange) -> T.
template <typename T, typename Map, typename Combine>
inline T ParallelReduce(const Execution& exec, int start, int end, T identity,
                        Map&& map, Combine&& combine, int min_block_size = 1) {
  const LoopHost host{exec.context, exec.executor};
  return parallel::detail::ParallelReduceOnHost<int>(
      [host] { return host; }, start, end, std::move(identity),
      std::forward<Map>(map), std::forward<Combine>(combine), min_block_size,
      parallel::detail::LoopSettings{exec.IsSerial() ? 1 : exec.num_threads,
                                     1});
}

// Calls each function once, possibly at the same time.
template <typename... Functions>
inline void ParallelInvoke(const Execution& exec, Functions&&... functions) {
  if (exec.IsSerial()) {
    (functions(), ...);
  } else if (exec.executor != nullptr) {
    parallel::ParallelInvoke(*exec.executor,
                             std::forward<Functions>(functions)...);
  } else {
    parallel::ParallelInvoke(ThreadPoolOf(exec.context),
                             std::forward<Functions>(functions)...);
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_LOOPS_H_
