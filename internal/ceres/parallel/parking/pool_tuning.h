// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_POOL_TUNING_H_
#define CERES_INTERNAL_PARALLEL_PARKING_POOL_TUNING_H_

#include <chrono>

// The constants of thread pools and tasks that were chosen by measurement. No
// constant changes a result. Unit: nanoseconds, unless the type says otherwise.
//
// To measure again, on a machine without other load:
//   scripts/measure.sh runtime
// The comment of a constant names the source in benchmarks/runtime/ that
// prints the rows that depend on the constant.

namespace ceres::parallel::detail {

// --- Searching and sleeping (idle.cc, crossover.cc). ---

// A thread without work searches for this long before it sleeps. Waking a
// thread takes about as long. Searching and waking together then take at most
// twice the time of the best decision (ski rental problem, Karlin et al.,
// Algorithmica 1994).
inline constexpr float kSpinTime = 50e3f;
// The search time while a KeepWorkersSpinning object exists.
inline constexpr float kLongSpinTime = 500e3f;
// A thread that waits begins to search for other work after this time. Most
// waits are shorter, and a search takes locks and cache lines that other
// threads use.
inline constexpr float kTimeBeforeSearch = 2e3f;
// A worker stops watching a region slot if no region opens there for this time.
inline constexpr float kSlotWatchTime = 5e3f;
// Number of times that a worker reads the watched slot before it reads the join
// board.
inline constexpr int kLooksAtSlot = 16;
// Number of times that a thread reads the join board before it reads the clock.
// Reading the clock and pausing take longer than reading the board.
inline constexpr int kLooksPerClock = 32;
// Number of times that a thread which waits for a task set reads the set before
// it reads the clock.
inline constexpr int kSetLooksPerClock = 16;
// The longest time between two evaluations of a condition that a thread waits
// for.
inline constexpr auto kLongestConditionSleep = std::chrono::milliseconds(1);

// If the system cannot start a thread for a worker, the pool waits before it
// tries again: the shortest pause after the first failure, and twice the last
// pause after each further failure. One attempt takes 6 us.
inline constexpr float kShortestStartPause = 1e6f;
inline constexpr float kLongestStartPause = 1e9f;

// --- Late regions (crossover.cc, idle.cc). ---

// A searching thread looks for late regions at this interval. Each look moves
// the cache lines of the region slots away from the threads that own them.
inline constexpr float kLateLookInterval = 25e3f;
// One parked worker looks for late regions at this interval.
inline constexpr auto kWatchInterval = std::chrono::milliseconds(1);
// The parked worker stops looking after this number of intervals in which no
// quiet region (late_region_watch.h) was opened.
inline constexpr int kCalmLooks = 20;

// --- Tasks (busy_tasks.cc, fibonacci.cc, short_tasks.cc). ---

// One in kFairTurn searches reverses the usual order, so that no work waits
// forever. It takes tasks before loops, normal before high priority, and old
// tasks before new ones.
inline constexpr unsigned kFairTurn = 8;
// A thread leaves the tasks of another thread's queue alone until the queue has
// been non-empty for this time: about ten times what it takes to move a task
// between two CPUs.
inline constexpr float kFreshTime = 1e3f;
// A worker that ran a task of less than kShortTask pauses for kGatherTime. The
// thread that creates such short tasks runs them faster without help.
inline constexpr float kShortTask = 300.0f;
inline constexpr float kGatherTime = 700.0f;
// The most tasks of one set that a worker runs in a row, and the longest time
// for which it does so, before it looks for other work of the same priority.
inline constexpr int kTasksInARow = 16;
inline constexpr float kTimeInARow = 100e3f;
// The most tasks in a batch, and the time that a batch should take.
inline constexpr int kMaxBatchSize = 64;
inline constexpr float kBatchTime = 50e3f;
// The most task sets of a queue that a thread which waits within a region looks
// at.
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
