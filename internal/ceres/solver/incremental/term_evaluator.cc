// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/incremental/term_evaluator.h"

namespace ceres::internal {

bool TermEvaluator::Evaluate(const ResidualBlock& block,
                             std::vector<BlockArgument>* arguments,
                             double* term, double* cost, std::string* error) {
  const int rows = block.num_residuals();
  int num_columns = 0;
  for (const BlockArgument& a : *arguments) num_columns += a.tangent_size;
  residuals_.resize(rows);
  jacobian_.resize(rows * num_columns);
  double* next = jacobian_.data();
  for (BlockArgument& a : *arguments) {
    a.jacobian = term == nullptr || a.tangent_size == 0 ? nullptr : next;
    next += rows * a.tangent_size;
  }
  if (!evaluation_.Evaluate(block, *arguments, /*apply_loss_function=*/true,
                            residuals_.data(), cost, error)) {
    return false;
  }
  if (term != nullptr) {
    FormColumns(*arguments, rows);
    FormTerm(rows, term);
  }
  return true;
}

void TermEvaluator::FormColumns(const std::vector<BlockArgument>& arguments,
                                int rows) {
  columns_.resize(jacobian_.size());
  double* next = columns_.data();
  for (const BlockArgument& a : arguments) {
    for (int c = 0; c < a.tangent_size; ++c) {
      for (int i = 0; i < rows; ++i) {
        *next++ = a.jacobian[i * a.tangent_size + c];
      }
    }
  }
}

void TermEvaluator::FormTerm(int rows, double* term) const {
  const auto dot = [rows](const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < rows; ++i) sum += a[i] * b[i];
    return sum;
  };
  const double* const end = columns_.data() + columns_.size();
  for (const double* c = columns_.data(); c < end; c += rows) {
    for (const double* r = c; r < end; r += rows) *term++ = dot(r, c);
  }
  for (const double* c = columns_.data(); c < end; c += rows) {
    *term++ = -dot(c, residuals_.data());
  }
}

}  // namespace ceres::internal
