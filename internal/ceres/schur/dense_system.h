// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// The source of a dense system: a symmetric positive definite n x n matrix in
// blocks, and a right hand side.
class DenseSource {
 public:
  virtual ~DenseSource() = default;

  virtual const Execution& execution() const = 0;
  // Writes the upper triangle, row-major, and whole diagonal blocks. Elements
  // below the diagonal blocks are not written.
  virtual void AssembleDense(double* matrix) const = 0;
  // Writes the lower triangle as the pivot rows of one front
  // (kernels/front_layout.h).
  virtual void AssembleFront(double* front) const = 0;
  virtual void AssembleRhs(double* rhs) const = 0;
};

// Factors and solves dense systems of one size, with the library and in the
// precision of the options. Not thread-safe.
class DenseSystem {
 public:
  virtual ~DenseSystem() = default;

  // Does not set the model cost change of the summary.
  [[nodiscard]] virtual LinearSolverSummary Solve(const DenseSource& source,
                                                  double* z) = 0;
};

std::unique_ptr<DenseSystem> CreateDenseSystem(
    const SchurSolverOptions& options, int size);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_
