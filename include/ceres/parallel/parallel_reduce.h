// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_

#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/reduce_blocks.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/reduce_options.h"

namespace ceres::parallel {

namespace detail {

inline constexpr std::int64_t kNumbersGrain = 256;

// The grain of a reduction of elements without a map.
template <typename T>
inline std::int64_t ElementGrain(const ReduceOptions& options) {
  if (options.grain > 0) return options.grain;
  return std::is_arithmetic_v<T> ? kNumbersGrain : 1;
}

// Combines elements from the first one on. No identity is needed.
template <typename T, typename Iterator, typename Operation>
T FoldElements(Iterator first, Iterator last, Operation& operation) {
  T result = static_cast<T>(*first);
  for (++first; first != last; ++first) {
    result = static_cast<T>(operation(std::move(result), *first));
  }
  return result;
}

template <typename T, typename HostOf, typename Iterator, typename Operation>
T ReduceElementsOnHost(const HostOf& host, Iterator first, Iterator last,
                       T identity, Operation& operation,
                       const ReduceOptions& options) {
  return ParallelReduceOnHost<std::int64_t>(
      host, 0, static_cast<std::int64_t>(last - first), std::move(identity),
      [&](IndexRange block) {
        return FoldElements<T>(IteratorAt(first, block.begin),
                               IteratorAt(first, block.end), operation);
      },
      operation, ElementGrain<T>(options), LoopOptionsOf(options));
}

template <typename Index, typename T, typename HostOf, typename Map,
          typename Combine>
T MapReduceOnHost(const HostOf& host, Index begin, Index end, T identity,
                  Map& map, Combine& combine, const ReduceOptions& options) {
  return ParallelReduceOnHost(
      host, begin, end, std::move(identity),
      [&](BasicIndexRange<Index> block) {
        T result = static_cast<T>(map(block.begin));
        for (Index i = block.begin; ++i != block.end;) {
          result = static_cast<T>(combine(std::move(result), map(i)));
        }
        return result;
      },
      combine, options.grain, LoopOptionsOf(options));
}

}  // namespace detail

// Reduces [begin, end) by blocks: returns
//   combine(... combine(combine(identity, map(block_0)), map(block_1)) ...).
//
// map: (BasicIndexRange of the bounds' common type) -> T, called by several
// threads at once. combine: (T, T) -> T, called in the caller only. T is
// movable. An empty range gives the identity.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
T ParallelReduce(Host& host, Begin begin, End end, T identity, Map&& map,
                 Combine&& combine, const ReduceOptions& options = {}) {
  const auto bounds = detail::LoopBounds(begin, end);
  return detail::ParallelReduceOnHost(
      detail::HostReference<Host>{host}, bounds.begin, bounds.end,
      std::move(identity), map, combine, options.grain,
      detail::LoopOptionsOf(options));
}

// Reduces the elements of [first, last), random-access iterators: returns
//   identity o x_0 o x_1 o ... o x_{n-1}
// with brackets that depend only on the number of elements and the grain.
//
// operation: (T, element) -> T and (T, T) -> T, associative, such as
// std::plus<>; called by several threads at once. The identity takes part once.
// T is the type of the identity. The sum must fit T, and an element must
// convert to T (else use ParallelMapReduce).
//
//   double sum = ParallelReduce(pool, v.begin(), v.end(), 0.0, std::plus<>());
template <typename Host, typename Iterator, typename T, typename Operation,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
T ParallelReduce(Host& host, Iterator first, Iterator last, T identity,
                 Operation&& operation, const ReduceOptions& options = {}) {
  return detail::ReduceElementsOnHost<T>(detail::HostReference<Host>{host},
                                         first, last, std::move(identity),
                                         operation, options);
}

// ParallelReduce for all elements of a container, an array or a view.
template <typename Host, typename Container, typename T, typename Operation,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
T ParallelReduce(Host& host, Container&& container, T identity,
                 Operation&& operation, const ReduceOptions& options = {}) {
  return ParallelReduce(host, std::begin(container), std::end(container),
                        std::move(identity), operation, options);
}

// Reduces map(i) over the indices of [begin, end), or map(element) over the
// elements of a range or a container: returns
//   identity o map(0) o map(1) o ...
// with brackets as above. map is called once for each index or element.
// combine: (T, result of map) -> T and (T, T) -> T. Several threads call both
// at once.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
T ParallelMapReduce(Host& host, Begin begin, End end, T identity, Map&& map,
                    Combine&& combine, const ReduceOptions& options = {}) {
  const auto bounds = detail::LoopBounds(begin, end);
  return detail::MapReduceOnHost(detail::HostReference<Host>{host},
                                 bounds.begin, bounds.end, std::move(identity),
                                 map, combine, options);
}

// ParallelMapReduce for the elements of [first, last).
template <typename Host, typename Iterator, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfRandomAccess<Iterator> = 0>
T ParallelMapReduce(Host& host, Iterator first, Iterator last, T identity,
                    Map&& map, Combine&& combine,
                    const ReduceOptions& options = {}) {
  return ParallelMapReduce(
      host, std::int64_t{0}, static_cast<std::int64_t>(last - first),
      std::move(identity),
      [&](std::int64_t i) -> decltype(auto) {
        return map(*detail::IteratorAt(first, i));
      },
      combine, options);
}

// ParallelMapReduce for all elements of a container, an array or a view.
template <typename Host, typename Container, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfContainer<Container> = 0>
T ParallelMapReduce(Host& host, Container&& container, T identity, Map&& map,
                    Combine&& combine, const ReduceOptions& options = {}) {
  return ParallelMapReduce(host, std::begin(container), std::end(container),
                           std::move(identity), map, combine, options);
}

// On ThreadPool::Default(), in all the forms above without the host:
//   ParallelReduce(begin, end, identity, map, combine, [options])
//   ParallelReduce(first, last, identity, operation, [options])
//   ParallelReduce(container, identity, operation, [options])
//   ParallelMapReduce(begin, end, identity, map, combine, [options])
//   ParallelMapReduce(first, last, identity, map, combine, [options])
//   ParallelMapReduce(container, identity, map, combine, [options])
template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
auto ParallelReduce(First&& first, Arguments&&... arguments) {
  return ParallelReduce(ThreadPool::Default(), std::forward<First>(first),
                        std::forward<Arguments>(arguments)...);
}

// ParallelMapReduce on ThreadPool::Default(), in the forms above.
template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
auto ParallelMapReduce(First&& first, Arguments&&... arguments) {
  return ParallelMapReduce(ThreadPool::Default(), std::forward<First>(first),
                           std::forward<Arguments>(arguments)...);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
