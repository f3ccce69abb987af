// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/compiler.h"
#include "ceres/parallel/detail/fork.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/run_loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

namespace detail {

// Out of line, so that the frames of these functions are not repeated at every
// depth of a recursion. F and G: as for EnteredFork.
template <typename F, typename G>
CERES_PARALLEL_NOINLINE void InvokeAsRoot(PoolState& pool, F f, G g) {
  static ForkSite site;
  RootFork root(pool, site);
  EnteredFork<F&, G&>(root.participation(), StackDepth(), f, g);
}

template <typename F, typename G>
CERES_PARALLEL_NOINLINE void InvokeEntered(ThreadPool* pool,
                                           std::uintptr_t depth, F f, G g) {
  Participation* const current = current_participation;
  if (current != nullptr && current->pool != nullptr &&
      (pool == nullptr || current->pool == &pool->state())) {
    EnteredFork<F&, G&>(*current, depth, f, g);
  } else {
    ThreadPool& host = pool != nullptr ? *pool : ThreadPool::Default();
    InvokeAsRoot<F&, G&>(host.state(), f, g);
  }
}

template <typename F, typename G>
CERES_PARALLEL_ALWAYS_INLINE void InvokeOn(ThreadPool& pool, F& f, G& g) {
  const std::uintptr_t depth = StackDepth();
  if (CERES_PARALLEL_LIKELY(IsBelowCutoff(depth) &&
                            sequential_cutoff.pool == &pool)) {
    f();
    g();
    return;
  }
  // Copied here, not by the call, so that the compiler stores what f and g
  // capture only on this path.
  CopiedClosure<F> copied_f(f);
  CopiedClosure<G> copied_g(g);
  InvokeEntered<PassedClosure<F>, PassedClosure<G>>(&pool, depth, copied_f,
                                                    copied_g);
}

// Uses the pool whose work the calling thread does, else the default pool.
template <typename F, typename G>
CERES_PARALLEL_ALWAYS_INLINE void InvokeOnCurrent(F& f, G& g) {
  const std::uintptr_t depth = StackDepth();
  if (CERES_PARALLEL_LIKELY(IsBelowCutoff(depth))) {
    f();
    g();
    return;
  }
  CopiedClosure<F> copied_f(f);
  CopiedClosure<G> copied_g(g);
  InvokeEntered<PassedClosure<F>, PassedClosure<G>>(nullptr, depth, copied_f,
                                                    copied_g);
}

// A fork on a foreign executor: a loop of two indices. g never ends the loop by
// an exception, because f must be called.
template <typename F, typename G>
void InvokeOn(Executor& executor, F& f, G& g) {
  if (ThreadPool* const pool = executor.AsThreadPool()) {
    InvokeOn(*pool, f, g);
    return;
  }
  std::exception_ptr error_of_f;
  std::exception_ptr error_of_g;
  const auto call = [&](int which) {
    std::exception_ptr& error = which == 0 ? error_of_f : error_of_g;
    try {
      which == 0 ? static_cast<void>(f()) : static_cast<void>(g());
    } catch (...) {
      error = std::current_exception();
      if (which == 0) throw;
    }
  };
  try {
    ParallelForOnHost(HostReference<Executor>{executor}, 0, 2, call,
                      LoopSettings());
  } catch (...) {
    if (error_of_f == nullptr) throw;
  }
  if (error_of_f != nullptr) std::rethrow_exception(error_of_f);
  if (error_of_g != nullptr) std::rethrow_exception(error_of_g);
}

}  // namespace detail

// Calls f and g, each once, perhaps at the same time, and returns when both
// have returned. Made for recursion, to any depth:
//
//   void Sort(ThreadPool& pool, int* begin, int* end) {
//     if (end - begin < 2) return;
//     int* middle = Partition(begin, end);
//     ParallelInvoke(pool, [&] { Sort(pool, begin, middle); },
//                          [&] { Sort(pool, middle, end); });
//   }
//
// Three or more functions are forked one after the other. The caller runs f. A
// fork within another one that no other thread joins costs a few nanoseconds.
// No thread is woken for short work (see ParallelFor).
//
// f and g take no arguments, and their results are dropped. Small trivially
// copyable functions are called as copies, others in place. Effects of the
// caller before the call happen before f and g, and effects of f and g happen
// before the return. On an executor that is not a pool, a fork is a loop of two
// indices (ParallelFor), and another thread may run f. Thread-safe.
//
// If f throws, g is dropped if it has not begun, and the exception of f is
// rethrown when g is not running. Otherwise the exception of g is rethrown.
template <typename F, typename G>
inline void ParallelInvoke(ThreadPool& pool, F&& f, G&& g) {
  detail::InvokeOn(pool, f, g);
}

// ParallelInvoke for three or more functions, which are forked one after the
// other.
template <typename F, typename G, typename H, typename... Rest>
inline void ParallelInvoke(ThreadPool& pool, F&& f, G&& g, H&& h,
                           Rest&&... rest) {
  auto others = [&] { ParallelInvoke(pool, g, h, rest...); };
  detail::InvokeOn(pool, f, others);
}

// ParallelInvoke on any executor.
template <typename F, typename G>
inline void ParallelInvoke(Executor& host, F&& f, G&& g) {
  detail::InvokeOn(host, f, g);
}
template <typename F, typename G, typename H, typename... Rest>
inline void ParallelInvoke(Executor& host, F&& f, G&& g, H&& h,
                           Rest&&... rest) {
  auto others = [&] { ParallelInvoke(host, g, h, rest...); };
  detail::InvokeOn(host, f, others);
}

// ParallelInvoke on the pool whose work the calling thread does, else on
// ThreadPool::Default(). This form is the fastest in a recursion.
template <typename F, typename G>
inline std::enable_if_t<std::is_invocable_v<F&>> ParallelInvoke(F&& f, G&& g) {
  detail::InvokeOnCurrent(f, g);
}

// ParallelInvoke without a pool, for three or more functions.
template <typename F, typename G, typename H, typename... Rest>
inline std::enable_if_t<std::is_invocable_v<F&>> ParallelInvoke(
    F&& f, G&& g, H&& h, Rest&&... rest) {
  auto others = [&] { ParallelInvoke(g, h, rest...); };
  detail::InvokeOnCurrent(f, others);
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_
