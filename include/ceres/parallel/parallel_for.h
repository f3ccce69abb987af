// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/compiler.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/index_range.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

namespace detail {

// A temporary body that is cheap to copy is copied for the out-of-line path.
// Then the address of the original never escapes, and the compiler keeps its
// captures in registers in the inlined loop. (Other bodies are not copied,
// because const functions may change mutable members that the caller reads.)
template <typename Body>
inline constexpr bool kCopyBody =
    !std::is_lvalue_reference_v<Body> && std::is_trivially_copyable_v<Body> &&
    std::is_trivially_copy_constructible_v<Body> &&
    sizeof(std::decay_t<Body>) <= 64;

// Body is a reference, or a type that is copied. Not inlined, so that the
// serial loop beside the call is compiled as if it were alone.
template <typename Index, typename Body, typename HostOf>
CERES_PARALLEL_NOINLINE void ParallelForOutOfLine(HostOf host, LoopSite& site,
                                                  PlainLoops& plain, Body body,
                                                  Index begin, std::int64_t n,
                                                  LoopSettings settings) {
  LoopClosure<Index, Body> closure(body, begin);
  RunLoop(host(), site, closure.Erase(), n, settings);
  RenewPlainLoops(site, settings.elements > 0 ? settings.elements : n, plain);
}

template <typename Index, typename Body, typename HostOf>
CERES_PARALLEL_NOINLINE Status ParallelForWithOptions(
    HostOf host, LoopSite& site, Body body, Index begin, std::int64_t n,
    const LoopOptions& options, std::int64_t elements) {
  LoopClosure<Index, Body> closure(body, begin);
  if (options.max_threads == 1) {
    return RunLoopWithOptions(site, closure.Erase(), n, options, elements);
  }
  return RunLoopWithOptions(host(), site, closure.Erase(), n, options,
                            elements);
}

// end - begin, modulo 2^64.
template <typename Index>
constexpr std::int64_t Distance(Index begin, Index end) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(end) -
                                   static_cast<std::uint64_t>(begin));
}

// The number of indices from begin to end > begin.
template <typename Index>
inline std::int64_t LoopLength(Index begin, Index end) {
  const std::int64_t n = Distance(begin, end);
  if (n < 0) ThrowRangeTooLong();
  return n;
}

// Both bounds in the type of the loop's index. C++ converts a negative bound to
// a huge one if the other bound is unsigned. A negative end means no indices.
template <typename Begin, typename End,
          typename Index = std::common_type_t<Begin, End>>
constexpr BasicIndexRange<Index> LoopBounds(Begin begin, End end) {
  if constexpr (std::is_unsigned_v<Index> && std::is_signed_v<Begin>) {
    if (begin < 0) ThrowNegativeBegin();
  }
  if constexpr (std::is_unsigned_v<Index> && std::is_signed_v<End>) {
    if (end < 0) return {};
  }
  return {static_cast<Index>(begin), static_cast<Index>(end)};
}

// True if the type of the body does not determine what a call runs.
// Measurements of earlier loops with this type then predict nothing.
template <typename Body>
inline constexpr bool kIsOpaque =
    std::is_pointer_v<Body> || std::is_function_v<Body>;
template <typename Signature>
inline constexpr bool kIsOpaque<std::function<Signature>> = true;

// `host()` returns the ThreadPool or Executor, and is called only when needed.
// Options is LoopOptions, or LoopSettings for loops that need no more: they
// compile faster. `elements`: as in LoopSettings; not 0 only if there are
// indices.
template <typename Index, typename PassedBody, typename HostOf, typename Body,
          typename Options>
inline Status ParallelForOn(const HostOf& host, Index begin, Index end,
                            Body& body, const Options& options,
                            std::int64_t elements) {
  static LoopSite site;
  static thread_local PlainLoops plain;
  if constexpr (std::is_same_v<Options, LoopOptions>) {
    if (begin >= end) return Status::kCompleted;
    if (options.name != nullptr) site.SetName(options.name);
    if (options.schedule != Schedule::kAdaptive || options.token != nullptr) {
      return ParallelForWithOptions<Index, PassedBody>(
          host, site, body, begin, LoopLength(begin, end), options, elements);
    }
  }
  constexpr bool kMayBePlain = !kIsOpaque<std::remove_cv_t<Body>>;
  if (options.max_threads == 1 || !kMayBePlain ||
      CERES_PARALLEL_UNLIKELY(
          !IsPlain(plain, elements != 0 ? elements : Distance(begin, end)))) {
    if (begin >= end) return Status::kCompleted;
    const std::int64_t n = LoopLength(begin, end);
    if (options.max_threads == 1) {
      RunBody<Index>(body, 0, begin, end);
    } else {
      ParallelForOutOfLine<Index, PassedBody>(
          host, site, plain, body, begin, n,
          {options.max_threads, options.grain, elements});
    }
    return Status::kCompleted;
  }
  // Plain loops have positive lengths. If `begin` is 0, the compiler leaves out
  // the comparison.
  if (Distance(begin, end) <= 0) CERES_PARALLEL_UNREACHABLE();
  if (begin < end) RunBody<Index>(body, 0, begin, end);
  return Status::kCompleted;
}

