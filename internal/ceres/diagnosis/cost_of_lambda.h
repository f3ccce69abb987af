// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_COST_OF_LAMBDA_H_
#define CERES_INTERNAL_DIAGNOSIS_COST_OF_LAMBDA_H_

#include <utility>

#include "ceres/autodiff_cost_function.h"

// For tests.

namespace ceres {

template <typename F>
struct LambdaFunctor {
  F f;
  template <typename... T>
  bool operator()(T... arguments) const {
    f(arguments...);
    return true;
  }
};

// The cost function of a generic lambda f(blocks..., residuals) on blocks of
// the given sizes. The caller owns it.
template <int kResiduals, int... kSizes, typename F>
CostFunction* Cost(F f) {
  return new AutoDiffCostFunction<LambdaFunctor<F>, kResiduals, kSizes...>(
      new LambdaFunctor<F>{std::move(f)});
}

}  // namespace ceres

#endif  // CERES_INTERNAL_DIAGNOSIS_COST_OF_LAMBDA_H_
