// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_LATE_REGION_WATCH_H_
#define CERES_INTERNAL_PARALLEL_PARKING_LATE_REGION_WATCH_H_

#include <cstdint>

#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/worker.h"
#include "ceres/parallel/regions/region_word.h"

namespace ceres::parallel::detail {

class ParkingLot;
class PoolState;

// How regions that take longer than predicted find help while all workers
// sleep: one parked worker keeps watch.
//
// A quiet region is one that is predicted to be short. It can be joined before
// its owner begins the first block, but no thread is woken for it. So idle
// threads look through the slots of all regions: a region that was open at two
// looks, kLate apart, is late, and they join it. A searching worker, or an
// owner that waits, looks every kLateLookInterval (WorkFinder::HelpLate).
//
// The worker that keeps watch is the first in the list of parked workers, which
// is woken last for other work. It sleeps with a timeout, and looks every
// kWatchInterval. It stops, and sleeps without a timeout, when in kCalmLooks
// intervals there was no quiet region: an idle pool uses no CPU.
//
// Why a thread looks, if a worker is parked or can be started
//  - A worker that parks first keeps watch. If the worker that keeps watch
//    leaves the list, the next one in the list keeps watch, in the same hold of
//    the mutex. If there is none, words.watch becomes kOff.
//  - words.watch is kOn while a parked worker keeps watch, up to the last
//    interval of that worker. If an owner or a helper of a region finds another
//    value, it asks the first parked worker. If none is parked, it starts a
//    worker, unless a worker is searching: that worker looks before it parks,
//    and then keeps watch. When such a worker joins a region, it asks again
//    itself. If no worker may be started now, owners try again.
//  - A worker that joins a late region wakes the next thread at once, a parked
//    worker or a sleeping owner. A sleeping owner does not look by itself: if
//    all workers join a region before it is late, an owner of a region around
//    it is not woken.
//  - If all workers have been started and none is parked, words.watch is kOn,
//    so that owners do not ask in vain: the first worker to park keeps watch.
//    Resizing the pool makes it kOff.
//  - The worker that stops makes words.watch kOff, and looks once more after an
//    interval. An owner that has read words.watch before has set
//    words.has_quiet_regions before, and the last look sees that.
//
// Why no token is lost: tokens are given under the mutex of the ParkingLot.
// kKeepWatch is given to a parked worker, which has no other token, since it
// leaves the list before it gets one. A thread that takes a worker off the list
// clears the worker's kKeepWatch. Otherwise the worker would keep watch the
// next time it parks, although it may not be the first. keeps_watch and
// words.watch change under the mutex. So a worker that has been taken off, but
// does not know it yet, changes neither.
//
// Thread-safe; "Locked" functions need the mutex of the ParkingLot.
class LateRegionWatch {
 public:
  // `pool`: whose regions to look for.
  LateRegionWatch(const PoolState* pool, PoolWords& words, ParkingLot& lot)
      : pool_(pool), words_(words), lot_(lot) {}

  // For the owner of a quiet region: makes sure that a worker keeps watch.
  void Ask() {
    if (!words_.has_quiet_regions.load(std::memory_order_relaxed)) {
      words_.has_quiet_regions.store(true, std::memory_order_relaxed);
    }
    if (words_.watch.load(std::memory_order_relaxed) != Watch::kOn) Start();
  }

  // In a worker that has parked: sleeps until it has a token. Returns kWork,
  // also if it has found a late region and has left the list itself, or
  // kRetire.
  std::uint32_t SleepUntilToken(Worker* worker);

  // The worker is the first to park.
  void KeepLocked(Worker* worker);
  // The worker has just been taken off the list of parked workers.
  void WorkerHasLeftLocked(Worker* worker);
  void TurnOffLocked() {
    words_.watch.store(Watch::kOff, std::memory_order_relaxed);
  }

 private:
  // A token: look for late regions while parked.
  static constexpr std::uint32_t kKeepWatch = 3;

  void Start();
  void StartLocked();
  RegionHandle FindLate() const;
  bool LeaveForLateRegion(Worker* worker);
  void StopIfCalm(Worker* worker, int* calm_looks);

  const PoolState* const pool_;
  PoolWords& words_;
  ParkingLot& lot_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_LATE_REGION_WATCH_H_
