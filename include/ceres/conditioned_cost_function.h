// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CONDITIONED_COST_FUNCTION_H_
#define CERES_PUBLIC_CONDITIONED_COST_FUNCTION_H_

#include <memory>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/types.h"

namespace ceres {

// Another cost function with each residual passed through a function of its
// own:
//
//   f_i(x) = c_i(g_i(x)),   df_i/dx = c_i'(g_i(x)) dg_i/dx,
//
// g is wrapped_cost_function. c_i is conditioners[i], a cost function of one
// residual and one parameter block of size 1; null stands for the identity. Use
// it if residuals need a scale or an offset each.
//
// Evaluate returns false if g or a conditioner does.
//
// Thread safety: that of the wrapped function and of the conditioners.
class CERES_EXPORT ConditionedCostFunction final : public CostFunction {
 public:
  // With TAKE_OWNERSHIP the object deletes wrapped_cost_function and the
  // conditioners in the end, each once even if it is given several times.
  // Checks that wrapped_cost_function is not null, that there are as many
  // conditioners as it has residuals, and their sizes.
  ConditionedCostFunction(CostFunction* wrapped_cost_function,
                          const std::vector<CostFunction*>& conditioners,
                          Ownership ownership);
  ~ConditionedCostFunction() override;

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  std::unique_ptr<CostFunction> wrapped_cost_function_;
  std::vector<CostFunction*> conditioners_;
  Ownership ownership_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_CONDITIONED_COST_FUNCTION_H_
