// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/conditioned_cost_function.h"

#include <cstddef>
#include <cstdint>
#include <set>

#include "ceres/logging/logging.h"

namespace ceres {

ConditionedCostFunction::ConditionedCostFunction(
    CostFunction* wrapped_cost_function,
    const std::vector<CostFunction*>& conditioners, Ownership ownership)
    : wrapped_cost_function_(wrapped_cost_function),
      conditioners_(conditioners),
      ownership_(ownership) {
  VESTA_CHECK(wrapped_cost_function != nullptr)
      << "ConditionedCostFunction needs a cost function; it was given null.";
  VESTA_CHECK_EQ(wrapped_cost_function->num_residuals(),
                 static_cast<int>(conditioners.size()))
      << "ConditionedCostFunction needs one conditioner, null perhaps, for "
      << "each residual (left) of the cost function; their number is on the "
      << "right.";
  for (size_t i = 0; i < conditioners.size(); ++i) {
    if (conditioners[i] == nullptr) continue;
    const bool is_scalar =
        conditioners[i]->num_residuals() == 1 &&
        conditioners[i]->parameter_block_sizes() == std::vector<int32_t>{1};
    VESTA_CHECK(is_scalar)
        << "The conditioner of residual " << i
        << " must have one residual and one parameter block of "
        << "size 1.";
  }
  *mutable_parameter_block_sizes() =
      wrapped_cost_function->parameter_block_sizes();
  set_num_residuals(wrapped_cost_function->num_residuals());
}

ConditionedCostFunction::~ConditionedCostFunction() {
  if (ownership_ == DO_NOT_TAKE_OWNERSHIP) {
    wrapped_cost_function_.release();
    return;
  }
  std::set<const CostFunction*> once(conditioners_.begin(),
                                     conditioners_.end());
  once.erase(wrapped_cost_function_.get());
  for (const CostFunction* conditioner : once) delete conditioner;
}

bool ConditionedCostFunction::Evaluate(double const* const* parameters,
                                       double* residuals,
                                       double** jacobians) const {
  if (!wrapped_cost_function_->Evaluate(parameters, residuals, jacobians)) {
    return false;
  }
  const std::vector<int32_t>& sizes = parameter_block_sizes();
  for (int r = 0; r < num_residuals(); ++r) {
    if (conditioners_[r] == nullptr) continue;
    const double unconditioned = residuals[r];
    const double* parameter = &unconditioned;
    double slope = kImpossibleValue;
    double* slope_pointer = &slope;
    if (!conditioners_[r]->Evaluate(
            &parameter, &residuals[r],
            jacobians == nullptr ? nullptr : &slope_pointer)) {
      return false;
    }
    for (size_t i = 0; jacobians != nullptr && i < sizes.size(); ++i) {
      if (jacobians[i] == nullptr) continue;
      double* row = jacobians[i] + r * sizes[i];
      for (int j = 0; j < sizes[i]; ++j) row[j] *= slope;
    }
  }
  return true;
}

}  // namespace ceres
