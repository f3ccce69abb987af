// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal_prior.h"

#include <utility>

#include "ceres/logging/logging.h"

namespace ceres {

NormalPrior::NormalPrior(const Matrix& A, Vector b) : A_(A), b_(std::move(b)) {
  VESTA_CHECK_GT(b_.rows(), 0) << "The mean b of a NormalPrior is empty.";
  VESTA_CHECK_GT(A_.rows(), 0) << "The matrix A of a NormalPrior has no rows.";
  VESTA_CHECK_EQ(b_.rows(), A_.cols())
      << "The mean b of a NormalPrior has another size (left) than its matrix "
      << "A has columns (right).";
  mutable_parameter_block_sizes()->push_back(static_cast<int>(b_.rows()));
  set_num_residuals(static_cast<int>(A_.rows()));
}

bool NormalPrior::Evaluate(double const* const* parameters, double* residuals,
                           double** jacobians) const {
  const ConstVectorRef x(parameters[0], b_.rows());
  VectorRef(residuals, A_.rows()).noalias() = A_ * (x - b_);
  if (jacobians != nullptr && jacobians[0] != nullptr) {
    MatrixRef(jacobians[0], A_.rows(), A_.cols()) = A_;
  }
  return true;
}

}  // namespace ceres
