// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

struct LoopOptions {
  // The most threads at work in this loop, the caller included. 0: as many as
  // the host has. 1: the loop runs in the caller.
  int max_threads = 0;

  // The fewest indices that are worth a piece of their own. A loop of fewer
  // than two grains runs in the caller.
  std::int64_t grain = 1;
};

namespace detail {

// A body that is cheap to copy and has no state of its own to lose is copied
// for the out-of-line path: then the address of the original never escapes, and
// the compiler keeps what it captures in registers in the inlined loop.
template <typename Body>
inline constexpr bool kCopyBody = std::is_trivially_copyable_v<Body> &&
                                  sizeof(Body) <= 64;

// Body is a reference, or a type that is copied. Not inlined: the serial loop
// beside it is to be compiled as if there were no other.
template <typename Index, typename Body, typename HostOf>
[[gnu::noinline]] void ParallelForOutOfLine(HostOf host, LoopSite& site,
                                            Body body, Index begin,
                                            std::int64_t n,
                                            LoopSettings settings) {
  BodyAt<Index, Body> body_at{body, begin};
  RunLoop(host(), site, body_at.Erase(), n, settings);
}

// `host()` gives the ThreadPool or Executor; it is only called when needed.
template <typename Index, typename HostOf, typename Body>
inline void ParallelForOn(const HostOf& host, Index begin, Index end,
                          Body& body, const LoopSettings& settings) {
  static LoopSite site;
  if (begin >= end) return;
  const std::int64_t n =
      static_cast<std::int64_t>(end) - static_cast<std::int64_t>(begin);
  if (settings.max_threads == 1 || IsTooSmallToTime(site, n)) {
    RunBody<Index>(body, 0, begin, end);
    return;
  }
  if constexpr (std::is_const_v<Body> && kCopyBody<std::remove_const_t<Body>>) {
    ParallelForOutOfLine<Index, Body>(host, site, body, begin, n, settings);
  } else {
    ParallelForOutOfLine<Index, Body&>(host, site, body, begin, n, settings);
  }
}

// Bodies that can be called when const are, so that they can be copied.
template <typename Index, typename Body>
inline constexpr bool kConstCallable =
    std::is_invocable_v<const Body&, int, Index> ||
    std::is_invocable_v<const Body&, int, BasicIndexRange<Index>> ||
    std::is_invocable_v<const Body&, Index> ||
    std::is_invocable_v<const Body&, BasicIndexRange<Index>>;

template <typename Index, typename HostOf, typename Body>
inline void ParallelForOnHost(const HostOf& host, Index begin, Index end,
                              Body&& body, const LoopSettings& settings) {
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  if constexpr (kConstCallable<Index, Plain>) {
    const Plain& const_body = body;
    ParallelForOn<Index>(host, begin, end, const_body, settings);
  } else {
    ParallelForOn<Index>(host, begin, end, body, settings);
  }
}

}  // namespace detail

// Calls `body` for every index of [begin, end), each exactly once, in the
// caller and in threads of the host, and returns when all calls have returned.
//
// The body takes one of
//   (i)                   one index
//   (participant, i)      participant in [0, max_threads), held by one thread
//                         at a time: for scratch memory. The caller is 0.
//   (range)               BasicIndexRange of the bounds' type, not empty
//   (participant, range)
// How the range is cut depends on timing; do not let a result depend on it.
// The body is called by several threads at once, through a const reference if
// it can be called so; a trivially copyable body of up to 64 bytes may be
// copied.
//
// What happens in the caller before the call happens before every call of the
// body, and these before ParallelFor returns.
//
// Helpers are called only if what is left to do is worth it: the loop remembers
// for its place in the source (each instantiation) what an index costs. A loop
// that takes less than about a microsecond runs as fast as a plain loop.
//
// Bodies may start loops of their own, on any host, to any depth. A thread that
// waits for its loop works only on loops that were started within it, so bodies
// may hold locks across loops.
//
// If bodies throw, the pieces that nobody has begun are dropped, and the
// exception kept first is rethrown here when no thread is in the body any more.
//
// Host is a ThreadPool or any other Executor.
template <typename Host, typename Begin, typename End, typename Body>
inline void ParallelFor(Host& host, Begin begin, End end, Body&& body,
                        const LoopOptions& options = {}) {
  using Index = std::common_type_t<Begin, End>;
  detail::ParallelForOnHost<Index>(
      [&host]() -> Host& { return host; }, static_cast<Index>(begin),
      static_cast<Index>(end), std::forward<Body>(body),
      {options.max_threads, options.grain});
}

// On ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          typename = std::enable_if_t<std::is_integral_v<Begin>>>
inline void ParallelFor(Begin begin, End end, Body&& body,
                        const LoopOptions& options = {}) {
  using Index = std::common_type_t<Begin, End>;
  detail::ParallelForOnHost<Index>(
      []() -> ThreadPool& { return ThreadPool::Default(); },
      static_cast<Index>(begin), static_cast<Index>(end),
      std::forward<Body>(body), {options.max_threads, options.grain});
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
