// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The reports of Solver::Summary.

#include <string>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/internal/config.h"
#include "ceres/solver.h"
#include "ceres/solver/reporting/iteration_count.h"
#include "ceres/solver/reporting/licences.h"
#include "ceres/version.h"

namespace ceres {
namespace internal {
namespace {

std::string VersionString() {
  std::string version = CERES_VERSION_STRING "-vesta-eigen";
#if !defined(CERES_NO_LAPACK)
  version += "-lapack";
#endif
#if !defined(CERES_NO_SUITESPARSE)
  version += "-suitesparse";
#endif
#if defined(CERES_USE_EIGEN_SPARSE)
  version += "-eigensparse";
#endif
#if !defined(CERES_NO_EIGEN_METIS)
  version += "-metis";
#endif
  return version;
}

std::string GroupSizes(const std::vector<int>& sizes) {
  if (sizes.empty()) {
    return "AUTOMATIC";
  }
  std::string text;
  for (const int size : sizes) {
    AppendFormat(&text, text.empty() ? "%d" : ",%d", size);
  }
  return text;
}

void AppendSizes(const Solver::Summary& s, std::string* report) {
  AppendFormat(report, "%45s    %21s\n", "Original", "Reduced");
  const auto row = [report](const char* name, int original, int reduced) {
    AppendFormat(report, "%-20s%25d%25d\n", name, original, reduced);
  };
  row("Parameter blocks", s.num_parameter_blocks,
      s.num_parameter_blocks_reduced);
  row("Parameters", s.num_parameters, s.num_parameters_reduced);
  if (s.num_effective_parameters != s.num_parameters) {
    row("Effective parameters", s.num_effective_parameters,
        s.num_effective_parameters_reduced);
  }
  row("Residual blocks", s.num_residual_blocks, s.num_residual_blocks_reduced);
  row("Residuals", s.num_residuals, s.num_residuals_reduced);
}

bool IsDense(LinearSolverType type) {
  return type == DENSE_QR || type == DENSE_NORMAL_CHOLESKY ||
         type == DENSE_SCHUR;
}

bool IsSparse(LinearSolverType type) {
  return type == SPARSE_NORMAL_CHOLESKY || type == SPARSE_SCHUR;
}

bool IsIterative(LinearSolverType type) {
  return type == ITERATIVE_SCHUR || type == CGNR;
}

void AppendGivenAndUsed(const char* name, const std::string& given,
                        const std::string& used, std::string* report) {
  AppendFormat(report, "%-20s%25s%25s\n", name, given.c_str(), used.c_str());
}

void AppendLineSearchMinimizer(const Solver::Summary& s, std::string* report) {
  std::string direction =
      LineSearchDirectionTypeToString(s.line_search_direction_type);
  if (s.line_search_direction_type == LBFGS) {
    AppendFormat(&direction, " (%d)", s.max_lbfgs_rank);
  } else if (s.line_search_direction_type == NONLINEAR_CONJUGATE_GRADIENT) {
    AppendFormat(&direction, " (%s)",
                 NonlinearConjugateGradientTypeToString(
                     s.nonlinear_conjugate_gradient_type));
  }
  AppendFormat(report, "Line search direction    %20s\n", direction.c_str());
  AppendFormat(report, "Line search type    %25s\n\n",
               Format("%s %s",
                      LineSearchInterpolationTypeToString(
                          s.line_search_interpolation_type),
                      LineSearchTypeToString(s.line_search_type))
                   .c_str());
  AppendFormat(report, "%45s    %21s\n", "Given", "Used");
  AppendGivenAndUsed("Threads", Format("%d", s.num_threads_given),
                     Format("%d", s.num_threads_used), report);
}

void AppendTrustRegionMinimizer(const Solver::Summary& s, std::string* report) {
  if (IsDense(s.linear_solver_type_used)) {
    AppendFormat(report, "\nDense linear algebra library  %15s\n",
                 DenseLinearAlgebraLibraryTypeToString(
                     s.dense_linear_algebra_library_type));
  }
  if (IsSparse(s.linear_solver_type_used)) {
    AppendFormat(
        report, "\nSparse linear algebra library %15s + %s%s\n",
        SparseLinearAlgebraLibraryTypeToString(
            s.sparse_linear_algebra_library_type),
        LinearSolverOrderingTypeToString(s.linear_solver_ordering_type),
        s.mixed_precision_solves_used ? " in mixed precision" : "");
  }
  if (s.jacobian_storage_used != JacobianStorage::DOUBLE) {
    AppendFormat(report, "Jacobian storage    %25s\n",
                 JacobianStorageToString(s.jacobian_storage_used));
  }
  AppendFormat(report, "Trust region strategy     %19s\n",
               TrustRegionStrategyTypeToString(s.trust_region_strategy_type));
  if (s.trust_region_strategy_type == DOGLEG) {
    AppendFormat(report, "Dogleg type         %25s\n",
                 DoglegTypeToString(s.dogleg_type));
  }
  *report += "\n";

  AppendFormat(report, "%45s    %21s\n", "Given", "Used");
  const auto row = [report](const char* name, const std::string& given,
                            const std::string& used) {
    AppendGivenAndUsed(name, given, used, report);
  };
  row("Linear solver", LinearSolverTypeToString(s.linear_solver_type_given),
      LinearSolverTypeToString(s.linear_solver_type_used));
  if (IsIterative(s.linear_solver_type_given)) {
    row("Preconditioner",
        PreconditionerTypeToString(s.preconditioner_type_given),
        PreconditionerTypeToString(s.preconditioner_type_used));
  }
  row("Threads", Format("%d", s.num_threads_given),
      Format("%d", s.num_threads_used));
  row("Linear solver ordering", GroupSizes(s.linear_solver_ordering_given),
      GroupSizes(s.linear_solver_ordering_used));
  if (IsSchurType(s.linear_solver_type_used)) {
    row("Schur structure", s.schur_structure_given, s.schur_structure_used);
  }
  if (s.inner_iterations_given) {
    row("Inner iterations", "True", s.inner_iterations_used ? "True" : "False");
    row("Inner iteration ordering",
        GroupSizes(s.inner_iteration_ordering_given),
        GroupSizes(s.inner_iteration_ordering_used));
  }
}

void AppendMinimizer(const Solver::Summary& s, std::string* report) {
  AppendFormat(report, "\n%-20s%25s\n", "Minimizer",
               MinimizerTypeToString(s.minimizer_type));
  if (s.minimizer_type == LINE_SEARCH) {
    AppendLineSearchMinimizer(s, report);
  } else {
    AppendTrustRegionMinimizer(s, report);
  }
}

void AppendCosts(const Solver::Summary& s, std::string* report) {
  *report += "\nCost:\n";
  AppendFormat(report, "Initial        % 30e\n", s.initial_cost);
  if (s.termination_type != FAILURE && s.termination_type != USER_FAILURE) {
    AppendFormat(report, "Final          % 30e\n", s.final_cost);
    AppendFormat(report, "Change         % 30e\n",
                 s.initial_cost - s.final_cost);
  }
}

void AppendConstraints(const Solver::Summary& s, std::string* report) {
  if (s.num_constraints < 0) return;
  AppendFormat(report, "\nConstraints                  % 16d\n",
               s.num_constraints);
  AppendFormat(report, "Active coordinates           % 16d\n",
               s.num_active_constraints);
  AppendFormat(report, "Largest violation  % 26e\n", s.constraint_violation);
  AppendFormat(report, "Stationarity       % 26e\n", s.stationarity);
  AppendFormat(report, "Complementarity    % 26e\n", s.complementarity);
  AppendFormat(report, "Violated constraints         %16zu\n",
               s.violated_constraints.size());
}

void AppendIterations(const Solver::Summary& s, std::string* report) {
  AppendFormat(report, "\nMinimizer iterations         % 16d\n",
               NumIterations(s));
  AppendFormat(report, "Successful steps               % 14d\n",
               s.num_successful_steps);
  AppendFormat(report, "Unsuccessful steps             % 14d\n",
               s.num_unsuccessful_steps);
  if (s.inner_iterations_used) {
    AppendFormat(report, "Steps with inner iterations    % 14d\n",
                 s.num_inner_iteration_steps);
  }
  if (s.is_constrained || s.minimizer_type == LINE_SEARCH) {
    AppendFormat(report, "Line search steps              % 14d\n",
                 s.num_line_search_steps);
  }
}

void AppendTimes(const Solver::Summary& s, std::string* report) {
  *report += "\nTime (in seconds):\n";
  AppendFormat(report, "Preprocessor        %25.6f\n",
               s.preprocessor_time_in_seconds);
  AppendFormat(report, "\n  Residual only evaluation %18.6f (%d)\n",
               s.residual_evaluation_time_in_seconds,
               s.num_residual_evaluations);
  AppendFormat(report, "  Jacobian & residual evaluation %12.6f (%d)\n",
               s.jacobian_evaluation_time_in_seconds,
               s.num_jacobian_evaluations);
  if (s.minimizer_type == TRUST_REGION) {
    AppendFormat(report, "  Linear solver       %23.6f (%d)\n",
                 s.linear_solver_time_in_seconds, s.num_linear_solves);
  } else {
    AppendFormat(report, "  Line search         %23.6f\n",
                 s.line_search_total_time_in_seconds);
  }
  if (s.inner_iterations_used) {
    AppendFormat(report, "  Inner iterations    %23.6f\n",
                 s.inner_iteration_time_in_seconds);
  }
  AppendFormat(report, "Minimizer           %25.6f\n",
               s.minimizer_time_in_seconds);
  AppendFormat(report, "\nPostprocessor        %24.6f\n",
               s.postprocessor_time_in_seconds);
  AppendFormat(report, "Total               %25.6f\n\n",
               s.total_time_in_seconds);
}

}  // namespace
}  // namespace internal

bool Solver::Summary::IsSolutionUsable() const {
  return termination_type == CONVERGENCE ||
         termination_type == NO_CONVERGENCE || termination_type == USER_SUCCESS;
}

std::string Solver::Summary::BriefReport() const {
  return internal::Format(
      "Ceres Solver Report: Iterations: %d, Initial cost: %e, Final cost: %e, "
      "Termination: %s",
      internal::NumIterations(*this), initial_cost, final_cost,
      TerminationTypeToString(termination_type));
}

std::string Solver::Summary::FullReport() const {
  std::string report = "\nSolver Summary (v " + internal::VersionString() +
                       ")\n" + "Licences: " + internal::LicencesOfBuild() +
                       "\n\n";
  internal::AppendSizes(*this, &report);
  internal::AppendMinimizer(*this, &report);
  internal::AppendCosts(*this, &report);
  internal::AppendConstraints(*this, &report);
  internal::AppendIterations(*this, &report);
  internal::AppendTimes(*this, &report);
  internal::AppendFormat(&report, "Termination:        %25s (%s)\n",
                         TerminationTypeToString(termination_type),
                         message.c_str());
  return report;
}

}  // namespace ceres
