// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/fresh_stack.h"

#include <cstddef>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/sync/before_blocking.h"

namespace ceres::parallel::detail {
namespace {

thread_local platform::StackBounds stack_bounds;

// Bytes. Only pages that are touched take memory.
constexpr std::size_t kMappedStack = std::size_t{1} << 20;

}  // namespace

bool FindIsStackLow(std::uintptr_t depth) {
  if (low_stack == UINTPTR_MAX) {
    stack_bounds = platform::StackOfThisThread();
    low_stack =
        stack_bounds.begin + (stack_bounds.end - stack_bounds.begin) / 2;
    stack_end = stack_bounds.end;
  }
  return depth < low_stack && depth >= stack_bounds.begin;
}

namespace {

// What f throws must not leave the stack that it runs on.
struct Call {
  void (*f)(void* context);
  void* context;
  std::exception_ptr error;

  void Run() {
    try {
      f(context);
    } catch (...) {
      error = std::current_exception();
    }
  }
};

bool RunInNewThread(Call* call) {
  // The new thread takes over the thread-local state of this one.
  Participation* const participation = current_participation;
  const void* const wait = innermost_wait;
  std::thread substitute;
  try {
    substitute = std::thread([&] {
      current_participation = participation;
      innermost_wait = wait;
      call->Run();
      innermost_wait = nullptr;
      current_participation = nullptr;
    });
  } catch (...) {
    // No thread, or no memory for one.
    return false;
  }
  substitute.join();
  return true;
}

// Addresses on the new stack say nothing about the depth of forks on the old
// one.
bool RunOnMappedStack(Call* call) {
  const platform::StackBounds outer_bounds = stack_bounds;
  const std::uintptr_t outer_low = low_stack;
  const SequentialCutoff outer_cutoff = sequential_cutoff;
  const bool has_run = platform::CallOnOwnStack(
      kMappedStack,
      [](void* context) {
        const auto top =
            reinterpret_cast<std::uintptr_t>(CERES_PARALLEL_FRAME_ADDRESS());
        stack_bounds.begin = top - kMappedStack;
        stack_bounds.end = top;
        low_stack = top - kMappedStack / 2;
        stack_end = top;
        sequential_cutoff = {};
        static_cast<Call*>(context)->Run();
      },
      call);
  stack_bounds = outer_bounds;
  low_stack = outer_low;
  stack_end = outer_bounds.end;
  sequential_cutoff = outer_cutoff;
  return has_run;
}

// Whether less than a quarter of the stack is left. A quarter is enough for the
// frames of a wait and a task.
bool IsStackNearlyUsedUp() {
  const auto depth =
      reinterpret_cast<std::uintptr_t>(CERES_PARALLEL_FRAME_ADDRESS());
  return depth - stack_bounds.begin <
         (stack_bounds.end - stack_bounds.begin) / 4;
}

}  // namespace

void CallOnFreshStack(void (*f)(void* context), void* context) {
  BeforeBlocking::RunAll();
  Call call{f, context, nullptr};
  if (!RunInNewThread(&call) && !RunOnMappedStack(&call)) {
    if (IsStackNearlyUsedUp()) throw std::bad_alloc();
    f(context);
  }
  if (call.error) std::rethrow_exception(std::move(call.error));
}

}  // namespace ceres::parallel::detail
