// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_FACTOR_COST_FUNCTION_H_
#define CERES_PUBLIC_INTERNAL_FACTOR_COST_FUNCTION_H_

#include "ceres/sized_cost_function.h"

namespace ceres::internal {

// Constants as numbers of another type.
template <typename T>
inline void Convert(const double* from, int size, T* to) {
  for (int i = 0; i < size; ++i) {
    to[i] = T(from[i]);
  }
}

// A factor that computes its Jacobians itself, as a cost function: Evaluate has
// the contract of CostFunction::Evaluate. The Jacobian with respect to a group
// is the Jacobian in tangent coordinates times MinusJacobian. A solve
// multiplies it by PlusJacobian. The product is the Jacobian in tangent
// coordinates again, because MinusJacobian times PlusJacobian is the identity.
template <typename Factor, int kNumResiduals, int... kBlockSizes>
class FactorCostFunction final
    : public SizedCostFunction<kNumResiduals, kBlockSizes...> {
 public:
  explicit FactorCostFunction(const Factor& factor) : factor_(factor) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return factor_.Evaluate(parameters, residuals, jacobians);
  }

 private:
  const Factor factor_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_FACTOR_COST_FUNCTION_H_
