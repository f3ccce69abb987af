// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/trust_region_strategy.h"

#include "ceres/minimizer/dogleg.h"
#include "ceres/minimizer/levenberg_marquardt.h"

namespace ceres::internal {

std::unique_ptr<TrustRegionStrategy> CreateTrustRegionStrategy(
    const MinimizerOptions& options, int num_columns) {
  if (options.trust_region_strategy_type == DOGLEG) {
    return std::make_unique<Dogleg>(options, num_columns);
  }
  return std::make_unique<LevenbergMarquardt>(options);
}

}  // namespace ceres::internal
