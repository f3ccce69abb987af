// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_SEARCHER_H_
#define CERES_INTERNAL_PARALLEL_PARKING_SEARCHER_H_

#include <array>
#include <cstdint>

#include "ceres/base/clock.h"
#include "ceres/parallel/parking/join_board.h"
#include "ceres/parallel/parking/work_source.h"
#include "ceres/parallel/regions/region.h"

namespace ceres::parallel::detail {

// A thread's memory while it searches for work in a pool (WorkFinder).
// Lies in the frame of the thread, and belongs to it.
struct Searcher {
  // Entries of the board that were found to be of no use. An entry never comes
  // back with another meaning, so its region needs no second look.
  std::array<std::uint64_t, JoinBoard::kSize> seen{};
  // Joins only regions within this one; 0: any.
  RegionHandle ancestor = 0;
  // Joins only loops within tasks of this pool; null: any.
  const PoolState* tasks_of = nullptr;
  // The closure of the region joined last. A loop that is run again has it at
  // the same place of its owner's stack, so it can be fetched early.
  const void* last_closure = nullptr;
  // The region joined last: it has no blocks left.
  RegionHandle last_handle = 0;
  // The slot of that region, if this thread watches it. An owner whose loops
  // follow each other keeps its slot, so its next region is seen there sooner
  // than on the board.
  RegionSlot* watched = nullptr;
  // Whether the thread is counted as searching (ParkingProtocol::BeginSearch).
  bool is_searching = false;
  // A worker takes any work, and is counted as a worker.
  bool is_worker = false;
  unsigned turn = 0;
  // When WorkFinder::HelpLate looked last; 0: not yet.
  base::Ticks last_look = 0;
  SourceSearch tasks;

  // Watches this slot instead of another, unless another thread watches it.
  // Null: none.
  void Watch(RegionSlot* slot) {
    if (slot == watched) return;
    if (watched != nullptr) watched->EndWatch();
    watched = slot != nullptr && slot->BeginWatch() ? slot : nullptr;
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_SEARCHER_H_
