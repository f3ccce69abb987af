// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The state of workers and sleeping owners as text, for tests that hang. If a
// lock is held, the text says so instead of waiting for it.

#include <algorithm>
#include <mutex>
#include <sstream>

#include "ceres/parallel/parking/parking_lot.h"
#include "ceres/parallel/parking/sleeping_owners.h"

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

}  // namespace ceres::parallel::detail
