// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_
#define CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_

#include <memory>
#include <string>

#include "ceres/linear/linear_solver.h"
#include "ceres/types.h"

namespace ceres::internal {

// Factors a dense symmetric positive definite matrix in place, A = LL', and
// solves A x = b.
class DenseCholesky {
 public:
  virtual ~DenseCholesky() = default;
  // CHECKs that the library is available.
  static std::unique_ptr<DenseCholesky> Create(
      DenseLinearAlgebraLibraryType type);
  // One that factors a copy in float, to be refined by the caller: it leaves
  // the matrix as it is.
  static std::unique_ptr<DenseCholesky> CreateSinglePrecision(
      DenseLinearAlgebraLibraryType type);

  // `a` is n x n; only its upper triangle in ROW-major order (the lower in
  // column-major) is read; it is overwritten by the factor and must live until
  // the last Solve. kSuccess, or kFailure with the message naming the failing
  // pivot.
  [[nodiscard]] virtual LinearSolverTermination Factorize(
      int n, double* a, std::string* message) = 0;
  // x and b may be the same.
  virtual void Solve(const double* b, double* x) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_CHOLESKY_H_
