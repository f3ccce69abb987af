// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_TESTS_API_SHARED_DEFAULTS_H_
#define VESTA_TESTS_API_SHARED_DEFAULTS_H_

#include <vector>

#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {

// The types and defaults of the options that Solver and GradientProblemSolver
// share.
template <typename Options>
void ExpectSharedDefaults(const Options& options) {
  EXPECT_EQ(options.line_search_direction_type, OfType{LBFGS});
  EXPECT_EQ(options.line_search_type, OfType{WOLFE});
  EXPECT_EQ(options.nonlinear_conjugate_gradient_type, OfType{FLETCHER_REEVES});
  EXPECT_EQ(options.max_lbfgs_rank, OfType{20});
  EXPECT_EQ(options.use_approximate_eigenvalue_bfgs_scaling, OfType{false});
  EXPECT_EQ(options.line_search_interpolation_type, OfType{CUBIC});
  EXPECT_EQ(options.min_line_search_step_size, OfType{1e-9});
  EXPECT_EQ(options.line_search_sufficient_function_decrease, OfType{1e-4});
  EXPECT_EQ(options.max_line_search_step_contraction, OfType{1e-3});
  EXPECT_EQ(options.min_line_search_step_contraction, OfType{0.6});
  EXPECT_EQ(options.max_num_line_search_step_size_iterations, OfType{20});
  EXPECT_EQ(options.max_num_line_search_direction_restarts, OfType{5});
  EXPECT_EQ(options.line_search_sufficient_curvature_decrease, OfType{0.9});
  EXPECT_EQ(options.max_line_search_step_expansion, OfType{10.0});
  EXPECT_EQ(options.max_num_iterations, OfType{50});
  EXPECT_EQ(options.max_solver_time_in_seconds, OfType{1e9});
  EXPECT_EQ(options.function_tolerance, OfType{1e-6});
  EXPECT_EQ(options.gradient_tolerance, OfType{1e-10});
  EXPECT_EQ(options.parameter_tolerance, OfType{1e-8});
  EXPECT_EQ(options.logging_type, OfType{PER_MINIMIZER_ITERATION});
  EXPECT_EQ(options.minimizer_progress_to_stdout, OfType{false});
  EXPECT_EQ(options.update_state_every_iteration, OfType{false});
}

}  // namespace ceres

#endif  // VESTA_TESTS_API_SHARED_DEFAULTS_H_
