// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_BLOCKS_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_BLOCKS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"

// Blocks of reductions and scans. The blocks depend only on the length of the
// input and the grain, and their results are combined in order. So the bits of
// a result are the same for every number of threads.

namespace ceres::parallel::detail {

inline constexpr int kMaxReduceBlocks = 64;

// The number of blocks that a reduction over n >= 1 indices is cut into: a
// function of n and grain alone.
inline int NumReduceBlocks(std::int64_t n, std::int64_t grain) {
  const std::int64_t blocks = n / (grain > 1 ? grain : 1);
  if (blocks < 1) return 1;
  return blocks < kMaxReduceBlocks ? static_cast<int>(blocks)
                                   : kMaxReduceBlocks;
}

// The blocks of [begin, begin + n), 1 <= blocks <= n: the first n % blocks
// blocks have one index more than the others.
template <typename Index>
class ReduceBlocks {
 public:
  // (Short loops notice a division.)
  ReduceBlocks(Index begin, std::int64_t n, int blocks)
      : begin_(begin),
        quotient_(n == blocks ? 1 : n / blocks),
        remainder_(n - quotient_ * blocks) {}

  BasicIndexRange<Index> operator[](int k) const {
    const std::int64_t first =
        k * quotient_ + (k < remainder_ ? k : remainder_);
    const std::int64_t last = first + quotient_ + (k < remainder_ ? 1 : 0);
    return {IndexAt(begin_, first), IndexAt(begin_, last)};
  }

 private:
  Index begin_;
  std::int64_t quotient_;
  std::int64_t remainder_;
};

// The result of a block, in a cache line of its own.
template <typename T>
struct alignas(alignof(T) > 64 ? alignof(T) : 64) Partial {
  void Set(T&& new_value) { value = std::move(new_value); }
  T&& Take() { return std::move(value); }
  T value;
};

// The result of a block, for types that are not trivial.
template <typename T>
struct alignas(alignof(T) > 64 ? alignof(T) : 64) OptionalPartial {
  void Set(T&& new_value) { value.emplace(std::move(new_value)); }
  T&& Take() { return *std::move(value); }
  std::optional<T> value;
};

inline bool HasToken(const LoopSettings&) { return false; }
inline bool HasToken(const LoopOptions& options) {
  return options.token.CanCancel();
}

// Calls map(k) -> T for all k of [0, blocks) in parallel, then
// consume(state, map(k)) in order, in the caller. Returns the last state.
// elements: the number of elements in all blocks. options: LoopOptions or
// LoopSettings of the loop over the blocks. Throws StoppedByToken.
template <typename T, typename State, typename HostOf, typename Map,
          typename Consume, typename Options>
State MapBlocksInOrder(const HostOf& host, int blocks, std::int64_t elements,
                       const Map& map, State state, const Consume& consume,
                       const Options& options) {
  if (blocks == 1 && !HasToken(options)) {
    consume(state, map(0));
    return state;
  }
  const auto run = [&](auto* partials) {
    // A caller that runs the loop alone needs one partial. It is written and
    // read in memory as others are: if a product stayed in a register, it could
    // become a part of a fused multiply-add, which has other bits.
    int consumed = 0;
    const auto run_alone = [&](const auto& /*body*/, int begin, int end) {
      for (int k = begin; k < end; ++k) {
        partials[0].Set(map(k));
        CERES_PARALLEL_STORE(partials[0]);
        consume(state, partials[0].Take());
      }
      consumed = end;
    };
    const Status status = ParallelForOnHost(
        host, 0, blocks, [&map, partials](int k) { partials[k].Set(map(k)); },
        options, elements, run_alone);
    if (status != Status::kCompleted) throw StoppedByToken(status);
    for (int k = consumed; k < blocks; ++k) consume(state, partials[k].Take());
  };
  if constexpr (std::is_trivially_copyable_v<T> &&
                std::is_trivially_default_constructible_v<T> &&
                sizeof(T) <= 64) {
    Partial<T> partials[kMaxReduceBlocks];
    run(&partials[0]);
  } else {
    const std::unique_ptr<OptionalPartial<T>[]> partials(
        new OptionalPartial<T>[static_cast<unsigned>(blocks)]);
    run(partials.get());
  }
  return state;
}

// The options of the loop over blocks.
inline LoopOptions BlockOptions(const LoopOptions& options) {
  LoopOptions block_options = options;
  block_options.grain = 1;
  return block_options;
}

// Reduces [begin, end). map: (BasicIndexRange<Index>) -> T, called with a
// block. options: as in MapBlocksInOrder.
template <typename Index, typename HostOf, typename T, typename Map,
          typename Combine, typename Options>
T ParallelReduceOnHost(const HostOf& host, Index begin, Index end, T identity,
                       Map&& map, Combine&& combine, std::int64_t grain,
                       const Options& options) {
  if (begin >= end) return identity;
  const std::int64_t n = LoopLength(begin, end);
  const int blocks = NumReduceBlocks(n, grain);
  const ReduceBlocks<Index> ranges(begin, n, blocks);
  return MapBlocksInOrder<T>(
      host, blocks, n, [&](int k) -> T { return map(ranges[k]); },
      std::move(identity),
      [&](T& result, T&& partial) {
        result = static_cast<T>(combine(std::move(result), std::move(partial)));
      },
      options);
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_REDUCE_BLOCKS_H_
