// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Cost functions of functors that are test problems: derivatives automatic or
// numeric, chosen at run time.

#ifndef VESTA_EXAMPLES_NEW_COST_FUNCTION_H_
#define VESTA_EXAMPLES_NEW_COST_FUNCTION_H_

#include "ceres/autodiff_cost_function.h"
#include "ceres/cost_function.h"
#include "ceres/numeric_diff_cost_function.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"

namespace ceres::examples {

struct DerivativeOptions {
  bool use_numeric_diff = false;
  NumericDiffMethodType numeric_diff_method = RIDDERS;
  NumericDiffOptions numeric_diff_options;
};

// The caller owns the result, which owns the functor. The functor takes one
// parameter block of size kNumParameters and has num_residuals residuals.
template <int kNumParameters, typename Functor>
CostFunction* NewCostFunction(Functor* functor, int num_residuals,
                              const DerivativeOptions& options) {
  if (!options.use_numeric_diff) {
    return new AutoDiffCostFunction<Functor, DYNAMIC, kNumParameters>(
        functor, num_residuals);
  }
  const NumericDiffOptions& numeric = options.numeric_diff_options;
  switch (options.numeric_diff_method) {
    case CENTRAL:
      return new NumericDiffCostFunction<Functor, CENTRAL, DYNAMIC,
                                         kNumParameters>(
          functor, TAKE_OWNERSHIP, num_residuals, numeric);
    case FORWARD:
      return new NumericDiffCostFunction<Functor, FORWARD, DYNAMIC,
                                         kNumParameters>(
          functor, TAKE_OWNERSHIP, num_residuals, numeric);
    case RIDDERS:
      break;
  }
  return new NumericDiffCostFunction<Functor, RIDDERS, DYNAMIC, kNumParameters>(
      functor, TAKE_OWNERSHIP, num_residuals, numeric);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_NEW_COST_FUNCTION_H_
