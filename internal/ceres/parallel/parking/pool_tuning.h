// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_POOL_TUNING_H_
#define CERES_INTERNAL_PARALLEL_PARKING_POOL_TUNING_H_

#include <chrono>

// The constants of thread pools and tasks that were chosen by measurement. No
// constant changes a result. Unit: nanoseconds, unless the type says otherwise.
//
// To measure again, on a machine without other load:
//   scripts/runtime_benchmark.sh
// The comment of a constant names the source in benchmarks/runtime/ that
// prints the rows that depend on the constant.

namespace ceres::parallel::detail {

// --- Searching and sleeping (idle.cc, crossover.cc). ---

// A thread without work searches for this long before it sleeps: about what it
// takes to wake it. The sum of both is then at most twice the optimum (ski
// rental, Karlin et al., Algorithmica 1994).
inline constexpr float kSpinTime = 50e3f;
// The same while KeepWorkersSpinning exists.
inline constexpr float kLongSpinTime = 500e3f;
// A waiting thread looks for work of others, and counts as searching, only
// after this time. Most waits are shorter, and looking for work takes locks and
// cache lines that other threads use.
inline constexpr float kTimeBeforeSearch = 2e3f;
// A worker watches a slot in which no region opens for at most this time.
inline constexpr float kSlotWatchTime = 5e3f;
// Looks at a watched slot for each look at the join board.
inline constexpr int kLooksAtSlot = 16;
// Looks at the join board for each reading of the clock. A reading and a pause
// take longer than a look.
inline constexpr int kLooksPerClock = 32;
// A thread that waits for a task set: looks at the set for each reading of the
// clock.
inline constexpr int kSetLooksPerClock = 16;
// A thread that waits for a condition looks at it at least once in this time.
inline constexpr auto kLongestConditionSleep = std::chrono::milliseconds(1);

// After the system had no thread for a worker: until the next attempt, which
// takes 6 us. Doubles with each failure. Nanoseconds.
inline constexpr float kShortestStartPause = 1e6f;
inline constexpr float kLongestStartPause = 1e9f;

// --- Late regions (crossover.cc, idle.cc). ---

// A searching thread looks for late regions at this interval. Each look takes
// the cache lines of slots away from their owners.
inline constexpr float kLateLookInterval = 25e3f;
// The parked worker that keeps watch looks at this interval.
inline constexpr auto kWatchInterval = std::chrono::milliseconds(1);
// After so many intervals without a quiet region, it stops.
inline constexpr int kCalmLooks = 20;

// --- Tasks (busy_tasks.cc, fibonacci.cc). ---

// One in so many searches begins with the kind of work that is otherwise
// second: tasks before loops, normal before high priority, old before new.
inline constexpr unsigned kFairTurn = 8;
// A worker whose task took less than kShortTask pauses for kGatherTime: the
// thread that makes such short tasks is faster alone.
inline constexpr float kShortTask = 300.0f;
inline constexpr float kGatherTime = 700.0f;
// A worker runs so many tasks of a set, and for so long, before it looks for
// other work of the same priority.
inline constexpr int kTasksInARow = 16;
inline constexpr float kTimeInARow = 100e3f;
// The most tasks in a batch, and the time that a batch should take.
inline constexpr int kMaxBatchSize = 64;
inline constexpr float kBatchTime = 50e3f;
// A thread that waits within a region looks at so many task sets of a queue.
inline constexpr int kMaxSetsInQueue = 64;

// --- Regions of loops and forks (crossover.cc, nested_loops.cc). ---

// The remaining work from which it pays to wake a sleeping thread for a single
// loop. Waking takes 10 to 15 us of the caller, and the thread arrives 20 to 50
// us later.
inline constexpr float kWorthWaking = 100e3f;
// Posting a join request on the board takes 100 to 200 ns while others read the
// board. The owner of a region leaves it out if its first blocks are shorter
// than this, and a worker watches its slot.
inline constexpr float kLongestWithoutRequest = 10e3f;
// An owner that waits for its helpers reads the counter this often before it
// does anything else: most helpers leave at once.
inline constexpr int kFirstLooks = 400;
// The owner asks for other work only after this time: most waits are shorter,
// and asking writes to a cache line that all threads read.
inline constexpr float kWaitBeforeSearch = 2e3f;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_POOL_TUNING_H_
