// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_SINGLE_TASK_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_SINGLE_TASK_H_

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/task_set.h"

// Closures and results of futures and detached tasks, in the storage of their
// set: first the closure, then, in its place, the result or an exception.

namespace ceres::parallel::detail {

// The type in which a future holds the result of a call. An rvalue reference
// would refer to the closure, which is destroyed before.
template <typename R>
using ResultOf =
    std::conditional_t<std::is_rvalue_reference_v<R>,
                       std::remove_cv_t<std::remove_reference_t<R>>, R>;

// f(args...) by the rules of std::invoke, once, with what was captured.
template <typename F, typename... Args>
class BoundCall {
 public:
  using Result = ResultOf<std::invoke_result_t<F, Args...>>;

  template <typename G, typename... Others>
  explicit BoundCall(std::in_place_t, G&& f, Others&&... args)
      : call_(std::forward<G>(f), std::forward<Others>(args)...) {}

  Result operator()() {
    return std::apply(
        [](F& f, Args&... args) -> Result {
          return std::invoke(std::move(f), std::move(args)...);
        },
        call_);
  }

 private:
  std::tuple<F, Args...> call_;
};

template <typename F>
class BoundCall<F> {
 public:
  using Result = ResultOf<std::invoke_result_t<F>>;

  template <typename G>
  explicit BoundCall(std::in_place_t, G&& f) : f_(std::forward<G>(f)) {}

  Result operator()() { return std::invoke(std::move(f_)); }

 private:
  F f_;
};

template <typename F, typename... Args>
using BoundCallOf = BoundCall<std::decay_t<F>, std::decay_t<Args>...>;

// A value that is too large for its place, or has too large an alignment, lies
// on the heap.
template <typename T, std::size_t kCapacity, std::size_t kAlignment>
inline constexpr bool kFits = sizeof(T) <= kCapacity &&
                              alignof(T) <= kAlignment;

template <typename T, bool kInPlace>
class Held {
 public:
  template <typename... Args>
  explicit Held(std::in_place_t, Args&&... args)
      : value_(std::forward<Args>(args)...) {}
  T& operator*() { return value_; }

