// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_STORAGE_CHOICE_H_
#define CERES_INTERNAL_SOLVER_STORAGE_CHOICE_H_

#include <string>

#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/linear_solver_factory.h"

namespace ceres::internal {

// How Solver::Options::jacobian_storage lets the Jacobian be kept.
//
// A storage other than DOUBLE needs a linear solver that reads the Jacobian
// part by part: a Schur solver, for steps of Levenberg-Marquardt.

// What the options exclude: the option that does not go with the given storage,
// and what to do; or nothing.
std::string FindStorageConflict(const Solver::Options& options,
                                JacobianStorage storage);
// The same for what the options do not tell: a Schur solver that has nothing to
// eliminate, and callbacks. For options without conflict.
std::string FindStorageConflict(JacobianStorage storage,
                                const ProblemImpl& problem,
                                const LinearMethod& method);

// The bytes of the row blocks. structure: of the Jacobian; storage: not AUTO.
double BytesOfJacobian(const BlockJacobianStructure& structure,
                       JacobianStorage storage);

// The storage that AUTO stands for: the first of DOUBLE, FLOAT and RECOMPUTE
// with which a solve fits into memory, among those without a conflict. Counts
// the matrices of the linear solver and, for all other arrays of a solve, the
// size of the Jacobian in DOUBLE. bytes: what the process can have; 0: not
// known.
JacobianStorage ChooseStorage(const Solver::Options& options,
                              const ProblemImpl& problem,
                              const LinearMethod& method,
                              const BlockJacobianStructure& structure,
                              double bytes);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_STORAGE_CHOICE_H_
