// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The state of a pool as text, for tests that hang.

#include <sstream>

#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

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
