// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_
#define CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_

// The constants of IncrementalSolver that were chosen by measurement. To
// measure again:
//
//   scripts/compare_with_gtsam.sh
//
// "Operations" are those of sparse/sparse_tuning.h.

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

}  // namespace ceres::internal::incremental_tuning

#endif  // CERES_INTERNAL_SOLVER_INCREMENTAL_INCREMENTAL_TUNING_H_
