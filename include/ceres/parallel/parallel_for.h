// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_

#include <utility>

#include "ceres/parallel/detail/loop_over.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/participant.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Calls `body` for every index of [begin, end), each exactly once, in the
// caller and in threads of the host, and returns when all calls have returned.
// The host is a ThreadPool or any other Executor; without one the loop runs on
// ThreadPool::Default().
//
//   ParallelFor(pool, 0, n, [&](int i) { y[i] = f(x[i]); });
//   ParallelFor(pool, v.begin(), v.end(), [](double& x) { x *= 2.0; });
//   ParallelFor(pool, v, [](double& x) { x *= 2.0; });
//
// The range is one of
//   begin, end          indices, of any integral types
//   first, last         random-access iterators of one type
//   container           a container, array or view of random access, such as
//                       StridedRange
//   BasicIndexRange, Range2d
//
// The body takes one of
//   (int i)               one index
//   (Participant, int i)  participant in [0, max_threads), held by one thread
//                         at a time: for scratch memory. The caller is 0. With
//                         max_threads 0: in [0, host.MaxConcurrency()), as it
//                         is when the loop begins.
//   (IndexRange)          the bounds of a piece, which is not empty
//   (Participant, IndexRange)
// where int may be any integer type, and IndexRange BasicIndexRange of the
// index's type. A body of two integers does not compile, because it is not
// known what is meant. A generic lambda of two parameters is called with a
// Participant and an index. For elements, a body takes what *iterator gives
// (T&, const T&, a proxy) in the place of int, and IteratorRange<Iterator> in
// the place of IndexRange; for a Range2d it takes two of each. Do not write to
// elements that share memory (std::vector<bool>).
// How the range is cut depends on timing; do not let a result depend on it.
// The body is called by several threads at once, through a const reference if
// it can be called so; a trivially copyable body of up to 64 bytes may be
// copied.
//
// The index has the common type of the bounds. If this type is unsigned, a
// negative end means no indices, and a negative begin throws
// std::invalid_argument. A body that takes IndexRange gets it for unsigned
// indices, too, unless the bounds do not fit (std::out_of_range). A range of
// more than 2^63 - 1 indices throws std::length_error.
//
// Memory order: effects of the caller before the call happen before every call
// of the body, and effects of the body happen before ParallelFor returns.
//
// Helpers are called only if the remaining work is worth it. For each place in
// the source (each instantiation), and for each number of loops around it, the
// loop remembers the time of an index. This time is a prediction. Until the
// current run has confirmed it, idle threads may join the loop: an awake worker
// takes part after some 50 us, a sleeping one after a millisecond or two. A
// loop without measurements is shared at once.
//
// A loop is plain if it is predicted to take less than about a microsecond,
// after hundreds of runs at its place that took less than a microsecond, or
// less than a function call per index. The caller runs it alone, and no thread
// is called. It takes some 20 ns more than a loop without ParallelFor; on a
// pool without workers, or within another plain loop, nothing. If an index of a
// plain loop suddenly takes long, threads of the pool find the loop as late as
// they find other loops, and share the indices that the caller has not claimed.
// (The caller claims one index first, then the next 3, 12, 48, and so on.)
//
// Bodies may start loops of their own, on any host, to any depth. A thread that
// waits for its loop works only on loops for which its bodies wait, so bodies
// may hold locks across loops.
//
// If a body throws, pieces that have not begun are dropped. The first exception
// that was caught is rethrown here when no thread is in the body any more.
//
// Returns kCompleted if every index was visited, which is always the case
// without a token. Otherwise returns the reason of the token. A cancellation
// after the last piece has begun has no effect, and an exception takes
// precedence.
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfBounds<Begin, End> = 0>
inline Status ParallelFor(Host& host, Begin begin, End end, Body&& body) {
  return detail::LoopOver(detail::HostReference<Host>{host},
                          detail::RangeOf(begin, end), std::forward<Body>(body),
                          detail::LoopSettings());
}
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfBounds<Begin, End> = 0>
inline Status ParallelFor(Host& host, Begin begin, End end, Body&& body,
                          const LoopOptions& options) {
  return detail::LoopOver(detail::HostReference<Host>{host},
                          detail::RangeOf(begin, end), std::forward<Body>(body),
                          options);
}
template <typename Host, typename Range, typename Body,
          detail::IfHost<Host> = 0, detail::IfRange<Range> = 0>
inline Status ParallelFor(Host& host, Range&& range, Body&& body) {
  return detail::LoopOver(detail::HostReference<Host>{host},
                          detail::RangeOf(range), std::forward<Body>(body),
                          detail::LoopSettings());
}
template <typename Host, typename Range, typename Body,
          detail::IfHost<Host> = 0, detail::IfRange<Range> = 0>
inline Status ParallelFor(Host& host, Range&& range, Body&& body,
                          const LoopOptions& options) {
  return detail::LoopOver(detail::HostReference<Host>{host},
                          detail::RangeOf(range), std::forward<Body>(body),
                          options);
}

// ParallelFor on ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
inline Status ParallelFor(Begin begin, End end, Body&& body) {
  return detail::LoopOver(detail::DefaultHost(), detail::RangeOf(begin, end),
                          std::forward<Body>(body), detail::LoopSettings());
}
template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
inline Status ParallelFor(Begin begin, End end, Body&& body,
                          const LoopOptions& options) {
  return detail::LoopOver(detail::DefaultHost(), detail::RangeOf(begin, end),
                          std::forward<Body>(body), options);
}
template <typename Range, typename Body, detail::IfRange<Range> = 0>
inline Status ParallelFor(Range&& range, Body&& body) {
  return detail::LoopOver(detail::DefaultHost(), detail::RangeOf(range),
                          std::forward<Body>(body), detail::LoopSettings());
}
template <typename Range, typename Body, detail::IfRange<Range> = 0>
inline Status ParallelFor(Range&& range, Body&& body,
                          const LoopOptions& options) {
  return detail::LoopOver(detail::DefaultHost(), detail::RangeOf(range),
                          std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
