// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_ELEMENTS_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_ELEMENTS_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/reduce_blocks.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"

// Reductions of indices and elements, in blocks.

namespace ceres::parallel::detail {

inline constexpr std::int64_t kNumbersGrain = 256;

// The grain of a reduction of elements without a map.
template <typename T>
inline std::int64_t ElementGrain(const LoopOptions& options) {
  if (options.grain > 0) return options.grain;
  return std::is_arithmetic_v<T> ? kNumbersGrain : 1;
}

// Combines elements from the first one on. No identity is needed.
template <typename T, typename Iterator, typename Combine>
T FoldElements(Iterator first, Iterator last, Combine& combine) {
  T result = static_cast<T>(*first);
  for (++first; first != last; ++first) {
    result = static_cast<T>(combine(std::move(result), *first));
  }
  return result;
}

// Without a map.
template <typename HostOf, typename Iterator, typename T, typename Combine>
T ReduceOver(const HostOf& host, const IteratorRange<Iterator>& range,
             T identity, Combine& combine, const LoopOptions& options) {
  const Iterator first = range.begin();
  return ParallelReduceOnHost<std::int64_t>(
      host, 0, static_cast<std::int64_t>(range.end() - first),
      std::move(identity),
      [&](IndexRange block) {
        return FoldElements<T>(IteratorAt(first, block.begin),
                               IteratorAt(first, block.end), combine);
      },
      combine, ElementGrain<T>(options), BlockOptions(options));
}

// With a map.
template <typename HostOf, typename Index, typename T, typename Map,
          typename Combine>
T ReduceOver(const HostOf& host, const BasicIndexRange<Index>& range,
             T identity, Map& map, Combine& combine,
             const LoopOptions& options) {
  return ParallelReduceOnHost(
      host, range.begin, range.end, std::move(identity),
      [&](BasicIndexRange<Index> block) {
        T result = static_cast<T>(map(block.begin));
        for (Index i = block.begin; ++i != block.end;) {
          result = static_cast<T>(combine(std::move(result), map(i)));
        }
        return result;
      },
      combine, options.grain, BlockOptions(options));
}
template <typename HostOf, typename Iterator, typename T, typename Map,
          typename Combine>
T ReduceOver(const HostOf& host, const IteratorRange<Iterator>& range,
             T identity, Map& map, Combine& combine,
             const LoopOptions& options) {
  const Iterator first = range.begin();
  const auto map_at = [&](std::int64_t i) -> decltype(auto) {
    return map(*IteratorAt(first, i));
  };
  const auto n = static_cast<std::int64_t>(range.end() - first);
  return ReduceOver(host, IndexRange(0, n), std::move(identity), map_at,
                    combine, options);
}

// Condition of overloads: a type is no options.
template <typename T>
using IfNoOptions =
    std::enable_if_t<!std::is_same_v<std::decay_t<T>, LoopOptions>, int>;

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_ELEMENTS_H_
