// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/task_batch.h"

#include <algorithm>
#include <atomic>

// The functions of task sets for batches. All need the lock of the set.

namespace ceres::parallel::detail {

void TaskSet::PutBatchesBackLocked() {
  Group& g = group();
  int count = 0;
  TaskBatch* batch = g.batches.exchange(nullptr, std::memory_order_relaxed);
  for (; batch != nullptr; batch = batch->next) {
    batch->registered = false;
    const SpinLock::Guard guard(batch->lock);
    while (Task* const task = batch->first) {
      batch->first = task->older;
      task->older = nullptr;
      task->newer = g.oldest;
      (g.oldest != nullptr ? g.oldest->older : g.newest) = task;
      g.oldest = task;
      ++count;
    }
  }
  g.queued.store(g.queued.load(std::memory_order_relaxed) + count,
                 std::memory_order_relaxed);
}

void TaskSet::UnregisterLocked(TaskBatch* batch) {
  if (!batch->registered) return;
  batch->registered = false;
  Group& g = group();
  TaskBatch* before = g.batches.load(std::memory_order_relaxed);
  if (before == batch) {
    g.batches.store(batch->next, std::memory_order_relaxed);
    return;
  }
  while (before->next != batch) before = before->next;
  before->next = batch->next;
}

// Sets tasks aside for a thread that has claimed one: at most a quarter of the
// tasks left (guided self-scheduling).
void TaskSet::FillLocked(TaskBatch* batch, bool newest) {
  Group& g = group();
  const int count =
      std::min(batch->size - 1,
               g.queued.load(std::memory_order_relaxed) / kFewestForBatch);
  if (count <= 0) return;
  Task* last = nullptr;
  const SpinLock::Guard guard(batch->lock);
  for (int k = 0; k < count; ++k) {
    Task* const task = PopLocked(newest);
    (last != nullptr ? last->older : batch->first) = task;
    last = task;
  }
  last->older = nullptr;
  batch->in_use = true;
  batch->registered_before = true;
  batch->registered = true;
  batch->next = g.batches.load(std::memory_order_relaxed);
  g.batches.store(batch, std::memory_order_relaxed);
}

}  // namespace ceres::parallel::detail
