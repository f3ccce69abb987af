// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_

namespace ceres::parallel {

// Which tasks a thread that searches for work prefers. A normal task cannot
// starve: every eighth time, a thread looks at the normal tasks first.
enum class Priority { kNormal, kHigh };

struct TaskOptions {
  Priority priority = Priority::kNormal;

  // For traces. Not copied: a string literal, or a string that outlives the
  // trace.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_OPTIONS_H_
