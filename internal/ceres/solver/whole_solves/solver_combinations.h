// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_COMBINATIONS_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_COMBINATIONS_H_

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/problem.h"
#include "ceres/solver.h"

// For tests: every combination of minimizer, strategy, linear solver,
// preconditioner and library that Solver::Options::IsValid accepts.

namespace ceres::internal {

// The linear solvers that read an option. For the other linear solvers the
// option keeps its default, so that no combination is solved twice.
inline bool IsDense(const Solver::Options& o) {
  return o.linear_solver_type == DENSE_QR ||
         o.linear_solver_type == DENSE_NORMAL_CHOLESKY ||
         o.linear_solver_type == DENSE_SCHUR;
}
inline bool IsIterative(const Solver::Options& o) {
  return o.linear_solver_type == ITERATIVE_SCHUR ||
         o.linear_solver_type == CGNR;
}
inline bool HasClusters(const Solver::Options& o) {
  return IsIterative(o) && (o.preconditioner_type == CLUSTER_JACOBI ||
                            o.preconditioner_type == CLUSTER_TRIDIAGONAL);
}
inline bool HasSparseCholesky(const Solver::Options& o) {
  return o.linear_solver_type == SPARSE_NORMAL_CHOLESKY ||
         o.linear_solver_type == SPARSE_SCHUR || HasClusters(o) ||
         (IsIterative(o) && o.preconditioner_type == SUBSET);
}
inline bool IsIterativeSchur(const Solver::Options& o) {
  return o.linear_solver_type == ITERATIVE_SCHUR;
}
inline bool IsSparseNormalCholesky(const Solver::Options& o) {
  return o.linear_solver_type == SPARSE_NORMAL_CHOLESKY;
}
inline bool IsDogleg(const Solver::Options& o) {
  return o.trust_region_strategy_type == DOGLEG;
}
inline bool IsConjugateGradient(const Solver::Options& o) {
  return o.line_search_direction_type == NONLINEAR_CONJUGATE_GRADIENT;
}
inline bool Always(const Solver::Options&) { return true; }

// A list of Solver::Options that is multiplied by the values of one option
// after another.
class Product {
 public:
  explicit Product(const Solver::Options& base) : all_({base}) {}

  // Replaces each element for which `matters` returns true by one element for
  // each value.
  template <typename T>
  Product& Vary(T Solver::Options::*option,
                const std::vector<std::decay_t<T>>& values,
                bool (*matters)(const Solver::Options&) = Always) {
    std::vector<Solver::Options> varied;
    for (const Solver::Options& options : all_) {
      if (!matters(options)) {
        varied.push_back(options);
        continue;
      }
      for (const T& value : values) {
        varied.push_back(options);
        varied.back().*option = value;
      }
    }
    all_ = std::move(varied);
    return *this;
  }

  std::vector<Solver::Options> Valid() const {
    std::vector<Solver::Options> valid;
    for (const Solver::Options& options : all_) {
      std::string error;
      if (options.IsValid(&error)) valid.push_back(options);
    }
    return valid;
  }

