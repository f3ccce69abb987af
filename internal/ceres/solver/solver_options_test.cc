// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Options: defaults, and what IsValid rejects, in which order.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

using Options = Solver::Options;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A way to break the options, and what the message must name.
struct Violation {
  std::function<void(Options*)> apply;
  std::vector<std::string> named;
};

std::string ErrorOf(const Options& options) {
  std::string error;
  return options.IsValid(&error) ? "" : error;
}

void ExpectRejected(const Violation& violation) {
  Options options;
  violation.apply(&options);
  const std::string error = ErrorOf(options);
  EXPECT_NE(error, "") << "not rejected: " << violation.named.front();
  for (const std::string& name : violation.named) {
    EXPECT_THAT(error, HasSubstr(name));
  }
}

template <typename T>
Violation Set(const char* name, T Options::*field, T value) {
  return {[=](Options* options) { options->*field = value; }, {name}};
}

Violation With(std::function<void(Options*)> apply,
               std::vector<std::string> named) {
  return {std::move(apply), std::move(named)};
}

#define SET(field, value) \
  Set<decltype(Options::field)>(#field, &Options::field, value)

// In the order in which they are checked, that of ceres/solver.h.
std::vector<Violation> ScalarViolations() {
  const auto radii = [](double min, double initial, double max) {
    return [=](Options* o) {
      o->min_trust_region_radius = min;
      o->initial_trust_region_radius = initial;
      o->max_trust_region_radius = max;
    };
  };
  return {
      With([](Options* o) { o->line_search_type = ARMIJO; },
           {"line_search_direction_type = LBFGS", "WOLFE"}),
      SET(max_lbfgs_rank, 0),
      SET(min_line_search_step_size, 0.0),
      SET(line_search_sufficient_function_decrease, 0.0),
      SET(max_line_search_step_contraction, 0.0),
      SET(max_line_search_step_contraction, 1.0),
      With(
          [](Options* o) {
            o->max_line_search_step_contraction = 0.5;
            o->min_line_search_step_contraction = 0.5;
          },
          {"max_line_search_step_contraction = 0.5",
           "min_line_search_step_contraction = 0.5"}),
      SET(min_line_search_step_contraction, 1.01),
      SET(max_num_line_search_step_size_iterations, -1),
      With(
          [](Options* o) {
            o->line_search_sufficient_function_decrease = 0.5;
            o->line_search_sufficient_curvature_decrease = 0.5;
          },
          {"line_search_sufficient_function_decrease = 0.5",
           "line_search_sufficient_curvature_decrease = 0.5"}),
      SET(line_search_sufficient_curvature_decrease, 1.0),
      SET(max_line_search_step_expansion, 1.0),
      With(
          [](Options* o) {
            o->trust_region_strategy_type = DOGLEG;
            o->linear_solver_type = CGNR;
          },
          {"DOGLEG", "CGNR"}),
      With(
          [](Options* o) {
            o->use_nonmonotonic_steps = true;
            o->max_consecutive_nonmonotonic_steps = 0;
          },
          {"max_consecutive_nonmonotonic_steps"}),
      SET(max_num_iterations, -1),
      SET(max_solver_time_in_seconds, -1.0),
      SET(num_threads, 0),
      SET(initial_trust_region_radius, 0.0),
      SET(max_trust_region_radius, 0.0),
      SET(min_trust_region_radius, 0.0),
      With(radii(3.0, 2.0, 1.0),
           {"min_trust_region_radius = 3", "max_trust_region_radius = 1"}),
      With(radii(3.0, 2.0, 4.0),
           {"min_trust_region_radius = 3", "initial_trust_region_radius = 2"}),
      With(radii(1.0, 5.0, 4.0),
           {"initial_trust_region_radius = 5", "max_trust_region_radius = 4"}),
      SET(min_relative_decrease, -1.0),
      SET(min_lm_diagonal, -1.0),
      SET(max_lm_diagonal, -1.0),
      With(
          [](Options* o) {
            o->min_lm_diagonal = 2.0;
            o->max_lm_diagonal = 1.0;
          },
          {"min_lm_diagonal = 2", "max_lm_diagonal = 1"}),
      SET(max_num_consecutive_invalid_steps, -1),
      SET(function_tolerance, -1e-300),
      SET(gradient_tolerance, -1.0),
      SET(parameter_tolerance, -1.0),
      SET(min_linear_solver_iterations, -1),
      SET(max_linear_solver_iterations, -1),
      With(
          [](Options* o) {
            o->min_linear_solver_iterations = 6;
            o->max_linear_solver_iterations = 5;
          },
          {"min_linear_solver_iterations = 6",
           "max_linear_solver_iterations = 5"}),
      SET(eta, 0.0),
      With(
          [](Options* o) {
            o->use_inner_iterations = true;
            o->inner_iteration_tolerance = -1.0;
          },
          {"inner_iteration_tolerance"}),
      With(
          [](Options* o) {
            o->trust_region_minimizer_iterations_to_dump = {1};
            o->trust_region_problem_dump_directory = "";
          },
          {"trust_region_problem_dump_directory"}),
      With(
          [](Options* o) {
            o->check_gradients = true;
            o->gradient_check_relative_precision = 0.0;
          },
          {"gradient_check_relative_precision"}),
      With(
          [](Options* o) {
            o->check_gradients = true;
            o->gradient_check_numeric_derivative_relative_step_size = 0.0;
          },
          {"gradient_check_numeric_derivative_relative_step_size"}),
  };
}

TEST(SolverOptions, DefaultsAreValid) { EXPECT_EQ(ErrorOf(Options()), ""); }

TEST(SolverOptions, EachViolationNamesItsOptions) {
  for (const Violation& violation : ScalarViolations()) {
    ExpectRejected(violation);
  }
}

TEST(SolverOptions, FirstViolationWins) {
  const std::vector<Violation> violations = ScalarViolations();
  for (size_t first = 0; first < violations.size(); ++first) {
    Options alone;
    violations[first].apply(&alone);
    const std::string error = ErrorOf(alone);
    for (size_t second = first + 1; second < violations.size(); ++second) {
      Options both;
      violations[second].apply(&both);
      violations[first].apply(&both);
      EXPECT_EQ(ErrorOf(both), error)
          << violations[first].named.front() << " is checked before "
          << violations[second].named.front();
    }
  }
}

TEST(SolverOptions, NanIsRejectedEverywhere) {
  for (double Options::*field :
       {&Options::max_solver_time_in_seconds, &Options::function_tolerance,
        &Options::gradient_tolerance, &Options::parameter_tolerance,
        &Options::initial_trust_region_radius,
        &Options::min_trust_region_radius, &Options::max_trust_region_radius,
        &Options::min_relative_decrease, &Options::min_lm_diagonal,
        &Options::max_lm_diagonal, &Options::eta,
        &Options::min_line_search_step_size,
        &Options::line_search_sufficient_function_decrease,
        &Options::max_line_search_step_contraction,
        &Options::min_line_search_step_contraction,
        &Options::line_search_sufficient_curvature_decrease,
        &Options::max_line_search_step_expansion}) {
    Options options;
    options.*field = kNaN;
    EXPECT_THAT(ErrorOf(options), HasSubstr("nan"));
  }
}

TEST(SolverOptions, BoundariesAreAllowed) {
  Options options;
  options.max_num_iterations = 0;
  options.max_solver_time_in_seconds = 0.0;
  options.function_tolerance = 0.0;
  options.gradient_tolerance = 0.0;
  options.parameter_tolerance = 0.0;
  options.min_relative_decrease = 0.0;
  options.min_trust_region_radius = 1.0;
  options.initial_trust_region_radius = 1.0;
  options.max_trust_region_radius = 1.0;
  options.min_lm_diagonal = 0.0;
  options.max_lm_diagonal = 0.0;
  options.max_num_consecutive_invalid_steps = 0;
  options.max_linear_solver_iterations = 0;
  options.min_line_search_step_contraction = 1.0;
  options.max_num_line_search_step_size_iterations = 0;
  EXPECT_EQ(ErrorOf(options), "");
}

TEST(SolverOptions, OptionsThatAreSwitchedOffAreNotChecked) {
  Options options;
  options.gradient_check_relative_precision = -1.0;
  options.inner_iteration_tolerance = -1.0;
  options.max_consecutive_nonmonotonic_steps = 0;
  options.max_num_spse_iterations = 0;
  options.trust_region_problem_dump_directory = "";
  EXPECT_EQ(ErrorOf(options), "");
}

TEST(SolverOptions, LineSearchMinimizerDoesNotCheckTrustRegions) {
  Options options;
  options.minimizer_type = LINE_SEARCH;
  options.eta = -1.0;
  EXPECT_EQ(ErrorOf(options), "");
  options.max_num_line_search_step_size_iterations = 0;
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("max_num_line_search_step_size_iterations"))
      << "a line search needs at least one";
}

