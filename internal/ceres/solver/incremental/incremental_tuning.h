// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_
#define CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_

// The constants of IncrementalSolver that were chosen by measurement. To
// measure again:
//
//   scripts/measure.sh gtsam
//
// "Operations" are those of sparse/sparse_tuning.h.

#include <cstddef>
#include <cstdint>

namespace ceres::internal::incremental_tuning {

// The time of an evaluation of a residual block with its Jacobians and its
// term. Operations.
inline constexpr int64_t kEvaluation = 6000;
// A budget that is a fraction is not less: about a millisecond. Operations.
inline constexpr int64_t kLeastBudget = 5000000;
// Blocks that have no place in the budget, until a step looks for no more such
// blocks.
inline constexpr int kMaxRefusals = 8;
// Blocks that a step compares for another linearization, at most.
inline constexpr int kMaxCandidates = 1000;

// The guard against steps that the linear model does not describe
// (incremental_guard.cc). Steps longer than this many relinearization
// thresholds are tried.
inline constexpr double kLongStep = 10.0;
// The error of the predicted cost, over the predicted decrease, of a step that
// is taken.
inline constexpr double kTrustedError = 0.9;
// The same over the predicted decrease of the whole graph, and over the average
// cost of a residual block times their number. Pose graphs with good
// measurements have up to 0.002 and 2.6.
inline constexpr double kSharedError = 0.2;
inline constexpr double kAverageErrors = 5.0;
// Costs that differ by this fraction are equal.
inline constexpr double kNegligibleCost = 1e-9;
// Steps of one solve that are taken back, at most. Then the blocks stay.
inline constexpr int kMaxRejections = 7;
// The damping, over the diagonal of J'J: of the first step that is repeated,
// its growth for the next, its decrease after an accepted step, and the
// smallest.
inline constexpr double kFirstDamping = 1e-6;
inline constexpr double kDampingGrowth = 30.0;
inline constexpr double kDampingDecrease = 0.1;
inline constexpr double kLeastDamping = 1e-8;
// Rejections of a step of a block that does not move, until the block rests
// with its damping.
inline constexpr int kMaxEqualRejections = 12;
// A decrease that is negligible beside the cost.
inline constexpr double kNegligibleDecrease = 1e-6;
// The smallest element of that diagonal, over its largest.
inline constexpr double kLeastRelativeDiagonal = 1e-3;
// Blocks whose own residual blocks do not determine them: the damping, and what
// is a pivot beside rounding errors. Blocks with more residual blocks are not
// examined.
inline constexpr double kWeakDamping = 1e-6;
inline constexpr double kSmallestOwnPivot = 1e-12;
inline constexpr size_t kMaxCheckedFactors = 16;

}  // namespace ceres::internal::incremental_tuning

#endif  // CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_
