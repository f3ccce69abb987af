// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_

#include <algorithm>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/parking/pool_tuning.h"

namespace ceres::parallel::detail {

// A batch has at most one in kFewestForBatch of the tasks that are left.
inline constexpr int kFewestForBatch = 4;

// Tasks of a set that a thread has set aside to run one after the other,
// because each is so short that going to the set for it would cost as much.
// Lies in the frame of that thread.
//
// The tasks of a batch are not claimed. A set with a registered batch is
// enqueued. A thread that finds no other task in the set puts the tasks of all
// batches back into the list, and so does the thread of the batch if it leaves
// for more urgent work. So a batch delays no other thread, even if its own
// thread waits or blocks.
//
// Lock order: the lock of the set, then the lock of the batch. `registered` and
// `next` are under the lock of the set, the tasks under the lock of the batch.
struct TaskBatch {
  // For its thread: the next task, or null.
  Task* Pop() {
    // Only this thread puts tasks in.
    if (!in_use) return nullptr;
    const SpinLock::Guard guard(lock);
    Task* const task = first;
    if (task != nullptr) first = task->older;
    in_use = first != nullptr;
    return task;
  }

  // For its thread, when the whole batch has been run: chooses the size of the
  // next batch, so that it takes about kBatchTime.
  void Adapt(base::Ticks now) {
    if (begun == 0) {
      begun = now;
      return;
    }
    const float elapsed = base::Nanoseconds(now - begun);
    if (elapsed < 0.5f * kBatchTime) {
      size = std::min(2 * size, kMaxBatchSize);
    } else if (elapsed > kBatchTime) {
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
  base::Ticks begun = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_BATCH_H_
