// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linearized_prior.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ceres/logging/logging.h"
#include "ceres/marginalization/minus_derivative.h"

namespace ceres {
namespace {

int TangentSize(const LinearizedPrior::Block& block) {
  return block.manifold == nullptr ? static_cast<int>(block.point.size())
                                   : block.manifold->TangentSize();
}

void CheckBlock(const LinearizedPrior::Block& block, std::size_t k) {
  VESTA_CHECK_GT(block.point.size(), 0)
      << "Block " << k << " of a LinearizedPrior has no coordinates.";
  if (block.manifold == nullptr) return;
  VESTA_CHECK_EQ(static_cast<int>(block.point.size()),
                 block.manifold->AmbientSize())
      << "The point of block " << k
      << " of a LinearizedPrior has another size (left) than its manifold "
         "(right).";
}

}  // namespace

LinearizedPrior::LinearizedPrior(Matrix A, Vector b, std::vector<Block> blocks)
    : A_(std::move(A)),
      b_(std::move(b)),
      blocks_(std::move(blocks)),
      first_column_(1, 0) {
  VESTA_CHECK(!blocks_.empty()) << "A LinearizedPrior needs a block.";
  VESTA_CHECK_GT(A_.rows(), 0) << "The matrix A of a LinearizedPrior is empty.";
  VESTA_CHECK_EQ(A_.rows(), b_.size())
      << "The matrix A of a LinearizedPrior has another number of rows (left) "
         "than b has values (right).";
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    CheckBlock(blocks_[k], k);
    first_column_.push_back(first_column_.back() + TangentSize(blocks_[k]));
    mutable_parameter_block_sizes()->push_back(
        static_cast<int>(blocks_[k].point.size()));
  }
  VESTA_CHECK_EQ(static_cast<int>(A_.cols()), first_column_.back())
      << "The matrix A of a LinearizedPrior has another number of columns "
         "(left) than its blocks have tangent coordinates (right).";
  set_num_residuals(static_cast<int>(A_.rows()));
}

bool LinearizedPrior::TangentDifference(double const* const* parameters,
                                        Vector* difference) const {
  difference->resize(A_.cols());
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (!internal::Minus(blocks_[k].manifold,
                         static_cast<int>(blocks_[k].point.size()),
                         parameters[k], blocks_[k].point.data(),
                         difference->data() + first_column_[k])) {
      return false;
    }
  }
  return true;
}

// A_k T M(x), r x (ambient size).
bool LinearizedPrior::BlockJacobian(int k, const double* x,
                                    double* jacobian) const {
  const Block& block = blocks_[k];
  const int size = static_cast<int>(block.point.size());
  const int tangent_size = first_column_[k + 1] - first_column_[k];
  MatrixRef result(jacobian, A_.rows(), size);
  const auto a = A_.middleCols(first_column_[k], tangent_size);
  if (block.manifold == nullptr) {
    result = a;
    return true;
  }
  Matrix minus_jacobian(tangent_size, size);
  Matrix derivative;
  if (!block.manifold->MinusJacobian(x, minus_jacobian.data()) ||
      !internal::MinusDerivative(*block.manifold, x, block.point.data(),
                                 &derivative)) {
    return false;
  }
  result.noalias() = a * (derivative * minus_jacobian);
  return true;
}

bool LinearizedPrior::Evaluate(double const* const* parameters,
                               double* residuals, double** jacobians) const {
  Vector difference;
  if (!TangentDifference(parameters, &difference)) return false;
  VectorRef(residuals, A_.rows()).noalias() = A_ * difference + b_;
  for (std::size_t k = 0; jacobians != nullptr && k < blocks_.size(); ++k) {
    if (jacobians[k] != nullptr &&
        !BlockJacobian(static_cast<int>(k), parameters[k], jacobians[k])) {
      return false;
    }
  }
  return true;
}

}  // namespace ceres
