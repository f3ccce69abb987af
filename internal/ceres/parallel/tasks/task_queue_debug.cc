// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The task queues of a pool as text, for tests that hang. If a lock is held,
// the text says so instead of waiting for it.

#include <sstream>

#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

std::string TaskQueue::DebugString() {
  std::ostringstream out;
  out << "  queue " << index_ << (exclusive_ ? "" : " (shared)") << ": given "
      << NumSpawned() << ", ended " << NumFinished();
  if (!lock_.TryLock()) {
    out << ", locked";
    return out.str();
  }
  for (const bool high : {true, false}) {
    for (const TaskSet* set = lists_[high ? 1 : 0].oldest; set != nullptr;
         set = set->newer_) {
      out << "\n    task set " << std::hex << set->handle() << " within "
          << set->parent_.Get() << std::dec << (high ? ", high" : "")
          << ", pending " << set->pending_.Bits();
      if (set->is_single()) continue;
      const TaskSet::Group& group = set->group();
      out << ", queued " << group.queued.load() << ", threads "
          << group.active.load() << " of " << group.max_threads;
    }
  }
  lock_.Unlock();
  return out.str();
}

std::string TaskQueues::DebugString() const {
  std::ostringstream out;
  for (int k = 0; k < kMaxQueues && At(k) != nullptr; ++k) {
    out << At(k)->DebugString() << '\n';
  }
  return out.str();
}

}  // namespace ceres::parallel::detail
