// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_ASYNC_REDUCTIONS_H_
#define CERES_PUBLIC_PARALLEL_ASYNC_REDUCTIONS_H_

#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/async_parts.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/reduce_options.h"

// Asynchronous reductions: tasks (future.h) that run a reduction. get() returns
// the result, with the same bits as the blocking form, or rethrows an
// exception: StoppedByToken if the token stopped the reduction.
//
// The map, the operations, the projection, bounds, iterators, the identity and
// the token are moved or copied into the task. For a container the task keeps
// the iterators of the time of the call; a temporary container is moved into
// the task, and a temporary array does not compile. The elements and the host
// must outlive the task.
//
// Scans write to memory of the caller and return only a Status. They have no
// asynchronous form:
//   Future<Status> sums = Async(pool, [&] {
//     return ParallelInclusiveScan(pool, v.begin(), v.end(), v.begin());
//   });

namespace ceres::parallel {

namespace detail {

// The elements of a range or a container, and what to do with them, as a task.
template <typename Host, typename Elements, typename T, typename Operation>
Future<T> AsyncReduceElements(Host& host, Elements&& elements, T&& identity,
                              Operation&& operation,
                              const ReduceOptions& options) {
  return Async(host, TaskOptionsOf(options),
               [&host, elements = std::forward<Elements>(elements),
                identity = std::move(identity),
                operation = std::forward<Operation>(operation),
                options = OwnedOptions<ReduceOptions>(options)]() mutable -> T {
                 return ParallelReduce(host, elements, std::move(identity),
                                       operation, options.Get());
               });
}

template <typename Host, typename Elements, typename T, typename Map,
          typename Combine>
Future<T> AsyncMapReduceElements(Host& host, Elements&& elements, T&& identity,
                                 Map&& map, Combine&& combine,
                                 const ReduceOptions& options) {
  return Async(host, TaskOptionsOf(options),
               [&host, elements = std::forward<Elements>(elements),
                identity = std::move(identity), map = std::forward<Map>(map),
                combine = std::forward<Combine>(combine),
                options = OwnedOptions<ReduceOptions>(options)]() mutable -> T {
                 return ParallelMapReduce(host, elements, std::move(identity),
                                          map, combine, options.Get());
               });
}

}  // namespace detail

// ParallelReduce(host, begin, end, identity, map, combine, options), as a task.
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

// ParallelReduce(host, first, last, identity, operation, options) as a task.
template <typename Host, typename Iterator, typename T, typename Operation,
          detail::IfHost<Host> = 0, detail::IfRandomAccess<Iterator> = 0>
[[nodiscard]] Future<T> AsyncReduce(Host& host, Iterator first, Iterator last,
                                    T identity, Operation&& operation,
                                    const ReduceOptions& options = {}) {
  return detail::AsyncReduceElements(
      host, IteratorRange<Iterator>(first, last), std::move(identity),
      std::forward<Operation>(operation), options);
}

// ParallelReduce(host, container, identity, operation, options) as a task.
template <typename Host, typename Container, typename T, typename Operation,
          detail::IfHost<Host> = 0, detail::IfContainer<Container> = 0>
[[nodiscard]] Future<T> AsyncReduce(Host& host, Container&& container,
                                    T identity, Operation&& operation,
                                    const ReduceOptions& options = {}) {
  return detail::AsyncReduceElements(
      host, detail::KeepElements(std::forward<Container>(container)),
      std::move(identity), std::forward<Operation>(operation), options);
}

// ParallelMapReduce(host, begin, end, identity, map, combine, options) as a
// task.
template <typename Host, typename Begin, typename End, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfIntegers<Begin, End> = 0>
[[nodiscard]] Future<T> AsyncMapReduce(Host& host, Begin begin, End end,
                                       T identity, Map&& map, Combine&& combine,
                                       const ReduceOptions& options = {}) {
  return Async(
      host, detail::TaskOptionsOf(options),
      [&host, begin, end, identity = std::move(identity),
       map = std::forward<Map>(map), combine = std::forward<Combine>(combine),
       options = detail::OwnedOptions<ReduceOptions>(options)]() mutable -> T {
        return ParallelMapReduce(host, begin, end, std::move(identity), map,
                                 combine, options.Get());
      });
}

// ParallelMapReduce(host, first, last, identity, map, combine, options) as a
// task.
template <typename Host, typename Iterator, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfRandomAccess<Iterator> = 0>
[[nodiscard]] Future<T> AsyncMapReduce(Host& host, Iterator first,
                                       Iterator last, T identity, Map&& map,
                                       Combine&& combine,
                                       const ReduceOptions& options = {}) {
  return detail::AsyncMapReduceElements(
      host, IteratorRange<Iterator>(first, last), std::move(identity),
      std::forward<Map>(map), std::forward<Combine>(combine), options);
}

// ParallelMapReduce(host, container, identity, map, combine, options) as a
// task.
template <typename Host, typename Container, typename T, typename Map,
          typename Combine, detail::IfHost<Host> = 0,
          detail::IfContainer<Container> = 0>
[[nodiscard]] Future<T> AsyncMapReduce(Host& host, Container&& container,
                                       T identity, Map&& map, Combine&& combine,
                                       const ReduceOptions& options = {}) {
  return detail::AsyncMapReduceElements(
      host, detail::KeepElements(std::forward<Container>(container)),
      std::move(identity), std::forward<Map>(map),
      std::forward<Combine>(combine), options);
}

// AsyncReduce on ThreadPool::Default(), with the arguments above without the
// host.
template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
[[nodiscard]] auto AsyncReduce(First&& first, Arguments&&... arguments) {
  return AsyncReduce(ThreadPool::Default(), std::forward<First>(first),
                     std::forward<Arguments>(arguments)...);
}

// AsyncMapReduce on ThreadPool::Default(), with the arguments above without the
// host.
template <typename First, typename... Arguments, detail::IfNoHost<First> = 0>
[[nodiscard]] auto AsyncMapReduce(First&& first, Arguments&&... arguments) {
  return AsyncMapReduce(ThreadPool::Default(), std::forward<First>(first),
                        std::forward<Arguments>(arguments)...);
}

namespace detail {

// The overloads of ElementReduction, as tasks.
template <typename Reduction>
struct AsyncElementReduction {
  template <typename Host, typename Iterator,
            typename Projection = IdentityProjection, IfHost<Host> = 0,
            IfRandomAccess<Iterator> = 0>
  [[nodiscard]] auto operator()(Host& host, Iterator first, Iterator last,
                                Projection projection = {},
                                const ReduceOptions& options = {}) const {
    return (*this)(host, IteratorRange<Iterator>(first, last),
                   std::move(projection), options);
  }