Violation Solves(LinearSolverType type, std::function<void(Options*)> apply,
                 std::vector<std::string> named) {
  return {[=](Options* options) {
            options->linear_solver_type = type;
            apply(options);
          },
          std::move(named)};
}

TEST(SolverOptions, LinearSolversRejectWhatTheyCannotDo) {
  const auto dynamic = [](Options* o) { o->dynamic_sparsity = true; };
  const auto cuda = [](Options* o) {
    o->dense_linear_algebra_library_type = CUDA;
  };
  const auto cuda_sparse = [](Options* o) {
    o->sparse_linear_algebra_library_type = CUDA_SPARSE;
  };
  const auto no_sparse = [](Options* o) {
    o->sparse_linear_algebra_library_type = NO_SPARSE;
  };
  const auto mixed = [](Options* o) { o->use_mixed_precision_solves = true; };
  for (const auto type : {DENSE_QR, DENSE_NORMAL_CHOLESKY, DENSE_SCHUR}) {
    ExpectRejected(
        Solves(type, cuda, {LinearSolverTypeToString(type), "CUDA"}));
  }
  for (const auto type : {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR}) {
    const char* name = LinearSolverTypeToString(type);
    ExpectRejected(Solves(type, no_sparse, {name, "NO_SPARSE"}));
    ExpectRejected(Solves(type, cuda_sparse, {name, "CUDA_SPARSE"}));
    ExpectRejected(Solves(type,
                          [](Options* o) {
                            o->sparse_linear_algebra_library_type =
                                ACCELERATE_SPARSE;
                          },
                          {name, "ACCELERATE_SPARSE"}));
  }
  for (const auto type : {DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR}) {
    ExpectRejected(Solves(
        type, dynamic, {LinearSolverTypeToString(type), "dynamic_sparsity"}));
  }
  for (const auto type : {DENSE_QR, ITERATIVE_SCHUR, CGNR}) {
    ExpectRejected(
        Solves(type, mixed,
               {LinearSolverTypeToString(type), "use_mixed_precision_solves"}));
  }
  ExpectRejected(Solves(CGNR, cuda_sparse, {"CGNR", "CUDA_SPARSE"}));
}