 private:
  T value_;
};

template <typename T>
class Held<T, false> {
 public:
  template <typename... Args>
  explicit Held(std::in_place_t, Args&&... args)
      : value_(new T(std::forward<Args>(args)...)) {}
  T& operator*() { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

// The result of a task as it lies in the storage.
template <typename R>
struct ResultIn {
  // True if the storage itself holds the result. The result is moved there once
  // the closure, which uses the same memory, has been destroyed.
  static constexpr bool kInPlace = kFits<R, TaskSet::kStorageSize, 64> &&
                                   std::is_nothrow_move_constructible_v<R>;
  using Stored = std::conditional_t<kInPlace, R, std::unique_ptr<R>>;

  static Stored& At(TaskSet* set) {
    return *std::launder(reinterpret_cast<Stored*>(set->storage()));
  }
  // If it throws, nothing is stored.
  template <typename... Args>
  static void Store(TaskSet* set, Args&&... args) {
    if constexpr (kInPlace) {
      new (set->storage()) R(std::forward<Args>(args)...);
    } else {
      std::unique_ptr<R> result(new R(std::forward<Args>(args)...));
      new (set->storage()) std::unique_ptr<R>(std::move(result));
    }
  }
  static void Destroy(TaskSet* set) { At(set).~Stored(); }
  static R& Of(TaskSet* set) {
    if constexpr (kInPlace) {
      return At(set);
    } else {
      return *At(set);
    }
  }
  static R Take(TaskSet* set) { return std::move(Of(set)); }
};

template <typename R>
struct ResultIn<R&> {
  using Stored = R*;
  static Stored& At(TaskSet* set) {
    return *std::launder(reinterpret_cast<Stored*>(set->storage()));
  }
  static void Store(TaskSet* set, R& result) {
    new (set->storage()) Stored(std::addressof(result));
  }
  static void Destroy(TaskSet*) {}
  static R& Take(TaskSet* set) { return *At(set); }
};

template <>
struct ResultIn<void> {
  static void Store(TaskSet*) {}
  static void Destroy(TaskSet*) {}
  static void Take(TaskSet*) {}
};

inline std::exception_ptr& ErrorIn(TaskSet* set) {
  return *std::launder(reinterpret_cast<std::exception_ptr*>(set->storage()));
}

template <typename R>
void DestroyResult(TaskSet* set) {
  if (set->outcome == Outcome::kValue) ResultIn<R>::Destroy(set);
  if (set->outcome == Outcome::kError) ErrorIn(set).~exception_ptr();
}

// The task of a future. Call is a BoundCall. With kNamed, a name for traces
// precedes the closure.
template <typename Call, bool kNamed>
struct FutureTask {
  using Result = typename Call::Result;
  static constexpr std::size_t kOffset = kNamed ? alignof(void*) : 0;
  using Closure = Held<Call, kFits<Call, TaskSet::kStorageSize - kOffset,
                                   kNamed ? alignof(void*) : 64>>;

  static void* PlaceIn(TaskSet* set) {
    return static_cast<unsigned char*>(set->storage()) + kOffset;
  }
  static Closure& ClosureIn(TaskSet* set) {
    return *std::launder(reinterpret_cast<Closure*>(PlaceIn(set)));
  }
  static void DestroyClosure(TaskSet* set) { ClosureIn(set).~Closure(); }

  static void Run(TaskSet* set) {
    try {
      RunCall(set);
      set->outcome = Outcome::kValue;
    } catch (...) {
      DestroyClosure(set);
      new (set->storage()) std::exception_ptr(std::current_exception());
      set->outcome = Outcome::kError;
    }
  }

  // If it throws, the closure still exists.
  static void RunCall(TaskSet* set) {
    Call& call = *ClosureIn(set);
    if constexpr (std::is_void_v<Result>) {
      call();
      DestroyClosure(set);
    } else if constexpr (std::is_reference_v<Result>) {
      using Referred = std::remove_reference_t<Result>;
      Referred* const address = std::addressof(static_cast<Referred&>(call()));
      DestroyClosure(set);
      new (set->storage()) Referred*(address);
    } else if constexpr (ResultIn<Result>::kInPlace) {
      Result result = call();
      DestroyClosure(set);
      new (set->storage()) Result(std::move(result));
    } else {
      std::unique_ptr<Result> result(new Result(call()));
      DestroyClosure(set);
      new (set->storage()) std::unique_ptr<Result>(std::move(result));
    }
  }

  static constexpr SingleTaskType kType = {&Run, &DestroyClosure,
                                           &DestroyResult<Result>};
};

// A detached task: what it returns is dropped, what it throws goes to the
// pool's handler.
template <typename Call, bool kNamed>
struct DetachedTask : FutureTask<Call, kNamed> {
  using Base = FutureTask<Call, kNamed>;

  static void Run(TaskSet* set) {
    try {
      (*Base::ClosureIn(set))();
    } catch (...) {
      HandleDetachedException(set->pool(), std::current_exception());
    }
    Base::DestroyClosure(set);
  }
  static void DestroyNothing(TaskSet*) {}

  static constexpr SingleTaskType kType = {&Run, &Base::DestroyClosure,
                                           &DestroyNothing};
};

// Makes the set of a single task, ready to be launched.
template <typename SingleTask, typename... Parts>
TaskSet* MakeSingle(PoolState* pool, Executor* executor,
                    const TaskOptions& options, Parts&&... parts) {
  TaskSet* const set =
      TaskSet::NewSingle(pool, executor, options.priority, &SingleTask::kType);
  try {
    new (SingleTask::PlaceIn(set)) typename SingleTask::Closure(
        std::in_place, std::in_place, std::forward<Parts>(parts)...);
  } catch (...) {
    set->Delete();
    throw;
  }
  if constexpr (SingleTask::kOffset > 0) {
    new (set->storage()) const char*(options.name);
    set->MarkNamed();
  }
  return set;
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_SINGLE_TASK_H_