 private:
  std::vector<Solver::Options> all_;
};

// Tolerances that are tight enough to compare the results of all combinations.
inline Solver::Options OptionsToCompare() {
  Solver::Options options;
  options.function_tolerance = 1e-16;
  options.gradient_tolerance = 1e-13;
  options.parameter_tolerance = 1e-14;
  options.max_num_iterations = 300;
  options.eta = 1e-3;
  options.max_num_refinement_iterations = 2;
  options.logging_type = SILENT;
  return options;
}

// Names two of three residual blocks for the preconditioner SUBSET. They must
// determine the parameters: a direction that only the damping determines has an
// eigenvalue of the preconditioned matrix as large as the trust region, and
// inexact steps then end too early.
inline void NameSubset(const Problem& problem, Solver::Options* options) {
  std::vector<ResidualBlockId> ids;
  problem.GetResidualBlocks(&ids);
  options->residual_blocks_for_subset_preconditioner.clear();
  for (size_t k = 0; k < ids.size(); ++k) {
    if (k % 3 == 0) continue;
    options->residual_blocks_for_subset_preconditioner.insert(ids[k]);
  }
}

// Every linear solver with every strategy.
inline Product SolversAndStrategies(const Solver::Options& base) {
  using O = Solver::Options;
  return Product(base)
      .Vary(&O::linear_solver_type,
            {DENSE_NORMAL_CHOLESKY, DENSE_QR, SPARSE_NORMAL_CHOLESKY,
             DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR})
      .Vary(&O::trust_region_strategy_type, {LEVENBERG_MARQUARDT, DOGLEG})
      .Vary(&O::dogleg_type, {TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG}, IsDogleg)
      .Vary(&O::use_nonmonotonic_steps, {false, true});
}

inline std::vector<Solver::Options> TrustRegionCombinations(
    const Solver::Options& base) {
  using O = Solver::Options;
  return SolversAndStrategies(base)
      .Vary(&O::preconditioner_type,
            {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
             CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL, SUBSET},
            IsIterative)
      .Vary(&O::visibility_clustering_type, {CANONICAL_VIEWS, SINGLE_LINKAGE},
            HasClusters)
      .Vary(&O::dense_linear_algebra_library_type, {EIGEN, LAPACK, CUDA},
            IsDense)
      .Vary(&O::sparse_linear_algebra_library_type,
            {SUITE_SPARSE, EIGEN_SPARSE, ACCELERATE_SPARSE, CUDA_SPARSE,
             NO_SPARSE, NATIVE_SPARSE},
            HasSparseCholesky)
      .Vary(&O::linear_solver_ordering_type, {AMD, NESDIS}, HasSparseCholesky)
      .Vary(&O::use_mixed_precision_solves, {false, true})
      .Vary(&O::use_explicit_schur_complement, {false, true}, IsIterativeSchur)
      .Vary(&O::use_spse_initialization, {false, true}, IsIterativeSchur)
      .Vary(&O::dynamic_sparsity, {false, true}, IsSparseNormalCholesky)
      .Valid();
}

inline std::vector<Solver::Options> LineSearchCombinations(
    const Solver::Options& base) {
  using O = Solver::Options;
  return Product(base)
      .Vary(&O::minimizer_type, {LINE_SEARCH})
      .Vary(&O::line_search_direction_type,
            {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, LBFGS, BFGS})
      .Vary(&O::nonlinear_conjugate_gradient_type,
            {FLETCHER_REEVES, POLAK_RIBIERE, HESTENES_STIEFEL},
            IsConjugateGradient)
      .Vary(&O::line_search_type, {ARMIJO, WOLFE})
      .Vary(&O::line_search_interpolation_type, {BISECTION, QUADRATIC, CUBIC})
      .Valid();
}

inline std::string Describe(const Solver::Options& o) {
  if (o.minimizer_type == LINE_SEARCH) {
    return std::string(
               LineSearchDirectionTypeToString(o.line_search_direction_type)) +
           " " +
           NonlinearConjugateGradientTypeToString(
               o.nonlinear_conjugate_gradient_type) +
           " " + LineSearchTypeToString(o.line_search_type) + " " +
           LineSearchInterpolationTypeToString(
               o.line_search_interpolation_type);
  }
  std::string text =
      std::string(
          TrustRegionStrategyTypeToString(o.trust_region_strategy_type)) +
      " " + DoglegTypeToString(o.dogleg_type) + " " +
      LinearSolverTypeToString(o.linear_solver_type) + " " +
      PreconditionerTypeToString(o.preconditioner_type) + " " +
      VisibilityClusteringTypeToString(o.visibility_clustering_type) + " " +
      DenseLinearAlgebraLibraryTypeToString(
          o.dense_linear_algebra_library_type) +
      " " +
      SparseLinearAlgebraLibraryTypeToString(
          o.sparse_linear_algebra_library_type) +
      " " + LinearSolverOrderingTypeToString(o.linear_solver_ordering_type);
  if (o.use_nonmonotonic_steps) text += " nonmonotonic";
  if (o.use_mixed_precision_solves) text += " mixed";
  if (o.use_explicit_schur_complement) text += " explicit";
  if (o.use_spse_initialization) text += " spse";
  if (o.dynamic_sparsity) text += " dynamic";
  return text;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_COMBINATIONS_H_
