// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REDUCED_PROBLEM_H_
#define CERES_INTERNAL_SOLVER_REDUCED_PROBLEM_H_

#include <string>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/row_order.h"

namespace ceres::internal {

// The part of a problem that a solve works on, all in the problem's order.
struct ReducedProblem {
  // Neither constant nor unused.
  std::vector<ParameterBlock*> parameter_blocks;
  // With at least one such parameter block: the problem's, if all of them have,
  // else a list. May be forgotten once nobody reads it any more.
  const std::vector<ResidualBlock*>& ResidualBlocks() const {
    return all_residual_blocks != nullptr ? *all_residual_blocks
                                          : residual_blocks;
  }
  void ForgetResidualBlocks() {
    all_residual_blocks = nullptr;
    residual_blocks = std::vector<ResidualBlock*>();
  }
  const std::vector<ResidualBlock*>* all_residual_blocks = nullptr;
  std::vector<ResidualBlock*> residual_blocks;
  RowSizeBounds size_bounds = {};  // of these; zeros: not known
  int num_residual_blocks = 0;
  int num_residuals = 0;  // of these
  // The other residual blocks, and their cost.
  std::vector<ResidualBlock*> fixed_residual_blocks;
  double fixed_cost = 0.0;
  // Where the residual blocks touch the parameter blocks, as numbers in
  // parameter_blocks: those of residual block i, each once, are
  // columns[first_column[i] .. first_column[i + 1]).
  PagedVector<int> first_column;
  PagedVector<int> columns;
};

// Whether a solve can start from the values of the problem: all are finite, the
// bounds can be met. If not, `error` names block, coordinate and values.
[[nodiscard]] bool CheckStart(const ProblemImpl& problem,
                              const Execution& execution, std::string* error);

// False, with an error, when the fixed cost cannot be evaluated.
[[nodiscard]] bool ReduceProblem(const ProblemImpl& problem,
                                 const Execution& execution,
                                 ReducedProblem* reduced, std::string* error);

// The part of it that depends on the values of constant parameters.
[[nodiscard]] bool EvaluateFixedCost(const ProblemImpl& problem,
                                     const Execution& execution,
                                     ReducedProblem* reduced,
                                     std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REDUCED_PROBLEM_H_
