// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_REDUCED_CHOICE_H_
#define CERES_INTERNAL_DISTRIBUTED_REDUCED_CHOICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// How the reduced system is solved. It is chosen before the leaves are
// prepared, because they are prepared either to form S or to multiply by it.
struct ReducedChoice {
  // AUTOMATIC: S is formed, and the rest is chosen when its pattern is known.
  distributed::ReducedSolver solver = distributed::ReducedSolver::AUTOMATIC;
  std::string reason;

  // Whether products with S are computed without forming it.
  bool is_implicit() const {
    return solver == distributed::ReducedSolver::REPLICATED_CG ||
           solver == distributed::ReducedSolver::PETSC_CG_SHELL;
  }
};

// Collective, if the sizes of the problem ask for counting.
ReducedChoice ChooseBeforeLeaves(const distributed::Options& options,
                                 RankGroup* ranks, const SharedLayout& layout,
                                 const std::vector<LocalLeaf>& leaves);

// The doubles of the upper triangle of S, by blocks. No rank lists the blocks
// of all ranks. Collective.
std::int64_t CountReducedValues(RankGroup* ranks, const SharedLayout& layout,
                                const std::vector<LocalLeaf>& leaves);

// The options of the Schur code of leaves.
SchurSolverOptions LeafOptions(const distributed::Options& options,
                               const ReducedChoice& choice);

// The relative residual at which conjugate gradients end that solve for a step
// of SPARSE_SCHUR.
inline constexpr double kExactResidual = 1e-12;
// And the limit of their iterations.
inline constexpr int kMaxExactIterations = 10000;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_REDUCED_CHOICE_H_
