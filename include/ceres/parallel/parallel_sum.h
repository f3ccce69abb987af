// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_

#include <iterator>

#include "ceres/parallel/detail/fold.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/thread_pool.h"

// Sums, minima and maxima of the elements of a range or a container, or of
// their projections. In all forms:
//
//   ParallelSum([host,] first, last, [projection, [options]])
//   ParallelSum([host,] container, [projection, [options]])
//
// host: a ThreadPool or any other Executor; without one, ThreadPool::Default().
// first, last: random-access iterators. projection: (element) -> value, or a
// pointer to a member, called once for each element, by several threads at
// once; {} for none. Same bits for every number of threads, and exceptions: see
// ParallelReduce.

namespace ceres::parallel {

// The sum, of the type of a + b for numbers (int for narrower ones), else of
// the type of an element. An empty range gives T(). Numbers are added in four
// lanes per block. For other types, addition must be associative.
//
//   double squares = ParallelSum(pool, v, [](double x) { return x * x; });
template <typename Host, typename Iterator,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
auto ParallelSum(Host& host, Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::SumOf()(detail::HostReference<Host>{host}, first, last,
                         projection, options);
}
template <typename Host, typename Container,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
auto ParallelSum(Host& host, Container&& container,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::SumOf()(detail::HostReference<Host>{host},
                         std::begin(container), std::end(container), projection,
                         options);
}
template <typename Iterator, typename Projection = detail::IdentityProjection,
          detail::IfRandomAccess<Iterator> = 0>
auto ParallelSum(Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::SumOf()(detail::DefaultHost(), first, last, projection,
                         options);
}
template <typename Container, typename Projection = detail::IdentityProjection,
          detail::IfContainer<Container> = 0>
auto ParallelSum(Container&& container, const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::SumOf()(detail::DefaultHost(), std::begin(container),
                         std::end(container), projection, options);
}

// The smallest value by operator<, the first of several equal ones, as
// std::optional: without a value for an empty range. If some values are not
// comparable (NaN), the result is one of the values, and is the same for every
// number of threads.
//
//   std::optional<double> nearest =
//       ParallelMin(pool, points, &Point::distance);
template <typename Host, typename Iterator,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
auto ParallelMin(Host& host, Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MinOf()(detail::HostReference<Host>{host}, first, last,
                         projection, options);
}
template <typename Host, typename Container,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
auto ParallelMin(Host& host, Container&& container,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MinOf()(detail::HostReference<Host>{host},
                         std::begin(container), std::end(container), projection,
                         options);
}
template <typename Iterator, typename Projection = detail::IdentityProjection,
          detail::IfRandomAccess<Iterator> = 0>
auto ParallelMin(Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MinOf()(detail::DefaultHost(), first, last, projection,
                         options);
}
template <typename Container, typename Projection = detail::IdentityProjection,
          detail::IfContainer<Container> = 0>
auto ParallelMin(Container&& container, const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MinOf()(detail::DefaultHost(), std::begin(container),
                         std::end(container), projection, options);
}

// The largest value, as ParallelMin gives the smallest.
template <typename Host, typename Iterator,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
auto ParallelMax(Host& host, Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MaxOf()(detail::HostReference<Host>{host}, first, last,
                         projection, options);
}
template <typename Host, typename Container,
          typename Projection = detail::IdentityProjection,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
auto ParallelMax(Host& host, Container&& container,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MaxOf()(detail::HostReference<Host>{host},
                         std::begin(container), std::end(container), projection,
                         options);
}
template <typename Iterator, typename Projection = detail::IdentityProjection,
          detail::IfRandomAccess<Iterator> = 0>
auto ParallelMax(Iterator first, Iterator last,
                 const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MaxOf()(detail::DefaultHost(), first, last, projection,
                         options);
}
template <typename Container, typename Projection = detail::IdentityProjection,
          detail::IfContainer<Container> = 0>
auto ParallelMax(Container&& container, const Projection& projection = {},
                 const LoopOptions& options = {}) {
  return detail::MaxOf()(detail::DefaultHost(), std::begin(container),
                         std::end(container), projection, options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_SUM_H_
