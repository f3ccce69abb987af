// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_
#define CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_

#include <string>
#include <vector>

#include "ceres/evaluation/block_evaluation.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Evaluates single residual blocks as terms of normal equations (sparse/
// incremental_cholesky.h): J'J and -J'r in the tangent spaces of the arguments,
// after the loss function. The object keeps its work space. Not thread-safe.
class TermEvaluator {
 public:
  // Arguments of tangent size 0 are constant. The Jacobians of the arguments
  // are set. term: null if all arguments are constant; else PackedSystemSize(n)
  // doubles for the n tangent coordinates. cost: 1/2 rho(|r|^2). Returns false,
  // with an error, if BlockEvaluation does.
  [[nodiscard]] bool Evaluate(const ResidualBlock& block,
                              std::vector<BlockArgument>* arguments,
                              double* term, double* cost, std::string* error);

 private:
  // Sets columns_, the columns of J of all arguments, one after another.
  void FormColumns(const std::vector<BlockArgument>& arguments, int rows);
  void FormTerm(int rows, double* term) const;

  BlockEvaluation evaluation_;
  std::vector<double> residuals_;
  std::vector<double> jacobian_;  // the Jacobians of the arguments
  std::vector<double> columns_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_
