// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_FUTURE_H_
#define CERES_PUBLIC_PARALLEL_FUTURE_H_

// CONTRACT (the room "tasks" fills it in; declarations below are the API).

#include <chrono>
#include <future>  // std::future_status, std::future_error
#include <type_traits>

#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// The result of a task that another thread may be computing: a value or an
// exception, there once.
//
// A wait helps: if nobody has begun the task, the waiting thread runs it,
// there and then; if another thread is at work on it, the waiting thread helps
// with tasks and loops that were started within it, and with nothing else. So a
// future awaited inside a task cannot deadlock, at any depth, with any number
// of workers, none included, and a wait never runs foreign work (locks may be
// held across it).
//
// A future that is destroyed without being awaited leaves its task alone: it
// still runs; its result is dropped, and so is what it throws.
//
// One thread at a time may use a Future object; moving it to another thread is
// fine. What the task does happens before get() and wait() return.
//
// Waiting for a future inside its own task throws std::logic_error; using one
// that is not valid() throws std::future_error(no_state).
template <typename T>
class Future {
 public:
  Future() = default;  // Not valid.
  Future(Future&&) noexcept;
  Future& operator=(Future&&) noexcept;
  ~Future();

  bool valid() const;
  bool is_ready() const;

  T get();  // Waits; returns the value or rethrows; valid() is false then.
  void wait() const;
  // timeout: not ready in time. A task that nobody has begun is begun here, so
  // these may return later than asked by the time that it takes.
  template <typename Rep, typename Period>
  std::future_status wait_for(std::chrono::duration<Rep, Period>) const;
  template <typename Clock, typename Duration>
  std::future_status wait_until(std::chrono::time_point<Clock, Duration>) const;

  // Drops the task if nobody has begun it; get() then throws TaskCancelled.
  // Returns whether it was dropped.
  bool Cancel();
};

// Calls f(args...) by the rules of std::invoke, some time, in a worker of the
// host or in the thread that waits for it. f and args are moved or copied into
// the task (std::ref for references) and may be move-only; closures of up to 64
// bytes need no allocation but one pooled node.
//
//   Future<int> sum = Async(pool, [](int a, int b) { return a + b; }, 1, 2);
//
// Host is a ThreadPool or any other Executor; without one, the pool whose work
// the calling thread does, else ThreadPool::Default(). With options:
//   Async(pool, TaskOptions{Priority::kHigh, "resize"}, f, args...)
template <typename Host, typename F, typename... Args>
Future<std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>> Async(
    Host& host, F&& f, Args&&... args);

// Calls f(args...) some time; nobody waits for it (but see
// ThreadPool::WaitForAll). What it throws goes to the pool's exception handler.
// On a host without workers it runs when a thread waits for all.
template <typename Host, typename F, typename... Args>
void Detach(Host& host, F&& f, Args&&... args);

// Helps the pool with whatever it has to do until predicate() holds, and
// sleeps when there is nothing: it looks again after each task that ends, and
// at least every millisecond. Unlike other waits it runs foreign work: hold no
// lock that a task may want. The second form returns predicate().
template <typename Predicate>
void HelpUntil(ThreadPool& pool, Predicate&& predicate);
template <typename Predicate, typename Clock, typename Duration>
bool HelpUntil(ThreadPool& pool, Predicate&& predicate,
               std::chrono::time_point<Clock, Duration> deadline);

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_FUTURE_H_
