// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/parking_lot.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/parking/pool_tuning.h"

namespace ceres::parallel::detail {

ParkingLot::ParkingLot(const PoolState* pool, PoolWords& words,
                       ThreadBudget& budget, SleepingOwners& sleepers,
                       WorkerThreads& threads)
    : words_(words),
      awake_(words.awake),
      searching_(words.searching),
      condition_waiters_(words.condition_waiters),
      condition_events_(words.condition_events),
      queue_bits_(words.queue_bits),
      budget_(budget),
      sleepers_(sleepers),
      threads_(threads),
      watch_(pool, words, *this) {}

WorkerThreads::List ParkingLot::SetNumWorkers(int num_workers) {
  const std::lock_guard<std::mutex> lock(lot_->mutex);
  SetNumWorkersLocked(num_workers);
  return threads_.TakeGoneLocked();
}

void ParkingLot::EnsureMinimumWorkers(int num_workers) {
  const std::lock_guard<std::mutex> lock(lot_->mutex);
  if (budget_.NumWorkers() < num_workers) SetNumWorkersLocked(num_workers);
}

void ParkingLot::SetNumWorkersLocked(int num_workers) {
  words_.num_workers.store(num_workers, std::memory_order_seq_cst);
  while (threads_.NumStartedLocked() > num_workers) {
    RetireLocked(threads_.RetireNewestLocked());
  }
  // There may be workers to start.
  if (lot_->parked.empty()) watch_.TurnOffLocked();
}

void ParkingLot::PushParked(Worker* worker) {
  auto& parked = lot_->parked;
  if (parked.empty()) watch_.KeepLocked(worker);
  parked.push_back(worker);
}

Worker* ParkingLot::PopParked() {
  auto& parked = lot_->parked;
  if (parked.empty()) return nullptr;
  Worker* const worker = parked.back();
  parked.pop_back();
  watch_.WorkerHasLeftLocked(worker);
  return worker;
}

bool ParkingLot::RemoveParked(Worker* worker) {
  auto& parked = lot_->parked;
  const auto position = std::find(parked.begin(), parked.end(), worker);
  if (position == parked.end()) return false;
  parked.erase(position);
  watch_.WorkerHasLeftLocked(worker);
  return true;
}

void ParkingLot::BeforeWake(Worker* worker) {
  TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
}

void ParkingLot::AfterSleep(Worker* worker, std::uint32_t /*token*/) {
  TraceMoment(TraceKind::kWakeArrived, TraceId(worker));
}

bool ParkingLot::TryToStartWorker() {
  try {
    // Then no worker allocates when it parks.
    lot_->parked.reserve(static_cast<std::size_t>(threads_.NumStartedLocked()) +
                         1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  Worker* const worker = threads_.StartLocked();
  if (worker == nullptr) return false;
  CountAsAwake();
  GiveToken(worker, kWork);
  return true;
}

// After a failure the attempts become rarer: each takes microseconds, and what
// could be given to a worker is done by threads that exist.
bool ParkingLot::StartWorker() {
  if (threads_.NumStartedLocked() >= budget_.NumWorkers()) return false;
  Lot& lot = *lot_.get();
  if (lot.start_pause > 0.0f &&
      base::Nanoseconds(base::Now() - lot.failed_start) < lot.start_pause) {
    return false;
  }
  if (TryToStartWorker()) {
    lot.start_pause = 0.0f;
    return true;
  }
  lot.failed_start = base::Now();
  lot.start_pause = std::clamp(2.0f * lot.start_pause, kShortestStartPause,
                               kLongestStartPause);
  return false;
}

bool ParkingLot::IsAnyRequestOpen() const {
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = words_.board.At(k);
    if (entry != 0 && RegionSlot::IsOpen(JoinBoard::Handle(entry))) return true;
  }
  return false;
}

}  // namespace ceres::parallel::detail
