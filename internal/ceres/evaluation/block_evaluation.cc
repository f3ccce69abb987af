// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/block_evaluation.h"

#include <cstddef>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_kernels.h"

namespace ceres::internal {
namespace {

// Whether the cost function writes a Jacobian other than a.jacobian.
bool IsAmbient(const BlockArgument& a) {
  return a.jacobian != nullptr &&
         (a.manifold != nullptr || a.plus_jacobian != nullptr);
}

// a.jacobian = ambient times the PlusJacobian. False: the manifold failed.
bool MultiplyByPlusJacobian(const double* ambient, int num_residuals,
                            const BlockArgument& a) {
  if (a.plus_jacobian == nullptr) {
    return a.manifold->RightMultiplyByPlusJacobian(a.values, num_residuals,
                                                   ambient, a.jacobian);
  }
  double* to = a.jacobian;
  for (int i = 0; i < num_residuals; ++i, ambient += a.ambient_size) {
    for (int c = 0; c < a.tangent_size; ++c) {
      double sum = 0.0;
      for (int j = 0; j < a.ambient_size; ++j) {
        sum += ambient[j] * a.plus_jacobian[j * a.tangent_size + c];
      }
      *to++ = sum;
    }
  }
  return true;
}

}  // namespace

bool BlockEvaluation::Prepare(int num_residuals,
                              const std::vector<BlockArgument>& arguments,
                              double* residuals) {
  std::size_t ambient_size = 0;
  for (const BlockArgument& a : arguments) {
    if (IsAmbient(a)) ambient_size += a.ambient_size;
  }
  ambient_.resize(num_residuals * ambient_size);
  parameters_.clear();
  jacobians_.clear();
  MarkUnwritten(residuals, num_residuals);
  bool wants_jacobian = false;
  double* next = ambient_.data();
  for (const BlockArgument& a : arguments) {
    parameters_.push_back(a.values);
    jacobians_.push_back(IsAmbient(a) ? next : a.jacobian);
    if (a.jacobian == nullptr) continue;
    wants_jacobian = true;
    const int size = num_residuals * a.ambient_size;
    MarkUnwritten(jacobians_.back(), size);
    if (IsAmbient(a)) next += size;
  }
  return wants_jacobian;
}

bool BlockEvaluation::Evaluate(const ResidualBlock& block,
                               const std::vector<BlockArgument>& arguments,
                               bool apply_loss_function, double* residuals,
                               double* cost, std::string* error) {
  const int num_residuals = block.num_residuals();
  double** const jacobians = Prepare(num_residuals, arguments, residuals)
                                 ? jacobians_.data()
                                 : nullptr;
  const CostFunctionCall call = {block.index(), block.cost_function(),
                                 parameters_.data(), residuals, jacobians};
  const auto fail = [&](const std::string& what) {
    *error = DescribeFailure(call, what);
    return false;
  };
  if (!block.cost_function()->Evaluate(parameters_.data(), residuals,
                                       jacobians)) {
    return fail(DescribeRefusal(call));
  }
  const std::string invalid_output = FindInvalidOutput(call);
  if (!invalid_output.empty()) return fail(invalid_output);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (IsAmbient(arguments[k]) &&
        !MultiplyByPlusJacobian(jacobians_[k], num_residuals, arguments[k])) {
      return fail("the PlusJacobian of the manifold of parameter block " +
                  std::to_string(k) + " failed");
    }
  }
  const double s = SquaredNorm(residuals, num_residuals);
  *cost = 0.5 * s;
  if (!apply_loss_function || block.loss_function() == nullptr) return true;

  double rho[3] = {kImpossibleValue, kImpossibleValue, kImpossibleValue};
  block.loss_function()->Evaluate(s, rho);
  const std::string invalid_loss = FindInvalidLoss(rho);
  if (!invalid_loss.empty()) return fail(invalid_loss);
  *cost = 0.5 * rho[0];
  const LossCorrection correction(s, rho);
  for (const BlockArgument& a : arguments) {
    if (a.jacobian == nullptr) continue;
    correction.CorrectJacobian(num_residuals, a.tangent_size, residuals,
                               a.jacobian);
  }
  correction.CorrectResiduals(num_residuals, residuals);
  return true;
}

}  // namespace ceres::internal
