// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_COLUMN_ORDER_H_
#define CERES_INTERNAL_SOLVER_COLUMN_ORDER_H_

#include <string>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem/row_order.h"
#include "ceres/solver/reduced_problem.h"
#include "ceres/types.h"

namespace ceres::internal {

// In which order the parameter blocks of a reduced problem become columns of
// the Jacobian, and how many of them are eliminated first.
struct ColumnOrder {
  // All blocks of the reduced problem. Eliminated ones stand by the median of
  // the remaining columns that they share rows with, so that neighbouring rows
  // of the Jacobian touch neighbouring columns; the remaining ones by group,
  // then in the problem's order.
  std::vector<ParameterBlock*> parameter_blocks;
  int num_eliminated = 0;
  // Of the residual blocks, where anything is eliminated; else empty.
  RowOrder row_order;
  // The group of each remaining column, if the user gave more than one; else
  // empty.
  std::vector<int> remaining_groups;
  // Sizes of the non-empty groups, lowest first.
  std::vector<int> group_sizes;
  // The lowest group that the user gave has no block left: there is nothing to
  // eliminate.
  bool lowest_group_is_empty = false;
};

// user_ordering: null or empty: none. A Schur-type solver without an ordering
// of at least two groups gets a maximal independent set to eliminate.
//
// False, with an error, when the ordering names memory that is no parameter
// block of the problem, leaves out a block of the reduced problem, or (Schur)
// its lowest group is not independent.
[[nodiscard]] bool OrderColumns(const Execution& execution,
                                const ProblemImpl& problem,
                                const ReducedProblem& reduced,
                                LinearSolverType linear_solver_type,
                                const ParameterBlockOrdering* user_ordering,
                                ColumnOrder* order, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_COLUMN_ORDER_H_
