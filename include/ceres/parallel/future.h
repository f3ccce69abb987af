// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_FUTURE_H_
#define CERES_PUBLIC_PARALLEL_FUTURE_H_

#include <chrono>
#include <exception>
#include <functional>
#include <future>  // std::future_error
#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/compiler.h"
#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// The exception of Future::Get if Future::Cancel dropped the task, or a task
// that it continues.
class CERES_PARALLEL_EXPORT TaskCancelled : public std::exception {
 public:
  // A description of the error.
  const char* what() const noexcept override {
    return "the task of the future was cancelled before it began";
  }
};

namespace detail {

// What Get throws if there is no value.
[[noreturn]] CERES_PARALLEL_COLD inline void ThrowOutcome(TaskSet* set) {
  switch (set->outcome) {
    case Outcome::kError:
      std::rethrow_exception(ErrorIn(set));
    case Outcome::kBroken:
      throw std::future_error(std::future_errc::broken_promise);
    default:
      throw TaskCancelled();
  }
}

struct FutureAccess;
template <typename T, typename F>
class Continuation;
}  // namespace detail

// The result of a task that another thread may be computing: a value or an
// exception, which can be taken once. (A Promise also makes futures, which
// other code sets: see promise.h.)
//
// A thread that waits helps. If no thread has begun the task, the waiting
// thread runs it. If another thread runs the task, the waiting thread runs only
// tasks, loops and forks that the task waits for, directly or indirectly. (On
// an executor that is not a ThreadPool it sleeps.) Futures that tasks await
// therefore cannot deadlock, at any depth and with any number of workers, 0
// included. A thread may hold a lock across a wait if neither the task nor the
// work that the task waits for takes this lock. Detached tasks, and futures
// that the task does not await, may take it.
//
// If a future is destroyed without being awaited, its task still runs; the
// result of the task, or its exception, is dropped. (On an executor that has
// refused the invitation, the destructor runs the task.)
//
// One thread at a time may use a Future object; it may be moved to another
// thread. The effects of the task happen before Get() and Wait() return.
//
// Waiting for a future inside its own task, or in a loop of that task, throws
// std::logic_error. Longer cycles are not detected, and deadlock: two tasks
// that wait for each other, or more tasks in a cycle of waits. Using a future
// that is not IsValid() throws std::future_error(no_state).
template <typename T>
class Future {
 public:
  Future() = default;  // Not valid.
  // Moves the result. `other` is not IsValid() afterwards.
  Future(Future&& other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
  Future& operator=(Future&& other) noexcept {
    if (this != &other) {
      Release();
      set_ = std::exchange(other.set_, nullptr);
    }
    return *this;
  }
  ~Future() { Release(); }

  // Returns whether the object refers to a task: false after default
  // construction, a move from it, Then() and Get().
  bool IsValid() const { return set_ != nullptr; }
  // Returns whether the task has ended, so that Get() does not wait.
  bool IsReady() const {
    CheckValid();
    return set_->IsQuiet();
  }

  // Waits for the end of the task, then returns its value or rethrows its
  // exception. IsValid() is false afterwards, unless Get() throws
  // std::logic_error because it would wait for itself.
  T Get() {
    Wait();
    // Destroys the result when it has been taken.
    const std::unique_ptr<detail::TaskSet, Abandoner> owner(
        std::exchange(set_, nullptr));
    if (CERES_PARALLEL_UNLIKELY(owner->outcome != detail::Outcome::kValue)) {
      detail::ThrowOutcome(owner.get());
    }
    return detail::ResultIn<T>::Take(owner.get());
  }

  // Waits for the end of the task.
  void Wait() const {
    CheckValid();
    set_->Await(std::chrono::steady_clock::time_point::max());
  }

  // Wait with a limit. Return whether the task has ended. These functions begin
  // a task that no thread has begun, and may then return late by the time that
  // the task takes.
  template <typename Rep, typename Period>
  bool WaitFor(std::chrono::duration<Rep, Period> timeout) const {
    CheckValid();
    return set_->Await(detail::DeadlineAfter(timeout));
  }
  template <typename Clock, typename Duration>
  bool WaitUntil(std::chrono::time_point<Clock, Duration> deadline) const {
    CheckValid();
    return set_->Await(detail::SteadyDeadline(deadline));
  }

  // Adds a continuation: when the task has ended, f is called with its result,
  // f(Get()), or f() for a Future<void>, by the rules of std::invoke, on the
  // same host with the same priority. Returns a Future of the result of f; this
  // object is not IsValid() any more. If Get() would throw, f is not called,
  // and Get() of the new future throws the same exception. If f throws, Get()
  // of the new future rethrows it.
  //
  //   Future<std::string> text = Async(pool, &Load, path);
  //   Future<int> words = text.Then([](std::string s) { return Count(s); });
  //
  // No thread waits: the thread that runs the task also calls f. If the task
  // has already ended, f becomes a task as by Async. A chain of any length
  // takes the stack of one task. It runs in one thread if it was complete
  // before its first task ended. f may be move-only; up to 56 bytes need no
  // allocation except one pooled node. The host must still exist.
  template <typename F>
  [[nodiscard]] auto Then(F&& f);

  // Drops the task if it has not begun: its closure is destroyed, and Get()
  // throws TaskCancelled. If the task is a continuation, the task before it is
  // not dropped, and Get() throws when that task has ended. Returns whether the
  // task was dropped.
  bool Cancel() {
    CheckValid();
    return set_->CancelSingle();
  }

 private:
  friend struct detail::FutureAccess;

  struct Abandoner {
    void operator()(detail::TaskSet* set) const { set->Abandon(); }
  };

  explicit Future(detail::TaskSet* set) : set_(set) {}

  void CheckValid() const {
    if (set_ == nullptr) {
      throw std::future_error(std::future_errc::no_state);
    }
  }
  void Release() {
    if (set_ != nullptr) set_->Abandon();
  }

  detail::TaskSet* set_ = nullptr;
};

namespace detail {

struct FutureAccess {
  template <typename T>
  static Future<T> Make(TaskSet* set) {
    return Future<T>(set);
  }
  template <typename T>
  static TaskSet* SetOf(const Future<T>& future) {
    return future.set_;
  }
};

// The call of a continuation's task: f with the result of the first task, whose
// set it owns.
template <typename T, typename F>
class Continuation {
 public:
  using Result = ResultOf<
      typename std::conditional_t<std::is_void_v<T>, std::invoke_result<F>,
                                  std::invoke_result<F, T>>::type>;

