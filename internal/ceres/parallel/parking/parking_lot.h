// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_PARKING_LOT_H_
#define CERES_INTERNAL_PARALLEL_PARKING_PARKING_LOT_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "ceres/parallel/parking/late_region_watch.h"
#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/queue_parking_protocol.h"
#include "ceres/parallel/parking/sleeping_owners.h"
#include "ceres/parallel/parking/thread_budget.h"
#include "ceres/parallel/parking/worker_threads.h"
#include "ceres/parallel/sync/replaced_on_fork.h"

namespace ceres::parallel::detail {

// Which workers of a pool are awake and which sleep, and how they are woken.
//
// A worker is awake (it works, or searches for work) or parked (in the list of
// parked workers, asleep on its token).
//
// clang-format off
//              searched in vain
//     awake  -------------------->  parked
//       ^                             |
//       +--- kWork: another thread, --+---> ends (kRetire)
//            or the worker itself,
//            takes it off the list
// clang-format on
//
// Invariants:
//  - Only a thread that holds the mutex moves a worker between the states. A
//    thread that takes a worker off the list, or starts one, gives it exactly
//    one token before it releases the mutex; a worker that takes itself off the
//    list needs none. So no worker is woken twice, and no token is lost.
//  - words.awake is the number of workers that are not parked, of those that
//    are not retired.
//  - A worker that is awake and not at work is counted as searching from before
//    it is woken.
//
// No work is overlooked:
//  - Tasks. A worker ends its search (it begins to work, or parks), and then
//    looks at the task queues once more. A thread that enqueues a task then
//    looks at the counts. All these accesses are sequentially consistent
//    (task_queue.h). So the worker sees the task, or the thread sees that no
//    worker searches, and wakes one. A worker that finds more tasks than the
//    one it takes wakes the next worker.
//  - Join requests. A worker looks at the board once more after it has entered
//    the list. An owner that posts after that look finds the worker there. A
//    request that is posted at the same moment (a store and a load may pass
//    each other) is repeated by its owner while the owner works alone; requests
//    of long regions are not overlooked (join_board.h).
//
// The source of these steps is queue_parking_protocol.h, a template that
// queue_parking_protocol_test.cc runs in every interleaving. One parked worker
// may keep watch (late_region_watch.h).
//
// Thread-safe.
class ParkingLot : public ParkingProtocol<ParkingLot, RealAtomics> {
 public:
  // `pool` serves as a name for the regions of the pool only.
  ParkingLot(const PoolState* pool, PoolWords& words, ThreadBudget& budget,
             SleepingOwners& sleepers, WorkerThreads& threads);

  // Wakes or starts a worker, if there is one and the limit allows it.
  bool WakeWorker() { return WakeOneOf(MaxAwake()); }
  // WakeWorker; if there is none, wakes a thread that sleeps until a region
  // around `handle` ends.
  bool WakeSomeone(RegionHandle handle) {
    return WakeWorker() || WakeSleepingOwner(handle);
  }

  // Workers above the number are retired, workers below it start when they are
  // woken. A smaller minimum changes nothing. Returns retired workers that have
  // finished: destroy them after joining their threads.
  WorkerThreads::List SetNumWorkers(int num_workers);
  void EnsureMinimumWorkers(int num_workers);

  LateRegionWatch& watch() { return watch_; }

  // In the child of a fork.
  void ResetAfterFork() { lot_.Replace(); }
  std::string DebugString() const;

  // Members of the protocol: for workers, and for threads that wait.
  using ParkingProtocol::AwaitToken;
  using ParkingProtocol::kSearchingWorker;
  using ParkingProtocol::NoWorkerSearches;
  using ParkingProtocol::Park;
  using ParkingProtocol::SearchForWork;
  using ParkingProtocol::SleepUnless;
  using ParkingProtocol::TurnToWork;
  using ParkingProtocol::WakeConditionWaiters;
  using ParkingProtocol::WakeIfMoreTasks;

 private:
  friend class ParkingProtocol<ParkingLot, RealAtomics>;
  friend class LateRegionWatch;

  struct Lot {
    std::mutex mutex;
    // In the order in which they have parked. The last one is woken first.
    std::vector<Worker*> parked;
    // The system had no thread, or no memory for one, at `failed_start`. The
    // next attempt comes after start_pause nanoseconds, 0: at once.
    base::Ticks failed_start = 0;
    float start_pause = 0.0f;
  };

  void SetNumWorkersLocked(int num_workers);
  std::string WorkersStringLocked() const;

  // For ParkingProtocol.
  std::mutex& ParkingMutex() { return lot_->mutex; }
  void PushParked(Worker* worker);
  Worker* PopParked();
  bool RemoveParked(Worker* worker);
  bool StartWorker();
  bool TryToStartWorker();
  void BeforeWake(Worker* worker);
  std::uint32_t SleepUntilToken(Worker* worker) {
    return watch_.SleepUntilToken(worker);
  }
  static void AfterSleep(Worker* worker, std::uint32_t token);
  int MaxAwake() const { return budget_.MaxAwake(); }
  int MaxAwakeForTasks() const { return budget_.MaxAwakeForTasks(); }
  bool MayWake() const { return budget_.MayWake(); }
  bool CouldJoinForTask() const { return budget_.CouldJoinForTask(); }
  bool IsAnyRequestOpen() const;
  RegionHandle FindLong(RegionHandle except) const {
    return words_.board.FindLong(except);
  }
  bool WakeSleepingOwner(RegionHandle handle) {
    return sleepers_.WakeOneFor(handle);
  }

  PoolWords& words_;
  // The words that the protocol uses.
  std::atomic<int>& awake_;
  std::atomic<int>& searching_;
  std::atomic<int>& condition_waiters_;
  std::atomic<std::uint32_t>& condition_events_;
  QueueBits& queue_bits_;

  ThreadBudget& budget_;
  SleepingOwners& sleepers_;
  WorkerThreads& threads_;
  ReplacedOnFork<Lot> lot_;
  LateRegionWatch watch_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_PARKING_LOT_H_
