// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/incremental/term_evaluator.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_kernels.h"

namespace ceres::internal {

bool TermEvaluator::Evaluate(const ResidualBlock& block,
                             const std::vector<LinearizedArgument>& arguments,
                             double* term, double* cost, std::string* error) {
  const int rows = block.num_residuals();
  parameters_.clear();
  jacobians_.clear();
  int ambient_size = 0;
  for (const LinearizedArgument& a : arguments) {
    if (a.tangent_size > 0) ambient_size += a.ambient_size;
  }
  residuals_.resize(rows);
  ambient_.resize(rows * ambient_size);
  MarkUnwritten(residuals_.data(), rows);
  MarkUnwritten(ambient_.data(), rows * ambient_size);
  double* next = ambient_.data();
  for (const LinearizedArgument& a : arguments) {
    parameters_.push_back(a.values);
    jacobians_.push_back(a.tangent_size > 0 ? next : nullptr);
    if (a.tangent_size > 0) next += rows * a.ambient_size;
  }
  double** const jacobians = term == nullptr ? nullptr : jacobians_.data();
  const CostFunctionCall call = {block.index(), block.cost_function(),
                                 parameters_.data(), residuals_.data(),
                                 jacobians};
  const auto fail = [&](const std::string& what) {
    *error = DescribeFailure(call, what);
    return false;
  };
  if (!block.cost_function()->Evaluate(parameters_.data(), residuals_.data(),
                                       jacobians)) {
    return fail("the cost function returned false");
  }
  double s = 0.0;
  for (const double r : residuals_) s += r * r;
  const std::string invalid = FindInvalidOutput(call);
  if (!invalid.empty()) return fail(invalid);
  *cost = 0.5 * s;
  if (term != nullptr) FormColumns(arguments, rows);
  if (block.loss_function() != nullptr) {
    double rho[3] = {kImpossibleValue, kImpossibleValue, kImpossibleValue};
    block.loss_function()->Evaluate(s, rho);
    const std::string what = FindInvalidLoss(rho);
    if (!what.empty()) return fail(what);
    *cost = 0.5 * rho[0];
    if (term != nullptr) {
      const LossCorrection correction(s, rho);
      for (size_t c = 0; c < columns_.size(); c += rows) {
        correction.CorrectJacobian(rows, 1, residuals_.data(),
                                   columns_.data() + c);
      }
      correction.CorrectResiduals(rows, residuals_.data());
    }
  }
  if (term != nullptr) FormTerm(rows, term);
  return true;
}

void TermEvaluator::FormColumns(
    const std::vector<LinearizedArgument>& arguments, int rows) {
  columns_.clear();
  for (size_t k = 0; k < arguments.size(); ++k) {
    const LinearizedArgument& a = arguments[k];
    if (a.tangent_size == 0) continue;
    const double* const jacobian = jacobians_[k];
    for (int c = 0; c < a.tangent_size; ++c) {
      for (int i = 0; i < rows; ++i) {
        const double* const row = jacobian + i * a.ambient_size;
        if (a.plus_jacobian == nullptr) {
          columns_.push_back(row[c]);
          continue;
        }
        double sum = 0.0;
        for (int j = 0; j < a.ambient_size; ++j) {
          sum += row[j] * a.plus_jacobian[j * a.tangent_size + c];
        }
        columns_.push_back(sum);
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
