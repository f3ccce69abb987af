// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_
#define CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/cost_function.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"

namespace ceres::internal {

// Checks the Jacobians of a program (Solver::Options::check_gradients).
//
// Has a wrapper for each cost function of the program. A wrapper calls the
// user's cost function and, if Jacobians are requested, compares them with
// finite differences (GradientChecker). If they differ, the wrapper returns
// false, which ends the minimization.
//
// Must outlive all evaluations of programs with these wrappers. The wrappers
// are as thread-safe as the user's cost functions.
class CheckedCostFunctions {
 public:
  // options: only the fields gradient_check_... are read.
  // residual_blocks: all residual blocks of the problem.
  // program: built from some of these residual blocks.
  CheckedCostFunctions(const Solver::Options& options,
                       const std::vector<ResidualBlock*>& residual_blocks,
                       const Program& program);
  ~CheckedCostFunctions();

  // The wrappers by row, for a program that is to be checked. They belong to
  // this object.
  PagedVector<const CostFunction*> cost_functions() const;

  // Whether an evaluation found a wrong Jacobian. Call it between evaluations.
  bool found_error() const { return error_.any(); }
  // Describes the first residual block, in the program's order, with a wrong
  // Jacobian. The text is the same for every number of threads.
  const std::string& report() { return error_.message(); }

 private:
  std::vector<std::unique_ptr<CostFunction>> cost_functions_;
  FirstFailure error_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_CHECKED_COST_FUNCTIONS_H_
