// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Options::IsValid: the options that it rejects, and in which order.

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
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

using Change = std::function<void(Options*)>;

template <typename T>
Change Set(T Options::*field, std::decay_t<T> value) {
  return [=](Options* options) { options->*field = value; };
}

std::string ErrorOf(const std::vector<Change>& changes) {
  Options options;
  for (const Change& change : changes) change(&options);
  std::string error;
  return options.IsValid(&error) ? "" : error;
}

// A way to break the options, and what the message must name.
struct Violation {
  std::vector<Change> changes;
  std::vector<std::string> named;
};

void ExpectRejected(const Violation& violation) {
  const std::string error = ErrorOf(violation.changes);
  EXPECT_NE(error, "") << "not rejected: " << violation.named.front();
  for (const std::string& name : violation.named) {
    EXPECT_THAT(error, HasSubstr(name));
  }
}

template <typename T>
Violation Wrong(const char* name, T Options::*field, std::decay_t<T> value) {
  return {{Set(field, value)}, {name}};
}

#define SET(field, value) Set(&Options::field, value)
// A value that is wrong whatever the other options are.
#define WRONG(field, value) Wrong(#field, &Options::field, value)

// In the order in which they are checked, that of ceres/solver.h.
std::vector<Violation> ScalarViolations() {
  const auto radii = [](double min, double initial, double max) {
    return std::vector<Change>{SET(min_trust_region_radius, min),
                               SET(initial_trust_region_radius, initial),
                               SET(max_trust_region_radius, max)};
  };
  return {
      {{SET(line_search_type, ARMIJO)},
       {"line_search_direction_type = LBFGS", "WOLFE"}},
      WRONG(max_lbfgs_rank, 0),
      WRONG(min_line_search_step_size, 0.0),
      WRONG(line_search_sufficient_function_decrease, 0.0),
      WRONG(max_line_search_step_contraction, 0.0),
      WRONG(max_line_search_step_contraction, 1.0),
      {{SET(max_line_search_step_contraction, 0.5),
        SET(min_line_search_step_contraction, 0.5)},
       {"max_line_search_step_contraction = 0.5",
        "min_line_search_step_contraction = 0.5"}},
      WRONG(min_line_search_step_contraction, 1.01),
      WRONG(max_num_line_search_step_size_iterations, -1),
      {{SET(line_search_sufficient_function_decrease, 0.5),
        SET(line_search_sufficient_curvature_decrease, 0.5)},
       {"line_search_sufficient_function_decrease = 0.5",
        "line_search_sufficient_curvature_decrease = 0.5"}},
      WRONG(line_search_sufficient_curvature_decrease, 1.0),
      WRONG(max_line_search_step_expansion, 1.0),
      {{SET(trust_region_strategy_type, DOGLEG), SET(linear_solver_type, CGNR)},
       {"DOGLEG", "CGNR"}},
      {{SET(use_nonmonotonic_steps, true),
        SET(max_consecutive_nonmonotonic_steps, 0)},
       {"max_consecutive_nonmonotonic_steps"}},
      WRONG(max_num_iterations, -1),
      WRONG(max_solver_time_in_seconds, -1.0),
      WRONG(num_threads, 0),
      WRONG(initial_trust_region_radius, 0.0),
      WRONG(max_trust_region_radius, 0.0),
      WRONG(min_trust_region_radius, 0.0),
      {radii(3.0, 2.0, 1.0),
       {"min_trust_region_radius = 3", "max_trust_region_radius = 1"}},
      {radii(3.0, 2.0, 4.0),
       {"min_trust_region_radius = 3", "initial_trust_region_radius = 2"}},
      {radii(1.0, 5.0, 4.0),
       {"initial_trust_region_radius = 5", "max_trust_region_radius = 4"}},
      WRONG(min_relative_decrease, -1.0),
      WRONG(min_lm_diagonal, -1.0),
      WRONG(max_lm_diagonal, -1.0),
      {{SET(min_lm_diagonal, 2), SET(max_lm_diagonal, 1)},
       {"min_lm_diagonal = 2", "max_lm_diagonal = 1"}},
      WRONG(max_num_consecutive_invalid_steps, -1),
      WRONG(function_tolerance, -1e-300),
      WRONG(gradient_tolerance, -1.0),
      WRONG(parameter_tolerance, -1.0),
      WRONG(min_linear_solver_iterations, -1),
      WRONG(max_linear_solver_iterations, -1),
      {{SET(min_linear_solver_iterations, 6),
        SET(max_linear_solver_iterations, 5)},
       {"min_linear_solver_iterations = 6",
        "max_linear_solver_iterations = 5"}},
      WRONG(eta, 0.0),
      {{SET(use_inner_iterations, true), SET(inner_iteration_tolerance, -1.0)},
       {"inner_iteration_tolerance"}},
      {{SET(trust_region_minimizer_iterations_to_dump, {1}),
        SET(trust_region_problem_dump_directory, "")},
       {"trust_region_problem_dump_directory"}},
      {{SET(check_gradients, true),
        SET(gradient_check_relative_precision, 0.0)},
       {"gradient_check_relative_precision"}},
      {{SET(check_gradients, true),
        SET(gradient_check_numeric_derivative_relative_step_size, 0.0)},
       {"gradient_check_numeric_derivative_relative_step_size"}},
  };
}

