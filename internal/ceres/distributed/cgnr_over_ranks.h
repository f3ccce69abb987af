// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_CGNR_OVER_RANKS_H_
#define CERES_INTERNAL_DISTRIBUTED_CGNR_OVER_RANKS_H_

#include <memory>

#include "ceres/distributed.h"
#include "ceres/distributed/solver_over_ranks.h"

namespace ceres::internal {

// CGNR over ranks: conjugate gradients on the normal equations of all residual
// blocks, in rank vectors. With one term for each leaf l,
//
//     (J'J + D'D) x = -J'r,    J'J + D'D = sum_l (J_l'J_l + D_l'D_l)
//
// A product is formed leaf by leaf. Its private columns belong to one leaf; its
// columns of the reduced system are a sum over leaves (tree_sum.h). Dot
// products count each column once and are summed by the leaf tree. Therefore
// the bits do not depend on the number of ranks.
//
// Preconditioners: JACOBI (the inverse of the diagonal blocks of J'J + D'D),
// IDENTITY (in the scaled variables). Collective.
std::unique_ptr<SolverOverRanks> CreateCgnrOverRanks(
    const distributed::Options& options, const RankParts& parts);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_CGNR_OVER_RANKS_H_
