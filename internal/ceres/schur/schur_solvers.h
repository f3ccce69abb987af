// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_SOLVERS_H_
#define CERES_INTERNAL_SCHUR_SCHUR_SOLVERS_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/sparse/sparse_cholesky.h"
#include "ceres/types.h"

namespace ceres::internal {

// Options of the linear solvers that eliminate the structure's eliminated
// blocks (points) and solve the reduced system (Triggs et al., Bundle
// Adjustment: A Modern Synthesis, 2000, section 6.1):
//
// clang-format off
//     [ B   H ] [ y ]   [ v ]      B: eliminated, block diagonal
//     [ H'  C ] [ z ] = [ w ]      C: remaining (cameras)
//
//     S = C - H' B^-1 H            S z = w - H' B^-1 v
// clang-format on
//
// With num_eliminated == 0, S = J'J + D'D. schur_plan.h has the formulas of the
// blocks.
struct SchurSolverOptions {
  enum class Method { kDense, kSparse, kIterative };
  Method method = Method::kSparse;
  DenseLinearAlgebraLibraryType dense_library = EIGEN;  // kDense
  SparseCholesky::Options sparse;                       // kSparse
  // Whether the Jacobian has a source instead of values. S is then formed by
  // partial sums (schur_plan.h).
  bool reads_from_source = false;
  std::vector<int> elimination_group;  // kSparse: empty, or the group of each
                                       // remaining column block
  int max_num_refinement_iterations = 0;  // kDense
  bool mixed_precision = false;  // kDense: factor in float, refine in double
  // kIterative. Any preconditioner but SUBSET: IDENTITY, JACOBI (block
  // diagonal of C), SCHUR_JACOBI (of S), SCHUR_POWER_SERIES_EXPANSION (see
  // power_series.h), CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL
  // (cluster_preconditioner.h, which factor as `sparse` says).
  PreconditionerType preconditioner = JACOBI;
  VisibilityClusteringType visibility_clustering = CANONICAL_VIEWS;
  int max_num_spse_iterations = 5;  // terms of the power series
  // Starts from the power series, broken off at spse_tolerance.
  bool use_spse_initialization = false;
  double spse_tolerance = 0.1;
  bool explicit_schur_complement =
      false;  // true: form S always; false: choose by counting
  // kIterative: the q_tolerance that solves are going to ask for, 0: not known.
  double expected_q_tolerance = 0.0;
  int min_iterations = 0;
  int max_iterations = 500;
};
// `structure` and `workspace`, which may be null, must outlive the solver.
std::unique_ptr<LinearSolver> CreateSchurSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure,
    SolveWorkspace* workspace = nullptr);

// The sizes "row,e,f" that all rows of eliminated blocks share, with "d" for a
// size that differs, for Summary::schur_structure_*.
std::string SchurStructureName(const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_SOLVERS_H_