TEST(SolverOptions, MixedPrecisionNeedsAFactorizationInFloat) {
#if !defined(CERES_NO_SUITESPARSE)
  ExpectRejected(Solves(SPARSE_SCHUR,
                        [](Options* o) {
                          o->use_mixed_precision_solves = true;
                          o->sparse_linear_algebra_library_type = SUITE_SPARSE;
                        },
                        {"use_mixed_precision_solves", "SUITE_SPARSE"}));
#endif
  Options options;
  options.use_mixed_precision_solves = true;
  options.linear_solver_type = DENSE_SCHUR;
  EXPECT_EQ(ErrorOf(options), "");
  options.linear_solver_type = SPARSE_SCHUR;
  options.sparse_linear_algebra_library_type = NATIVE_SPARSE;
  EXPECT_EQ(ErrorOf(options), "");
#if defined(CERES_USE_EIGEN_SPARSE)
  options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  EXPECT_EQ(ErrorOf(options), "");
#endif
}

TEST(SolverOptions, NestedDissectionNeedsMetis) {
  Options options;
  options.linear_solver_ordering_type = NESDIS;
#if defined(CERES_USE_EIGEN_SPARSE)
  options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
#if defined(CERES_NO_EIGEN_METIS)
  EXPECT_THAT(ErrorOf(options), HasSubstr("NESDIS"));
#else
  EXPECT_EQ(ErrorOf(options), "");
#endif
#endif
  options.linear_solver_type = DENSE_QR;
  EXPECT_EQ(ErrorOf(options), "") << "nothing sparse is factored";
}

