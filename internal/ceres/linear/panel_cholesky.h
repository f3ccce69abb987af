// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_PANEL_CHOLESKY_H_
#define CERES_INTERNAL_LINEAR_PANEL_CHOLESKY_H_

#include <cstdint>
#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/front_layout.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// Cholesky factorization A = LL' of a dense symmetric positive definite matrix
// that lies in panels, in several threads: one front of a multifrontal
// factorization (kernels/front_kernels.h), without rows below. The columns of a
// block are factored by one thread, and eliminated from the panels below by
// all, panel by panel. The same bits for every number of threads.
class PanelCholesky {
 public:
  explicit PanelCholesky(int size);

  int size() const { return size_; }
  // To be filled before each Factorize: element (row, column) at Position(row,
  // column), column <= row. What is above the diagonal may be anything.
  double* matrix() { return matrix_.data(); }
  int64_t Position(int row, int column) const {
    return kernels::PivotPosition<double>(size_, row, column);
  }

  // Overwrites the matrix by its factor. kSuccess, or kFailure with the message
  // naming the failing pivot.
  [[nodiscard]] LinearSolverTermination Factorize(const Execution& execution,
                                                  std::string* message);
  // x = A^-1 b; they may be the same.
  void Solve(const double* b, double* x);

 private:
  const int size_;
  AlignedBuffer matrix_;
  AlignedBuffer x_;
};

// The failure of a dense factorization of n columns at a pivot of some value.
LinearSolverTermination NotPositiveDefinite(int pivot, int n, double value,
                                            std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_PANEL_CHOLESKY_H_
