// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_
#define CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/types.h"

namespace ceres::internal {

// Factors a block-sparse symmetric positive definite matrix and solves with it.
// The structure is analysed once (block-wise fill-reducing ordering on the
// graph of the blocks, expanded to scalars; constrained so that `group` values
// ascend when groups are given), values may then be factored any number of
// times.
class SparseCholesky {
 public:
  struct Options {
    SparseLinearAlgebraLibraryType library = SUITE_SPARSE;
    LinearSolverOrderingType ordering = AMD;
    bool single_precision =
        false;  // factor in float (EIGEN_SPARSE); use with refinement
    int num_refinement_iterations = 0;
    // The caller calls PlaceFactor before the first factorization, if
    // FactorSize is not 0.
    bool factor_is_placed_later = false;
  };
  virtual ~SparseCholesky() = default;
  // CHECKs that library and ordering are available in this build. `structure`
  // must outlive the object. `group`: null, or one elimination group per block,
  // lower groups are ordered first.
  static std::unique_ptr<SparseCholesky> Create(
      const Options& options, const BlockSymmetricStructure& structure,
      const std::vector<int>* group);

  // Doubles of the memory that the caller can lend for the factor, 64-byte
  // aligned; 0: none. What is in it is lost with every factorization, and the
  // factor with whatever else the caller puts there.
  virtual int64_t FactorSize() const { return 0; }
  virtual void PlaceFactor(double* /*memory*/) {}
  // Where the caller may form the values of the matrix, which then are lost
  // with the factorization: structure.num_values() doubles. Null: nowhere.
  virtual double* MemoryForValues() { return nullptr; }

  // `values` has structure.num_values() doubles and must live until the last
  // Solve. One BLAS thread per execution thread at most, and the same bits for
  // any number.
  [[nodiscard]] virtual LinearSolverTermination Factorize(
      const Execution& execution, const double* values,
      std::string* message) = 0;
  [[nodiscard]] virtual LinearSolverTermination Solve(const double* b,
                                                      double* x,
                                                      std::string* message) = 0;
  // Both. Faster where the factor is solved with while it is in the cache.
  [[nodiscard]] virtual LinearSolverTermination FactorizeAndSolve(
      const Execution& execution, const double* values, const double* b,
      double* x, std::string* message);
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_H_
