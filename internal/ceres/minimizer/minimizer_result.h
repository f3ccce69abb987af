// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_
#define CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_

#include <string>
#include <utility>
#include <vector>

#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres::internal {

// The report of a minimizer. A field has the name and the meaning of the field
// of Solver::Summary. Times are wall time in seconds. -1 means that the
// minimizer does not measure the quantity.
//
// If user code throws, the fields describe the iterations before the exception.
struct MinimizerResult {
  MinimizerResult() = default;
  // Takes the memory of `reused`, whose elements it drops. Solves that pass the
  // same vector again allocate once.
  explicit MinimizerResult(std::vector<IterationSummary>&& reused)
      : iterations(std::move(reused)) {
    iterations.clear();
  }

  // Whether the minimizer's state holds a result.
  bool IsSolutionUsable() const {
    return termination_type == CONVERGENCE ||
           termination_type == NO_CONVERGENCE ||
           termination_type == USER_SUCCESS;
  }

  TerminationType termination_type = FAILURE;
  std::string message;

  double initial_cost = -1.0;
  double final_cost = -1.0;
  std::vector<IterationSummary> iterations;

  int num_successful_steps = -1;
  int num_unsuccessful_steps = -1;
  int num_inner_iteration_steps = -1;
  int num_line_search_steps = -1;

  double linear_solver_time_in_seconds = -1.0;
  int num_linear_solves = -1;
  double residual_evaluation_time_in_seconds = -1.0;
  int num_residual_evaluations = -1;
  double jacobian_evaluation_time_in_seconds = -1.0;
  int num_jacobian_evaluations = -1;
  double inner_iteration_time_in_seconds = -1.0;

  double line_search_cost_evaluation_time_in_seconds = -1.0;
  double line_search_gradient_evaluation_time_in_seconds = -1.0;
  double line_search_polynomial_minimization_time_in_seconds = -1.0;
  double line_search_total_time_in_seconds = -1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_