TEST(SolverOptions, IterativeSchurRejectsWhatItCannotDo) {
  const auto preconditioner = [](PreconditionerType type) {
    return [type](Options* o) { o->preconditioner_type = type; };
  };
  ExpectRejected(
      Solves(ITERATIVE_SCHUR,
             [](Options* o) { o->use_explicit_schur_complement = true; },
             {"use_explicit_schur_complement", "SCHUR_JACOBI"}));
  ExpectRejected(
      Solves(ITERATIVE_SCHUR,
             [](Options* o) {
               o->use_explicit_schur_complement = true;
               o->preconditioner_type = SCHUR_JACOBI;
               o->use_spse_initialization = true;
             },
             {"use_explicit_schur_complement", "use_spse_initialization"}));
  ExpectRejected(Solves(ITERATIVE_SCHUR,
                        [](Options* o) {
                          o->use_spse_initialization = true;
                          o->max_num_spse_iterations = 0;
                        },
                        {"max_num_spse_iterations"}));
  ExpectRejected(Solves(ITERATIVE_SCHUR,
                        [](Options* o) {
                          o->preconditioner_type = SCHUR_POWER_SERIES_EXPANSION;
                          o->spse_tolerance = -1.0;
                        },
                        {"spse_tolerance"}));
  ExpectRejected(Solves(ITERATIVE_SCHUR, preconditioner(SUBSET), {"SUBSET"}));
  ExpectRejected(Solves(ITERATIVE_SCHUR,
                        [](Options* o) {
                          o->preconditioner_type = CLUSTER_JACOBI;
                          o->sparse_linear_algebra_library_type = NO_SPARSE;
                        },
                        {"NO_SPARSE"}));
  for (const auto type :
       {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
        CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
    Options options;
    options.linear_solver_type = ITERATIVE_SCHUR;
    options.preconditioner_type = type;
    EXPECT_EQ(ErrorOf(options), "");
  }
}

TEST(SolverOptions, CgnrRejectsWhatItCannotDo) {
  for (const auto type : {SCHUR_JACOBI, CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL,
                          SCHUR_POWER_SERIES_EXPANSION}) {
    ExpectRejected(Solves(CGNR,
                          [type](Options* o) { o->preconditioner_type = type; },
                          {"CGNR", PreconditionerTypeToString(type)}));
  }
  ExpectRejected(Solves(CGNR,
                        [](Options* o) { o->preconditioner_type = SUBSET; },
                        {"residual_blocks_for_subset_preconditioner"}));
  const auto subset = [](Options* o) {
    o->preconditioner_type = SUBSET;
    o->residual_blocks_for_subset_preconditioner.insert(nullptr);
  };
  ExpectRejected(Solves(CGNR,
                        [&](Options* o) {
                          subset(o);
                          o->sparse_linear_algebra_library_type = NO_SPARSE;
                        },
                        {"NO_SPARSE"}));
  Options with_subset;
  with_subset.linear_solver_type = CGNR;
  subset(&with_subset);
  EXPECT_EQ(ErrorOf(with_subset), "");
  for (const auto type : {IDENTITY, JACOBI}) {
    Options options;
    options.linear_solver_type = CGNR;
    options.preconditioner_type = type;
    options.sparse_linear_algebra_library_type = NO_SPARSE;
    EXPECT_EQ(ErrorOf(options), "");
  }
}

TEST(SolverOptions, DoglegNeedsAnExactSolver) {
  for (const auto type : {CGNR, ITERATIVE_SCHUR}) {
    Options options;
    options.linear_solver_type = type;
    options.trust_region_strategy_type = DOGLEG;
    EXPECT_THAT(ErrorOf(options), HasSubstr("exact linear solver"));
  }
}

TEST(SolverOptions, BisectionWithLimitsThatExcludeAHalfIsValid) {
  Options options;
  options.line_search_interpolation_type = BISECTION;
  options.min_line_search_step_contraction = 0.4;
  EXPECT_EQ(ErrorOf(options), "") << "it is only worth a warning";
}

TEST(SolverOptions, LineSearchDirectionsWithoutHistoryMayUseArmijo) {
  Options options;
  options.line_search_type = ARMIJO;
  options.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
  EXPECT_EQ(ErrorOf(options), "");
}

TEST(SolverOptions, DefaultsOfTheMinimizer) {
  const Options o;
  EXPECT_EQ(o.minimizer_type, TRUST_REGION);
  EXPECT_EQ(o.trust_region_strategy_type, LEVENBERG_MARQUARDT);
  EXPECT_EQ(o.dogleg_type, TRADITIONAL_DOGLEG);
  EXPECT_FALSE(o.use_nonmonotonic_steps);
  EXPECT_EQ(o.max_consecutive_nonmonotonic_steps, 5);
  EXPECT_EQ(o.max_num_iterations, 50);
  EXPECT_EQ(o.max_solver_time_in_seconds, 1e9);
  EXPECT_EQ(o.num_threads, 1);
  EXPECT_EQ(o.initial_trust_region_radius, 1e4);
  EXPECT_EQ(o.max_trust_region_radius, 1e16);
  EXPECT_EQ(o.min_trust_region_radius, 1e-32);
  EXPECT_EQ(o.min_relative_decrease, 1e-3);
  EXPECT_EQ(o.min_lm_diagonal, 1e-6);
  EXPECT_EQ(o.max_lm_diagonal, 1e32);
  EXPECT_EQ(o.max_num_consecutive_invalid_steps, 5);
  EXPECT_EQ(o.function_tolerance, 1e-6);
  EXPECT_EQ(o.gradient_tolerance, 1e-10);
  EXPECT_EQ(o.parameter_tolerance, 1e-8);
  EXPECT_TRUE(o.jacobi_scaling);
  EXPECT_FALSE(o.use_inner_iterations);
  EXPECT_EQ(o.inner_iteration_ordering, nullptr);
  EXPECT_EQ(o.inner_iteration_tolerance, 1e-3);
}

TEST(SolverOptions, DefaultsOfTheLineSearch) {
  const Options o;
  EXPECT_EQ(o.line_search_direction_type, LBFGS);
  EXPECT_EQ(o.line_search_type, WOLFE);
  EXPECT_EQ(o.nonlinear_conjugate_gradient_type, FLETCHER_REEVES);
  EXPECT_EQ(o.max_lbfgs_rank, 20);
  EXPECT_FALSE(o.use_approximate_eigenvalue_bfgs_scaling);
  EXPECT_EQ(o.line_search_interpolation_type, CUBIC);
  EXPECT_EQ(o.min_line_search_step_size, 1e-9);
  EXPECT_EQ(o.line_search_sufficient_function_decrease, 1e-4);
  EXPECT_EQ(o.max_line_search_step_contraction, 1e-3);
  EXPECT_EQ(o.min_line_search_step_contraction, 0.6);
  EXPECT_EQ(o.max_num_line_search_step_size_iterations, 20);
  EXPECT_EQ(o.max_num_line_search_direction_restarts, 5);
  EXPECT_EQ(o.line_search_sufficient_curvature_decrease, 0.9);
  EXPECT_EQ(o.max_line_search_step_expansion, 10.0);
}

TEST(SolverOptions, DefaultsOfTheLinearSolver) {
  const Options o;
  EXPECT_EQ(o.linear_solver_type, SPARSE_NORMAL_CHOLESKY);
  EXPECT_EQ(o.sparse_linear_algebra_library_type, NATIVE_SPARSE);
  EXPECT_EQ(o.preconditioner_type, JACOBI);
  EXPECT_EQ(o.visibility_clustering_type, CANONICAL_VIEWS);
  EXPECT_TRUE(o.residual_blocks_for_subset_preconditioner.empty());
  EXPECT_EQ(o.dense_linear_algebra_library_type, EIGEN);
  EXPECT_EQ(o.linear_solver_ordering_type, AMD);
  EXPECT_EQ(o.linear_solver_ordering, nullptr);
  EXPECT_FALSE(o.use_explicit_schur_complement);
  EXPECT_FALSE(o.dynamic_sparsity);
  EXPECT_FALSE(o.use_mixed_precision_solves);
  EXPECT_EQ(o.max_num_refinement_iterations, 0);
  EXPECT_EQ(o.min_linear_solver_iterations, 0);
  EXPECT_EQ(o.max_linear_solver_iterations, 500);
  EXPECT_EQ(o.max_num_spse_iterations, 5);
  EXPECT_FALSE(o.use_spse_initialization);
  EXPECT_EQ(o.spse_tolerance, 0.1);
  EXPECT_EQ(o.eta, 0.1);
}

TEST(SolverOptions, DefaultsOfReportsAndCallbacks) {
  const Options o;
  EXPECT_EQ(o.logging_type, PER_MINIMIZER_ITERATION);
  EXPECT_FALSE(o.minimizer_progress_to_stdout);
  EXPECT_TRUE(o.trust_region_minimizer_iterations_to_dump.empty());
  EXPECT_EQ(o.trust_region_problem_dump_directory, "/tmp");
  EXPECT_EQ(o.trust_region_problem_dump_format_type, TEXTFILE);
  EXPECT_FALSE(o.check_gradients);
  EXPECT_EQ(o.gradient_check_relative_precision, 1e-8);
  EXPECT_EQ(o.gradient_check_numeric_derivative_relative_step_size, 1e-6);
  EXPECT_FALSE(o.update_state_every_iteration);
  EXPECT_TRUE(o.callbacks.empty());
}

#undef SET

}  // namespace
}  // namespace ceres::internal
