// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_WORKER_THREADS_H_
#define CERES_INTERNAL_PARALLEL_PARKING_WORKER_THREADS_H_

#include <list>
#include <string>
#include <utility>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/parking/worker.h"
#include "ceres/parallel/sync/replaced_on_fork.h"

namespace ceres::parallel::detail {

class PoolState;

// The pool of which the calling thread is a worker, and which one; null and -1
// if it is none.
struct ThisWorker {
  const PoolState* pool;
  int index;
};
extern CERES_PARALLEL_THREAD_LOCAL ThisWorker this_worker;

// The threads of a pool: started, retired, joined.
//
// clang-format off
//     Start          Retire             thread ends        Join
//   ---------> started -----> retired -------------> gone ------> (freed)
// clang-format on
//
// Invariant: the started workers have the indices 0, 1, ... in order. A worker
// is in one of the two lists from before its thread starts until it is joined,
// and its address does not change.
//
// Thread safety: "Locked" functions need the mutex of the ParkingLot. Join only
// what has been taken out under the mutex.
class WorkerThreads {
 public:
  // Workers change lists without memory.
  using List = std::list<Worker>;

  // Worker k runs main_function(pool, worker) and is named name-k.
  WorkerThreads(PoolState* pool,
                void (*main_function)(PoolState* pool, Worker* worker),
                std::string name)
      : pool_(pool), main_function_(main_function), name_(std::move(name)) {}

  // Starts the next worker, which waits for its token before it does anything
  // that other threads can see. Null if the system has no thread or no memory.
  Worker* StartLocked();
  // The newest worker leaves the started ones. It ends when it has finished
  // what it does.
  Worker* RetireNewestLocked() noexcept;

  const List& started_locked() const { return lists_->started; }
  const List& retired_locked() const { return lists_->retired; }
  int NumStartedLocked() const {
    return static_cast<int>(lists_->started.size());
  }

  // Retired workers that have finished. Their threads can be joined at once.
  List TakeGoneLocked() noexcept;
  // When all workers have been retired, and no other thread uses this object:
  // waits until they have ended, or (Detach) lets them end by themselves.
  void JoinAll();
  void DetachAll();

  // In the worker, first of all.
  void NameThisThread(int index) const;
  const std::string& name() const { return name_; }

  // In the child of a fork, where the threads do not exist.
  void ResetAfterFork() { lists_.Replace(); }

 private:
  struct Lists {
    List started;
    List retired;
  };

  PoolState* const pool_;
  void (*const main_function_)(PoolState* pool, Worker* worker);
  const std::string name_;
  ReplacedOnFork<Lists> lists_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_WORKER_THREADS_H_
