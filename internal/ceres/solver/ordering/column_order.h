// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_COLUMN_ORDER_H_
#define CERES_INTERNAL_SOLVER_ORDERING_COLUMN_ORDER_H_

#include <optional>
#include <string>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem/row_order.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/types.h"

namespace ceres::internal {

// The order of a Jacobian's columns, and the number of columns that a linear
// solver eliminates first:
//
// clang-format off
//
//        eliminated columns, by median     remaining columns, by group,
//        (see eliminated_columns.h)       then in the problem's order
//      |---------------------------------|------------------------------|
//      0                           num_eliminated
//
// clang-format on
struct ColumnOrder {
  // All parameter blocks of the reduced problem, in this order.
  std::vector<ParameterBlock*> parameter_blocks;
  int num_eliminated = 0;
  // The order of the rows if columns are eliminated; otherwise empty.
  RowOrder row_order;
  // The group of each remaining column, if there are several groups; otherwise
  // empty.
  std::vector<int> remaining_groups;
  // Sizes of the groups that are not empty, lowest group first.
  std::vector<int> group_sizes;
  // Whether the lowest group of the user's ordering has no varying parameter
  // block, although the linear solver would eliminate that group.
  bool lowest_group_is_empty = false;
};

// Orders the columns of a reduced problem. If the linear solver is of Schur
// type, it eliminates the lowest group of `user_ordering`, or, if there are
// fewer than two groups, a maximal independent set.
//
// user_ordering: may be null or empty, which means: no groups.
//
// Returns nothing, with an error, if the ordering names memory that is not a
// parameter block of the problem, if it leaves out a block of the reduced
// problem, or if the group to eliminate is not independent.
[[nodiscard]] std::optional<ColumnOrder> OrderColumns(
    const Execution& execution, const ProblemImpl& problem,
    const ReducedProblem& reduced, LinearSolverType linear_solver_type,
    const ParameterBlockOrdering* user_ordering, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_COLUMN_ORDER_H_
