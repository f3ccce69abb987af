// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_

#include <memory>

#include "ceres/schur/reduced_system.h"

namespace ceres::internal {

// Conjugate gradients on S z = right hand side. S is either formed, as a
// block-sparse matrix, or applied to a vector as C x - sum over points of
// U'(U x) (Agarwal et al., Bundle Adjustment in the Large, ECCV 2010, 3.2):
//
//               once per solve               each iteration reads
//   explicit    a product for each pair of   the blocks of S
//               blocks that a point sees
//   implicit    nothing: U is a by-product   U (e doubles for each column that
//                                            a point sees), and C
enum class SchurProduct { kExplicit, kImplicit };

// A plan for the cheaper of the two (its matrix() says which), by counting what
// each costs over a solve; how many products that takes is guessed from
// options.expected_q_tolerance and the bounds on iterations.
// options.explicit_schur_complement leaves no choice.
std::unique_ptr<SchurPlan> MakeIterativePlan(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

// `plan` is one of MakeIterativePlan for the same options and must outlive the
// system. The eliminator must keep U where the plan's matrix is
// kRemainingBlocks. CHECKs that the preconditioner is one for S.
std::unique_ptr<ReducedSystem> CreateIterativeReducedSystem(
    const SchurSolverOptions& options, const Execution& execution,
    const SchurPlan& plan);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_
