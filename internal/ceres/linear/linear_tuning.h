// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_LINEAR_TUNING_H_
#define CERES_INTERNAL_LINEAR_LINEAR_TUNING_H_

// The constants of linear/ that were chosen by measurement. To measure again:
//
//   scripts/build.sh release vector_ops_benchmark bundle_adjustment_driver
//   build/release/bin/vector_ops_benchmark --bars
//   build/release/bin/bundle_adjustment_driver --linear_solver=sparse_schur
//       --num_threads=2 --input=problem-16-22106-pre.txt
//
// "Order of sums": the constant decides how sums are cut. A change changes the
// last digits of results, for all numbers of threads alike.

namespace ceres::internal {

// The largest number of row chunks. It determines the order of sums.
inline constexpr int kMaxRowChunks = 64;
// Fewest doubles of row blocks in a row chunk, 64 KiB: a problem with less is
// one row chunk, which one thread evaluates. Order of sums.
inline constexpr int kMinRowChunkValues = 8192;

// Fewest entries of a vector in a piece of a parallel loop: 8 KiB.
inline constexpr int kMinVectorPiece = 1024;
// A shorter vector is one thread's alone: an operation reads and writes at most
// 200 kB of cache, some 2 us.
inline constexpr int kMinSharedVector = 8192;
// The same for setting to zero, which is limited by the bandwidth of the
// second-level cache of one core for shorter vectors.
inline constexpr int kMinSharedZeros = 48 * kMinSharedVector;
// Fewest entries in a block of a dot product, some 2 us. Order of sums.
inline constexpr int kMinDotBlock = 8192;

// Fewest column blocks in a piece of a reduction of partial sums.
inline constexpr int kMinColumnsPerPiece = 64;

// Conjugate gradients: fewest entries in a piece and in a block of a sum; and
// fewest blocks of rows in a block of a sum. Order of sums.
inline constexpr int kMinConjugateGradientsPiece = 2048;
inline constexpr int kMinRowBlocksPerPiece = 4;
// A search whose tolerance is not below this uses LinearOperator::ApplyRounded.
inline constexpr double kLeastRoundedTolerance = 1e-4;

// Dense Cholesky factorization in strips: columns that one thread factors
// before all threads use them, and strips of a piece (a whole number of
// register tiles).
inline constexpr int kDenseBlockColumns = 64;
inline constexpr int kDenseStripsPerPiece = 3;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_LINEAR_TUNING_H_
