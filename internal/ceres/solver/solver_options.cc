// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solver::Options::IsValid: what the options may be, in the order in which they
// are checked.

#include <string>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/minimizer/format.h"
#include "ceres/solver.h"
#include "glog/logging.h"

namespace ceres {
namespace internal {
namespace {

// Collects the first violation. The checks read as what must hold.
class Checker {
 public:
  explicit Checker(std::string* error) : error_(error) {}

  bool ok() const { return ok_; }

  void Fail(const std::string& message) {
    if (ok_) {
      ok_ = false;
      *error_ = message;
    }
  }

  template <typename T>
  void AtLeast(const char* name, T value, T bound) {
    Compare(value >= bound, name, value, ">=", bound);
  }
  template <typename T>
  void GreaterThan(const char* name, T value, T bound) {
    Compare(value > bound, name, value, ">", bound);
  }
  template <typename T>
  void LessThan(const char* name, T value, T bound) {
    Compare(value < bound, name, value, "<", bound);
  }
  template <typename T>
  void AtMost(const char* name, T value, T bound) {
    Compare(value <= bound, name, value, "<=", bound);
  }
  // Of two options.
  template <typename T>
  void Ordered(const char* smaller_name, T smaller, const char* larger_name,
               T larger) {
    if (!(smaller <= larger)) {
      Fail(
          Format("Invalid configuration. Solver::Options::%s = %s must be <= "
                 "Solver::Options::%s = %s.",
                 smaller_name, Number(smaller).c_str(), larger_name,
                 Number(larger).c_str()));
    }
  }
  template <typename T>
  void StrictlyOrdered(const char* smaller_name, T smaller,
                       const char* larger_name, T larger) {
    if (!(smaller < larger)) {
      Fail(
          Format("Invalid configuration. Solver::Options::%s = %s must be < "
                 "Solver::Options::%s = %s.",
                 smaller_name, Number(smaller).c_str(), larger_name,
                 Number(larger).c_str()));
    }
  }

 private:
  static std::string Number(int value) { return Format("%d", value); }
  static std::string Number(double value) { return Format("%g", value); }

  // A comparison with NaN is false, which makes NaN a violation everywhere.
  template <typename T>
  void Compare(bool holds, const char* name, T value, const char* relation,
               T bound) {
    if (!holds) {
      Fail(
          Format("Invalid configuration. Solver::Options::%s = %s must be %s "
                 "%s.",
                 name, Number(value).c_str(), relation, Number(bound).c_str()));
    }
  }

