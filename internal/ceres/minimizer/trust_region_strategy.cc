// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/trust_region_strategy.h"

#include "ceres/minimizer/dogleg.h"
#include "ceres/minimizer/levenberg_marquardt.h"

namespace ceres::internal {

std::unique_ptr<TrustRegionStrategy> CreateTrustRegionStrategy(
    const MinimizerOptions& options, int num_columns) {
  if (options.trust_region_strategy_type == DOGLEG) {
    Dogleg::Options dogleg;
    dogleg.type = options.dogleg_type;
    dogleg.initial_radius = options.initial_trust_region_radius;
    dogleg.max_radius = options.max_trust_region_radius;
    dogleg.min_diagonal = options.min_lm_diagonal;
    dogleg.max_diagonal = options.max_lm_diagonal;
    return std::make_unique<Dogleg>(dogleg, num_columns);
  }
  LevenbergMarquardt::Options lm;
  lm.initial_radius = options.initial_trust_region_radius;
  lm.max_radius = options.max_trust_region_radius;
  lm.min_diagonal = options.min_lm_diagonal;
  lm.max_diagonal = options.max_lm_diagonal;
  return std::make_unique<LevenbergMarquardt>(lm);
}

}  // namespace ceres::internal
