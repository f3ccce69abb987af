// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_TUNING_H_
#define CERES_INTERNAL_SCHUR_SCHUR_TUNING_H_

#include <cstdint>

namespace ceres::internal {

// The constants of schur/ that were chosen by measurement. To measure again,
// build the target schur_benchmark and run
//
//     build/release/bin/schur_benchmark --benchmark_filter=FILTER
//
// with the filter that a constant names. Figures: docs/notes/
// 2026-11-formation-strategies.md.

// Partial sums (merged_chunks.h). Row chunks are merged two by two while the
// partial sums exceed a bound, in doubles, V the number of values of the
// Jacobian. Clearing and adding up partial sums of the size of the bound costs
// as much as filling them. Filter: Eliminate.
//
//     number of partial sums       bound
//     > kManyPartialSums           V / kManyPartialSumsDivisor
//     > kFewPartialSums            V / kSomePartialSumsDivisor
//     fewer                        max(V, kMaxSmallPartialSums)
//
// If fewer than kFewPartialSums are left of more row chunks, S is gathered by
// row (schur_plan.h).
inline constexpr int kManyPartialSums = 16;
inline constexpr int kFewPartialSums = 8;
inline constexpr int kManyPartialSumsDivisor = 8;
inline constexpr int kSomePartialSumsDivisor = 2;
inline constexpr int64_t kMaxSmallPartialSums = int64_t{1} << 21;  // doubles

// Rows of a batch (schur_batches.h). The kept parts of 512 rows, and their row
// blocks, take 416 bytes a row for cameras of 9 parameters: 208 KiB, less than
// a second-level cache. Filter: Eliminate.
inline constexpr int kSchurBatchRows = 512;

// Tables of all blocks of a matrix that replace a hash table (block_index.h):
// entries, and bits. Filter: Plan.
inline constexpr int64_t kMaxBlockTableSize = int64_t{1} << 20;
inline constexpr int64_t kMaxBlockBitmapSize = int64_t{1} << 22;

// The cost of one double, in nanoseconds of one thread, for the choice between
// explicit and implicit products (iterative_reduced_system.h): read from memory
// as part of U, read as part of S, added to in a partial sum, and cleared and
// added up from a partial sum. Filter: Product and Eliminate.
inline constexpr double kReadUCost = 0.5;
inline constexpr double kReadSCost = 0.3;
inline constexpr double kAddProductCost = 0.15;
inline constexpr double kAddPartialSumCost = 0.4;
// The largest S that is formed for products, in multiples of the memory of the
// Jacobian.
inline constexpr int64_t kMaxExplicitGrowth = 1;

// The number of products with S that a solve is expected to take,
// kProductsAtToleranceOne * tolerance ^ kProductsExponent: a fit of the means
// over the first eight steps of problem-16-22106, 21-11315, 49-7776 and a scene
// of 480,000 observations with SCHUR_JACOBI (14, 26 and 52 iterations for
// tolerances of 0.1, 0.01 and 0.001). To count again, run
// bundle_adjustment_driver with --linear_solver=iterative_schur --eta=TOLERANCE
// --report.
inline constexpr double kProductsAtToleranceOne = 7.0;
inline constexpr double kProductsExponent = -0.29;
inline constexpr double kDefaultTolerance = 0.01;

// Clusters of views (view_clusters.h): the similarity that a canonical view
// must add, and the smallest similarity of linked views. To measure again,
// count the iterations of bundle_adjustment_driver
// --linear_solver=iterative_schur
// --preconditioner=cluster_jacobi --eta=1e-3 --report.
inline constexpr double kViewPenalty = 3.0;
inline constexpr double kLinkSimilarity = 0.5;

// Products with a formed S (schur_product.h): the largest number of chunks of
// block rows, and the smallest chunk, in doubles of S. Filter: ExplicitProduct.
inline constexpr int kMaxProductChunks = 16;
inline constexpr int64_t kMinProductChunkValues = 12288;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_TUNING_H_