  std::string* error_;
  bool ok_ = true;
};

#define CERES_OPTION(name) #name, options.name

void CheckCommonOptions(const Solver::Options& options, Checker* check) {
  check->AtLeast(CERES_OPTION(max_num_iterations), 0);
  check->AtLeast(CERES_OPTION(max_solver_time_in_seconds), 0.0);
  check->AtLeast(CERES_OPTION(function_tolerance), 0.0);
  check->AtLeast(CERES_OPTION(gradient_tolerance), 0.0);
  check->AtLeast(CERES_OPTION(parameter_tolerance), 0.0);
  check->GreaterThan(CERES_OPTION(num_threads), 0);
  if (options.check_gradients) {
    check->GreaterThan(CERES_OPTION(gradient_check_relative_precision), 0.0);
    check->GreaterThan(
        CERES_OPTION(gradient_check_numeric_derivative_relative_step_size),
        0.0);
  }
}

void CheckDenseLibrary(const Solver::Options& options, Checker* check) {
  const auto library = options.dense_linear_algebra_library_type;
  if (!IsDenseLinearAlgebraLibraryTypeAvailable(library)) {
    check->Fail(
        Format("Can't use %s with "
               "Solver::Options::dense_linear_algebra_library_type = "
               "%s, because support for it is not in this build.",
               LinearSolverTypeToString(options.linear_solver_type),
               DenseLinearAlgebraLibraryTypeToString(library)));
  }
}

bool HasNestedDissection(SparseLinearAlgebraLibraryType library) {
#if !defined(CERES_NO_CHOLMOD_PARTITION)
  if (library == SUITE_SPARSE) return true;
#endif
#if !defined(CERES_NO_EIGEN_METIS)
  if (library == EIGEN_SPARSE) return true;
#endif
#if !defined(CERES_NO_CHOLMOD_PARTITION) || !defined(CERES_NO_EIGEN_METIS)
  if (library == NATIVE_SPARSE) return true;
#endif
  (void)library;
  return false;
}

void CheckSparseCholesky(const Solver::Options& options, Checker* check) {
  const char* solver = LinearSolverTypeToString(options.linear_solver_type);
  const auto library = options.sparse_linear_algebra_library_type;
  const char* library_name = SparseLinearAlgebraLibraryTypeToString(library);
  if (library == NO_SPARSE) {
    check->Fail(
        Format("%s needs a sparse library, but "
               "Solver::Options::sparse_linear_algebra_library_type = "
               "NO_SPARSE.",
               solver));
    return;
  }
  if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) {
    check->Fail(
        Format("Can't use %s with "
               "Solver::Options::sparse_linear_algebra_library_type = "
               "%s, because support for it is not in this build.",
               solver, library_name));
    return;
  }
  if (options.linear_solver_ordering_type == NESDIS &&
      !HasNestedDissection(library)) {
    check->Fail(
        Format("Can't use %s with "
               "Solver::Options::linear_solver_ordering_type = NESDIS "
               "and sparse_linear_algebra_library_type = %s, because "
               "this build has no METIS for it.",
               solver, library_name));
  }
  if (options.use_mixed_precision_solves && library == SUITE_SPARSE) {
    check->Fail(
        Format("Can't use %s with "
               "Solver::Options::use_mixed_precision_solves and "
               "sparse_linear_algebra_library_type = SUITE_SPARSE, "
               "which factors in double precision only.",
               solver));
  }
}

void CheckIterativeSchur(const Solver::Options& options, Checker* check) {
  if (options.use_explicit_schur_complement &&
      (options.preconditioner_type != SCHUR_JACOBI ||
       options.use_spse_initialization)) {
    check->Fail(
        "Solver::Options::use_explicit_schur_complement needs "
        "preconditioner_type = SCHUR_JACOBI and no use_spse_initialization.");
  }
  if (options.use_spse_initialization ||
      options.preconditioner_type == SCHUR_POWER_SERIES_EXPANSION) {
    check->AtLeast(CERES_OPTION(max_num_spse_iterations), 1);
    check->AtLeast(CERES_OPTION(spse_tolerance), 0.0);
  }
  if (options.use_mixed_precision_solves) {
    check->Fail(
        "Can't use ITERATIVE_SCHUR with "
        "Solver::Options::use_mixed_precision_solves.");
  }
  switch (options.preconditioner_type) {
    case IDENTITY:
    case JACOBI:
    case SCHUR_JACOBI:
    case SCHUR_POWER_SERIES_EXPANSION:
      return;
    case SUBSET:
      check->Fail("Can't use ITERATIVE_SCHUR with preconditioner SUBSET.");
      return;
    case CLUSTER_JACOBI:
    case CLUSTER_TRIDIAGONAL:
      CheckSparseCholesky(options, check);
  }
}

void CheckCgnr(const Solver::Options& options, Checker* check) {
  const PreconditionerType preconditioner = options.preconditioner_type;
  if (preconditioner != IDENTITY && preconditioner != JACOBI &&
      preconditioner != SUBSET) {
    check->Fail(
        Format("Can't use CGNR with preconditioner_type = %s; it takes "
               "IDENTITY, JACOBI or SUBSET.",
               PreconditionerTypeToString(preconditioner)));
  }
  if (options.use_mixed_precision_solves) {
    check->Fail(
        "Can't use CGNR with Solver::Options::use_mixed_precision_solves.");
  }
  if (preconditioner == SUBSET) {
    if (options.residual_blocks_for_subset_preconditioner.empty()) {
      check->Fail(
          "With the SUBSET preconditioner, Solver::Options::"
          "residual_blocks_for_subset_preconditioner must not be empty.");
    }
    CheckSparseCholesky(options, check);
  }
  if (options.sparse_linear_algebra_library_type == CUDA_SPARSE) {
    check->Fail(
        "Can't use CGNR with sparse_linear_algebra_library_type = "
        "CUDA_SPARSE, because support for it is not in this build.");
  }
}

void CheckLinearSolver(const Solver::Options& options, Checker* check) {
  const LinearSolverType type = options.linear_solver_type;
  if (options.dynamic_sparsity && type != SPARSE_NORMAL_CHOLESKY &&
      type != DENSE_QR && type != DENSE_NORMAL_CHOLESKY) {
    check->Fail(
        Format("Can't use %s with Solver::Options::dynamic_sparsity; "
               "only SPARSE_NORMAL_CHOLESKY can.",
               LinearSolverTypeToString(type)));
  }
  switch (type) {
    case DENSE_QR:
      CheckDenseLibrary(options, check);
      if (options.use_mixed_precision_solves) {
        check->Fail(
            "Can't use DENSE_QR with "
            "Solver::Options::use_mixed_precision_solves.");
      }
      return;
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
      CheckDenseLibrary(options, check);
      return;
    case SPARSE_NORMAL_CHOLESKY:
    case SPARSE_SCHUR:
      CheckSparseCholesky(options, check);
      return;
    case ITERATIVE_SCHUR:
      CheckIterativeSchur(options, check);
      return;
    case CGNR:
      CheckCgnr(options, check);
      return;
  }
  check->Fail(Format("Solver::Options::linear_solver_type = %d is unknown.",
                     static_cast<int>(type)));
}

void CheckTrustRegion(const Solver::Options& options, Checker* check) {
  check->GreaterThan(CERES_OPTION(initial_trust_region_radius), 0.0);
  check->GreaterThan(CERES_OPTION(min_trust_region_radius), 0.0);
  check->GreaterThan(CERES_OPTION(max_trust_region_radius), 0.0);
  check->Ordered(CERES_OPTION(min_trust_region_radius),
                 CERES_OPTION(max_trust_region_radius));
  check->Ordered(CERES_OPTION(min_trust_region_radius),
                 CERES_OPTION(initial_trust_region_radius));
  check->Ordered(CERES_OPTION(initial_trust_region_radius),
                 CERES_OPTION(max_trust_region_radius));
  check->AtLeast(CERES_OPTION(min_relative_decrease), 0.0);
  check->AtLeast(CERES_OPTION(min_lm_diagonal), 0.0);
  check->AtLeast(CERES_OPTION(max_lm_diagonal), 0.0);
  check->Ordered(CERES_OPTION(min_lm_diagonal), CERES_OPTION(max_lm_diagonal));
  check->AtLeast(CERES_OPTION(max_num_consecutive_invalid_steps), 0);
  check->GreaterThan(CERES_OPTION(eta), 0.0);
  check->AtLeast(CERES_OPTION(min_linear_solver_iterations), 0);
  check->AtLeast(CERES_OPTION(max_linear_solver_iterations), 0);
  check->Ordered(CERES_OPTION(min_linear_solver_iterations),
                 CERES_OPTION(max_linear_solver_iterations));
  if (options.use_inner_iterations) {
    check->AtLeast(CERES_OPTION(inner_iteration_tolerance), 0.0);
  }
  if (options.use_nonmonotonic_steps) {
    check->GreaterThan(CERES_OPTION(max_consecutive_nonmonotonic_steps), 0);
  }
  if (options.trust_region_strategy_type == DOGLEG &&
      (options.linear_solver_type == CGNR ||
       options.linear_solver_type == ITERATIVE_SCHUR)) {
    check->Fail(
        "DOGLEG needs an exact linear solver: it can't be used with "
        "ITERATIVE_SCHUR or CGNR.");
  }
  CheckLinearSolver(options, check);
  if (!options.trust_region_minimizer_iterations_to_dump.empty() &&
      options.trust_region_problem_dump_format_type != CONSOLE &&
      options.trust_region_problem_dump_directory.empty()) {
    check->Fail(
        "Solver::Options::trust_region_problem_dump_directory must not be "
        "empty when iterations are to be dumped into files.");
  }
}

void CheckLineSearch(const Solver::Options& options, Checker* check) {
  const bool is_minimizer = options.minimizer_type == LINE_SEARCH;
  check->GreaterThan(CERES_OPTION(max_lbfgs_rank), 0);
  check->GreaterThan(CERES_OPTION(min_line_search_step_size), 0.0);
  check->GreaterThan(CERES_OPTION(max_line_search_step_contraction), 0.0);
  check->LessThan(CERES_OPTION(max_line_search_step_contraction), 1.0);
  check->StrictlyOrdered(CERES_OPTION(max_line_search_step_contraction),
                         CERES_OPTION(min_line_search_step_contraction));
  check->AtMost(CERES_OPTION(min_line_search_step_contraction), 1.0);
  check->AtLeast(CERES_OPTION(max_num_line_search_step_size_iterations),
                 is_minimizer ? 1 : 0);
  check->GreaterThan(CERES_OPTION(line_search_sufficient_function_decrease),
                     0.0);
  check->StrictlyOrdered(
      CERES_OPTION(line_search_sufficient_function_decrease),
      CERES_OPTION(line_search_sufficient_curvature_decrease));
  check->LessThan(CERES_OPTION(line_search_sufficient_curvature_decrease), 1.0);
  check->GreaterThan(CERES_OPTION(max_line_search_step_expansion), 1.0);
  if ((options.line_search_direction_type == BFGS ||
       options.line_search_direction_type == LBFGS) &&
      options.line_search_type != WOLFE) {
    check->Fail(Format(
        "Solver::Options::line_search_direction_type = %s needs "
        "line_search_type = WOLFE.",
        LineSearchDirectionTypeToString(options.line_search_direction_type)));
  }
  if (check->ok() && options.line_search_interpolation_type == BISECTION &&
      (options.max_line_search_step_contraction > 0.5 ||
       options.min_line_search_step_contraction < 0.5)) {
    LOG(WARNING)
        << "Solver::Options::line_search_interpolation_type = BISECTION halves "
           "the step size, but the limits of contraction, "
        << options.max_line_search_step_contraction << " and "
        << options.min_line_search_step_contraction << ", exclude 0.5.";
  }
}

#undef CERES_OPTION

}  // namespace
}  // namespace internal

bool Solver::Options::IsValid(std::string* error) const {
  internal::Checker check(CHECK_NOTNULL(error));
  internal::CheckCommonOptions(*this, &check);
  if (minimizer_type == TRUST_REGION) {
    internal::CheckTrustRegion(*this, &check);
  }
  internal::CheckLineSearch(*this, &check);
  return check.ok();
}

}  // namespace ceres
