// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_WORK_SOURCE_H_
#define CERES_INTERNAL_PARALLEL_PARKING_WORK_SOURCE_H_

#include <string>

#include "ceres/parallel/regions/region_word.h"

namespace ceres::parallel::detail {

class PoolState;
class TaskSet;
struct Task;

// A claimed piece of work: a set with its single task, or one task of a set.
// Empty: no set.
struct ClaimedTask {
  TaskSet* set = nullptr;
  Task* task = nullptr;
  explicit operator bool() const { return set != nullptr; }
};

// The state of a thread between searches of a source.
struct SourceSearch {
  unsigned claims = 0;
  int last_queue = 0;
  // The last search before the thread sleeps: takes fresh tasks, and waits for
  // locks that others hold. Otherwise it would miss the tasks of a queue from
  // which another thread claims at that moment.
  bool is_last_look = false;
  // A search has left fresh tasks to the thread that added them. Reset it
  // before the next search.
  bool has_deferred = false;
};

// What the threads of a pool do beside regions that wait for them: tasks. The
// pool sees them through this class only. While there is something to claim,
// the source has a bit set in the QueueBits of the pool, so that a thread
// without work calls the source only when there is work.
//
// Thread-safe, except where noted. No function throws.
class WorkSource {
 public:
  WorkSource() = default;
  virtual ~WorkSource() = default;
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;

  // Claims a task for the calling thread: any, or one within the region
  // `ancestor`. The caller must Run it.
  virtual ClaimedTask Claim(SourceSearch* search) = 0;
  virtual ClaimedTask ClaimWithin(RegionHandle ancestor,
                                  SourceSearch* search) = 0;
  virtual void Run(const ClaimedTask& claimed) = 0;
  // For a thread that waits for a condition: runs tasks of a set around its own
  // work that no other thread may run, because the set has a thread limit.
  // Returns whether it did.
  virtual bool RunAroundThisThread() = 0;
  // Whether all tasks that were given to the pool before the call have ended.
  virtual bool AllFinished() const = 0;

  // In the child of a fork, where only the calling thread exists. Tasks of the
  // source run in the parent.
  virtual void ResetAfterFork() = 0;
  // For tests that hang.
  virtual std::string DebugString() const = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_WORK_SOURCE_H_
