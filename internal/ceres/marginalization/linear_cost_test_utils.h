// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_LINEAR_COST_TEST_UTILS_H_
#define CERES_INTERNAL_MARGINALIZATION_LINEAR_COST_TEST_UTILS_H_

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/internal/eigen.h"

namespace ceres::internal {

// residuals = sum of A_k x_k + b.
class LinearCost final : public CostFunction {
 public:
  LinearCost(std::vector<Matrix> a, Vector b)
      : a_(std::move(a)), b_(std::move(b)) {
    for (const Matrix& matrix : a_) {
      mutable_parameter_block_sizes()->push_back(
          static_cast<int>(matrix.cols()));
    }
    set_num_residuals(static_cast<int>(b_.size()));
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    VectorRef r(residuals, b_.size());
    r = b_;
    for (std::size_t k = 0; k < a_.size(); ++k) {
      r += a_[k] * ConstVectorRef(parameters[k], a_[k].cols());
      if (jacobians != nullptr && jacobians[k] != nullptr) {
        MatrixRef(jacobians[k], a_[k].rows(), a_[k].cols()) = a_[k];
      }
    }
    return true;
  }

 private:
  const std::vector<Matrix> a_;
  const Vector b_;
};

// Entries between -1 and 1. Not the library's distributions, whose values are
// not specified.
inline Matrix RandomMatrix(int rows, int columns, std::mt19937* random) {
  Matrix matrix(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      matrix(i, j) = (*random)() / 2147483648.0 - 1.0;
    }
  }
  return matrix;
}

inline Vector RandomVector(int size, std::mt19937* random) {
  return RandomMatrix(size, 1, random).col(0);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_LINEAR_COST_TEST_UTILS_H_
