// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The state of a pool as text, for tests that hang. If a lock is held, the text
// says so instead of waiting for it.

#include <algorithm>
#include <mutex>
#include <sstream>

#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

// Workers only count themselves as busy, so the state of one worker is not
// known. A worker that is awake and searches in vain sleeps soon.
std::string ParkingLot::WorkersStringLocked() const {
  std::ostringstream out;
  const auto& started = threads_.started_locked();
  const auto& retired = threads_.retired_locked();
  const auto& parked = lot_->parked;
  const int busy = words_.busy.load();
  const char* const awake = busy == 0 ? "searching for work"
                            : busy >= awake_.load() && retired.empty()
                                ? "at work"
                                : "at work or searching for work";
  for (const Worker& worker : started) {
    out << "\n  worker " << worker.index << ": ";
    if (std::find(parked.begin(), parked.end(), &worker) != parked.end()) {
      out << "asleep";
    } else if (worker.token.load() != 0) {
      out << "being woken";
    } else {
      out << awake;
    }
  }
  const int num_started = threads_.NumStartedLocked();
  if (num_started < budget_.NumWorkers()) {
    out << "\n  not started: " << budget_.NumWorkers() - num_started
        << " workers";
  }
  for (const Worker& worker : retired) {
    out << "\n  retired worker " << worker.index << ": "
        << (worker.gone.load() ? "gone" : "leaving");
  }
  return out.str();
}

std::string ParkingLot::DebugString() const {
  const std::unique_lock<std::mutex> lock(lot_->mutex, std::try_to_lock);
  if (!lock.owns_lock()) return "  the mutex of the parking lot is locked";
  std::ostringstream out;
  out << "  threads " << threads_.NumStartedLocked() << ", parked "
      << lot_->parked.size() << ", retired " << threads_.retired_locked().size()
      << WorkersStringLocked();
  return out.str();
}

std::string SleepingOwners::DebugString() const {
  const std::unique_lock<std::mutex> lock(list_->mutex, std::try_to_lock);
  if (!lock.owns_lock()) return "  the mutex of the sleeping owners is locked";
  std::ostringstream out;
  out << "  asleep until the end of:" << std::hex;
  for (const SleepingOwner* owner = list_->oldest; owner != nullptr;
       owner = owner->newer) {
    out << ' ' << owner->handle << (owner->roused ? " (woken)" : "");
  }
  return out.str();
}

std::string PoolState::DebugString() {
  std::ostringstream out;
  const int searching = words_.searching.load();
  constexpr int kWorker = ParkingLot::kSearchingWorker;
  out << "pool " << threads_.name() << ": " << NumWorkers()
      << " workers, limit " << RunningLimit() << ", awake "
      << words_.awake.load() << ", busy " << words_.busy.load()
      << ", searching threads " << searching % kWorker << ", searching workers "
      << searching / kWorker << ", sleeping owners "
      << words_.sleeping_owners.load() << ", outer callers "
      << words_.outer_callers.load() << ", leaving " << leaving_.Count()
      << ", waiting for conditions " << words_.condition_waiters.load()
      << "\n  task queues high " << std::hex << queue_bits().Of(/*high=*/true)
      << ", normal " << queue_bits().Of(/*high=*/false) << "\n  board:";
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = words_.board.At(k);
    const RegionHandle handle = JoinBoard::Handle(entry);
    out << ' ' << entry;
    if (entry != 0 && !IsTaskSetHandle(handle) && RegionSlot::IsOpen(handle)) {
      out << " (open)";
    }
  }
  out << std::dec << '\n'
      << parking_.DebugString() << '\n'
      << sleepers_.DebugString() << '\n'
      << source_->DebugString();
  return out.str();
}

}  // namespace ceres::parallel::detail
