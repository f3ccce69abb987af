// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_THREAD_BUDGET_H_
#define CERES_INTERNAL_PARALLEL_PARKING_THREAD_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <limits>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/parking/pool_words.h"

namespace ceres::parallel::detail {

// AvailableConcurrency(), read once in the process: when the first pool is
// made, by a thread that is no worker (a worker may be pinned to one CPU).
CERES_PARALLEL_EXPORT int NumCpus();

// How many threads of a pool run, and whether one more may.
//
//   busy      workers that run a task or a piece of a loop
//   callers   threads that are not workers and run work of the pool: owners of
//             outer regions (on the board), and threads that wait
//   inactive  callers that sleep, and whose place another thread may take
//
// Goal: busy + callers - inactive <= RunningLimit(). A thread counts itself
// first, then compares, and takes its count back if the limit is exceeded. So
// if there is room for one thread, at most one of two that compare may run.
// The counts are hints about speed. The limit may be exceeded for a moment: by
// owners that the pool does not know (Publication::Open), and by callers that
// continue because their wait has ended.
//
// Exception: one worker may always run tasks, because a task may have no other
// thread that could ever run it.
class ThreadBudget {
 public:
  // tasks_block: ThreadPoolOptions::tasks_block.
  ThreadBudget(PoolWords& words, bool tasks_block);

  int NumWorkers() const {
    return words_.num_workers.load(std::memory_order_relaxed);
  }
  // The workers and a caller.
  int MaxConcurrency() const {
    const int workers = NumWorkers();
    return workers < std::numeric_limits<int>::max() ? workers + 1 : workers;
  }
  // The most threads at work at once, callers included.
  int RunningLimit() const {
    const int limit = words_.running_limit.load(std::memory_order_relaxed);
    return limit > 0 ? limit : default_limit_;
  }
  void SetRunningLimit(int limit) {
    words_.running_limit.store(limit, std::memory_order_seq_cst);
  }

  // How long a thread without work searches before it sleeps, nanoseconds. 0 if
  // threads outnumber CPUs: then the thread that is waited for needs the CPU.
  float SpinTime() const {
    return RunningLimit() <= num_cpus_ ? kSpinTime : 0.0f;
  }
  float WorkerSpinTime() const {
    const float spin_time = SpinTime();
    return spin_time > 0.0f &&
                   words_.spin_requests.load(std::memory_order_relaxed) > 0
               ? kLongSpinTime
               : spin_time;
  }

  // --- Callers. ---

  // A thread that is not at work for the pool begins (1), or stops (-1), to
  // work for it.
  void CountOuterCaller(int change) {
    words_.outer_callers.fetch_add(change, std::memory_order_relaxed);
  }
  int NumKnownCallers() const {
    return words_.board.NumOuterOwners() +
           words_.outer_callers.load(std::memory_order_relaxed);
  }
  int NumCallers() const { return std::max(1, NumKnownCallers()); }

  // --- Workers that are at work. ---

  // For a worker that has found a loop or (BeginTask) a task. False: it must
  // not run, and nothing has changed.
  bool BeginWork(int callers) {
    words_.busy.fetch_add(1, std::memory_order_relaxed);
    if (MayJoin(callers)) return true;
    EndWork();
    return false;
  }
  bool BeginTask() {
    words_.busy.fetch_add(1, std::memory_order_relaxed);
    if (words_.busy.load(std::memory_order_relaxed) == 1 || MayJoin()) {
      return true;
    }
    EndWork();
    return false;
  }
  void EndWork() { words_.busy.fetch_sub(1, std::memory_order_relaxed); }
  // Whether BeginTask would succeed now.
  bool CouldJoinForTask() const;

  // For a thread that has already counted itself.
  bool MayJoin(int callers) const {
    const int absent = words_.inactive.load(std::memory_order_relaxed);
    return words_.busy.load(std::memory_order_relaxed) + callers - absent <=
           RunningLimit();
  }
  bool MayJoin() const { return MayJoin(NumCallers()); }

  // --- Workers that are awake. ---

  // How many workers may be awake for loops and tasks, and for tasks.
  int MaxAwake() const;
  int MaxAwakeForTasks() const {
    return std::min(NumWorkers(), std::max(1, MaxAwake()));
  }
  // False if no thread could be woken for a task. Cheap, above all if all
  // workers are awake.
  bool MayWake() const {
    const int awake = words_.awake.load(std::memory_order_seq_cst);
    return (awake < NumWorkers() && awake < MostRunningWorkers()) ||
           words_.sleeping_owners.load(std::memory_order_seq_cst) > 0 ||
           words_.condition_waiters.load(std::memory_order_seq_cst) > 0;
  }

 private:
  // At least as many workers as may be awake for tasks.
  int MostRunningWorkers() const {
    const int absent = words_.inactive.load(std::memory_order_seq_cst);
    return std::max(1, RunningLimit() - 1 + absent);
  }

  PoolWords& words_;
  const int num_cpus_;
  const int default_limit_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_THREAD_BUDGET_H_
