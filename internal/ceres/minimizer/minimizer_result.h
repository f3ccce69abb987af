// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_
#define CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres::internal {

// What a minimizer counts and the seconds of wall time that it measures: type
// and name. -1 means that the minimizer does not measure the quantity.
// clang-format off
#define VESTA_MINIMIZER_FIGURES(X)                               \
  X(int, num_successful_steps)                                   \
  X(int, num_unsuccessful_steps)                                 \
  X(int, num_inner_iteration_steps)                              \
  X(int, num_line_search_steps)                                  \
  X(double, linear_solver_time_in_seconds)                       \
  X(int, num_linear_solves)                                      \
  X(double, residual_evaluation_time_in_seconds)                 \
  X(int, num_residual_evaluations)                               \
  X(double, jacobian_evaluation_time_in_seconds)                 \
  X(int, num_jacobian_evaluations)                               \
  X(double, inner_iteration_time_in_seconds)                     \
  X(double, line_search_cost_evaluation_time_in_seconds)         \
  X(double, line_search_gradient_evaluation_time_in_seconds)     \
  X(double, line_search_polynomial_minimization_time_in_seconds) \
  X(double, line_search_total_time_in_seconds)
// clang-format on

// What a minimizer of a problem with constraints reports besides.
struct ConstraintResult {
  double constraint_violation = -1.0;
  double stationarity = -1.0;
  double complementarity = -1.0;
  int num_active_constraints = -1;
  std::vector<std::string> violated_constraints;
};

// The report of a minimizer. A field has the name and the meaning of the field
// of Solver::Summary.
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
  // Whether the minimizer failed because no linear system gave a step.
  bool lacks_step = false;

  double initial_cost = -1.0;
  double final_cost = -1.0;

  // Of the constrained minimizer; else null.
  std::unique_ptr<ConstraintResult> constraints;

  std::vector<IterationSummary> iterations;

#define VESTA_DECLARE(type, name) type name = -1;
  VESTA_MINIMIZER_FIGURES(VESTA_DECLARE)
#undef VESTA_DECLARE
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_MINIMIZER_RESULT_H_
