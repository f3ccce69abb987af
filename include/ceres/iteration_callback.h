// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_ITERATION_CALLBACK_H_
#define CERES_PUBLIC_ITERATION_CALLBACK_H_

#include "ceres/internal/export.h"
#include "ceres/types.h"

namespace ceres {

// The progress of a minimizer in one iteration. Iteration 0 is the evaluation
// of the starting point: its step counts as valid and successful.
struct CERES_EXPORT IterationSummary {
  // The number of the iteration, from 0.
  int iteration = 0;

  // The step could be computed, is finite, and reduces the linear model.
  bool step_is_valid = false;

  // The step was accepted although the cost is not the lowest so far. Only
  // with Solver::Options::use_nonmonotonic_steps.
  bool step_is_nonmonotonic = false;

  // The step was accepted.
  bool step_is_successful = false;

  // The cost, 1/2 sum_i rho_i(|r_i|^2), after this iteration.
  double cost = 0.0;

  // Cost before minus cost after this step, whether or not it was accepted.
  double cost_change = 0.0;

  // With constraints: the largest violation, in the units of
  // Solver::Options::constraint_tolerance.
  double constraint_violation = 0.0;

  // Max-norm and 2-norm of the gradient. If there are bounds, the gradient is
  // projected on them.
  double gradient_max_norm = 0.0;
  double gradient_norm = 0.0;

  // 2-norm of the step in the ambient space.
  double step_norm = 0.0;

  // Trust region: actual divided by predicted change of the cost.
  double relative_decrease = 0.0;

  // Trust region: the radius at the end of this iteration. For
  // Levenberg-Marquardt the damping is 1 / radius.
  double trust_region_radius = 0.0;

  // Inexact steps: the relative accuracy that the linear solver had to reach.
  double eta = 0.0;

  // Line search: the accepted multiple of the search direction.
  double step_size = 0.0;

  // Line search: numbers of evaluations of the cost, evaluations of the
  // gradient, and trial step sizes.
  int line_search_function_evaluations = 0;
  int line_search_gradient_evaluations = 0;
  int line_search_iterations = 0;

  // Iterations of an iterative linear solver; 1 for a direct one.
  int linear_solver_iterations = 0;

  // Wall times of the iteration and of its linear solves, in seconds.
  double iteration_time_in_seconds = 0.0;
  double step_solver_time_in_seconds = 0.0;
  // Wall time since Solve began, in seconds.
  double cumulative_time_in_seconds = 0.0;
};

// User code that the minimizer calls at the end of each iteration. Callbacks
// are called in the order of Solver::Options::callbacks, from the thread that
// called Solve.
//
// The user's parameter blocks hold the current values only if
// Solver::Options::update_state_every_iteration is set.
class CERES_EXPORT IterationCallback {
 public:
  virtual ~IterationCallback();
  // Returns whether the solve continues. `summary` describes the iteration that
  // just ended. An exception reaches the caller of Solve.
  virtual CallbackReturnType operator()(const IterationSummary& summary) = 0;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_ITERATION_CALLBACK_H_
