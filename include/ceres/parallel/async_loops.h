// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_
#define CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_

#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/async_parts.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_for_each.h"

// Asynchronous loops: tasks (future.h) that run a loop. The thread that runs
// the task is the caller of the loop, participant 0, and other threads help. A
// thread that waits for the future runs the loop if no thread has begun it, and
// otherwise helps with the loop. See async_reductions.h for reductions.
//
// The body, a cost function, bounds, iterators and the token are moved or
// copied into the task. For a container the task keeps the iterators of the
// time of the call; a temporary container is moved into the task, and a
// temporary array does not compile. The elements and the host must outlive the
// task.

namespace ceres::parallel {

namespace detail {

// Bounds of a loop: integers, or iterators of one type.
template <typename Begin, typename End>
using IfBounds =
    std::enable_if_t<(std::is_integral_v<Begin> && std::is_integral_v<End>) ||
                         (std::is_same_v<Begin, End> && kIsRandomAccess<Begin>),
                     int>;

// The loops as tasks.
template <typename Host, typename Begin, typename End, typename Body>
auto DeferredFor(Host& host, Begin begin, End end, Body&& body,
                 const LoopOptions& options) {
  return [&host, begin, end, body = std::forward<Body>(body),
          options = OwnedOptions<LoopOptions>(options)]() mutable -> Status {
    return ParallelFor(host, begin, end, body, options.Get());
  };
}

template <typename Host, typename Container, typename Body>
auto DeferredForEach(Host& host, Container&& container, Body&& body,
                     const LoopOptions& options) {
  return [&host, elements = KeepElements(std::forward<Container>(container)),
          body = std::forward<Body>(body),
          options = OwnedOptions<LoopOptions>(options)]() mutable -> Status {
    return ParallelForEach(host, elements, body, options.Get());
  };
}

template <typename Host, typename Begin, typename End, typename Cost,
          typename Body>
auto DeferredForByCost(Host& host, Begin begin, End end, Cost&& cost,
                       Body&& body, const LoopOptions& options) {
  using Index = std::common_type_t<Begin, End>;
  return [&host, begin, end, cost = KeepCost<Index>(std::forward<Cost>(cost)),
          body = std::forward<Body>(body),
          options = OwnedOptions<LoopOptions>(options)]() mutable -> Status {
    return ParallelForByCost(host, begin, end, cost, body, options.Get());
  };
}

}  // namespace detail

// ParallelFor(host, begin, end, body, options) for indices or random-access
// iterators, as a task. get() returns its Status or rethrows what a body threw.
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

// AsyncFor as a detached task. Exceptions of a body go to the exception handler
// of the pool.
template <typename Host, typename Begin, typename End, typename Body,
          detail::IfHost<Host> = 0, detail::IfBounds<Begin, End> = 0>
void DetachFor(Host& host, Begin begin, End end, Body&& body,
               const LoopOptions& options = {}) {
  Detach(
      host, detail::TaskOptionsOf(options),
      detail::DeferredFor(host, begin, end, std::forward<Body>(body), options));
}

// ParallelForEach(host, container, body, options) as a task. get() returns its
// Status or rethrows what a body threw.
//
//   AsyncForEach(pool, images, body)            the elements of images
//   AsyncForEach(pool, std::move(images), body) the task owns them
template <typename Host, typename Container, typename Body,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
[[nodiscard]] Future<Status> AsyncForEach(Host& host, Container&& container,
                                          Body&& body,
                                          const LoopOptions& options = {}) {
  return Async(host, detail::TaskOptionsOf(options),
               detail::DeferredForEach(host, std::forward<Container>(container),
                                       std::forward<Body>(body), options));
}

// AsyncForEach as a detached task. Exceptions of a body go to the exception
// handler of the pool.
template <typename Host, typename Container, typename Body,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
void DetachForEach(Host& host, Container&& container, Body&& body,
                   const LoopOptions& options = {}) {
  Detach(host, detail::TaskOptionsOf(options),
         detail::DeferredForEach(host, std::forward<Container>(container),
                                 std::forward<Body>(body), options));
}

// ParallelForByCost(host, begin, end, cumulative_cost, body, options) as a
// task. A cost function is moved or copied into the task; a container of costs
// is kept as elements are. get() returns the Status, or rethrows what a body or
// the cost function threw.
template <typename Host, typename Begin, typename End, typename CumulativeCost,
          typename Body, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
[[nodiscard]] Future<Status> AsyncForByCost(Host& host, Begin begin, End end,
                                            CumulativeCost&& cumulative_cost,
                                            Body&& body,
                                            const LoopOptions& options = {}) {
  return Async(
      host, detail::TaskOptionsOf(options),
      detail::DeferredForByCost(host, begin, end,
                                std::forward<CumulativeCost>(cumulative_cost),
                                std::forward<Body>(body), options));
}

// AsyncForByCost as a detached task. Exceptions go to the exception handler of
// the pool.
template <typename Host, typename Begin, typename End, typename CumulativeCost,
          typename Body, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
void DetachForByCost(Host& host, Begin begin, End end,
                     CumulativeCost&& cumulative_cost, Body&& body,
                     const LoopOptions& options = {}) {
  Detach(host, detail::TaskOptionsOf(options),
         detail::DeferredForByCost(
             host, begin, end, std::forward<CumulativeCost>(cumulative_cost),
             std::forward<Body>(body), options));
}

// AsyncFor on ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
[[nodiscard]] Future<Status> AsyncFor(Begin begin, End end, Body&& body,
                                      const LoopOptions& options = {}) {
  return AsyncFor(ThreadPool::Default(), begin, end, std::forward<Body>(body),
                  options);
}

// DetachFor on ThreadPool::Default().
template <typename Begin, typename End, typename Body,
          detail::IfBounds<Begin, End> = 0>
void DetachFor(Begin begin, End end, Body&& body,
               const LoopOptions& options = {}) {
  DetachFor(ThreadPool::Default(), begin, end, std::forward<Body>(body),
            options);
}

// AsyncForEach on ThreadPool::Default().
template <typename Container, typename Body, detail::IfContainer<Container> = 0>
[[nodiscard]] Future<Status> AsyncForEach(Container&& container, Body&& body,
                                          const LoopOptions& options = {}) {
  return AsyncForEach(ThreadPool::Default(), std::forward<Container>(container),
                      std::forward<Body>(body), options);
}

// DetachForEach on ThreadPool::Default().
template <typename Container, typename Body, detail::IfContainer<Container> = 0>
void DetachForEach(Container&& container, Body&& body,
                   const LoopOptions& options = {}) {
  DetachForEach(ThreadPool::Default(), std::forward<Container>(container),
                std::forward<Body>(body), options);
}

// AsyncForByCost on ThreadPool::Default().
template <typename Begin, typename End, typename CumulativeCost, typename Body,
          detail::IfIntegers<Begin, End> = 0>
[[nodiscard]] Future<Status> AsyncForByCost(Begin begin, End end,
                                            CumulativeCost&& cumulative_cost,
                                            Body&& body,
                                            const LoopOptions& options = {}) {
  return AsyncForByCost(ThreadPool::Default(), begin, end,
                        std::forward<CumulativeCost>(cumulative_cost),
                        std::forward<Body>(body), options);
}

// DetachForByCost on ThreadPool::Default().
template <typename Begin, typename End, typename CumulativeCost, typename Body,
          detail::IfIntegers<Begin, End> = 0>
void DetachForByCost(Begin begin, End end, CumulativeCost&& cumulative_cost,
                     Body&& body, const LoopOptions& options = {}) {
  DetachForByCost(ThreadPool::Default(), begin, end,
                  std::forward<CumulativeCost>(cumulative_cost),
                  std::forward<Body>(body), options);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_ASYNC_LOOPS_H_
