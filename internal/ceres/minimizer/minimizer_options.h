// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_MINIMIZER_OPTIONS_H_
#define CERES_INTERNAL_MINIMIZER_MINIMIZER_OPTIONS_H_

#include <chrono>
#include <string>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/iteration_callback.h"
#include "ceres/types.h"

namespace ceres::internal {

// The options that minimizers read. A field has the name, the meaning and the
// default of the public option: of Solver::Options, and of
// GradientProblemSolver::Options where it exists there.
struct MinimizerOptions {
  // The struct in which the user set the options. Messages name an option by
  // it: "Solver::Options::min_trust_region_radius".
  const char* options_name = "Solver::Options";

  // SILENT: the minimizer logs nothing.
  LoggingType logging_type = PER_MINIMIZER_ITERATION;

  // Limits and convergence tests.
  int max_num_iterations = 50;
  double max_solver_time_in_seconds = 1e9;
  double function_tolerance = 1e-6;
  double gradient_tolerance = 1e-10;
  double parameter_tolerance = 1e-8;

  // Line search. A trust region minimizer uses the fields about step sizes, on
  // problems with bounds.
  LineSearchDirectionType line_search_direction_type = LBFGS;
  LineSearchType line_search_type = WOLFE;
  NonlinearConjugateGradientType nonlinear_conjugate_gradient_type =
      FLETCHER_REEVES;
  int max_lbfgs_rank = 20;
  bool use_approximate_eigenvalue_bfgs_scaling = false;
  LineSearchInterpolationType line_search_interpolation_type = CUBIC;
  double min_line_search_step_size = 1e-9;
  double line_search_sufficient_function_decrease = 1e-4;
  double max_line_search_step_contraction = 1e-3;
  double min_line_search_step_contraction = 0.6;
  int max_num_line_search_step_size_iterations = 20;
  int max_num_line_search_direction_restarts = 5;
  double line_search_sufficient_curvature_decrease = 0.9;
  double max_line_search_step_expansion = 10.0;

  // Trust region.
  TrustRegionStrategyType trust_region_strategy_type = LEVENBERG_MARQUARDT;
  DoglegType dogleg_type = TRADITIONAL_DOGLEG;
  bool use_nonmonotonic_steps = false;
  int max_consecutive_nonmonotonic_steps = 5;
  double initial_trust_region_radius = 1e4;
  double max_trust_region_radius = 1e16;
  double min_trust_region_radius = 1e-32;
  double min_relative_decrease = 1e-3;
  double min_lm_diagonal = 1e-6;
  double max_lm_diagonal = 1e32;
  int max_num_consecutive_invalid_steps = 5;
  double eta = 1e-1;
  bool jacobi_scaling = true;
  double inner_iteration_tolerance = 1e-3;

  // Dumps of linear systems (linear_system_dump.h).
  std::vector<int> trust_region_minimizer_iterations_to_dump;
  std::string trust_region_problem_dump_directory = "/tmp";
  DumpFormatType trust_region_problem_dump_format_type = TEXTFILE;
};

// Everything that a minimizer needs to run. The minimizer owns nothing of it;
// everything must outlive the minimizer.
struct MinimizerSetup {
  const MinimizerOptions* options = nullptr;
  Execution execution;
  std::vector<IterationCallback*> callbacks;
  // The minimizer adds this constant to every cost that it reports.
  double fixed_cost = 0.0;
  // When the solve began. Times are reported relative to it.
  std::chrono::steady_clock::time_point start;
  // Whether the user's parameters hold the current point when callbacks run.
  bool update_user_state = false;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_MINIMIZER_OPTIONS_H_