  // If copying f throws, the set does not change hands.
  template <typename G>
  Continuation(std::in_place_t, TaskSet* first, G&& f)
      : f_(std::forward<G>(f)), first_(FutureAccess::Make<T>(first)) {}

  Result operator()() {
    if constexpr (std::is_void_v<T>) {
      first_.Get();
      return std::invoke(std::move(f_));
    } else {
      return std::invoke(std::move(f_), first_.Get());
    }
  }

 private:
  F f_;
  Future<T> first_;
};

// f(args...), after options or not.
template <typename F, typename... Args>
struct CallParts {
  static constexpr bool kHasOptions = false;
  using Call = BoundCallOf<F, Args...>;
};
template <typename F, typename... Args>
struct CallParts<TaskOptions, F, Args...> : CallParts<F, Args...> {
  static constexpr bool kHasOptions = true;
};
template <typename... Parts>
using CallPartsOf = CallParts<std::conditional_t<
    std::is_same_v<std::decay_t<Parts>, TaskOptions>, TaskOptions, Parts>...>;

template <template <typename, bool> typename SingleTask, typename... Parts>
TaskSet* LaunchCall(const Host& host, bool detached, Parts&&... parts) {
  using Call = CallPartsOf<Parts...>;
  TaskSet* set = nullptr;
  if constexpr (Call::kHasOptions) {
    set = MakeSingle<SingleTask<typename Call::Call, true>>(
        host.pool, host.executor, std::forward<Parts>(parts)...);
  } else {
    set = MakeSingle<SingleTask<typename Call::Call, false>>(
        host.pool, host.executor, TaskOptions(), std::forward<Parts>(parts)...);
  }
  set->Launch(detached);
  return set;
}

template <typename... Parts>
auto AsyncOn(const Host& host, Parts&&... parts) {
  using Result = typename CallPartsOf<Parts...>::Call::Result;
  return FutureAccess::Make<Result>(LaunchCall<FutureTask>(
      host, /*detached=*/false, std::forward<Parts>(parts)...));
}

}  // namespace detail

template <typename T>
template <typename F>
auto Future<T>::Then(F&& f) {
  CheckValid();
  using Call = detail::Continuation<T, std::decay_t<F>>;
  TaskOptions options;
  options.priority = set_->priority();
  detail::TaskSet* const next =
      detail::MakeSingle<detail::FutureTask<Call, /*kNamed=*/false>>(
          set_->pool(), set_->executor(), options, set_, std::forward<F>(f));
  next->LaunchAfter(std::exchange(set_, nullptr));
  return detail::FutureAccess::Make<typename Call::Result>(next);
}

// Makes a task that calls f(args...) by the rules of std::invoke, in a worker
// of the host or in the thread that waits for it. (A thread that has used half
// of its stack lets a new thread wait in its place, so futures may await each
// other to any depth.) f and args are moved or copied into the task (std::ref
// for references) and may be move-only. Closures of up to 64 bytes need no
// allocation except one pooled node.
//
//   Future<int> sum = Async(pool, [](int a, int b) { return a + b; }, 1, 2);
//
// Host is a ThreadPool or any other Executor. Without a host the task goes to
// the pool whose work the calling thread does, or else to
// ThreadPool::Default(). With options (a name takes 8 of the 64 bytes):
//   Async(pool, TaskOptions{Priority::kHigh, "resize"}, f, args...)
// Returns a Future of the result of f(args...). Thread-safe. A host that is not
// a ThreadPool must outlive its tasks.
template <typename Host, typename... Parts,
          std::enable_if_t<detail::kIsHost<Host>, int> = 0>
[[nodiscard]] auto Async(Host& host, Parts&&... f_and_args) {
  return detail::AsyncOn(detail::HostOf(host),
                         std::forward<Parts>(f_and_args)...);
}
template <typename F, typename... Args,
          std::enable_if_t<!detail::kIsHost<F>, int> = 0>
[[nodiscard]] auto Async(F&& f, Args&&... args) {
  return detail::AsyncOn(detail::CurrentHost(), std::forward<F>(f),
                         std::forward<Args>(args)...);
}

// Makes a task as Async does, without a future; only ThreadPool::WaitForAll and
// the destructor of the pool wait for it. Its exceptions go to the pool's
// exception handler. (On another executor: a message, then std::terminate.) A
// pool without workers runs it when a thread waits for all tasks, or helps. If
// an executor refuses the invitation, Detach itself runs the task; if it takes
// the invitation and never accepts it, the task never runs.
template <typename Host, typename... Parts,
          std::enable_if_t<detail::kIsHost<Host>, int> = 0>
void Detach(Host& host, Parts&&... f_and_args) {
  detail::LaunchCall<detail::DetachedTask>(detail::HostOf(host),
                                           /*detached=*/true,
                                           std::forward<Parts>(f_and_args)...);
}
template <typename F, typename... Args,
          std::enable_if_t<!detail::kIsHost<F>, int> = 0>
void Detach(F&& f, Args&&... args) {
  detail::LaunchCall<detail::DetachedTask>(
      detail::CurrentHost(), /*detached=*/true, std::forward<F>(f),
      std::forward<Args>(args)...);
}

namespace detail {

template <typename Predicate>
bool HelpUntilDeadline(ThreadPool& pool, Predicate& predicate,
                       std::chrono::steady_clock::time_point deadline) {
  return HelpPool(
      pool.state(),
      [](void* context) -> bool {
        return (*static_cast<Predicate*>(context))();
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(predicate))),
      deadline);
}

}  // namespace detail

