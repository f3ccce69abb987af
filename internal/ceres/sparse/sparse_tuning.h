// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_TUNING_H_
#define CERES_INTERNAL_SPARSE_SPARSE_TUNING_H_

// The constants of sparse/ that were chosen by measurement. To measure again:
//
//   scripts/build.sh release sparse_cholesky_benchmark
//   xz -dk sphere2500.g2o.xz     (in a copy of ../shared/data/pose_graph)
//   build/release/bin/sparse_cholesky_benchmark sphere2500.g2o
//
// "Operations" are multiplications with additions. A constant that changes the
// cut into tasks or the order of elimination also changes the last digits of
// results.

#include <cstdint>

namespace ceres::internal::sparse_tuning {

// Cost of a front besides its arithmetic: of opening it, and of moving an
// element of its update matrix. Operations.
inline constexpr double kFrontOpening = 2000.0;
inline constexpr double kFrontPerUpdate = 8.0;

// A subtree that costs less is no task of its own: some tens of microseconds.
// Operations.
inline constexpr double kMinTaskCost = 5e5;
// Tasks of a large factorization, about: enough for any number of threads.
inline constexpr double kNumTasks = 64.0;
// A front that costs more is shared between threads, unless it is in a task
// with other fronts. Operations.
inline constexpr double kWideFrontCost = 1e6;

// A factorization that costs less is not worth a lower tree. Operations.
inline constexpr double kWorthSharing = 2e6;
// A tree is rooted again if its longest path becomes this fraction or less.
inline constexpr double kWorthRooting = 0.8;

// Columns that one thread factors before all threads use them.
inline constexpr int kBlockColumns = 64;
// Strips of a piece of a shared front: a whole number of register tiles.
inline constexpr int kStripsPerPiece = 3;
// Blocks of the matrix that are prefetched ahead while a front is filled.
inline constexpr int kPrefetchedEntries = 12;
// Cache lines of a front's columns that the backward solve prefetches. The
// hardware prefetches longer arrays.
inline constexpr int64_t kPrefetchedLines = 96;

// Address space for update matrices, as a multiple of what one thread needs.
// Pages that are never written take no memory.
inline constexpr int64_t kUpdatesPerSerialPeak = 4;

// Selected inverse. Cost of a front besides its arithmetic: of opening it, and
// of moving an element. Operations.
inline constexpr double kInverseOpening = 4000.0;
inline constexpr double kInversePerMoved = 4.0;
// Columns of a piece, in strips; segments of a piece.
inline constexpr int kInverseStripsOfColumns = 6;
inline constexpr int kInverseSegmentsPerPiece = 16;

// The time of an operation of a solve with vectors, as a multiple of the time
// of an operation of a product of matrices.
inline constexpr double kSolvesOverProducts = 4.0;

// Incremental factorization: scalars of pivots of a front at most, and the
// operations on zeros that are worth a front less.
inline constexpr int kMaxFrontWidth = 48;
inline constexpr int64_t kMaxMergedOperations = 4000;
// Incremental factorization: the time of opening a front for its elimination
// and for its backward solve, of using an entry in a backward solve, and of
// visiting a member of a clique while an ordering is searched. Operations.
inline constexpr int64_t kDynamicFrontOpening = 15000;
inline constexpr int64_t kDynamicSolveOpening = 2000;
inline constexpr int64_t kDynamicSolvePerEntry = 8;
inline constexpr int64_t kOrderingVisit = 50;
// An ordering of the whole matrix is searched again when the matrix has grown
// by this fraction since the last search began, and by this many scalars.
inline constexpr double kGrowthBetweenOrderings = 0.125;
inline constexpr int64_t kScalarsBetweenOrderings = 100;
// Operations of the search in one update, at most.
inline constexpr int64_t kMaxSearchOperations = 100000;
// Updates without a reorder after reorders that improved little, at most.
inline constexpr int kMaxPauseBetweenReorders = 63;
// A pivot that is this fraction of its diagonal element before the elimination
// of its front has no correct digit. Some dozen units of rounding.
inline constexpr double kSmallestPivot = 1e-14;
// The diagonal that determines a block, over the scale of the block: well above
// rounding errors, and well below what determines the other blocks.
inline constexpr double kUndeterminedDiagonal = 1e-8;

// Fewest blocks of a block diagonal matrix in a piece of a parallel loop.
inline constexpr int kMinDiagonalBlocksPerPiece = 32;
// Fewest entries of a compressed matrix in a piece of a parallel loop.
inline constexpr int kMinEntriesPerPiece = 4096;

}  // namespace ceres::internal::sparse_tuning

#endif  // CERES_INTERNAL_SPARSE_SPARSE_TUNING_H_
