// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATION_TUNING_H_
#define CERES_INTERNAL_EVALUATION_EVALUATION_TUNING_H_

// Constants of the evaluation that were tuned by measurement. A constant
// changes the speed of an evaluation, never its bits. Measure again with
//
//   evaluator     build/release/bin/evaluator_benchmark
//   solve         farm-bench -n 20 --vs "OTHER_BUILD/bin/DRIVER ..."
//                     -- build/release/bin/DRIVER --num_threads=1 ...
//                 with DRIVER bundle_adjustment_driver on problem-16, and
//                 pose_graph_driver on M3500
//   expensive     evaluator with cost functions that take microseconds
//
// docs/notes/2026-11-evaluation-strategies.md holds the measurements.

namespace ceres::internal {

// Rows that are evaluated before their contributions are added to the sums:
// their row blocks should stay in the first-level cache. (solve)
inline constexpr int kBatchRows = 16;

// Rows of a residual batch that one call evaluates, instead of kBatchRows:
// AutoDiffBatch computes 64 at once. (solve)
inline constexpr int kGroupRows = 64;

// The larger of both.
inline constexpr int kMaxBatchRows = kGroupRows;
static_assert(kBatchRows <= kMaxBatchRows);

// Fewest rows of a uniform range. Shorter ranges are general. (solve)
inline constexpr int kMinUniformRows = 8;

// How many rows ahead a cost function is fetched into the cache: rows of Schur
// problems are not in the order of allocation. (solve)
inline constexpr int kPrefetchDistance = 12;

// Rows of a piece of the loop that finds the structure. (solve)
inline constexpr int kStructureRowsPerPiece = 1024;

// Parameter blocks of a piece of the loop that computes PlusJacobians. (solve)
inline constexpr int kMinPlusJacobiansPerPiece = 64;

// Expensive blocks. Times are in nanoseconds. (expensive)

// Shortest time of a row chunk whose rows are shared: below, threads are not
// worth waking.
inline constexpr float kMinExpensiveTime = 50e3f;
// Shortest time of a row that is shared. Shorter rows stay in their row chunk,
// where sums are formed while row blocks are in the cache.
inline constexpr float kMinExpensiveRowTime = 250.0f;
// Rows that take longer are shared however many row chunks there are.
inline constexpr float kLongRowTime = 10e3f;
// After a cheap evaluation, one evaluation in this many is watched.
inline constexpr int kWatchDistance = 16;
// Time of the rows of one claim, and the most rows of one claim.
inline constexpr float kClaimTime = 2000.0f;
inline constexpr int kMaxClaimedRows = 16;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATION_TUNING_H_
