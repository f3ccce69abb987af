// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_RUN_LOOP_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_RUN_LOOP_H_

#include <cstdint>
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

// A loop over indices with a body of any type: decides whether it is a plain
// loop, else erases the type of the body and calls the runtime.

namespace ceres::parallel::detail {

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
                                                  int max_threads,
                                                  std::int64_t grain,
                                                  std::int64_t elements) {
  LoopClosure<Index, Body> closure(body, begin);
  RunLoop(host(), site, plain, closure.Erase(), n,
          LoopSettings{max_threads, grain, elements});
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

template <typename Host>
struct HostReference {
  Host& host;
  Host& operator()() const { return host; }
};

// Whether no other thread can ever help the loops of the host, as far as is
// known without a call.
template <typename HostOf>
bool HasNoWorkers(const HostOf&) {
  return false;
}
inline bool HasNoWorkers(const HostReference<ThreadPool>& pool) {
  return pool.host.NumWorkers() == 0;
}

// `host()` returns the ThreadPool or Executor, and is called only when needed.
// Options is LoopOptions, or LoopSettings for loops that need no more: they
// compile faster. `elements`: as in LoopSettings; not 0 only if there are
// indices. run_alone(body, begin, end) runs the loop if the caller runs it
// alone, without help.
template <typename Index, typename PassedBody, typename HostOf, typename Body,
          typename Options, typename RunAlone>
inline Status ParallelForOn(const HostOf& host, Index begin, Index end,
                            Body& body, const Options& options,
                            std::int64_t elements, const RunAlone& run_alone) {
  static LoopSite site;
  static thread_local PlainLoops plain;
  if constexpr (std::is_same_v<Options, LoopOptions>) {
    if (begin >= end) return Status::kCompleted;
    if (options.name != nullptr) site.SetName(options.name);
    if (options.schedule != Schedule::kAdaptive || options.token.CanCancel()) {
      return ParallelForWithOptions<Index, PassedBody>(
          host, site, body, begin, LoopLength(begin, end), options, elements);
    }
  }
  const std::int64_t n = elements != 0 ? elements : Distance(begin, end);
  if (options.max_threads == 1 || HasNoWorkers(host)) {
    if (begin >= end) return Status::kCompleted;
    LoopLength(begin, end);
  } else if (!IsPlainInside(plain, n)) {
    if (begin >= end) return Status::kCompleted;
    ParallelForOutOfLine<Index, PassedBody>(
        host, site, plain, body, begin, LoopLength(begin, end),
        options.max_threads, options.grain, elements);
    return Status::kCompleted;
  }
  // Plain loops have positive lengths. If `begin` is 0, the compiler leaves out
  // the comparison.
  if (Distance(begin, end) <= 0) CERES_PARALLEL_UNREACHABLE();
  if (begin < end) run_alone(body, begin, end);
  return Status::kCompleted;
}

// Runs the body for each index.
struct RunBodyAlone {
  template <typename Index, typename Body>
  void operator()(Body& body, Index begin, Index end) const {
    RunBody<Index>(body, 0, begin, end);
  }
};

template <typename Index, typename HostOf, typename Body, typename Options,
          typename RunAlone = RunBodyAlone>
inline Status ParallelForOnHost(const HostOf& host, Index begin, Index end,
                                Body&& body, const Options& options,
                                std::int64_t elements = 0,
                                const RunAlone& run_alone = {}) {
  using Plain = std::remove_cv_t<std::remove_reference_t<Body>>;
  // Bodies that can be called when const are, so that they can be copied.
  if constexpr (kIsBody<Index, const Plain>) {
    using PassedBody =
        std::conditional_t<kCopyBody<Body>, const Plain, const Plain&>;
    const Plain& const_body = body;
    return ParallelForOn<Index, PassedBody>(host, begin, end, const_body,
                                            options, elements, run_alone);
  } else {
    return ParallelForOn<Index, std::remove_reference_t<Body>&>(
        host, begin, end, body, options, elements, run_alone);
  }
}

struct DefaultHost {
  ThreadPool& operator()() const { return ThreadPool::Default(); }
};

// Conditions of overloads: a type is a host, or none; types are indices.
template <typename Host>
using IfHost = std::enable_if_t<std::is_base_of_v<Executor, Host>, int>;
template <typename Host>
using IfNoHost = std::enable_if_t<
    !std::is_base_of_v<Executor, std::remove_reference_t<Host>>, int>;
template <typename Begin, typename End>
using IfIntegers =
    std::enable_if_t<std::is_integral_v<Begin> && std::is_integral_v<End>, int>;

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_RUN_LOOP_H_
