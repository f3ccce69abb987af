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

// The options that minimizers read: type, name and default. An option has the
// name, the meaning and the default of the public option. Both solvers have the
// options of the first table; GradientProblemSolver does not have those of the
// second. A trust region minimizer uses the options about step sizes of line
// searches, on problems with bounds. With logging_type SILENT, the minimizer
// logs nothing.
// clang-format off
#define VESTA_SHARED_OPTIONS(X)                                                         \
  X(LoggingType, logging_type, PER_MINIMIZER_ITERATION)                                 \
  X(int, max_num_iterations, 50)                                                        \
  X(double, max_solver_time_in_seconds, 1e9)                                            \
  X(double, function_tolerance, 1e-6)                                                   \
  X(double, gradient_tolerance, 1e-10)                                                  \
  X(double, parameter_tolerance, 1e-8)                                                  \
  X(LineSearchDirectionType, line_search_direction_type, LBFGS)                         \
  X(LineSearchType, line_search_type, WOLFE)                                            \
  X(NonlinearConjugateGradientType, nonlinear_conjugate_gradient_type, FLETCHER_REEVES) \
  X(int, max_lbfgs_rank, 20)                                                            \
  X(bool, use_approximate_eigenvalue_bfgs_scaling, false)                               \
  X(LineSearchInterpolationType, line_search_interpolation_type, CUBIC)                 \
  X(double, min_line_search_step_size, 1e-9)                                            \
  X(double, line_search_sufficient_function_decrease, 1e-4)                             \
  X(double, max_line_search_step_contraction, 1e-3)                                     \
  X(double, min_line_search_step_contraction, 0.6)                                      \
  X(int, max_num_line_search_step_size_iterations, 20)                                  \
  X(int, max_num_line_search_direction_restarts, 5)                                     \
  X(double, line_search_sufficient_curvature_decrease, 0.9)                             \
  X(double, max_line_search_step_expansion, 10.0)

#define VESTA_TRUST_REGION_OPTIONS(X)                                         \
  X(TrustRegionStrategyType, trust_region_strategy_type, LEVENBERG_MARQUARDT) \
  X(DoglegType, dogleg_type, TRADITIONAL_DOGLEG)                              \
  X(bool, use_nonmonotonic_steps, false)                                      \
  X(int, max_consecutive_nonmonotonic_steps, 5)                               \
  X(double, initial_trust_region_radius, 1e4)                                 \
  X(double, max_trust_region_radius, 1e16)                                    \
  X(double, min_trust_region_radius, 1e-32)                                   \
  X(double, min_relative_decrease, 1e-3)                                      \
  X(double, min_lm_diagonal, 1e-6)                                            \
  X(double, max_lm_diagonal, 1e32)                                            \
  X(int, max_num_consecutive_invalid_steps, 5)                                \
  X(double, constraint_tolerance, 1e-8)                                       \
  X(double, eta, 1e-1)                                                        \
  X(bool, jacobi_scaling, true)                                               \
  X(double, inner_iteration_tolerance, 1e-3)                                  \
  X(std::vector<int>, trust_region_minimizer_iterations_to_dump, {})          \
  X(std::string, trust_region_problem_dump_directory, "/tmp")                 \
  X(DumpFormatType, trust_region_problem_dump_format_type, TEXTFILE)
// clang-format on

struct MinimizerOptions {
  // The struct in which the user set the options. Messages name an option by
  // it: "Solver::Options::min_trust_region_radius".
  const char* options_name = "Solver::Options";

#define VESTA_DECLARE(type, name, value) type name = value;
  VESTA_SHARED_OPTIONS(VESTA_DECLARE)
  VESTA_TRUST_REGION_OPTIONS(VESTA_DECLARE)
#undef VESTA_DECLARE
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
