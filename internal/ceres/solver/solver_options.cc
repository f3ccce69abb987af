// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solver::Options::IsValid: one table of rules, in the order of ceres/solver.h.

#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/internal/config.h"
#include "ceres/solver.h"
#include "glog/logging.h"

namespace ceres {
namespace internal {
namespace {

using Options = Solver::Options;

// The sets of options to which rules apply.
enum Scope : unsigned {
  kAlways = 1 << 0,
  kLineSearch = 1 << 1,
  kTrustRegion = 1 << 2,
  // The others are parts of kTrustRegion, but for kGradientCheck.
  kNonmonotonic = 1 << 3,
  kDenseFactors = 1 << 4,
  kSparseFactors = 1 << 5,
  kPowerSeries = 1 << 6,
  kInnerIterations = 1 << 7,
  kGradientCheck = 1 << 8,
};

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

unsigned ScopesOf(const Options& o) {
  unsigned scopes = kAlways;
  if (o.check_gradients) scopes |= kGradientCheck;
  if (o.minimizer_type == LINE_SEARCH) scopes |= kLineSearch;
  if (o.minimizer_type != TRUST_REGION) return scopes;
  scopes |= kTrustRegion;
  if (o.use_nonmonotonic_steps) scopes |= kNonmonotonic;
  if (FactorsDense(o)) scopes |= kDenseFactors;
  if (FactorsSparse(o)) scopes |= kSparseFactors;
  if (UsesPowerSeries(o)) scopes |= kPowerSeries;
  if (o.use_inner_iterations) scopes |= kInnerIterations;
  return scopes;
}

// A number that a rule compares: an option, or a constant without a name.
struct Number {
  constexpr explicit Number(double constant) : constant(constant) {}
  constexpr Number(const char* name, int Options::*field)
      : name(name), int_field(field) {}
  constexpr Number(const char* name, double Options::*field)
      : name(name), double_field(field) {}

  double In(const Options& options) const {
    if (name == nullptr) return constant;
    return int_field != nullptr ? options.*int_field : options.*double_field;
  }

  const char* name = nullptr;
  int Options::*int_field = nullptr;
  double Options::*double_field = nullptr;
  double constant = 0.0;
};

#define CERES_OPTION(field) (Number(#field, &Options::field))

enum Relation { kGreater, kAtLeast, kLess, kAtMost };
constexpr const char* kSigns[] = {">", ">=", "<", "<="};

// Either compares two numbers, or looks for options that cannot be combined.
struct Rule {
  constexpr Rule(Scope scope, Number left, Relation relation, Number right)
      : scope(scope), left(left), relation(relation), right(right) {}
  constexpr Rule(Scope scope, Number left, Relation relation, double bound)
      : Rule(scope, left, relation, Number(bound)) {}
  constexpr Rule(Scope scope, std::string (*find_conflict)(const Options&))
      : scope(scope), find_conflict(find_conflict) {}