template <typename Index, typename HostOf, typename Body, typename Options>
inline Status ParallelForOnHost(const HostOf& host, Index begin, Index end,
                                Body&& body, const Options& options,
                                std::int64_t elements = 0) {
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  // Bodies that can be called when const are, so that they can be copied.
  if constexpr (kIsBody<Index, const Plain>) {
    using PassedBody =
        std::conditional_t<kCopyBody<Body>, const Plain, const Plain&>;
    const Plain& const_body = body;
    return ParallelForOn<Index, PassedBody>(host, begin, end, const_body,
                                            options, elements);
  } else {
    return ParallelForOn<Index, std::remove_reference_t<Body>&>(
        host, begin, end, body, options, elements);
  }
}

// Checks the form of a body that a user has written.
template <typename Index, typename HostOf, typename Body, typename Options>
inline Status ParallelForChecked(const HostOf& host,
                                 const BasicIndexRange<Index>& bounds,
                                 Body&& body, const Options& options) {
  if constexpr (CheckBody<Index, Body>()) {
    return ParallelForOnHost(host, bounds.begin, bounds.end,
                             std::forward<Body>(body), options);
  } else {
    return Status::kCompleted;
  }
}

template <typename Host>
struct HostReference {
  Host& host;
  Host& operator()() const { return host; }
};
struct DefaultHost {
  ThreadPool& operator()() const { return ThreadPool::Default(); }
};

// Conditions of overloads: a type is a host, or types are bounds.
template <typename Host>
using IfHost = std::enable_if_t<std::is_base_of_v<Executor, Host>, int>;
template <typename Host>
using IfNoHost = std::enable_if_t<
    !std::is_base_of_v<Executor, std::remove_reference_t<Host>>, int>;
template <typename Begin, typename End>
using IfIntegers =
    std::enable_if_t<std::is_integral_v<Begin> && std::is_integral_v<End>, int>;

}  // namespace detail

// Calls `body` for every index of [begin, end), each exactly once, in the
// caller and in threads of the host, and returns when all calls have returned.
// For iterators and containers see parallel_for_each.h.
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
// Participant and an index.
// How the range is cut depends on timing; do not let a result depend on it.
// The body is called by several threads at once, through a const reference if
// it can be called so; a trivially copyable body of up to 64 bytes may be
// copied.
//
// The bounds have any integral types; the index has their common type. If this
// type is unsigned, a negative end means no indices, and a negative begin
// throws std::invalid_argument. A body that takes IndexRange gets it for
// unsigned indices, too, unless the bounds do not fit (std::out_of_range). A
// range of more than 2^63 - 1 indices throws std::length_error.
//
// Memory order: effects of the caller before the call happen before every call
// of the body, and effects of the body happen before ParallelFor returns.
//
// Helpers are called only if the remaining work is worth it. For each place in
// the source (each instantiation) the loop remembers the time of an index. This
// time is a prediction. Until the current run has confirmed it, idle threads
// may join the loop: an awake worker takes part after some 50 us, a sleeping
// one after a millisecond or two. A loop without measurements is shared at
// once.
//
// Plain loops are not shared. A loop is plain if hundreds of runs at its place
// took less than a function call per index, or less than 32 function calls in
// all, and it is predicted to take less than about a microsecond. It runs as
// fast as a loop without ParallelFor. If an index of such a loop suddenly takes
// long, this run is not shared. (A loop with a std::function or a function
// pointer as body is never plain.)
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
//
// Host is a ThreadPool or any other Executor.
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfIntegers<Begin, End> = 0>
inline Status ParallelFor(Host& host, Begin begin, End end, Body&& body) {
  return detail::ParallelForChecked(
      detail::HostReference<Host>{host}, detail::LoopBounds(begin, end),
      std::forward<Body>(body), detail::LoopSettings());
}

// ParallelFor with options.
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfIntegers<Begin, End> = 0>
inline Status ParallelFor(Host& host, Begin begin, End end, Body&& body,
                          const LoopOptions& options) {
  return detail::ParallelForChecked(detail::HostReference<Host>{host},
                                    detail::LoopBounds(begin, end),
                                    std::forward<Body>(body), options);
}

// ParallelFor on ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          detail::IfIntegers<Begin, End> = 0>
inline Status ParallelFor(Begin begin, End end, Body&& body) {
  return detail::ParallelForChecked(
      detail::DefaultHost(), detail::LoopBounds(begin, end),
      std::forward<Body>(body), detail::LoopSettings());
}

// ParallelFor on ThreadPool::Default(), with options.
template <typename Begin, typename End, typename Body,
          detail::IfIntegers<Begin, End> = 0>
inline Status ParallelFor(Begin begin, End end, Body&& body,
                          const LoopOptions& options) {
  return detail::ParallelForChecked(detail::DefaultHost(),
                                    detail::LoopBounds(begin, end),
                                    std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_FOR_H_
