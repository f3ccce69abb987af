// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_WORK_FINDER_H_
#define CERES_INTERNAL_PARALLEL_POOL_WORK_FINDER_H_

#include "ceres/parallel/parking/parking_lot.h"
#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/searcher.h"
#include "ceres/parallel/parking/thread_budget.h"
#include "ceres/parallel/parking/work_source.h"
#include "ceres/parallel/parking/worker.h"
#include "ceres/parallel/regions/region.h"

namespace ceres::parallel::detail {

// Finds work of a pool for the calling thread, and runs it.
//
// clang-format off
//   function        looks at                                 for
//   --------------  ---------------------------------------  ------------------
//   HelpOnce        join requests on the board               owners that wait
//   HelpLate        late regions in all slots                owners, workers
//   HelpWithin      board, then tasks within the ancestor    waits for tasks
//   HelpWithAny     board and tasks, in turns                HelpUntil, workers
//   SearchUntilIdle watched slot, board, tasks, late regions workers
// clang-format on
//
// Every function but SearchUntilIdle does at most one piece of work (a region
// until its blocks are gone, or tasks of one set) and returns whether it did.
//
// Contract: a thread that waits for a region passes a searcher with that region
// as ancestor, so that it runs only work that it waits for (task_wait.cc).
// Workers have no ancestor. A worker counts itself in the thread budget before
// it joins. Before work begins, the thread ends its search, and wakes another
// worker if work is left (ParkingProtocol::TurnToWork).
//
// Thread-safe; each thread has its own searcher.
class WorkFinder {
 public:
  // `pool` serves as a name for the regions of the pool only.
  WorkFinder(PoolState* pool, PoolWords& words, ThreadBudget& budget,
             ParkingLot& parking, WorkSource& source)
      : pool_(pool),
        words_(words),
        budget_(budget),
        parking_(parking),
        source_(source) {}

  bool HelpOnce(Searcher* searcher);
  // Looks only if kLateLookInterval has passed since the last look.
  bool HelpLate(Searcher* searcher);
  bool HelpWithin(Searcher* searcher);
  // For threads whose waits may nest: on a fresh stack if this one is half
  // full.
  bool HelpWithAny(Searcher* searcher);

  // In a worker that has been woken: works until it has searched in vain for
  // the spin time, or is retired.
  void SearchUntilIdle(Worker* worker);

 private:
  // kFull: as many threads are at work as may be.
  enum class Turnout { kHelped, kGone, kFull };
  Turnout JoinAndHelp(RegionSlot::RegionSnapshot snapshot, int callers,
                      Searcher* searcher);
  bool HelpWatched(Searcher* searcher);
  bool HelpWithTask(Searcher* searcher);
  bool HelpInTurns(Searcher* searcher);
  bool LookForWork(Searcher* searcher);
  bool HasRequests(const Searcher& searcher) const {
    return words_.board.HasNews(searcher.seen);
  }

  PoolState* const pool_;
  PoolWords& words_;
  ThreadBudget& budget_;
  ParkingLot& parking_;
  WorkSource& source_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_WORK_FINDER_H_
