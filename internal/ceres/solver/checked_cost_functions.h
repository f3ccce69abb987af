// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_
#define CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"

namespace ceres::internal {

// Solver::Options::check_gradients: puts a cost function of its own in the
// place of each of a program, which does the same and, whenever Jacobians are
// asked for, compares all of them with finite differences (GradientChecker).
// Where they differ it fails, so that the minimizer comes to an end.
//
// Must outlive all evaluations of the program and of its parts. Evaluation is
// as thread-safe as that of the user's cost functions.
class CheckedCostFunctions {
 public:
  // options: its gradient_check_... fields are used.
  // program: made of `residual_blocks`, all those of the problem.
  CheckedCostFunctions(const Solver::Options& options,
                       const std::vector<ResidualBlock*>& residual_blocks,
                       Program* program);
  ~CheckedCostFunctions();

  // After evaluations: whether one found a wrong Jacobian, and the report on
  // the first residual block, in the program's order, that has one.
  bool found_error() const { return error_.any(); }
  const std::string& report() { return error_.message(); }

 private:
  std::vector<std::unique_ptr<CostFunction>> cost_functions_;
  FirstFailure error_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_
