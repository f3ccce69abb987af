// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/fresh_stack.h"

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/graph/graph_runner.h"
#include "ceres/parallel/graph/unshared_tasks.h"

namespace ceres::parallel::detail {
namespace {

struct StackBounds {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  // Stacks grow downwards from here.
};

// Empty: not known.
StackBounds BoundsOfThisThread() {
  StackBounds bounds;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    bounds.begin = reinterpret_cast<std::uintptr_t>(begin);
    bounds.end = bounds.begin + size;
  }
  pthread_attr_destroy(&attributes);
#elif defined(__APPLE__)
  bounds.end = reinterpret_cast<std::uintptr_t>(
      pthread_get_stackaddr_np(pthread_self()));
  bounds.begin = bounds.end - pthread_get_stacksize_np(pthread_self());
#endif
  return bounds;
}

thread_local StackBounds stack_bounds;

}  // namespace

bool FindIsStackLow(std::uintptr_t depth) {
  if (low_stack == UINTPTR_MAX) {
    stack_bounds = BoundsOfThisThread();
    low_stack =
        stack_bounds.begin + (stack_bounds.end - stack_bounds.begin) / 2;
  }
  return depth < low_stack && depth >= stack_bounds.begin;
}

void CallOnFreshStack(void (*f)(void* context), void* context) {
  UnsharedTasks::ShareAllOfThread();
  // The new thread takes over the thread-local state of this one.
  Participation* const participation = current_participation;
  const auto* const graph_waiter = GraphRunner::Waiter::Innermost();
  std::exception_ptr error;
  std::thread substitute;
  try {
    substitute = std::thread([&] {
      current_participation = participation;
      GraphRunner::Waiter::SetInnermost(graph_waiter);
      try {
        f(context);
      } catch (...) {
        error = std::current_exception();
      }
      GraphRunner::Waiter::SetInnermost(nullptr);
      current_participation = nullptr;
    });
  } catch (...) {
    // No thread, or no memory for one.
  }
  if (!substitute.joinable()) {
    f(context);
    return;
  }
  substitute.join();
  if (error) std::rethrow_exception(std::move(error));
}

}  // namespace ceres::parallel::detail