  Scope scope;
  Number left{0.0};
  Relation relation = kAtMost;
  Number right{0.0};
  // Returns what is wrong, if anything is. Null if the rule compares.
  std::string (*find_conflict)(const Options&) = nullptr;
};

// False if one of the numbers is NaN.
bool IsObeyed(const Rule& rule, const Options& options) {
  const double left = rule.left.In(options);
  const double right = rule.right.In(options);
  const bool or_equal = rule.relation == kAtLeast || rule.relation == kAtMost;
  if (left == right) return or_equal;
  return rule.relation <= kAtLeast ? left > right : left < right;
}

std::string Contradiction(const Rule& rule, const Options& options) {
  const Number& left = rule.left;
  const Number& right = rule.right;
  if (right.name == nullptr) {
    return Format(
        "Solver::Options::%s = %.15g is out of range: set it to a value %s "
        "%.15g.",
        left.name, left.In(options), kSigns[rule.relation], right.constant);
  }
  return Format(
      "Solver::Options::%s = %.15g and Solver::Options::%s = %.15g contradict "
      "each other: change one of them so that the first is %s the second.",
      left.name, left.In(options), right.name, right.In(options),
      kSigns[rule.relation]);
}

// --- What cannot be combined -------------------------------------------------

const char* SolverName(const Options& o) {
  return LinearSolverTypeToString(o.linear_solver_type);
}

// What linear_solver_type cannot do, and what to do instead.
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

std::string QuasiNewtonLineSearch(const Options& o) {
  const LineSearchDirectionType direction = o.line_search_direction_type;
  if (o.line_search_type == WOLFE ||
      (direction != BFGS && direction != LBFGS)) {
    return "";
  }
  return Format(
      "Solver::Options::line_search_direction_type = %s learns from steps of "
      "positive curvature, which Solver::Options::line_search_type = %s does "
      "not ensure: set line_search_type = WOLFE.",
      LineSearchDirectionTypeToString(direction),
      LineSearchTypeToString(o.line_search_type));
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
      return "";
    case SPARSE_NORMAL_CHOLESKY:
    case SPARSE_SCHUR:
      if (o.sparse_linear_algebra_library_type != SUITE_SPARSE) return "";
      return SolverRefuses(
          o,
          "use_mixed_precision_solves and "
          "sparse_linear_algebra_library_type = SUITE_SPARSE",
          "choose a library that factors in single precision, for example "
          "NATIVE_SPARSE");
    default:
      return SolverRefuses(o, "use_mixed_precision_solves",
                           "choose a solver that uses a Cholesky "
                           "factorization");
  }
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

// clang-format off
constexpr Rule kRules[] = {
    // Line search. Of these, a trust region minimizer may use some.
    {kAlways, QuasiNewtonLineSearch},
    {kAlways, CERES_OPTION(max_lbfgs_rank), kGreater, 0.0},
    {kAlways, CERES_OPTION(min_line_search_step_size), kGreater, 0.0},
    {kAlways, CERES_OPTION(line_search_sufficient_function_decrease), kGreater, 0.0},
    {kAlways, CERES_OPTION(max_line_search_step_contraction), kGreater, 0.0},
    {kAlways, CERES_OPTION(max_line_search_step_contraction), kLess, 1.0},
    {kAlways, CERES_OPTION(max_line_search_step_contraction), kLess, CERES_OPTION(min_line_search_step_contraction)},
    {kAlways, CERES_OPTION(min_line_search_step_contraction), kAtMost, 1.0},
    {kAlways, CERES_OPTION(max_num_line_search_step_size_iterations), kAtLeast, 0.0},
    {kLineSearch, CERES_OPTION(max_num_line_search_step_size_iterations), kAtLeast, 1.0},
    {kAlways, CERES_OPTION(line_search_sufficient_function_decrease), kLess,
     CERES_OPTION(line_search_sufficient_curvature_decrease)},
    {kAlways, CERES_OPTION(line_search_sufficient_curvature_decrease), kLess, 1.0},
    {kAlways, CERES_OPTION(max_line_search_step_expansion), kGreater, 1.0},
    // Trust region.
    {kTrustRegion, Dogleg},
    {kNonmonotonic, CERES_OPTION(max_consecutive_nonmonotonic_steps), kGreater, 0.0},
    // Limits.
    {kAlways, CERES_OPTION(max_num_iterations), kAtLeast, 0.0},
    {kAlways, CERES_OPTION(max_solver_time_in_seconds), kAtLeast, 0.0},
    {kAlways, CERES_OPTION(num_threads), kGreater, 0.0},
    {kTrustRegion, CERES_OPTION(initial_trust_region_radius), kGreater, 0.0},
    {kTrustRegion, CERES_OPTION(max_trust_region_radius), kGreater, 0.0},
    {kTrustRegion, CERES_OPTION(min_trust_region_radius), kGreater, 0.0},
    {kTrustRegion, CERES_OPTION(min_trust_region_radius), kAtMost, CERES_OPTION(max_trust_region_radius)},
    {kTrustRegion, CERES_OPTION(min_trust_region_radius), kAtMost, CERES_OPTION(initial_trust_region_radius)},
    {kTrustRegion, CERES_OPTION(initial_trust_region_radius), kAtMost, CERES_OPTION(max_trust_region_radius)},
    {kTrustRegion, CERES_OPTION(min_relative_decrease), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(min_lm_diagonal), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(max_lm_diagonal), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(min_lm_diagonal), kAtMost, CERES_OPTION(max_lm_diagonal)},
    {kTrustRegion, CERES_OPTION(max_num_consecutive_invalid_steps), kAtLeast, 0.0},
    {kAlways, CERES_OPTION(function_tolerance), kAtLeast, 0.0},
    {kAlways, CERES_OPTION(gradient_tolerance), kAtLeast, 0.0},
    {kAlways, CERES_OPTION(parameter_tolerance), kAtLeast, 0.0},
    // Linear solver.
    {kTrustRegion, KnownLinearSolver},
    {kTrustRegion, Preconditioner},
    {kTrustRegion, RowsOfSubset},
    {kDenseFactors, DenseLibrary},
    {kSparseFactors, SparseLibrary},
    {kTrustRegion, SparseLibraryOfCgnr},
    {kSparseFactors, NestedDissection},
    {kTrustRegion, ExplicitSchurComplement},
    {kTrustRegion, DynamicSparsity},
    {kTrustRegion, MixedPrecision},
    {kTrustRegion, CERES_OPTION(min_linear_solver_iterations), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(max_linear_solver_iterations), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(min_linear_solver_iterations), kAtMost, CERES_OPTION(max_linear_solver_iterations)},
    {kPowerSeries, CERES_OPTION(max_num_spse_iterations), kAtLeast, 1.0},
    {kPowerSeries, CERES_OPTION(spse_tolerance), kAtLeast, 0.0},
    {kTrustRegion, CERES_OPTION(eta), kGreater, 0.0},
    // Inner iterations.
    {kInnerIterations, CERES_OPTION(inner_iteration_tolerance), kAtLeast, 0.0},
    // Reports.
    {kTrustRegion, DumpDirectory},
    {kGradientCheck, CERES_OPTION(gradient_check_relative_precision), kGreater, 0.0},
    {kGradientCheck, CERES_OPTION(gradient_check_numeric_derivative_relative_step_size), kGreater, 0.0},
};
// clang-format on

#undef CERES_OPTION

void WarnOfBisection(const Options& o) {
  if (o.line_search_interpolation_type != BISECTION ||
      (o.max_line_search_step_contraction <= 0.5 &&
       o.min_line_search_step_contraction >= 0.5)) {
    return;
  }
  LOG(WARNING) << "Solver::Options::line_search_interpolation_type = BISECTION "
                  "halves step sizes, but the factors that the options allow, "
                  "max_line_search_step_contraction = "
               << o.max_line_search_step_contraction
               << " to min_line_search_step_contraction = "
               << o.min_line_search_step_contraction
               << ", leave out 0.5. Set them to values on both sides of it.";
}

}  // namespace
}  // namespace internal

bool Solver::Options::IsValid(std::string* error) const {
  CHECK(error != nullptr) << "IsValid needs a string for the reason.";
  const unsigned scopes = internal::ScopesOf(*this);
  for (const internal::Rule& rule : internal::kRules) {
    if ((rule.scope & scopes) == 0) continue;
    if (rule.find_conflict == nullptr) {
      if (internal::IsObeyed(rule, *this)) continue;
      *error = internal::Contradiction(rule, *this);
      return false;
    }
    std::string conflict = rule.find_conflict(*this);
    if (conflict.empty()) continue;
    *error = std::move(conflict);
    return false;
  }
  internal::WarnOfBisection(*this);
  return true;
}

}  // namespace ceres
