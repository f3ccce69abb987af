// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The priority of a task for threads that search for work: high tasks first. A
// normal task cannot starve: every eighth time, a thread looks at the normal
// tasks first.
enum class Priority {
  // The default.
  kNormal,
  // Preferred to normal tasks.
  kHigh
};

// The options of a task.
struct TaskOptions {
  // The priority of the task.
  Priority priority = Priority::kNormal;

  // The name in traces; may be null. Not copied: a string literal, or a string
  // that outlives the trace.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_
