// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_INNER_ITERATION_ORDER_H_
#define CERES_INTERNAL_SOLVER_ORDERING_INNER_ITERATION_ORDER_H_

#include <optional>
#include <string>
#include <vector>

#include "ceres/ordered_groups.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"

namespace ceres::internal {

// The parameter blocks that inner iterations minimize over, in their order.
struct InnerIterationOrder {
  // Whether there are inner iterations.
  bool is_used = false;
  // Column blocks of the program. Each group is an independent set: no residual
  // block uses two of its parameter blocks. No group is empty.
  std::vector<std::vector<int>> groups;
};

// Orders the blocks of a solve with Solver::Options::use_inner_iterations.
// Without this option, and with a warning if the program has a single column
// block, there are no inner iterations. Returns nothing, with an error, if the
// problem has an evaluation callback, or if OrderIndependentSets fails.
[[nodiscard]] std::optional<InnerIterationOrder> OrderInnerIterations(
    const Solver::Options& options, const ProblemImpl& problem,
    const Program& program, std::string* error);

// Returns the groups of `user_ordering`, lowest first, without blocks that are
// constant or unused. An ordering may leave blocks out. If it is null or empty:
// disjoint maximal independent sets, the largest set (in bundle adjustment the
// points) last, until no block or kMaxInnerIterationSets is reached.
//
// Returns nothing, with an error, if the ordering names memory that is not a
// parameter block of the problem, or if a group is not independent.
[[nodiscard]] std::optional<std::vector<std::vector<int>>> OrderIndependentSets(
    const ProblemImpl& problem, const Program& program,
    const ParameterBlockOrdering* user_ordering, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_INNER_ITERATION_ORDER_H_
