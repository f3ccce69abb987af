// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_KERNELS_TUNING_H_
#define CERES_INTERNAL_KERNELS_KERNELS_TUNING_H_

namespace ceres::internal::kernels {

// The constants of kernels/ that were chosen by measurement. To measure again,
// build the benchmark that a constant names and run
//
//     build/release/bin/BENCHMARK --benchmark_filter=FILTER
//
// None of these constants changes a result, except kHouseholderPanel, which
// changes the order of sums.

// Reflections that HouseholderTriangularize computes before it applies them to
// the columns to the right. Their vectors stay in the first- or second-level
// cache. linear_benchmark, DenseQr.
inline constexpr int kHouseholderPanel = 16;

// Points and rows of a batch of back substitution (schur_back_substitute.cc).
// Multiples of kPanelWidth. schur_benchmark, BackSubstitute.
inline constexpr int kBackSubstitutePoints = 16;
inline constexpr int kBackSubstituteRows = 96;
// Doubles that row blocks are fetched ahead, to the first- and to the
// second-level cache. Fetching the farther lines to the first level would
// occupy one of its line-fill buffers for the whole memory latency.
// schur_benchmark, BackSubstitute.
inline constexpr int kFetchAhead = 512;
inline constexpr int kFetchFarAhead = 2048;

// Terms that are fetched ahead while a block row of S is gathered.
// schur_benchmark, UnorderedGatherByRow.
inline constexpr int kGatherTermsAhead = 4;
// Terms that are fetched ahead while J'J is gathered, into block rows and into
// fronts. pose_graph_driver --input=G2O_FILE --repetitions=20, solve_seconds.
inline constexpr int kNormalTermsAhead = 4;
inline constexpr int kFrontTermsAhead = 16;

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_KERNELS_TUNING_H_
