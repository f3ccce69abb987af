// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INNER_ITERATION_ORDER_H_
#define CERES_INTERNAL_SOLVER_INNER_ITERATION_ORDER_H_

#include <string>
#include <vector>

#include "ceres/ordered_groups.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Which parameter blocks inner iterations minimize over, and in which order.
struct InnerIterationOrder {
  // Column blocks of the program. Each group is an independent set: no residual
  // block uses two of its parameter blocks. Empty groups are left out.
  std::vector<std::vector<int>> groups;
};

// user_ordering: the groups, lowest first, which may leave blocks out; those
// that are constant or unused are skipped. Null or empty: maximal independent
// sets, one after the other, until no block is left (or there are 32 sets, with
// which everything but nearly complete graphs is covered), the largest set, and
// so on bundle adjustment the points, last.
//
// False, with an error, when the ordering names memory that is no parameter
// block of the problem, or a group is not independent.
[[nodiscard]] bool OrderInnerIterations(
    const ProblemImpl& problem, const Program& program,
    const ParameterBlockOrdering* user_ordering, InnerIterationOrder* order,
    std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_INNER_ITERATION_ORDER_H_
