// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Summary: defaults, and that the reports say what they must; how they
// say it is free.

#include <string>

#include "ceres/solver.h"
#include "ceres/version.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// With numbers that stand nowhere else in a report.
Solver::Summary SummaryOfASolve() {
  Solver::Summary s;
  s.termination_type = CONVERGENCE;
  s.message = "A fine message.";
  s.initial_cost = 12.5;
  s.final_cost = 0.25;
  s.fixed_cost = 0.0;
  s.num_successful_steps = 31;
  s.num_unsuccessful_steps = 6;
  s.num_line_search_steps = 4321;
  s.num_parameter_blocks = 1011;
  s.num_parameters = 1012;
  s.num_effective_parameters = 1012;
  s.num_residual_blocks = 1014;
  s.num_residuals = 1015;
  s.num_parameter_blocks_reduced = 901;
  s.num_parameters_reduced = 902;
  s.num_effective_parameters_reduced = 903;
  s.num_residual_blocks_reduced = 904;
  s.num_residuals_reduced = 905;
  s.num_threads_given = 77;
  s.num_threads_used = 66;
  s.linear_solver_type_given = SPARSE_SCHUR;
  s.linear_solver_type_used = SPARSE_SCHUR;
  s.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  s.linear_solver_ordering_given = {801, 210};
  s.linear_solver_ordering_used = {701, 200};
  s.schur_structure_given = "2,3,9";
  s.schur_structure_used = "2,3,d";
  s.preprocessor_time_in_seconds = 1.5;
  s.minimizer_time_in_seconds = 2.5;
  s.postprocessor_time_in_seconds = 3.5;
  s.total_time_in_seconds = 7.5;
  s.linear_solver_time_in_seconds = 0.625;
  s.num_linear_solves = 37;
  s.residual_evaluation_time_in_seconds = 0.375;
  s.num_residual_evaluations = 38;
  s.jacobian_evaluation_time_in_seconds = 0.875;
  s.num_jacobian_evaluations = 39;
  return s;
}

TEST(SolverSummary, SaysThatSolveWasNotCalled) {
  const Solver::Summary s;
  EXPECT_EQ(s.termination_type, FAILURE);
  EXPECT_FALSE(s.IsSolutionUsable());
  EXPECT_THAT(s.message, HasSubstr("not called"));
  EXPECT_THAT(s.BriefReport(), HasSubstr("FAILURE"));
  EXPECT_THAT(s.FullReport(), HasSubstr("not called"));
}

TEST(SolverSummary, DefaultsSayThatNothingWasMeasured) {
  const Solver::Summary s;
  for (const double value :
       {s.initial_cost, s.final_cost, s.fixed_cost,
        s.preprocessor_time_in_seconds, s.minimizer_time_in_seconds,
        s.postprocessor_time_in_seconds, s.total_time_in_seconds,
        s.linear_solver_time_in_seconds, s.residual_evaluation_time_in_seconds,
        s.jacobian_evaluation_time_in_seconds,
        s.inner_iteration_time_in_seconds,
        s.line_search_cost_evaluation_time_in_seconds,
        s.line_search_gradient_evaluation_time_in_seconds,
        s.line_search_polynomial_minimization_time_in_seconds,
        s.line_search_total_time_in_seconds}) {
    EXPECT_EQ(value, -1.0);
  }
  for (const int value : {s.num_successful_steps,
                          s.num_unsuccessful_steps,
                          s.num_inner_iteration_steps,
                          s.num_line_search_steps,
                          s.num_linear_solves,
                          s.num_residual_evaluations,
                          s.num_jacobian_evaluations,
                          s.num_parameter_blocks,
                          s.num_parameters,
                          s.num_effective_parameters,
                          s.num_residual_blocks,
                          s.num_residuals,
                          s.num_parameter_blocks_reduced,
                          s.num_parameters_reduced,
                          s.num_effective_parameters_reduced,
                          s.num_residual_blocks_reduced,
                          s.num_residuals_reduced,
                          s.num_threads_given,
                          s.num_threads_used,
                          s.max_lbfgs_rank}) {
    EXPECT_EQ(value, -1);
  }
  EXPECT_TRUE(s.iterations.empty());
  EXPECT_EQ(s.preconditioner_type_used, IDENTITY);
  EXPECT_EQ(s.sparse_linear_algebra_library_type, NO_SPARSE);
}