// Runs any work of the pool until predicate() returns true. Sleeps when there
// is no work; checks again after each task that ends, and at least every
// millisecond. The predicate is called in this thread only, and its exceptions
// reach the caller. The forms with a deadline or timeout finish the task that
// they run, then return predicate().
//
// The predicate may depend on any task, also on one that a group or graph with
// max_threads keeps back because the caller is at work for it. Therefore,
// unlike other waits, this function runs any task of the pool and pieces of any
// of its loops, and returns only after the task or piece that it has begun. No
// such work may depend on the progress of the caller:
// - It must not take a lock that the caller holds across the call.
// - If the caller is inside a task or loop, the work must not wait for that
//   task or loop (std::logic_error in the calling thread, a deadlock in
//   others), nor take a lock that is held by a thread that waits for that task
//   or loop.
template <typename Predicate>
void HelpUntil(ThreadPool& pool, Predicate&& predicate) {
  detail::HelpUntilDeadline(pool, predicate,
                            std::chrono::steady_clock::time_point::max());
}
template <typename Predicate, typename Clock, typename Duration>
bool HelpUntil(ThreadPool& pool, Predicate&& predicate,
               std::chrono::time_point<Clock, Duration> deadline) {
  return detail::HelpUntilDeadline(pool, predicate,
                                   detail::SteadyDeadline(deadline));
}
template <typename Predicate, typename Rep, typename Period>
bool HelpUntil(ThreadPool& pool, Predicate&& predicate,
               std::chrono::duration<Rep, Period> timeout) {
  return detail::HelpUntilDeadline(pool, predicate,
                                   detail::DeadlineAfter(timeout));
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_FUTURE_H_
