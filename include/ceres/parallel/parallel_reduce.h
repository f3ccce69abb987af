// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_

#include <utility>

#include "ceres/parallel/detail/loop_over.h"
#include "ceres/parallel/detail/reduce_elements.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Reduces a range: returns
//   identity o map(x_0) o map(x_1) o ... o map(x_{n-1})
// for an operation `o`, which is `combine`. The range is begin and end (two
// integers), first and last (random-access iterators), or a container, as in
// ParallelFor. x_i is an index or an element. For elements, the map may be left
// out.
//
//   double sum = ParallelReduce(pool, v, 0.0, std::plus<>());
//   double norm = ParallelReduce(pool, v, 0.0,
//                                [](double x) { return x * x; },
//                                std::plus<>());
//   Box box = ParallelReduce(pool, 0, n, Box(), [&](int i) { return BoxOf(i);
//   },
//                            [](Box a, const Box& b) { return a.Add(b); });
//
// T is the type of the identity, and is movable; the identity takes part once.
// map: (index or element) -> T or what converts to T, called once for each.
// combine: (T, result of map, or an element) -> T and (T, T) -> T, associative;
// it need not be commutative. Several threads call both at once. An empty range
// gives the identity. The sum must fit T.
//
// The range is cut into at most 64 blocks, by its length and options.grain
// alone. The blocks are reduced in parallel from their first element on, and
// their results are combined in order, in the caller. For one input the result
// therefore has the same bits for every number of threads, every host and every
// run. (Floating-point addition is not exactly associative: the sum differs
// from the sum of a plain loop by rounding, always in the same way.)
//
// Exceptions of map and combine reach the caller as in ParallelFor. A reduction
// that its token stops throws StoppedByToken. For a map that works on many
// indices at once, reduce over the numbers of parts of your own.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfBounds<Begin, End> = 0, detail::IfNoOptions<Combine> = 0>
T ParallelReduce(Host& host, Begin begin, End end, T identity, Map&& map,
                 Combine&& combine, const LoopOptions& options = {}) {
  return detail::ReduceOver(detail::HostReference<Host>{host},
                            detail::RangeOf(begin, end), std::move(identity),
                            map, combine, options);
}
template <typename Host, typename Container, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfContainer<Container> = 0, detail::IfNoOptions<Combine> = 0>
T ParallelReduce(Host& host, Container&& container, T identity, Map&& map,
                 Combine&& combine, const LoopOptions& options = {}) {
  return detail::ReduceOver(detail::HostReference<Host>{host},
                            detail::RangeOf(container), std::move(identity),
                            map, combine, options);
}

// ParallelReduce without a map.
template <typename Host, typename Iterator, typename T, typename Combine,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
T ParallelReduce(Host& host, Iterator first, Iterator last, T identity,
                 Combine&& combine, const LoopOptions& options = {}) {
  return detail::ReduceOver(detail::HostReference<Host>{host},
                            detail::RangeOf(first, last), std::move(identity),
                            combine, options);
}
template <typename Host, typename Container, typename T, typename Combine,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
T ParallelReduce(Host& host, Container&& container, T identity,
                 Combine&& combine, const LoopOptions& options = {}) {
  return detail::ReduceOver(detail::HostReference<Host>{host},
                            detail::RangeOf(container), std::move(identity),
                            combine, options);
}

// ParallelReduce on ThreadPool::Default(), in all forms above without the host.
template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
auto ParallelReduce(First&& first, Arguments&&... arguments) {
  return ParallelReduce(ThreadPool::Default(), std::forward<First>(first),
                        std::forward<Arguments>(arguments)...);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
