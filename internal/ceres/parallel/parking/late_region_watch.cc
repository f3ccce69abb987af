// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/late_region_watch.h"

#include <algorithm>
#include <mutex>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/parking/parking_lot.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/regions/region.h"
#include "ceres/parallel/sync/address_wait.h"

namespace ceres::parallel::detail {

RegionHandle LateRegionWatch::FindLate() const {
  const base::Ticks now = base::Now();
  const int used = RegionSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const RegionHandle handle = RegionSlot::At(k)->FindLate(pool_, now);
    if (handle != 0) return handle;
  }
  return 0;
}

void LateRegionWatch::Start() {
  const ThreadBudget& budget = lot_.budget_;
  if (budget.NumWorkers() == 0) return;
  const bool none_parked =
      words_.watch.load(std::memory_order_relaxed) == Watch::kNoneParked;
  if (none_parked &&
      (!lot_.NoWorkerSearches() ||
       words_.awake.load(std::memory_order_relaxed) >= budget.MaxAwake())) {
    return;
  }
  const std::lock_guard<std::mutex> lock(lot_.ParkingMutex());
  if (words_.watch.load(std::memory_order_relaxed) != Watch::kOn) StartLocked();
}

void LateRegionWatch::StartLocked() {
  const auto& parked = lot_.lot_->parked;
  if (!parked.empty()) {
    KeepLocked(parked.front());
    ParkingLot::GiveToken(parked.front(), kKeepWatch);
    return;
  }
  Watch watch = Watch::kNoneParked;
  if (lot_.threads_.NumStartedLocked() >= lot_.budget_.NumWorkers()) {
    watch = Watch::kOn;
  } else if (lot_.NoWorkerSearches() &&
             words_.awake.load(std::memory_order_relaxed) < lot_.MaxAwake() &&
             !lot_.StartWorker()) {
    // The system has no thread for it; further attempts would cost time.
    watch = Watch::kOn;
  }
  words_.watch.store(watch, std::memory_order_relaxed);
}

void LateRegionWatch::KeepLocked(Worker* worker) {
  worker->keeps_watch.store(true, std::memory_order_relaxed);
  words_.watch.store(Watch::kOn, std::memory_order_relaxed);
}

// The caller gives the worker a token, or is the worker.
void LateRegionWatch::WorkerHasLeftLocked(Worker* worker) {
  worker->token.store(0, std::memory_order_relaxed);
  if (!worker->keeps_watch.load(std::memory_order_relaxed)) return;
  worker->keeps_watch.store(false, std::memory_order_relaxed);
  const auto& parked = lot_.lot_->parked;
  if (parked.empty()) {
    TurnOffLocked();
  } else {
    KeepLocked(parked.front());
    ParkingLot::GiveToken(parked.front(), kKeepWatch);
  }
}

std::uint32_t LateRegionWatch::SleepUntilToken(Worker* worker) {
  int calm_looks = 0;
  while (true) {
    std::uint32_t token = worker->token.exchange(0, std::memory_order_acquire);
    if (token == 0 && worker->keeps_watch.load(std::memory_order_relaxed)) {
      WaitOnAddress(&worker->token, 0, SteadyNow() + kWatchInterval);
      token = worker->token.exchange(0, std::memory_order_acquire);
    } else if (token == 0) {
      token = ParkingLot::AwaitToken(worker);
    }
    if (token == ParkingLot::kWork || token == ParkingLot::kRetire) {
      return token;
    }
    if (token == kKeepWatch) {
      calm_looks = 0;
    } else if (LeaveForLateRegion(worker)) {
      return ParkingLot::kWork;
    } else {
      StopIfCalm(worker, &calm_looks);
    }
  }
}

bool LateRegionWatch::LeaveForLateRegion(Worker* worker) {
  const RegionHandle late = FindLate();
  if (late == 0) return false;
  {
    const std::lock_guard<std::mutex> lock(lot_.ParkingMutex());
    const auto& parked = lot_.lot_->parked;
    // If it is not in the list any more, it has got a token.
    if (std::find(parked.begin(), parked.end(), worker) == parked.end()) {
      return false;
    }
    if (words_.awake.load(std::memory_order_relaxed) < lot_.MaxAwake()) {
      lot_.RemoveParked(worker);
      lot_.CountAsAwake();
      TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
      return true;
    }
  }
  lot_.WakeSleepingOwner(late);
  return false;
}

void LateRegionWatch::StopIfCalm(Worker* worker, int* calm_looks) {
  const std::lock_guard<std::mutex> lock(lot_.ParkingMutex());
  // Otherwise it has been taken off the list, and has got a token.
  if (!worker->keeps_watch.load(std::memory_order_relaxed)) return;
  if (words_.has_quiet_regions.exchange(false, std::memory_order_relaxed)) {
    *calm_looks = 0;
    words_.watch.store(Watch::kOn, std::memory_order_relaxed);
  } else if (++*calm_looks == kCalmLooks) {
    TurnOffLocked();
  } else if (*calm_looks > kCalmLooks) {
    worker->keeps_watch.store(false, std::memory_order_relaxed);
  }
}

}  // namespace ceres::parallel::detail
