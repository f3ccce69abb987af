// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solver::Options::IsValid.

#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/internal/config.h"
#include "ceres/logging/logging.h"
#include "ceres/solver.h"
#include "ceres/solver/option_checker.h"
#include "ceres/solver/storage_choice.h"

namespace ceres {
namespace internal {
namespace {

using Options = Solver::Options;

bool FactorsDense(const Options& o) {
  return o.linear_solver_type == DENSE_QR ||
         o.linear_solver_type == DENSE_NORMAL_CHOLESKY ||
         o.linear_solver_type == DENSE_SCHUR;
}

bool FactorsSparse(const Options& o) {
  switch (o.linear_solver_type) {
    case SPARSE_NORMAL_CHOLESKY:
    case SPARSE_SCHUR:
      return true;
    case ITERATIVE_SCHUR:
      return o.preconditioner_type == CLUSTER_JACOBI ||
             o.preconditioner_type == CLUSTER_TRIDIAGONAL;
    case CGNR:
      return o.preconditioner_type == SUBSET;
    default:
      return false;
  }
}

bool UsesPowerSeries(const Options& o) {
  return o.linear_solver_type == ITERATIVE_SCHUR &&
         (o.use_spse_initialization ||
          o.preconditioner_type == SCHUR_POWER_SERIES_EXPANSION);
}

// --- What cannot be combined -------------------------------------------------

const char* SolverName(const Options& o) {
  return LinearSolverTypeToString(o.linear_solver_type);
}

// Names what linear_solver_type cannot do, and what to do instead.
std::string SolverRefuses(const Options& o, const char* what,
                          const char* remedy) {
  return Format(
      "Solver::Options::linear_solver_type = %s does not work with %s: %s.",
      SolverName(o), what, remedy);
}

std::string LibraryIsMissing(const Options& o, const char* option,
                             const char* library) {
  return Format(
      "Solver::Options::%s = %s, which linear_solver_type = %s would use, is "
      "not part of this build: choose another library.",
      option, library, SolverName(o));
}

std::string Dogleg(const Options& o) {
  if (o.trust_region_strategy_type != DOGLEG ||
      (o.linear_solver_type != CGNR &&
       o.linear_solver_type != ITERATIVE_SCHUR)) {
    return "";
  }
  return SolverRefuses(o, "trust_region_strategy_type = DOGLEG",
                       "choose an exact linear solver");
}

std::string KnownLinearSolver(const Options& o) {
  switch (o.linear_solver_type) {
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_QR:
    case SPARSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
    case SPARSE_SCHUR:
    case ITERATIVE_SCHUR:
    case CGNR:
      return "";
  }
  return Format(
      "Solver::Options::linear_solver_type = %d has no meaning: use a value of "
      "the enumeration LinearSolverType.",
      static_cast<int>(o.linear_solver_type));
}

std::string Preconditioner(const Options& o) {
  const PreconditionerType type = o.preconditioner_type;
  const char* remedy = "";
  if (o.linear_solver_type == ITERATIVE_SCHUR && type == SUBSET) {
    remedy = "choose any other one";
  } else if (o.linear_solver_type == CGNR && type != IDENTITY &&
             type != JACOBI && type != SUBSET) {
    remedy = "choose IDENTITY, JACOBI or SUBSET";
  } else {
    return "";
  }
  const std::string given =
      Format("preconditioner_type = %s", PreconditionerTypeToString(type));
  return SolverRefuses(o, given.c_str(), remedy);
}

std::string RowsOfSubset(const Options& o) {
  if (o.linear_solver_type != CGNR || o.preconditioner_type != SUBSET ||
      !o.residual_blocks_for_subset_preconditioner.empty()) {
    return "";
  }
  return "Solver::Options::preconditioner_type = SUBSET has no residual "
         "blocks: insert some into "
         "Solver::Options::residual_blocks_for_subset_preconditioner.";
}

std::string DenseLibrary(const Options& o) {
  const auto library = o.dense_linear_algebra_library_type;
  if (IsDenseLinearAlgebraLibraryTypeAvailable(library)) return "";
  return LibraryIsMissing(o, "dense_linear_algebra_library_type",
                          DenseLinearAlgebraLibraryTypeToString(library));
}

std::string SparseLibrary(const Options& o) {
  const auto library = o.sparse_linear_algebra_library_type;
  if (library == NO_SPARSE) {
    return SolverRefuses(o, "sparse_linear_algebra_library_type = NO_SPARSE",
                         "choose a library, for example NATIVE_SPARSE");
  }
  if (IsSparseLinearAlgebraLibraryTypeAvailable(library)) return "";
  return LibraryIsMissing(o, "sparse_linear_algebra_library_type",
                          SparseLinearAlgebraLibraryTypeToString(library));
}

// CGNR multiplies with the library that it is told to use.
std::string SparseLibraryOfCgnr(const Options& o) {
  return o.linear_solver_type == CGNR &&
                 o.sparse_linear_algebra_library_type == CUDA_SPARSE
             ? SparseLibrary(o)
             : "";
}

bool HasNestedDissection(SparseLinearAlgebraLibraryType library) {
#if defined(CERES_NO_CHOLMOD_PARTITION)
  constexpr bool kCholmod = false;
#else
  constexpr bool kCholmod = true;
#endif
#if defined(CERES_NO_EIGEN_METIS)
  constexpr bool kEigen = false;
#else
  constexpr bool kEigen = true;
#endif
  switch (library) {
    case SUITE_SPARSE:
      return kCholmod;
    case EIGEN_SPARSE:
      return kEigen;
    case NATIVE_SPARSE:
      return kCholmod || kEigen;
    default:
      return false;
  }
}

std::string NestedDissection(const Options& o) {
  const auto library = o.sparse_linear_algebra_library_type;
  if (o.linear_solver_ordering_type != NESDIS || HasNestedDissection(library)) {
    return "";
  }
  return Format(
      "Solver::Options::linear_solver_ordering_type = NESDIS needs METIS, "
      "which this build does not have for "
      "sparse_linear_algebra_library_type = %s: set "
      "linear_solver_ordering_type = AMD, or choose another library.",
      SparseLinearAlgebraLibraryTypeToString(library));
}

std::string ExplicitSchurComplement(const Options& o) {
  if (o.linear_solver_type != ITERATIVE_SCHUR ||
      !o.use_explicit_schur_complement ||
      (o.preconditioner_type == SCHUR_JACOBI && !o.use_spse_initialization)) {
    return "";
  }
  return SolverRefuses(o,
                       "use_explicit_schur_complement as the other options are",
                       "set preconditioner_type = SCHUR_JACOBI and "
                       "use_spse_initialization = false");
}

std::string DynamicSparsity(const Options& o) {
  if (!o.dynamic_sparsity || o.linear_solver_type == SPARSE_NORMAL_CHOLESKY ||
      o.linear_solver_type == DENSE_NORMAL_CHOLESKY ||
      o.linear_solver_type == DENSE_QR) {
    return "";
  }
  return SolverRefuses(o, "dynamic_sparsity", "choose SPARSE_NORMAL_CHOLESKY");
}

std::string MixedPrecision(const Options& o) {
  if (!o.use_mixed_precision_solves) return "";
  switch (o.linear_solver_type) {
    case DENSE_NORMAL_CHOLESKY:
    case DENSE_SCHUR:
    case SPARSE_NORMAL_CHOLESKY:
    case SPARSE_SCHUR:
      return "";
    default:
      return SolverRefuses(o, "use_mixed_precision_solves",
                           "choose a solver that uses a Cholesky "
                           "factorization");
  }
}

std::string Storage(const Options& o) {
  switch (o.jacobian_storage) {
    case JacobianStorage::AUTO:
      return "";
    case JacobianStorage::DOUBLE:
    case JacobianStorage::FLOAT:
    case JacobianStorage::RECOMPUTE:
      return FindStorageConflict(o, o.jacobian_storage);
  }
  return Format(
      "Solver::Options::jacobian_storage = %d has no meaning: use a value of "
      "the enumeration JacobianStorage.",
      static_cast<int>(o.jacobian_storage));
}

std::string DumpDirectory(const Options& o) {
  if (o.trust_region_minimizer_iterations_to_dump.empty() ||
      o.trust_region_problem_dump_format_type == CONSOLE ||
      !o.trust_region_problem_dump_directory.empty()) {
    return "";
  }
  return "Solver::Options::trust_region_problem_dump_directory is empty, but "
         "iterations are to be dumped into files: name a directory, or set "
         "trust_region_problem_dump_format_type = CONSOLE.";
}

// --- Checks, in the order of ceres/solver.h ----------------------------------

bool CheckSteps(const Options& o, const OptionChecker& check) {
  return check.HasNoConflict(Dogleg(o)) &&
         (!o.use_nonmonotonic_steps ||
          check.Greater(CERES_OPTION(o, max_consecutive_nonmonotonic_steps),
                        0.0));
}

bool CheckTrustRegion(const Options& o, const OptionChecker& check) {
  const OptionNumber initial_radius =
      CERES_OPTION(o, initial_trust_region_radius);
  const OptionNumber max_radius = CERES_OPTION(o, max_trust_region_radius);
  const OptionNumber min_radius = CERES_OPTION(o, min_trust_region_radius);
  const OptionNumber min_diagonal = CERES_OPTION(o, min_lm_diagonal);
  const OptionNumber max_diagonal = CERES_OPTION(o, max_lm_diagonal);
  return check.Greater(initial_radius, 0.0) && check.Greater(max_radius, 0.0) &&
         check.Greater(min_radius, 0.0) &&
         check.AtMost(min_radius, max_radius) &&
         check.AtMost(min_radius, initial_radius) &&
         check.AtMost(initial_radius, max_radius) &&
         check.AtLeast(CERES_OPTION(o, min_relative_decrease), 0.0) &&
         check.AtLeast(min_diagonal, 0.0) && check.AtLeast(max_diagonal, 0.0) &&
         check.AtMost(min_diagonal, max_diagonal) &&
         check.AtLeast(CERES_OPTION(o, max_num_consecutive_invalid_steps), 0.0);
}

bool CheckLinearSolver(const Options& o, const OptionChecker& check) {
  const OptionNumber min_iterations =
      CERES_OPTION(o, min_linear_solver_iterations);
  const OptionNumber max_iterations =
      CERES_OPTION(o, max_linear_solver_iterations);
  return check.HasNoConflict(KnownLinearSolver(o)) &&
         check.HasNoConflict(Preconditioner(o)) &&
         check.HasNoConflict(RowsOfSubset(o)) &&
         (!FactorsDense(o) || check.HasNoConflict(DenseLibrary(o))) &&
         (!FactorsSparse(o) || check.HasNoConflict(SparseLibrary(o))) &&
         check.HasNoConflict(SparseLibraryOfCgnr(o)) &&
         (!FactorsSparse(o) || check.HasNoConflict(NestedDissection(o))) &&
         check.HasNoConflict(ExplicitSchurComplement(o)) &&
         check.HasNoConflict(DynamicSparsity(o)) &&
         check.HasNoConflict(MixedPrecision(o)) &&
         check.AtLeast(min_iterations, 0.0) &&
         check.AtLeast(max_iterations, 0.0) &&
         check.AtMost(min_iterations, max_iterations) &&
         (!UsesPowerSeries(o) ||
          (check.AtLeast(CERES_OPTION(o, max_num_spse_iterations), 1.0) &&
           check.AtLeast(CERES_OPTION(o, spse_tolerance), 0.0))) &&
         check.Greater(CERES_OPTION(o, eta), 0.0);
}

bool CheckInnerIterations(const Options& o, const OptionChecker& check) {
  return !o.use_inner_iterations ||
         check.AtLeast(CERES_OPTION(o, inner_iteration_tolerance), 0.0);
}

bool CheckGradientCheck(const Options& o, const OptionChecker& check) {
  return !o.check_gradients ||
         (check.Greater(CERES_OPTION(o, gradient_check_relative_precision),
                        0.0) &&
          check.Greater(
              CERES_OPTION(
                  o, gradient_check_numeric_derivative_relative_step_size),
              0.0));
}

bool CheckAll(const Options& o, const OptionChecker& check) {
  const bool trust_region = o.minimizer_type == TRUST_REGION;
  return CheckLineSearchOptions(o, o.minimizer_type == LINE_SEARCH, check) &&
         (!trust_region || CheckSteps(o, check)) &&
         CheckLimitOptions(o, check) &&
         check.Greater(CERES_OPTION(o, num_threads), 0.0) &&
         (!trust_region || CheckTrustRegion(o, check)) &&
         CheckToleranceOptions(o, check) &&
         check.Greater(CERES_OPTION(o, constraint_tolerance), 0.0) &&
         check.HasNoConflict(Storage(o)) &&
         (!trust_region ||
          (CheckLinearSolver(o, check) && CheckInnerIterations(o, check) &&
           check.HasNoConflict(DumpDirectory(o)))) &&
         CheckGradientCheck(o, check);
}

}  // namespace
}  // namespace internal

bool Solver::Options::IsValid(std::string* error) const {
  VESTA_CHECK(error != nullptr) << "IsValid needs a string for the reason.";
  const internal::OptionChecker check("Solver::Options", error);
  if (!internal::CheckAll(*this, check)) return false;
  internal::WarnOfBisection(*this, check.options_name());
  return true;
}

}  // namespace ceres
