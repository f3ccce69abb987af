// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_

#include <algorithm>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/detail/task_set.h"

namespace ceres::parallel::detail {

// Tasks of a set that a thread has set aside to run them one after the other,
// because each is so short that going to the set for it would cost as much. It
// lies in the frame of that thread.
//
// The tasks are not claimed by that: while a set has batches it hangs, and who
// finds no other task puts those of all batches back, as does the thread itself
// if it leaves for something more urgent. So a batch delays nobody, even if its
// thread waits, or blocks.
//
// Lock order: the set's, then the batch's. `registered` and `next` are under
// the set's lock, the tasks under the batch's.
struct TaskBatch {
  // The most tasks, and the time for which a batch should last, nanoseconds.
  static constexpr int kMaxSize = 64;
  static constexpr float kDuration = 50e3f;

  // For its thread: the next task, or null.
  Task* Pop() {
    // Nobody but the thread puts tasks in.
    if (!in_use) return nullptr;
    const SpinLock::Guard guard(lock);
    Task* const task = first;
    if (task != nullptr) first = task->older;
    in_use = first != nullptr;
    return task;
  }

  // For its thread: the whole batch has been run; how large is the next?
  void Adapt(Ticks now) {
    if (begun == 0) {
      begun = now;
      return;
    }
    const float elapsed = Nanoseconds(now - begun);
    if (elapsed < 0.5f * kDuration) {
      size = std::min(2 * size, kMaxSize);
    } else if (elapsed > kDuration) {
      size = std::max(1, size / 2);
    }
    begun = now;
  }

  SpinLock lock;
  bool in_use = false;             // For its thread: there may be tasks.
  bool registered_before = false;  // For its thread: it may be registered.
  bool registered = false;
  int size = 1;           // With the task that is claimed together with it.
  Task* first = nullptr;  // In the order in which they are run, by `older`.
  TaskBatch* next = nullptr;
  Ticks begun = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_
