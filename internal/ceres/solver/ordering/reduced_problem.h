// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_ORDERING_REDUCED_PROBLEM_H_
#define CERES_INTERNAL_SOLVER_ORDERING_REDUCED_PROBLEM_H_

#include <optional>
#include <string>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/row_order.h"

namespace ceres::internal {

// The sparsity pattern of a Jacobian by blocks, as lists of columns: row i has
// columns[first[i]] to columns[first[i + 1] - 1], each once.
struct ColumnsOfRows {
  PagedVector<int> first;  // number of rows + 1
  PagedVector<int> columns;
};

// The part of a problem that a solve can change. All lists are in the problem's
// order. Refers to the problem's blocks.
struct ReducedProblem {
  // The residual blocks with at least one varying parameter block: the rows.
  const std::vector<ResidualBlock*>& ResidualBlocks() const {
    return all_residual_blocks != nullptr ? *all_residual_blocks
                                          : residual_blocks;
  }

  // The parameter blocks that vary and that a residual block uses: the columns.
  std::vector<ParameterBlock*> parameter_blocks;
  // The problem's list if it is the list of rows. Otherwise null, and the rows
  // are residual_blocks.
  const std::vector<ResidualBlock*>* all_residual_blocks = nullptr;
  std::vector<ResidualBlock*> residual_blocks;
  RowSizeBounds size_bounds = {};  // of the rows; zeros: not known
  int num_residuals = 0;           // of the rows
  // The largest arrays of the preprocessing. Columns are places in
  // parameter_blocks.
  ColumnsOfRows columns_of_rows;
  // The residual blocks without varying parameter block.
  std::vector<ResidualBlock*> fixed_residual_blocks;
};

// Returns true if a solve can start from the values of the problem: all are
// finite, and the bounds can be met. Otherwise `error` names the first block at
// fault, its coordinate and the values.
[[nodiscard]] bool CheckStart(const ProblemImpl& problem,
                              const Execution& execution, std::string* error);

// Removes constant and unused parameter blocks, and the residual blocks that
// depend on none of the others. constraints: further rows, each with a varying
// parameter block (constraint_rows.h); they do not count as residuals.
ReducedProblem ReduceProblem(
    const ProblemImpl& problem, const Execution& execution,
    const std::vector<ResidualBlock*>& constraints = {});

// Returns the cost of the residual blocks that a solve cannot change, or
// nothing, with an error, if one of them cannot be evaluated.
[[nodiscard]] std::optional<double> EvaluateFixedCost(
    const ProblemImpl& problem, const Execution& execution,
    const std::vector<ResidualBlock*>& fixed_residual_blocks,
    std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_ORDERING_REDUCED_PROBLEM_H_
