// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_FRONT_CHOLESKY_H_
#define CERES_INTERNAL_LINEAR_FRONT_CHOLESKY_H_

#include <cstdint>
#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/front_layout.h"
#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// Multithreaded Cholesky factorization A = LL' of a dense symmetric positive
// definite matrix in strips (kernels/front_layout.h): one front of a
// multifrontal factorization, without rows below its pivots. One thread factors
// the columns of a block; all threads eliminate them from the strips below. The
// same bits for every number of threads. T: double or float, in which all is
// computed. Not thread-safe.
template <typename T>
class FrontCholesky {
 public:
  explicit FrontCholesky(int size);

  int size() const { return size_; }
  // The caller fills it before each Factorize: element (row, column), with
  // column <= row, at Position(row, column). Other elements are not read.
  T* matrix() { return reinterpret_cast<T*>(matrix_.data()); }
  int64_t Position(int row, int column) const {
    return kernels::PivotPosition<T>(size_, row, column);
  }

  // Overwrites the matrix by its factor. kSuccess, or kFailure with a message.
  [[nodiscard]] LinearSolverTermination Factorize(const Execution& execution,
                                                  std::string* message);
  // x = A^-1 b. x and b may be the same vector.
  void Solve(const double* b, double* x);

 private:
  const int size_;
  AlignedBuffer matrix_;
  AlignedBuffer x_;
};

// Returns kFailure, and the message for a dense factorization of n columns that
// failed at a pivot with this value.
LinearSolverTermination NotPositiveDefinite(int pivot, int n, double value,
                                            std::string* message);
// The same in single precision.
LinearSolverTermination NotPositiveDefinite(int pivot, int n, float value,
                                            std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_FRONT_CHOLESKY_H_
