// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Where a dense system comes from: a symmetric positive definite n x n matrix
// in blocks, and a right hand side.
class DenseSource {
 public:
  virtual ~DenseSource() = default;

  virtual const Execution& execution() const = 0;
  // The upper triangle by rows, row-major, and whole diagonal blocks; what is
  // below them is not touched.
  virtual void AssembleDense(double* matrix) const = 0;
  // The lower triangle as the pivot rows of one front (kernels/front_layout.h).
  virtual void AssembleFront(double* front) const = 0;
  virtual void AssembleRhs(double* rhs) const = 0;
};

// Factors and solves such systems of one size, again and again, with the
// library and in the precision of the options.
class DenseSystem {
 public:
  virtual ~DenseSystem() = default;

  // The summary's model cost change is left to the caller.
  [[nodiscard]] virtual LinearSolverSummary Solve(const DenseSource& source,
                                                  double* z) = 0;
};

std::unique_ptr<DenseSystem> CreateDenseSystem(
    const SchurSolverOptions& options, int size);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_DENSE_SYSTEM_H_
