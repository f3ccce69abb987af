// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_FUTURE_H_
#define CERES_PUBLIC_PARALLEL_FUTURE_H_

#include <chrono>
#include <exception>
#include <functional>
#include <future>  // std::future_status, std::future_error
#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Thrown by Future::get when the task, or one that it continues, was dropped by
// Future::Cancel.
class CERES_PARALLEL_EXPORT TaskCancelled : public std::exception {
 public:
  const char* what() const noexcept override {
    return "the task of the future was cancelled before it began";
  }
};

namespace detail {
struct FutureAccess;
template <typename T, typename F>
class Continuation;
}  // namespace detail

// The result of a task that another thread may be computing: a value or an
// exception, which can be taken once.
//
// A wait helps. If no thread has begun the task, the waiting thread runs it. If
// another thread runs the task, the waiting thread runs only tasks, loops and
// forks that the task waits for, directly or indirectly. (On an executor that
// is not a ThreadPool it sleeps.) So futures that tasks await cannot deadlock,
// at any depth and with any number of workers, 0 included. A thread may hold a
// lock across a wait if the task, and the work that the task waits for, do not
// take this lock. Detached tasks, and futures that the task does not await, may
// take it.
//
// If a future is destroyed without being awaited, its task still runs; the
// result of the task, or its exception, is dropped.
//
// One thread at a time may use a Future object; moving it to another thread is
// fine. What the task does happens before get() and wait() return.
//
// Waiting for a future inside its own task, or in a loop of that task, throws
// std::logic_error. Longer circles are not noticed, and deadlock: two tasks
// that wait for each other, or more tasks in a circle of waits. Using a future
// that is not valid() throws std::future_error(no_state).
template <typename T>
class Future {
 public:
  Future() = default;  // Not valid.
  Future(Future&& other) noexcept : set_(std::exchange(other.set_, nullptr)) {}
  Future& operator=(Future&& other) noexcept {
    if (this != &other) {
      Release();
      set_ = std::exchange(other.set_, nullptr);
    }
    return *this;
  }
  ~Future() { Release(); }

  bool valid() const { return set_ != nullptr; }
  bool is_ready() const {
    CheckValid();
    return set_->IsQuiet();
  }

  // Waits; returns the value or rethrows. valid() is false then, unless it
  // throws std::logic_error because it would wait for itself.
  T get() {
    wait();
    // Destroys the result when it has been taken.
    const std::unique_ptr<detail::TaskSet, Abandoner> owner(
        std::exchange(set_, nullptr));
    if (owner->outcome == detail::Outcome::kError) {
      std::rethrow_exception(detail::ErrorIn(owner.get()));
    }
    if (owner->outcome == detail::Outcome::kCancelled) throw TaskCancelled();
    return detail::ResultIn<T>::Take(owner.get());
  }

  void wait() const {
    CheckValid();
    set_->Await(std::chrono::steady_clock::time_point::max());
  }

  // timeout: not ready in time. A task that has not begun is begun here, so
  // these functions may return later than asked, by the time that the task
  // takes.
  template <typename Rep, typename Period>
  std::future_status wait_for(
      std::chrono::duration<Rep, Period> timeout) const {
    CheckValid();
    return WaitUntilSteady(detail::DeadlineAfter(timeout));
  }
  template <typename Clock, typename Duration>
  std::future_status wait_until(
      std::chrono::time_point<Clock, Duration> deadline) const {
    CheckValid();
    return WaitUntilSteady(detail::SteadyDeadline(deadline));
  }

  // Continues: when the task has ended, calls f with its result, f(get()), or
  // f() for a Future<void>, by the rules of std::invoke, on the same host with
  // the same priority. Returns a Future of what f returns; this one is not
  // valid() any more. If get() would throw, f is not called, and get() of the
  // new future throws the same exception. If f throws, get() of the new future
  // rethrows it.
  //
  //   Future<std::string> text = Async(pool, &Load, path);
  //   Future<int> words = text.Then([](std::string s) { return Count(s); });
  //
  // No thread has to wait: the thread that runs the task also calls f. If the
  // task has ended already, f becomes a task as by Async. A chain of any
  // length takes the stack of one task, and runs in one thread if it was
  // complete before its first task ended. f may be move-only; up to 56 bytes
  // need no allocation but one pooled node. The host must exist.
  template <typename F>
  [[nodiscard]] auto Then(F&& f);

  // Drops the task if it has not begun: its closure is destroyed, and get()
  // throws TaskCancelled. If the task is a continuation, the task before it is
  // not dropped, and get() throws when that task has ended. Returns whether the
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
  std::future_status WaitUntilSteady(
      std::chrono::steady_clock::time_point deadline) const {
    return set_->Await(deadline) ? std::future_status::ready
                                 : std::future_status::timeout;
  }

  detail::TaskSet* set_ = nullptr;
};

namespace detail {

struct FutureAccess {
  template <typename T>
  static Future<T> Make(TaskSet* set) {
    return Future<T>(set);
  }
};

// What the task of a continuation calls: f with the result of the first task,
// whose set belongs to it.
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
      first_.get();
      return std::invoke(std::move(f_));
    } else {
      return std::invoke(std::move(f_), first_.get());
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

// Calls f(args...) by the rules of std::invoke, some time, in a worker of the
// host or in the thread that waits for it. (A thread that has used half of its
// stack lets a new thread wait in its place; so futures may await each other to
// any depth.) f and args are moved or copied into the task (std::ref for
// references) and may be move-only; closures of up to 64 bytes need no
// allocation but one pooled node.
//
//   Future<int> sum = Async(pool, [](int a, int b) { return a + b; }, 1, 2);
//
// Host is a ThreadPool or any other Executor; without one, the pool whose work
// the calling thread does, else ThreadPool::Default(). With options (and a
// name, which takes 8 of the 64 bytes):
//   Async(pool, TaskOptions{Priority::kHigh, "resize"}, f, args...)
// Returns a Future of what f(args...) returns. Thread-safe. A host other than a
// ThreadPool outlives its tasks.
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

// Calls f(args...) some time, as Async; nobody waits for it (but see
// ThreadPool::WaitForAll). What it throws goes to the pool's exception handler
// (on another executor: a message, then std::terminate). On a pool without
// workers it runs when a thread waits for all, or helps; on an executor that
// does not run the one invitation that it gets, it never runs.
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

// Runs any work of the pool until predicate() holds, and sleeps when there is
// no work: it looks again after each task that ends, and at least every
// millisecond. The predicate is called in this thread only; its exceptions
// reach the caller. The forms with a deadline or timeout finish the task that
// they run, then return predicate().
//
// The predicate may depend on any task. So, unlike other waits, this one runs
// any task of the pool and pieces of any of its loops, and returns only after
// the task or piece that it has begun. No such work may depend on the progress
// of the caller:
//  - it must not take a lock that the caller holds across the call;
//  - if the caller is inside a task or loop, it must not wait for that task or
//    loop (std::logic_error in the calling thread, a deadlock in others), nor
//    take a lock that is held by a thread that waits for that task or loop.
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
