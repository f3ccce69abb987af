// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_SIZED_COST_FUNCTION_H_
#define CERES_PUBLIC_SIZED_COST_FUNCTION_H_

// A cost function whose sizes are template arguments.

#include "ceres/cost_function.h"
#include "ceres/internal/cost_function_sizes.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/types.h"

namespace ceres {

// A CostFunction with kNumResiduals residuals and parameter blocks of sizes
// Ns..., all positive. With kNumResiduals = DYNAMIC the derived class calls
// set_num_residuals() itself.
template <int kNumResiduals, int... Ns>
class SizedCostFunction : public CostFunction {
 public:
  static_assert(kNumResiduals > 0 || kNumResiduals == DYNAMIC,
                "The number of residuals must be positive or ceres::DYNAMIC.");
  static_assert(sizeof...(Ns) > 0,
                "A cost function needs at least one parameter block.");
  static_assert(((Ns > 0) && ...),
                "The sizes of parameter blocks must be positive.");

  // The sizes Ns as a type, for the implementation of subclasses.
  using ParameterDims = internal::StaticParameterDims<Ns...>;

  // Sets the sizes from the template arguments.
  SizedCostFunction()
      : CostFunction(internal::SharedSizes<kNumResiduals, Ns...>()) {}

  // Subclasses implement Evaluate.

 protected:
  // For classes that refer to a functor: owns_functor() is whether `ownership`
  // is TAKE_OWNERSHIP.
  explicit SizedCostFunction(Ownership ownership)
      : CostFunction(
            ownership == TAKE_OWNERSHIP
                ? internal::SharedSizes<kNumResiduals, Ns...>()
                : internal::SharedSizesOfBorrower<kNumResiduals, Ns...>()) {}
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SIZED_COST_FUNCTION_H_
