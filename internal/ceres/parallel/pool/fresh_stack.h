// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_FRESH_STACK_H_
#define CERES_INTERNAL_PARALLEL_POOL_FRESH_STACK_H_

#include <cstdint>

#include "ceres/parallel/detail/compiler.h"

// Waits that nest to any depth without a stack overflow.
//
// A thread that waits for a task runs the task in the frame of the wait. The
// task may wait for another task, and so on: a chain of a million futures,
// where each task awaits the future before, would need hundreds of megabytes of
// stack. So if a thread has used half of its stack when it starts to wait, it
// starts a new thread that waits in its place, and sleeps until the new thread
// is done. This needs no worker, and only one of the two threads runs at a
// time. If the system has no thread, the thread itself continues on a stack
// that is mapped for the wait. (Threads are preferred: debuggers, sanitizers
// and garbage collectors know their stacks.) If there is no stack either, it
// uses the rest of its own stack, and throws std::bad_alloc when little is
// left.

namespace ceres::parallel::detail {

// What the innermost wait of this thread tells to the work that the wait runs.
// Belongs to task graphs (GraphRunner::Waiter); kept here because a fresh stack
// takes it over. Null: nothing.
inline thread_local const void* innermost_wait = nullptr;

// Frames below this address lie in the second half of the thread's stack.
// Largest value: not known yet.
inline thread_local std::uintptr_t low_stack = UINTPTR_MAX;
// The end of the thread's stack, if low_stack is known.
inline thread_local std::uintptr_t stack_end = 0;

// Whether a frame at `depth` lies in the second half of the stack; finds the
// limit if it is unknown. False on a stack that the program has made itself (of
// a coroutine).
bool FindIsStackLow(std::uintptr_t depth);

CERES_PARALLEL_ALWAYS_INLINE bool IsStackLow() {
  const auto depth =
      reinterpret_cast<std::uintptr_t>(CERES_PARALLEL_FRAME_ADDRESS());
  return CERES_PARALLEL_UNLIKELY(depth < low_stack) && FindIsStackLow(depth);
}

// Whether the object lies in a stack frame that is younger than `outer`, an
// object in another frame of the calling thread, and older than `here`, a frame
// address. Then its lifetime ends before that of `outer` does. False if that is
// not known: on a stack that the program has made itself, and where frames lie
// elsewhere (as AddressSanitizer may put them).
inline bool IsInFrameBetween(const void* here, const void* object,
                             const void* outer) {
  if (CERES_PARALLEL_UNLIKELY(low_stack == UINTPTR_MAX)) FindIsStackLow(0);
  const auto youngest = reinterpret_cast<std::uintptr_t>(here);
  const auto between = reinterpret_cast<std::uintptr_t>(object);
  const auto oldest = reinterpret_cast<std::uintptr_t>(outer);
  return youngest < between && between < oldest && oldest < stack_end &&
         youngest >= low_stack - (stack_end - low_stack);
}

// Calls f(context) on another stack: in a new thread, which acts for the
// calling thread meanwhile, or in this one. Rethrows what f throws. Throws
// std::bad_alloc, and has not called f, if there is no stack.
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

#endif  // CERES_INTERNAL_PARALLEL_POOL_FRESH_STACK_H_
