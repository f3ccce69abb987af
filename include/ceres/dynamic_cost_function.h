// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_DYNAMIC_COST_FUNCTION_H_
#define CERES_PUBLIC_DYNAMIC_COST_FUNCTION_H_

// A cost function whose sizes are set at run time.

#include "ceres/cost_function.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres {

// A CostFunction that has no parameter blocks and no residuals at first. The
// user adds them before the function is given to a Problem or evaluated:
//
//   cost_function->AddParameterBlock(5);
//   cost_function->AddParameterBlock(10);
//   cost_function->SetNumResiduals(21);
class CERES_EXPORT DynamicCostFunction : public CostFunction {
 public:
  // Appends a parameter block of `size` values.
  virtual void AddParameterBlock(int size) {
    mutable_parameter_block_sizes()->push_back(size);
  }

  // Sets the number of residuals.
  virtual void SetNumResiduals(int num_residuals) {
    set_num_residuals(num_residuals);
  }

  // Subclasses implement Evaluate.
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DYNAMIC_COST_FUNCTION_H_
