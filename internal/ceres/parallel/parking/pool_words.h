// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_POOL_WORDS_H_
#define CERES_INTERNAL_PARALLEL_PARKING_POOL_WORDS_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/parking/join_board.h"
#include "ceres/parallel/parking/queue_parking_protocol.h"

namespace ceres::parallel::detail {

// Whether a parked worker looks for late regions (late_region_watch.h).
enum class Watch : std::uint8_t {
  kOff,
  kNoneParked,  // No: no worker is parked. One may be started for it.
  kOn,          // Yes; or all workers are awake, and the first to park will.
};

// The words that all threads of a pool share, by cache line.
//
// clang-format off
//   line  words                       read by            written by
//   ----  --------------------------  -----------------  ----------------------
//   1     board                       searching threads  owners of regions
//   2     queue_bits                  searching threads  enqueuing, claiming
//   3     awake to has_quiet_regions  owners of regions  waking, parking, options
//   4     searching                   enqueuing threads  searching threads
//   5     busy                        joining workers    joining workers
//   6     condition_waiters, _events  ending tasks       HelpUntil
//   7     outer_callers, leaving      joining workers    waiting threads
// clang-format on
//
// The parts of the pool hold a reference to the words. The class that is named
// at a word defines its meaning.
struct PoolWords {
  explicit PoolWords(int workers) : num_workers(workers) {}

  // In the child of a fork, where only the calling thread exists.
  void ResetAfterFork() {
    board.Clear();
    queue_bits.ClearAll();
    watch.store(Watch::kOff, std::memory_order_relaxed);
    for (std::atomic<int>* count :
         {&awake, &sleeping_owners, &inactive, &searching, &busy,
          &condition_waiters, &outer_callers}) {
      count->store(0, std::memory_order_relaxed);
    }
    leaving.store(0, std::memory_order_relaxed);
  }

  JoinBoard board;
  QueueBits queue_bits;

  // Workers that are not parked (ParkingLot).
  alignas(64) std::atomic<int> awake{0};
  std::atomic<int> num_workers;                // ThreadBudget.
  std::atomic<int> running_limit{0};           // ThreadBudget. 0: the default.
  std::atomic<bool> always_shares{false};      // ThreadPool::SetSharing.
  std::atomic<int> sleeping_owners{0};         // SleepingOwners.
  std::atomic<int> inactive{0};                // SleepingOwners.
  std::atomic<int> spin_requests{0};           // KeepWorkersSpinning.
  std::atomic<Watch> watch{Watch::kOff};       // LateRegionWatch.
  std::atomic<bool> has_quiet_regions{false};  // LateRegionWatch.

  // Searching threads and searching workers (ParkingProtocol).
  alignas(64) std::atomic<int> searching{0};

  // Workers that run tasks or pieces of loops (ThreadBudget).
  alignas(64) std::atomic<int> busy{0};

  // Threads that wait for a condition, and what they sleep on
  // (ParkingProtocol::SleepUnless).
  alignas(64) std::atomic<int> condition_waiters{0};
  std::atomic<std::uint32_t> condition_events{0};

  // Threads outside of the pool that work for it (ThreadBudget).
  alignas(64) std::atomic<int> outer_callers{0};
  std::atomic<std::uint32_t> leaving{0};  // LeavingThreads.
};
static_assert(sizeof(PoolWords) == 7 * 64, "a word is in the wrong line");

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_POOL_WORDS_H_
