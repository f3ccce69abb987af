// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/fresh_stack.h"

#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/graph/graph_runner.h"
#include "ceres/parallel/graph/unshared_tasks.h"

namespace ceres::parallel::detail {
namespace {

thread_local platform::StackBounds stack_bounds;

}  // namespace

bool FindIsStackLow(std::uintptr_t depth) {
  if (low_stack == UINTPTR_MAX) {
    stack_bounds = platform::StackOfThisThread();
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