  template <typename Host, typename Container,
            typename Projection = IdentityProjection, IfHost<Host> = 0,
            IfContainer<Container> = 0>
  [[nodiscard]] auto operator()(Host& host, Container&& container,
                                Projection projection = {},
                                const ReduceOptions& options = {}) const {
    return Async(
        host, TaskOptionsOf(options),
        [&host, elements = KeepElements(std::forward<Container>(container)),
         projection = std::move(projection),
         options = OwnedOptions<ReduceOptions>(options)]() mutable {
          return ElementReduction<Reduction>()(host, elements, projection,
                                               options.Get());
        });
  }

  template <typename Iterator, typename Projection = IdentityProjection,
            IfRandomAccess<Iterator> = 0>
  [[nodiscard]] auto operator()(Iterator first, Iterator last,
                                Projection projection = {},
                                const ReduceOptions& options = {}) const {
    return (*this)(ThreadPool::Default(), first, last, std::move(projection),
                   options);
  }

  template <typename Container, typename Projection = IdentityProjection,
            IfContainer<Container> = 0>
  [[nodiscard]] auto operator()(Container&& container,
                                Projection projection = {},
                                const ReduceOptions& options = {}) const {
    return (*this)(ThreadPool::Default(), std::forward<Container>(container),
                   std::move(projection), options);
  }
};

}  // namespace detail

// ParallelSum, ParallelProduct, ParallelMin and ParallelMax (parallel_sum.h) as
// tasks, in all their forms:
//
//   AsyncSum([host,] first, last, [projection, [options]])
//   AsyncSum([host,] container, [projection, [options]])
//
// They return a Future of the result of the blocking form, which is a
// std::optional for AsyncMin and AsyncMax.
//
//   Future<double> squares = AsyncSum(pool, v, [](double x) { return x * x; });
inline constexpr detail::AsyncElementReduction<detail::SumOf> AsyncSum;
inline constexpr detail::AsyncElementReduction<detail::ProductOf> AsyncProduct;
inline constexpr detail::AsyncElementReduction<detail::MinOf> AsyncMin;
inline constexpr detail::AsyncElementReduction<detail::MaxOf> AsyncMax;

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_ASYNC_REDUCTIONS_H_
