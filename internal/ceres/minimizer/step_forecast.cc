// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/step_forecast.h"

#include <algorithm>

namespace ceres::internal {

bool StepForecast::ExpectsSuccess(double model_cost_change, double cost,
                                  double function_tolerance) const {
  // Below, costs of a sum of many terms no longer tell two points apart.
  constexpr double kRounding = 1e-13;
  return num_taken_in_a_row_ >= patience_ &&
         model_cost_change > std::max(function_tolerance, kRounding) * cost;
}

void StepForecast::NotTaken(bool guessed) {
  num_taken_in_a_row_ = 0;
  if (guessed) patience_ = std::min(kMaxPatience, patience_ * kGrowth);
}

}  // namespace ceres::internal
