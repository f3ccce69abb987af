// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_SCAN_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_SCAN_H_

#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/detail/scan_blocks.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Prefix sums, for any associative operation `o`:
//   output[i] = x_0 o x_1 o ... o x_i
// with brackets that depend only on the number of elements and the grain. So
// the bits are the same for every number of threads, every host and every run.
//
// first, last, output: random-access iterators. output may be first: in place;
// otherwise the ranges must not overlap. operation: (T, element) -> T and
// (T, T) -> T, called by several threads at once, with T the value type of the
// input. At most 64 blocks are scanned at once.
//
// Applies the operation twice per element. Blocks of the caller are read once,
// blocks of helpers twice, in two passes (Blelloch, Prefix Sums and Their
// Applications, CMU-CS-90-190, section 1.3).
//
// Returns as ParallelFor does. If the scan is stopped, or the operation throws,
// a part of the output is not written.
template <typename Host, typename Iterator, typename Output,
          typename Operation = std::plus<>, detail::IfHost<Host> = 0,
          detail::IfRandomAccess<Iterator> = 0>
Status ParallelInclusiveScan(Host& host, Iterator first, Iterator last,
                             Output output, const Operation& operation = {},
                             const LoopOptions& options = {}) {
  using T = std::decay_t<typename std::iterator_traits<Iterator>::value_type>;
  return detail::ScanOnHost<T, detail::ScanKind::kInclusive>(
      detail::HostReference<Host>{host}, first, last, output,
      std::optional<T>(), operation, options);
}

// Prefix sums without the element itself:
//   output[i] = initial o x_0 o ... o x_{i-1}
// Arguments and result are those of ParallelInclusiveScan, with T the type of
// `initial`.
template <typename Host, typename Iterator, typename Output, typename T,
          typename Operation = std::plus<>, detail::IfHost<Host> = 0,
          detail::IfRandomAccess<Iterator> = 0>
Status ParallelExclusiveScan(Host& host, Iterator first, Iterator last,
                             Output output, T initial,
                             const Operation& operation = {},
                             const LoopOptions& options = {}) {
  return detail::ScanOnHost<T, detail::ScanKind::kExclusive>(
      detail::HostReference<Host>{host}, first, last, output,
      std::optional<T>(std::move(initial)), operation, options);
}

// ParallelInclusiveScan on ThreadPool::Default().
template <typename Iterator, typename Output, typename Operation = std::plus<>,
          detail::IfRandomAccess<Iterator> = 0>
Status ParallelInclusiveScan(Iterator first, Iterator last, Output output,
                             const Operation& operation = {},
                             const LoopOptions& options = {}) {
  return ParallelInclusiveScan(ThreadPool::Default(), first, last, output,
                               operation, options);
}

// ParallelExclusiveScan on ThreadPool::Default().
template <typename Iterator, typename Output, typename T,
          typename Operation = std::plus<>,
          detail::IfRandomAccess<Iterator> = 0>
Status ParallelExclusiveScan(Iterator first, Iterator last, Output output,
                             T initial, const Operation& operation = {},
                             const LoopOptions& options = {}) {
  return ParallelExclusiveScan(ThreadPool::Default(), first, last, output,
                               std::move(initial), operation, options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_SCAN_H_
