// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PROMISE_H_
#define CERES_PUBLIC_PARALLEL_PROMISE_H_

#include <exception>
#include <future>  // std::future_error
#include <new>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

namespace detail {

// The operations of the set of a Promise. To run it means to run its
// continuation.
template <typename T>
struct UnsetTask {
  static void DoNothing(TaskSet*) {}
  static constexpr SingleTaskType kType = {&DoNothing, &DoNothing,
                                           &DestroyResult<T>};
};

template <typename T, typename... Value>
Future<T> MakeReadyOf(const Host& host, Value&&... value) {
  TaskSet* const set = TaskSet::NewSingle(
      host.pool, host.executor, Priority::kNormal, &UnsetTask<T>::kType);
  Future<T> future = FutureAccess::Make<T>(set);
  ResultIn<T>::Store(set, std::forward<Value>(value)...);
  set->outcome = Outcome::kValue;
  return future;
}
inline Future<void> MakeReady(const Host& host) {
  return MakeReadyOf<void>(host);
}
template <typename Value>
Future<std::decay_t<Value>> MakeReady(const Host& host, Value&& value) {
  return MakeReadyOf<std::decay_t<Value>>(host, std::forward<Value>(value));
}

}  // namespace detail

// The other end of a Future: code that is no task of the runtime (a callback, a
// thread of its own, a reply from a network) sets its value or exception.
//
//   Promise<int> promise(pool);
//   Future<int> answer = promise.GetFuture();
//   Send(request, [p = std::move(promise)](int n) mutable { p.SetValue(n); });
//   answer.Then(...) or answer.Get()
//
// The host is that of continuations: a pool runs them as tasks; on another
// executor the thread that sets the promise runs them before SetValue returns.
// Without a host: as for Async. The host must outlive the promise.
//
// A thread that waits for the future, or for a continuation of it, cannot know
// who sets the promise. On a pool it therefore helps like HelpUntil, with the
// rules of HelpUntil: it runs any work of the pool, and must not hold a lock
// that such work takes. That work must not depend on the progress of the
// waiting task either: tasks that wait for each other's promises in any order
// may hang. Future::Then has no such rule, because a continuation begins when
// its value is there. (ThreadPool::WaitForAll and the destructor of the pool
// wait for continuations that a promise has not launched yet.)
//
// A promise that is destroyed without a result is broken: Get() of the future
// throws std::future_error(broken_promise). Future::Cancel drops what is set
// later; Get() then throws TaskCancelled once the promise is set or destroyed.
// If the future is destroyed, the result is dropped.
//
// One thread at a time may use a Promise object, and another one its Future.
// Effects before SetValue happen before Get() and Wait() return. Misuse throws
// std::future_error: promise_already_satisfied, future_already_retrieved, or
// no_state after a move.
template <typename T>
class Promise {
 public:
  // Throw std::bad_alloc. No other function needs memory, except for a result
  // that a Future does not hold in place (more than 64 bytes, or a move that
  // may throw).
  Promise() : Promise(detail::CurrentHost()) {}
  explicit Promise(ThreadPool& host) : Promise(detail::HostOf(host)) {}
  explicit Promise(Executor& host) : Promise(detail::HostOf(host)) {}
  // `other` has no state afterwards.
  Promise(Promise&& other) noexcept
      : set_(std::exchange(other.set_, nullptr)),
        is_set_(std::exchange(other.is_set_, false)),
        future_(std::move(other.future_)) {}
  Promise& operator=(Promise&& other) noexcept {
    if (this != &other) {
      Break();
      set_ = std::exchange(other.set_, nullptr);
      is_set_ = std::exchange(other.is_set_, false);
      future_ = std::move(other.future_);
    }
    return *this;
  }
  ~Promise() { Break(); }

  // The future; once.
  [[nodiscard]] Future<T> GetFuture() {
    if (!future_.IsValid()) {
      throw std::future_error(set_ != nullptr || is_set_
                                  ? std::future_errc::future_already_retrieved
                                  : std::future_errc::no_state);
    }
    return std::move(future_);
  }

  // Sets the result: T(value...), a reference, or nothing for void. If the
  // constructor throws, nothing is set.
  template <typename... Args>
  void SetValue(Args&&... value) {
    CheckUnset();
    detail::ResultIn<T>::Store(set_, std::forward<Args>(value)...);
    End(detail::Outcome::kValue);
  }
  // Sets the exception of Get().
  void SetException(std::exception_ptr error) {
    CheckUnset();
    new (set_->storage()) std::exception_ptr(std::move(error));
    End(detail::Outcome::kError);
  }

  // Returns whether the future was cancelled or destroyed, so that no result is
  // needed. False after SetValue and SetException.
  bool IsCancelled() const { return set_ != nullptr && set_->IsUnwanted(); }

 private:
  explicit Promise(const detail::Host& host)
      : set_(detail::TaskSet::NewSingle(host.pool, host.executor,
                                        Priority::kNormal,
                                        &detail::UnsetTask<T>::kType)),
        future_(detail::FutureAccess::Make<T>(set_)) {
    set_->LaunchUnset();
  }

  void CheckUnset() const {
    if (set_ == nullptr) {
      throw std::future_error(is_set_
                                  ? std::future_errc::promise_already_satisfied
                                  : std::future_errc::no_state);
    }
  }
  void End(detail::Outcome result) noexcept {
    is_set_ = true;
    std::exchange(set_, nullptr)->EndUnset(result);
  }
  void Break() noexcept {
    if (set_ != nullptr) End(detail::Outcome::kBroken);
  }

  detail::TaskSet* set_;  // Null when it has a result.
  bool is_set_ = false;
  Future<T> future_;  // Until GetFuture.
};

// A future that has a result: a copy of the value, or nothing (a Future<void>)
// without one. The host (without one: as for Async)
// is that of continuations. Takes one pooled node.
//
//   Future<int> three = MakeReadyFuture(pool, 3);
template <typename Host, typename... Value,
          std::enable_if_t<detail::kIsHost<Host>, int> = 0>
[[nodiscard]] auto MakeReadyFuture(Host& host, Value&&... value) {
  return detail::MakeReady(detail::HostOf(host), std::forward<Value>(value)...);
}
template <typename... Value,
          std::enable_if_t<!(detail::kIsHost<Value> || ...), int> = 0>
[[nodiscard]] auto MakeReadyFuture(Value&&... value) {
  return detail::MakeReady(detail::CurrentHost(),
                           std::forward<Value>(value)...);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PROMISE_H_
