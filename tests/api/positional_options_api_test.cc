// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Programs initialize structs of options by position, so the order of fields is
// part of the API. Every value here differs from its neighbours.

#include "ceres/ceres.h"
#include "ceres/tiny_solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Programs leave out the last fields.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

namespace ceres {
namespace {

using testing::ElementsAre;

TEST(PositionalOptions, OfAProblem) {
  Context context;
  const Problem::Options options = {TAKE_OWNERSHIP, DO_NOT_TAKE_OWNERSHIP,
                                    TAKE_OWNERSHIP, true,
                                    false,          &context,
                                    nullptr};
  EXPECT_EQ(options.cost_function_ownership, TAKE_OWNERSHIP);
  EXPECT_EQ(options.loss_function_ownership, DO_NOT_TAKE_OWNERSHIP);
  EXPECT_EQ(options.manifold_ownership, TAKE_OWNERSHIP);
  EXPECT_TRUE(options.enable_fast_removal);
  EXPECT_FALSE(options.disable_all_safety_checks);
  EXPECT_EQ(options.context, &context);
  EXPECT_EQ(options.evaluation_callback, nullptr);
}

TEST(PositionalOptions, TheThirdOwnershipIsThatOfParameterizationsToo) {
  for (const Ownership third : {TAKE_OWNERSHIP, DO_NOT_TAKE_OWNERSHIP}) {
    const Problem::Options options = {TAKE_OWNERSHIP, TAKE_OWNERSHIP, third};
    EXPECT_EQ(options.manifold_ownership, third);
    EXPECT_EQ(options.local_parameterization_ownership, third);
  }
  // By name they are two.
  Problem::Options options;
  options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
  EXPECT_EQ(options.local_parameterization_ownership, TAKE_OWNERSHIP);
}

TEST(PositionalOptions, OfAnEvaluation) {
  double x = 0.0;
  const Problem::EvaluateOptions options = {{&x}, {}, false, 3};
  EXPECT_THAT(options.parameter_blocks, ElementsAre(&x));
  EXPECT_FALSE(options.apply_loss_function);
  EXPECT_EQ(options.num_threads, 3);
}

TEST(PositionalOptions, OfASolve) {
  const Solver::Options options = {LINE_SEARCH, NONLINEAR_CONJUGATE_GRADIENT,
                                   ARMIJO,      POLAK_RIBIERE,
                                   7,           true,
                                   QUADRATIC,   1e-7};
  EXPECT_EQ(options.minimizer_type, LINE_SEARCH);
  EXPECT_EQ(options.line_search_direction_type, NONLINEAR_CONJUGATE_GRADIENT);
  EXPECT_EQ(options.line_search_type, ARMIJO);
  EXPECT_EQ(options.nonlinear_conjugate_gradient_type, POLAK_RIBIERE);
  EXPECT_EQ(options.max_lbfgs_rank, 7);
  EXPECT_TRUE(options.use_approximate_eigenvalue_bfgs_scaling);
  EXPECT_EQ(options.line_search_interpolation_type, QUADRATIC);
  EXPECT_EQ(options.min_line_search_step_size, 1e-7);
}

TEST(PositionalOptions, OfAGradientProblem) {
  const GradientProblemSolver::Options options = {
      BFGS, ARMIJO, HESTENES_STIEFEL, 7, true, BISECTION, 1e-7, 1e-3};
  EXPECT_EQ(options.line_search_direction_type, BFGS);
  EXPECT_EQ(options.line_search_type, ARMIJO);
  EXPECT_EQ(options.nonlinear_conjugate_gradient_type, HESTENES_STIEFEL);
  EXPECT_EQ(options.max_lbfgs_rank, 7);
  EXPECT_TRUE(options.use_approximate_eigenvalue_bfgs_scaling);
  EXPECT_EQ(options.line_search_interpolation_type, BISECTION);
  EXPECT_EQ(options.min_line_search_step_size, 1e-7);
  EXPECT_EQ(options.line_search_sufficient_function_decrease, 1e-3);
}

TEST(PositionalOptions, OfACovariance) {
  const Covariance::Options options = {EIGEN_SPARSE, DENSE_SVD, 0.5, 1e-9, 2, 3,
                                       false};
  EXPECT_EQ(options.sparse_linear_algebra_library_type, EIGEN_SPARSE);
  EXPECT_EQ(options.algorithm_type, DENSE_SVD);
  EXPECT_EQ(options.column_pivot_threshold, 0.5);
  EXPECT_EQ(options.min_reciprocal_condition_number, 1e-9);
  EXPECT_EQ(options.null_space_rank, 2);
  EXPECT_EQ(options.num_threads, 3);
  EXPECT_FALSE(options.apply_loss_function);
}

TEST(PositionalOptions, OfNumericDerivatives) {
  const NumericDiffOptions options = {1e-5, 2e-2, 3, 1e-10, 4.0};
  EXPECT_EQ(options.relative_step_size, 1e-5);
  EXPECT_EQ(options.ridders_relative_initial_step_size, 2e-2);
  EXPECT_EQ(options.max_num_ridders_extrapolations, 3);
  EXPECT_EQ(options.ridders_epsilon, 1e-10);
  EXPECT_EQ(options.ridders_step_shrink_factor, 4.0);
}

TEST(PositionalOptions, OfASparseMatrix) {
  const CRSMatrix matrix = {1, 2, {1}, {0, 1}, {0.5}};
  EXPECT_EQ(matrix.num_rows, 1);
  EXPECT_EQ(matrix.num_cols, 2);
  EXPECT_THAT(matrix.cols, ElementsAre(1));
  EXPECT_THAT(matrix.rows, ElementsAre(0, 1));
  EXPECT_THAT(matrix.values, ElementsAre(0.5));
}

struct Zero {
  using Scalar = double;
  enum { NUM_RESIDUALS = 1, NUM_PARAMETERS = 1 };
  bool operator()(const double*, double*, double*) const { return false; }
};

TEST(PositionalOptions, OfATinySolver) {
  const TinySolver<Zero>::Options options = {7, 1e-1, 1e-2, 1e-3, 1e-4, 1e5};
  EXPECT_EQ(options.max_num_iterations, 7);
  EXPECT_EQ(options.gradient_tolerance, 1e-1);
  EXPECT_EQ(options.parameter_tolerance, 1e-2);
  EXPECT_EQ(options.function_tolerance, 1e-3);
  EXPECT_EQ(options.cost_threshold, 1e-4);
  EXPECT_EQ(options.initial_trust_region_radius, 1e5);
}

}  // namespace
}  // namespace ceres
