// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_FRESH_STACK_H_
#define CERES_INTERNAL_PARALLEL_FRESH_STACK_H_

#include <cstdint>

// Stacks that do not overflow, however many waits lie upon each other.
//
// A thread that waits for a task runs it in the frame of the wait. The task may
// wait for another one, and so on: a chain of a million futures, each of which
// awaits the one before, would need a stack of some hundred megabytes. So when
// half of its stack is used, a thread that is going to wait starts another
// thread, lets that one wait in its place, and sleeps meanwhile. Progress needs
// no worker, and there are never two threads at work in place of one.

namespace ceres::parallel::detail {

// Frames below this address lie in the second half of the thread's stack.
// Largest value: not known yet.
inline thread_local std::uintptr_t low_stack = UINTPTR_MAX;

// The same, where the limit may be unknown. False on a stack that the program
// has made itself (of a coroutine).
bool FindIsStackLow(std::uintptr_t depth);

[[gnu::always_inline]] inline bool IsStackLow() {
  const auto depth =
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return __builtin_expect(depth < low_stack, 0) && FindIsStackLow(depth);
}

// Calls f(context) in a new thread, which does the work of this one meanwhile,
// and rethrows what f throws. If the system has no thread for it: calls f here.
void CallOnFreshStack(void (*f)(void* context), void* context);

// Returns f().
template <typename F>
bool OnFreshStack(F f) {
  struct Call {
    F& f;
    bool result;
  } call{f, false};
  CallOnFreshStack(
      [](void* context) {
        auto& here = *static_cast<Call*>(context);
        here.result = here.f();
      },
      &call);
  return call.result;
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_FRESH_STACK_H_