TEST(SolverOptions, DefaultsAreValid) { EXPECT_EQ(ErrorOf({}), ""); }

TEST(SolverOptions, EachViolationNamesItsOptions) {
  for (const Violation& violation : ScalarViolations()) {
    ExpectRejected(violation);
  }
}

TEST(SolverOptions, FirstViolationWins) {
  const std::vector<Violation> violations = ScalarViolations();
  for (size_t first = 0; first < violations.size(); ++first) {
    const std::string error = ErrorOf(violations[first].changes);
    for (size_t second = first + 1; second < violations.size(); ++second) {
      std::vector<Change> both = violations[second].changes;
      both.insert(both.end(), violations[first].changes.begin(),
                  violations[first].changes.end());
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
    EXPECT_THAT(ErrorOf({Set(field, kNaN)}), HasSubstr("nan"));
  }
}

TEST(SolverOptions, BoundariesAreAllowed) {
  EXPECT_EQ(
      ErrorOf({SET(max_num_iterations, 0), SET(max_solver_time_in_seconds, 0.0),
               SET(function_tolerance, 0.0), SET(gradient_tolerance, 0.0),
               SET(parameter_tolerance, 0.0), SET(min_relative_decrease, 0.0),
               SET(min_trust_region_radius, 1.0),
               SET(initial_trust_region_radius, 1.0),
               SET(max_trust_region_radius, 1.0), SET(min_lm_diagonal, 0.0),
               SET(max_lm_diagonal, 0.0),
               SET(max_num_consecutive_invalid_steps, 0),
               SET(max_linear_solver_iterations, 0),
               SET(min_line_search_step_contraction, 1.0),
               SET(max_num_line_search_step_size_iterations, 0)}),
      "");
}

TEST(SolverOptions, OptionsThatAreSwitchedOffAreNotChecked) {
  EXPECT_EQ(ErrorOf({SET(gradient_check_relative_precision, -1.0),
                     SET(inner_iteration_tolerance, -1.0),
                     SET(max_consecutive_nonmonotonic_steps, 0),
                     SET(max_num_spse_iterations, 0),
                     SET(trust_region_problem_dump_directory, "")}),
            "");
}

TEST(SolverOptions, LineSearchMinimizerDoesNotCheckTrustRegions) {
  const Change line_search = SET(minimizer_type, LINE_SEARCH);
  EXPECT_EQ(ErrorOf({line_search, SET(eta, -1.0)}), "");
  ExpectRejected({{line_search, SET(max_num_line_search_step_size_iterations,
                                    0)},  // A line search needs at least one.
                  {"max_num_line_search_step_size_iterations"}});
}

TEST(SolverOptions, LinearSolversRejectWhatTheyCannotDo) {
  const auto expect_rejected = [](LinearSolverType type, const Change& change,
                                  const char* named) {
    ExpectRejected({{SET(linear_solver_type, type), change},
                    {LinearSolverTypeToString(type), named}});
  };
  for (const auto type : {DENSE_QR, DENSE_NORMAL_CHOLESKY, DENSE_SCHUR}) {
    expect_rejected(type, SET(dense_linear_algebra_library_type, CUDA), "CUDA");
  }
  for (const auto type : {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR}) {
    for (const auto library : {NO_SPARSE, CUDA_SPARSE, ACCELERATE_SPARSE}) {
      expect_rejected(type, SET(sparse_linear_algebra_library_type, library),
                      SparseLinearAlgebraLibraryTypeToString(library));
    }
  }
  expect_rejected(CGNR, SET(sparse_linear_algebra_library_type, CUDA_SPARSE),
                  "CUDA_SPARSE");
  for (const auto type : {DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR}) {
    expect_rejected(type, SET(dynamic_sparsity, true), "dynamic_sparsity");
  }
  for (const auto type : {DENSE_QR, ITERATIVE_SCHUR, CGNR}) {
    expect_rejected(type, SET(use_mixed_precision_solves, true),
                    "use_mixed_precision_solves");
  }
  for (const auto type : {CGNR, ITERATIVE_SCHUR}) {
    expect_rejected(type, SET(trust_region_strategy_type, DOGLEG),
                    "exact linear solver");
  }
}

TEST(SolverOptions, MixedPrecisionIsAcceptedByEverySparseLibrary) {
  const Change mixed = SET(use_mixed_precision_solves, true);
  const Change schur = SET(linear_solver_type, SPARSE_SCHUR);
  const auto library = [](SparseLinearAlgebraLibraryType type) {
    return SET(sparse_linear_algebra_library_type, type);
  };
#if !defined(CERES_NO_SUITESPARSE)
  EXPECT_EQ(ErrorOf({mixed, schur, library(SUITE_SPARSE)}), "");
#endif
  EXPECT_EQ(ErrorOf({mixed, SET(linear_solver_type, DENSE_SCHUR)}), "");
  EXPECT_EQ(ErrorOf({mixed, schur, library(NATIVE_SPARSE)}), "");
#if defined(CERES_USE_EIGEN_SPARSE)
  EXPECT_EQ(ErrorOf({mixed, schur, library(EIGEN_SPARSE)}), "");
#endif
}

TEST(SolverOptions, NestedDissectionNeedsMetis) {
  std::vector<Change> changes = {SET(linear_solver_ordering_type, NESDIS)};
#if defined(CERES_USE_EIGEN_SPARSE)
  changes.push_back(SET(sparse_linear_algebra_library_type, EIGEN_SPARSE));
#if defined(CERES_NO_EIGEN_METIS)
  ExpectRejected({changes, {"NESDIS"}});
#else
  EXPECT_EQ(ErrorOf(changes), "");
#endif
#endif
  changes.push_back(SET(linear_solver_type, DENSE_QR));
  EXPECT_EQ(ErrorOf(changes), "") << "nothing sparse is factored";
}

TEST(SolverOptions, IterativeSchurRejectsWhatItCannotDo) {
  const Change schur = SET(linear_solver_type, ITERATIVE_SCHUR);
  const Change is_explicit = SET(use_explicit_schur_complement, true);
  const Change spse = SET(use_spse_initialization, true);
  const auto preconditioner = [](PreconditionerType type) {
    return SET(preconditioner_type, type);
  };
  ExpectRejected({{schur, is_explicit},
                  {"use_explicit_schur_complement", "SCHUR_JACOBI"}});
  ExpectRejected(
      {{schur, is_explicit, preconditioner(SCHUR_JACOBI), spse},
       {"use_explicit_schur_complement", "use_spse_initialization"}});
  ExpectRejected({{schur, spse, SET(max_num_spse_iterations, 0)},
                  {"max_num_spse_iterations"}});
  ExpectRejected({{schur, preconditioner(SCHUR_POWER_SERIES_EXPANSION),
                   SET(spse_tolerance, -1.0)},
                  {"spse_tolerance"}});
  ExpectRejected({{schur, preconditioner(SUBSET)}, {"SUBSET"}});
  ExpectRejected({{schur, preconditioner(CLUSTER_JACOBI),
                   SET(sparse_linear_algebra_library_type, NO_SPARSE)},
                  {"NO_SPARSE"}});
  for (const auto type :
       {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
        CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
    EXPECT_EQ(ErrorOf({schur, preconditioner(type)}), "");
  }
}

TEST(SolverOptions, CgnrRejectsWhatItCannotDo) {
  const Change cgnr = SET(linear_solver_type, CGNR);
  const Change no_sparse = SET(sparse_linear_algebra_library_type, NO_SPARSE);
  const Change subset = SET(preconditioner_type, SUBSET);
  const Change with_block =
      SET(residual_blocks_for_subset_preconditioner, {nullptr});
  for (const auto type : {SCHUR_JACOBI, CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL,
                          SCHUR_POWER_SERIES_EXPANSION}) {
    ExpectRejected({{cgnr, SET(preconditioner_type, type)},
                    {"CGNR", PreconditionerTypeToString(type)}});
  }
  ExpectRejected(
      {{cgnr, subset}, {"residual_blocks_for_subset_preconditioner"}});
  ExpectRejected({{cgnr, subset, with_block, no_sparse}, {"NO_SPARSE"}});
  EXPECT_EQ(ErrorOf({cgnr, subset, with_block}), "");
  for (const auto type : {IDENTITY, JACOBI}) {
    EXPECT_EQ(ErrorOf({cgnr, SET(preconditioner_type, type), no_sparse}), "");
  }
}

TEST(SolverOptions, BisectionWithLimitsThatExcludeAHalfIsValid) {
  EXPECT_EQ(ErrorOf({SET(line_search_interpolation_type, BISECTION),
                     SET(min_line_search_step_contraction, 0.4)}),
            "")
      << "it is only worth a warning";
}

TEST(SolverOptions, LineSearchDirectionsWithoutHistoryMayUseArmijo) {
  EXPECT_EQ(
      ErrorOf({SET(line_search_type, ARMIJO),
               SET(line_search_direction_type, NONLINEAR_CONJUGATE_GRADIENT)}),
      "");
}

#undef WRONG
#undef SET

}  // namespace
}  // namespace ceres::internal
