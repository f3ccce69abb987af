// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_
#define CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_

#include <type_traits>
#include <utility>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_each.h"
#include "ceres/parallel/parallel_reduce.h"

// Loops and reductions that nobody waits for at once: tasks (future.h) that run
// a loop. The thread that runs the task is the caller of the loop, participant
// 0; other threads help as usual. Whoever waits for the future runs the loop
// itself if nobody has begun it, and helps with it if somebody has.
//
// The body, the map and the operations are moved or copied into the task, and
// so are bounds, iterators, the identity and the token. What they refer to, the
// elements and the host outlive the task.

namespace ceres::parallel {

namespace detail {

// Options, LoopOptions or ReduceOptions, with a token of their own.
template <typename Options>
class OwnedOptions {
 public:
  explicit OwnedOptions(const Options& options) : options_(options) {
    if (options.token != nullptr) token_ = *options.token;
  }

  Options Get() const {
    Options options = options_;
    if (options.token != nullptr) options.token = &token_;
    return options;
  }

 private:
  Options options_;
  CancellationToken token_;
};

template <typename Options>
TaskOptions TaskOptionsOf(const Options& options) {
  return {Priority::kNormal, options.name};
}

// Bounds of a loop: integers, or iterators of one type.
template <typename Begin, typename End>
using IfBounds =
    std::enable_if_t<(std::is_integral_v<Begin> && std::is_integral_v<End>) ||
                         (std::is_same_v<Begin, End> && kIsRandomAccess<Begin>),
                     int>;

// The loop as a task.
template <typename Host, typename Begin, typename End, typename Body>
auto DeferredFor(Host& host, Begin begin, End end, Body&& body,
                 const LoopOptions& options) {
  return [&host, begin, end, body = std::forward<Body>(body),
          options = OwnedOptions<LoopOptions>(options)]() mutable -> Status {
    return ParallelFor(host, begin, end, body, options.Get());
  };
}

}  // namespace detail

// ParallelFor(host, begin, end, body, options) for indices or random-access
// iterators, some time. get() returns its Status or rethrows what a body threw.
//
//   Future<Status> loaded = AsyncFor(pool, 0, n, [images](int i) { ... });
//   ...
//   loaded.get();
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfBounds<Begin, End> = 0>
[[nodiscard]] Future<Status> AsyncFor(Host& host, Begin begin, End end,
                                      Body&& body,
                                      const LoopOptions& options = {}) {
  return Async(
      host, detail::TaskOptionsOf(options),
      detail::DeferredFor(host, begin, end, std::forward<Body>(body), options));
}

// The same, and nobody waits for it. What a body throws goes to the exception
// handler of the pool.
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfBounds<Begin, End> = 0>
void DetachFor(Host& host, Begin begin, End end, Body&& body,
               const LoopOptions& options = {}) {
  Detach(
      host, detail::TaskOptionsOf(options),
      detail::DeferredFor(host, begin, end, std::forward<Body>(body), options));
}

// ParallelReduce(host, begin, end, identity, map, combine, options), some time.
// get() returns the result, or rethrows what was thrown: StoppedByToken if the
// token stopped it.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
[[nodiscard]] Future<T> AsyncReduce(Host& host, Begin begin, End end,
                                    T identity, Map&& map, Combine&& combine,
                                    const ReduceOptions& options = {}) {
  return Async(
      host, detail::TaskOptionsOf(options),
      [&host, begin, end, identity = std::move(identity),
       map = std::forward<Map>(map), combine = std::forward<Combine>(combine),
       options = detail::OwnedOptions<ReduceOptions>(options)]() mutable -> T {
        return ParallelReduce(host, begin, end, std::move(identity), map,
                              combine, options.Get());
      });
}

// ParallelReduce(host, first, last, identity, operation, options), likewise.
template <typename Host, typename Iterator, typename T, typename Operation,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
[[nodiscard]] Future<T> AsyncReduce(Host& host, Iterator first, Iterator last,
                                    T identity, Operation&& operation,
                                    const ReduceOptions& options = {}) {
  return Async(
      host, detail::TaskOptionsOf(options),
      [&host, first, last, identity = std::move(identity),
       operation = std::forward<Operation>(operation),
       options = detail::OwnedOptions<ReduceOptions>(options)]() mutable -> T {
        return ParallelReduce(host, first, last, std::move(identity), operation,
                              options.Get());
      });
}

// On ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
[[nodiscard]] Future<Status> AsyncFor(Begin begin, End end, Body&& body,
                                      const LoopOptions& options = {}) {
  return AsyncFor(ThreadPool::Default(), begin, end, std::forward<Body>(body),
                  options);
}

template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
void DetachFor(Begin begin, End end, Body&& body,
               const LoopOptions& options = {}) {
  DetachFor(ThreadPool::Default(), begin, end, std::forward<Body>(body),
            options);
}

template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
[[nodiscard]] auto AsyncReduce(First&& first, Arguments&&... arguments) {
  return AsyncReduce(ThreadPool::Default(), std::forward<First>(first),
                     std::forward<Arguments>(arguments)...);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_
