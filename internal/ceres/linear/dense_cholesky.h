// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_
#define CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_

#include <memory>
#include <string>

#include "ceres/linear/linear_solver.h"
#include "ceres/types.h"

namespace ceres::internal {

// Cholesky factorization A = LL' of a dense symmetric positive definite matrix
// that a library can read, and solves A x = b. FrontCholesky is the same
// without a copy, for matrices that are made for it. Not thread-safe.
class DenseCholesky {
 public:
  virtual ~DenseCholesky() = default;
  // CHECKs that the library is available.
  static std::unique_ptr<DenseCholesky> Create(
      DenseLinearAlgebraLibraryType type);
  // Factors a copy in float. The caller refines the solution.
  static std::unique_ptr<DenseCholesky> CreateSinglePrecision(
      DenseLinearAlgebraLibraryType type);

  // a: n x n, of which the upper triangle in ROW-major order (the lower
  // triangle in column-major order) is read. It must live until the last Solve.
  // kSuccess, or kFailure with a message that names the pivot.
  [[nodiscard]] virtual LinearSolverTermination Factorize(
      int n, double* a, std::string* message) = 0;
  // Whether the factor overwrites `a`.
  virtual bool IsInPlace() const { return false; }
  // x and b may be the same.
  virtual void Solve(const double* b, double* x) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_
