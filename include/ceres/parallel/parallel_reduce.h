// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/parallel/parallel_for.h"

namespace ceres::parallel {

struct ReduceOptions {
  // The most threads at work, the caller included. 0: as many as the host has.
  int max_threads = 0;

  // The fewest indices in a block. Part of what defines the result: another
  // grain means other blocks, and other rounding.
  std::int64_t grain = 1;
};

namespace detail {

inline constexpr int kMaxReduceBlocks = 64;

// The number of blocks that a reduction over n >= 1 indices is cut into: a
// function of n and grain alone. Block k is [k * n / blocks, (k + 1) * n /
// blocks) up to rounding: see ReduceBlock.
inline int NumReduceBlocks(std::int64_t n, std::int64_t grain) {
  const std::int64_t blocks = n / (grain > 1 ? grain : 1);
  if (blocks < 1) return 1;
  return blocks < kMaxReduceBlocks ? static_cast<int>(blocks)
                                   : kMaxReduceBlocks;
}

// Block k: the first n % blocks blocks have one index more than the others.
template <typename Index>
inline BasicIndexRange<Index> ReduceBlock(Index begin, std::int64_t n,
                                          int blocks, int k) {
  const std::int64_t quotient = n / blocks;
  const std::int64_t remainder = n % blocks;
  const std::int64_t first = k * quotient + (k < remainder ? k : remainder);
  const std::int64_t last = first + quotient + (k < remainder ? 1 : 0);
  return {static_cast<Index>(begin + static_cast<Index>(first)),
          static_cast<Index>(begin + static_cast<Index>(last))};
}

template <typename Index, typename HostOf, typename T, typename Map,
          typename Combine>
T ParallelReduceOnHost(const HostOf& host, Index begin, Index end, T identity,
                       Map&& map, Combine&& combine, int max_threads,
                       std::int64_t grain) {
  if (begin >= end) return identity;
  const std::int64_t n =
      static_cast<std::int64_t>(end) - static_cast<std::int64_t>(begin);
  const int blocks = NumReduceBlocks(n, grain);
  if (blocks == 1) {
    return combine(std::move(identity),
                   map(BasicIndexRange<Index>(begin, end)));
  }
  struct alignas(alignof(T) > 64 ? alignof(T) : 64) Partial {
    T value;
  };
  T result = identity;
  const auto run = [&](Partial* partials) {
    ParallelForOnHost<int>(host, 0, blocks,
                           [&](int k) {
                             partials[k].value =
                                 map(ReduceBlock<Index>(begin, n, blocks, k));
                           },
                           {max_threads, 1});
    for (int k = 0; k < blocks; ++k) {
      result = combine(std::move(result), std::move(partials[k].value));
    }
  };
  if constexpr (std::is_trivially_copyable_v<T> &&
                std::is_trivially_default_constructible_v<T> &&
                sizeof(T) <= 64) {
    Partial partials[kMaxReduceBlocks];
    run(partials);
  } else {
    const std::unique_ptr<Partial[]> partials(new Partial[blocks]);
    run(partials.get());
  }
  return result;
}

}  // namespace detail

// Reduces [begin, end): cuts it into blocks, computes map(block) for each in
// parallel, and returns
//   combine(... combine(combine(identity, map(block_0)), map(block_1)) ...).
//
// The blocks depend on the length of the range and on options.grain only, and
// are combined in order: for one input the result has the same bits for every
// number of threads, every host and every run. There are at most 64 blocks.
//
// map: (BasicIndexRange of the bounds' type) -> T, called by several threads at
// once. combine: (T, T) -> T, called in the caller only; it need not be
// commutative. T is default constructible and movable. Exceptions: see
// ParallelFor.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine>
T ParallelReduce(Host& host, Begin begin, End end, T identity, Map&& map,
                 Combine&& combine, const ReduceOptions& options = {}) {
  using Index = std::common_type_t<Begin, End>;
  return detail::ParallelReduceOnHost<Index>(
      [&host]() -> Host& { return host; }, static_cast<Index>(begin),
      static_cast<Index>(end), std::move(identity), std::forward<Map>(map),
      std::forward<Combine>(combine), options.max_threads, options.grain);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_REDUCE_H_
