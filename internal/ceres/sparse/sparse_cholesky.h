// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_
#define CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/elimination_order.h"
#include "ceres/types.h"

namespace ceres::internal {

// Cholesky factorization A = LL' of a block-sparse symmetric positive definite
// matrix, and solves with the factor.
//
// The structure is analysed at construction: a fill-reducing ordering of the
// graph of blocks, or the order that the options give, expanded to scalars. If
// groups are given, blocks of a lower group are ordered first. Values may be
// factored any number of times. Results have the same bits for every number of
// threads. Not thread-safe.
class SparseCholesky {
 public:
  struct Options {
    SparseLinearAlgebraLibraryType library = SUITE_SPARSE;
    LinearSolverOrderingType ordering = AMD;
    bool single_precision =
        false;  // factor in float (EIGEN_SPARSE); use with refinement
    int num_refinement_iterations = 0;
    // Null: an order is computed. Otherwise the order to use, and where to
    // return the order that is used; read and written by Create only. There
    // must be no groups.
    EliminationOrder* elimination_order = nullptr;
    // The most bytes that the factor may take; 0: what this process can have.
    // Beyond, nothing is allocated, and Factorize ends with kFatalError.
    double max_bytes = 0.0;
  };
  virtual ~SparseCholesky() = default;
  // CHECKs that library and ordering are available in this build. `structure`
  // must outlive the object. `group`: null, or one elimination group per block.
  // `workspace`: null, or the workspace of the solve, whose memory the native
  // factorization uses (kSparseFactor, kUpdateMatrices). Then the factor is
  // valid until the phase after kFactorize.
  static std::unique_ptr<SparseCholesky> Create(
      const Options& options, const BlockSymmetricStructure& structure,
      const std::vector<int>* group, SolveWorkspace* workspace = nullptr);

  // Whether the values are read in phase kFillFronts only. Then they may lie in
  // WorkspaceRegion::kBlockValues.
  virtual bool ReadsValuesInFillFronts() const { return false; }

  // `values` has structure.num_values() doubles. Unless they lie in
  // kBlockValues, they must live until the last Solve. Enters the phases
  // kFillFronts and kFactorize of the workspace.
  [[nodiscard]] virtual LinearSolverTermination Factorize(
      const Execution& execution, const double* values,
      std::string* message) = 0;
  [[nodiscard]] virtual LinearSolverTermination Solve(const double* b,
                                                      double* x,
                                                      std::string* message) = 0;
  // Factorize and Solve. Faster if fronts are solved with while they are in the
  // cache.
  [[nodiscard]] virtual LinearSolverTermination FactorizeAndSolve(
      const Execution& execution, const double* values, const double* b,
      double* x, std::string* message);
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_
