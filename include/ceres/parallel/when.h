// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_WHEN_H_
#define CERES_PUBLIC_PARALLEL_WHEN_H_

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/held_task.h"
#include "ceres/parallel/future.h"

namespace ceres::parallel {

// A future of futures that all have ended: their Get() does not wait, and
// returns the value or rethrows the exception of each.
//
//   Future<std::vector<Future<int>>> all = WhenAll(std::move(futures));
//   int sum = 0;
//   for (Future<int>& f : all.Get()) sum += f.Get();
//
//   WhenAll(std::move(mesh), std::move(image))
//       .Then([](std::tuple<Future<Mesh>, Future<Image>> both) { ... });
//
// No thread waits for it: the thread that ends the last task makes the result
// known. A thread that waits for the result runs and helps the tasks, as if it
// waited for one after the other; so locks may be held as across Future::Get.
// (With the future of a Promise among them, the rules of Promise hold.) Without
// futures, or if all have ended, the result is ready at once.
//
// The host and the priority of continuations are those of the first future. (A
// pool waits at its end for the ends of the futures of which it is the first.)
// Cancel() of the result drops the futures. Throws std::future_error(no_state)
// if a future is not valid, and std::bad_alloc; the futures are then unchanged.
template <typename T>
[[nodiscard]] Future<std::vector<Future<T>>> WhenAll(
    std::vector<Future<T>>&& futures) {
  return detail::WhenAllOf(std::move(futures));
}
template <typename... Ts>
[[nodiscard]] Future<std::tuple<Future<Ts>...>> WhenAll(
    Future<Ts>&&... futures) {
  return detail::WhenAllOf(std::forward_as_tuple(std::move(futures)...));
}

// The result of WhenAny.
template <typename Futures>
struct WhenAnyResult {
  // A future that has ended, by its position; the first one that did, as far as
  // is known.
  std::size_t index;
  // All futures. They are valid; those that have not ended go on.
  Futures futures;
};

// A future of several futures, of which at least one has ended.
//
//   Future<WhenAnyResult<std::vector<Future<int>>>> any =
//       WhenAny(std::move(futures));
//
// A thread that waits for the result runs a task that no thread has begun. If
// all have begun, it sleeps until one ends. Otherwise as WhenAll. Throws
// std::invalid_argument without futures.
template <typename T>
[[nodiscard]] Future<WhenAnyResult<std::vector<Future<T>>>> WhenAny(
    std::vector<Future<T>>&& futures) {
  return detail::WhenAnyOf(std::move(futures));
}
template <typename... Ts>
[[nodiscard]] Future<WhenAnyResult<std::tuple<Future<Ts>...>>> WhenAny(
    Future<Ts>&&... futures) {
  return detail::WhenAnyOf(std::forward_as_tuple(std::move(futures)...));
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_WHEN_H_
