// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_SCAN_BLOCKS_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_SCAN_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/reduce_blocks.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"

namespace ceres::parallel::detail {

enum class ScanKind { kInclusive, kExclusive };

// clang-format off
// A scan in blocks. The prefix before element i of block k is
//   start_k o x_first o ... o x_{i-1},  from the left,  where
//   start_{k+1} = start_k o (x_first o ... o x_last of block k)
// in every thread, so that the bits are always the same.
// clang-format on
//
// The caller runs the blocks from the front. It knows their starts, so it
// computes the output and the total of a block in one pass. Helpers take blocks
// from the back and compute only totals; a second loop computes the outputs. A
// scan without helpers is one pass over memory.
template <typename T, ScanKind kind, typename Iterator, typename Output,
          typename Operation>
class BlockScan {
 public:
  // start: what comes before the first element, if anything does.
  BlockScan(Iterator first, std::int64_t n, Output output,
            std::optional<T> start, const Operation& operation,
            std::int64_t grain)
      : first_(first),
        n_(n),
        output_(output),
        blocks_(NumReduceBlocks(n, grain)),
        operation_(operation),
        start_(std::move(start)) {}

  template <typename HostOf>
  Status Run(const HostOf& host, const LoopOptions& options) {
    totals_.resize(static_cast<std::size_t>(blocks_));
    const Status status = ParallelForOnHost(
        host, 0, blocks_,
        [this](int participant, int k) {
          if (participant == 0 && k == num_finished_) {
            FinishNextBlock();
          } else if (k < blocks_ - 1) {
            Total(k).emplace(TotalOfBlock(k));
          }
        },
        options, n_);
    if (status != Status::kCompleted) return status;
    if (num_finished_ == blocks_) return status;
    const int next = num_finished_;
    TotalsToStarts();
    return ParallelForOnHost(
        host, next, blocks_,
        [this](int k) { ScanBlock<Wanted::kOutput>(k, std::move(Total(k))); },
        options, n_ / blocks_ * (blocks_ - next));
  }

 private:
  std::optional<T>& Total(int k) {
    return totals_[static_cast<std::size_t>(k)];
  }
  IndexRange Block(int k) const {
    return ReduceBlocks<std::int64_t>(0, n_, blocks_)[k];
  }

  template <typename A, typename B>
  T Apply(A&& a, B&& b) const {
    return static_cast<T>(operation_(std::forward<A>(a), std::forward<B>(b)));
  }

  // Runs in the caller.
  void FinishNextBlock() {
    const int k = num_finished_++;
    if (k == blocks_ - 1) {
      ScanBlock<Wanted::kOutput>(k, std::move(start_));
    } else if (kind == ScanKind::kInclusive && !start_.has_value()) {
      // The last output is the total.
      start_.emplace(ScanBlock<Wanted::kOutput>(k, std::nullopt));
    } else {
      AddToStart(ScanBlock<Wanted::kOutputAndTotal>(k, start_));
    }
  }

  void AddToStart(T&& total) {
    if (start_.has_value()) {
      start_.emplace(Apply(*std::move(start_), std::move(total)));
    } else {
      start_.emplace(std::move(total));
    }
  }

  T TotalOfBlock(int k) const {
    const IndexRange block = Block(k);
    Iterator x = IteratorAt(first_, block.begin);
    T total = static_cast<T>(*x);
    for (std::int64_t i = block.begin + 1; i != block.end; ++i) {
      total = Apply(std::move(total), *++x);
    }
    return total;
  }

  // Replaces the total of each block by its start.
  void TotalsToStarts() {
    for (int k = num_finished_; k < blocks_; ++k) {
      std::optional<T> total = std::move(Total(k));
      Total(k) = start_;
      if (k < blocks_ - 1) AddToStart(*std::move(total));
    }
  }

  enum class Wanted { kOutput, kOutputAndTotal };

  // Writes the outputs of block k. Returns its total if that is wanted, else
  // the last output of an inclusive scan. An output may overwrite its input,
  // which has been read before.
  template <Wanted wanted>
  T ScanBlock(int k, std::optional<T> start) {
    const IndexRange block = Block(k);
    Iterator x = IteratorAt(first_, block.begin);
    Output out = IteratorAt(output_, block.begin);
    T total = static_cast<T>(*x);
    // An exclusive scan has a start in every block.
    T running = kind == ScanKind::kExclusive ? *std::move(start)
                : start.has_value()          ? Apply(*std::move(start), *x)
                                             : static_cast<T>(*x);
    for (std::int64_t i = block.begin;;) {
      if constexpr (kind == ScanKind::kExclusive) {
        if (i + 1 == block.end) break;
        T next = Apply(running, *x);
        *out = std::move(running);
        running = std::move(next);
      } else {
        *out = running;
        if (i + 1 == block.end) break;
      }
      ++i;
      ++x;
      ++out;
      if constexpr (wanted == Wanted::kOutputAndTotal) {
        total = Apply(std::move(total), *x);
      }
      if constexpr (kind == ScanKind::kInclusive) {
        running = Apply(std::move(running), *x);
      }
    }
    if constexpr (kind == ScanKind::kExclusive) *out = std::move(running);
    return wanted == Wanted::kOutputAndTotal ? std::move(total)
                                             : std::move(running);
  }

  const Iterator first_;
  const std::int64_t n_;
  const Output output_;
  const int blocks_;
  const Operation& operation_;
  std::optional<T> start_;  // Of block num_finished_. The caller's.
  int num_finished_ = 0;    // The caller's.
  std::vector<std::optional<T>> totals_;
};

inline constexpr std::int64_t kScanGrain = 512;

template <typename T, ScanKind kind, typename HostOf, typename Iterator,
          typename Output, typename Operation>
Status ScanOnHost(const HostOf& host, Iterator first, Iterator last,
                  Output output, std::optional<T> start,
                  const Operation& operation, const LoopOptions& options) {
  const std::int64_t n = static_cast<std::int64_t>(last - first);
  if (n <= 0) return Status::kCompleted;
  std::int64_t grain = options.grain;
  if (grain <= 0) grain = std::is_arithmetic_v<T> ? kScanGrain : 1;
  BlockScan<T, kind, Iterator, Output, Operation> scan(
      first, n, output, std::move(start), operation, grain);
  return scan.Run(host, BlockOptions(options));
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_SCAN_BLOCKS_H_
