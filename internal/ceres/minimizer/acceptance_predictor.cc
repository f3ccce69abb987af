// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/acceptance_predictor.h"

#include <algorithm>

namespace ceres::internal {

bool AcceptancePredictor::PredictsAcceptance(double model_cost_change,
                                             double cost,
                                             double function_tolerance) const {
  // The relative rounding error of a cost that is a sum of many terms.
  constexpr double kRounding = 1e-13;
  return num_accepted_in_a_row_ >= num_required_ &&
         model_cost_change > std::max(function_tolerance, kRounding) * cost;
}

void AcceptancePredictor::RecordRejected(bool was_predicted) {
  num_accepted_in_a_row_ = 0;
  if (was_predicted) {
    num_required_ =
        std::min(kMaxAcceptedSteps, num_required_ * kAcceptedStepsGrowth);
  }
}

}  // namespace ceres::internal
