// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WORTH_SHARING_H_
#define CERES_INTERNAL_SOLVER_WORTH_SHARING_H_

#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"

namespace ceres::internal {

// False if a solve has nothing that several threads could share: its Jacobian
// is a single slab (linear/block_jacobian.h), and its linear systems are small.
// Making a thread pool would take longer than such a solve. Looks at no more
// residual blocks than fit into a slab.
bool IsWorthSharing(const Solver::Options& options, const ProblemImpl& problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WORTH_SHARING_H_
