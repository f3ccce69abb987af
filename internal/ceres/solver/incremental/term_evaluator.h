// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_
#define CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_

#include <string>
#include <vector>

#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// An argument of a residual block at its linearization point.
struct LinearizedArgument {
  const double* values;         // ambient_size doubles
  const double* plus_jacobian;  // ambient x tangent, row-major; null: identity
  int ambient_size;
  int tangent_size;  // 0: constant
};

// Evaluates single residual blocks as terms of normal equations (sparse/
// incremental_cholesky.h): J'J and -J'r in the tangent spaces of the arguments,
// after the loss function. The object keeps its work space. Not thread-safe.
class TermEvaluator {
 public:
  // term: null if all arguments are constant; else PackedSystemSize(n) doubles
  // for the n tangent coordinates of the arguments that are not constant. cost:
  // 1/2 rho(|r|^2). Returns false, with an error, if the cost function or the
  // loss function fails or writes invalid values.
  [[nodiscard]] bool Evaluate(const ResidualBlock& block,
                              const std::vector<LinearizedArgument>& arguments,
                              double* term, double* cost, std::string* error);

 private:
  // The columns of J of all arguments that are not constant, one after another.
  void FormColumns(const std::vector<LinearizedArgument>& arguments, int rows);
  void FormTerm(int rows, double* term) const;

  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;
  std::vector<double> residuals_, ambient_, columns_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_INCREMENTAL_TERM_EVALUATOR_H_