TEST(SolverSummary, UsableMeansThatTheParametersHoldAResult) {
  Solver::Summary s;
  for (const auto type : {CONVERGENCE, NO_CONVERGENCE, USER_SUCCESS}) {
    s.termination_type = type;
    EXPECT_TRUE(s.IsSolutionUsable());
  }
  for (const auto type : {FAILURE, USER_FAILURE}) {
    s.termination_type = type;
    EXPECT_FALSE(s.IsSolutionUsable());
  }
}

TEST(SolverSummary, BriefReportIsOneLine) {
  const std::string report = SummaryOfASolve().BriefReport();
  EXPECT_THAT(report, AllOf(HasSubstr(": 37,"), HasSubstr("1.250000e+01"),
                            HasSubstr("2.500000e-01"), HasSubstr("CONVERGENCE"),
                            Not(HasSubstr("\n"))));
}

TEST(SolverSummary, FullReportHasSizesSolversAndCosts) {
  const std::string report = SummaryOfASolve().FullReport();
  for (const char* text : {CERES_VERSION_STRING,
                           "1011",
                           "1012",
                           "1014",
                           "1015",
                           "901",
                           "902",
                           "904",
                           "905",
                           "TRUST_REGION",
                           "LEVENBERG_MARQUARDT",
                           "EIGEN_SPARSE",
                           "AMD",
                           "SPARSE_SCHUR",
                           "77",
                           "66",
                           "801,210",
                           "701,200",
                           "2,3,9",
                           "2,3,d",
                           "1.250000e+01",
                           "2.500000e-01",
                           "1.225000e+01",
                           "31",
                           " 6\n",
                           "CONVERGENCE",
                           "A fine message."}) {
    EXPECT_THAT(report, HasSubstr(text));
  }
}

TEST(SolverSummary, FullReportNamesTheLicencesOfTheBuild) {
  const std::string report = SummaryOfASolve().FullReport();
  EXPECT_THAT(report, HasSubstr("Licences: BSD-3-Clause, MPL-2.0 (Eigen)"));
  if (IsSparseLinearAlgebraLibraryTypeAvailable(SUITE_SPARSE)) {
    EXPECT_THAT(report, HasSubstr("GPL-2.0-or-later (SuiteSparse)"));
  } else {
    EXPECT_THAT(report, Not(HasSubstr("GPL")));
  }
}

TEST(SolverSummary, FullReportHasTimesAndCounts) {
  const std::string report = SummaryOfASolve().FullReport();
  for (const char* text : {"1.5", "2.5", "3.5", "7.5", "0.625", "(37)", "0.375",
                           "(38)", "0.875", "(39)"}) {
    EXPECT_THAT(report, HasSubstr(text));
  }
}

TEST(SolverSummary, FullReportHasOnlyWhatMatters) {
  Solver::Summary s = SummaryOfASolve();
  EXPECT_THAT(s.FullReport(), Not(HasSubstr("903")))
      << "effective parameters, where all are";
  EXPECT_THAT(s.FullReport(), Not(HasSubstr("4321")))
      << "line searches, without bounds";
  EXPECT_THAT(s.FullReport(), Not(HasSubstr("recondition")));
  s.num_effective_parameters = 1013;
  s.is_constrained = true;
  s.linear_solver_type_given = ITERATIVE_SCHUR;
  s.linear_solver_type_used = ITERATIVE_SCHUR;
  s.preconditioner_type_given = SCHUR_JACOBI;
  s.preconditioner_type_used = JACOBI;
  EXPECT_THAT(s.FullReport(),
              AllOf(HasSubstr("1013"), HasSubstr("903"), HasSubstr("4321"),
                    HasSubstr("SCHUR_JACOBI"), Not(HasSubstr("EIGEN_SPARSE"))));
  s.linear_solver_type_used = DENSE_QR;
  s.dense_linear_algebra_library_type = LAPACK;
  EXPECT_THAT(s.FullReport(),
              AllOf(HasSubstr("LAPACK"), Not(HasSubstr("2,3,9"))));
}

TEST(SolverSummary, FullReportOfAFailureHasNoFinalCost) {
  Solver::Summary s = SummaryOfASolve();
  s.termination_type = FAILURE;
  EXPECT_THAT(s.FullReport(),
              AllOf(Not(HasSubstr("2.500000e-01")), HasSubstr("FAILURE"),
                    HasSubstr("A fine message.")));
}

}  // namespace
}  // namespace ceres::internal
