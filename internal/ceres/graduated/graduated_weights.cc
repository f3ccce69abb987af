// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/graduated_weights.h"

#include <algorithm>
#include <cmath>

namespace ceres::internal {
namespace {

// If all norms are those of inliers, every control parameter is fine.
double FirstTruncatedControl(double max_z) {
  return 1.0 / (2.0 * std::max(max_z, 1.0) - 1.0);
}

double FirstGemanMcClureControl(double max_z) {
  return std::max(1.0, 2.0 * max_z);
}

}  // namespace

GraduatedWeights::GraduatedWeights(GraduatedLoss loss, double max_z)
    : loss_(loss),
      control_(loss == GraduatedLoss::kTruncatedSquares
                   ? FirstTruncatedControl(max_z)
                   : FirstGemanMcClureControl(max_z)) {}

double GraduatedWeights::Weight(double z) const {
  const double mu = control_;
  if (loss_ == GraduatedLoss::kGemanMcClure) {
    const double ratio = mu / (mu + z);
    return ratio * ratio;
  }
  if (z <= mu / (mu + 1.0)) return 1.0;
  if (z >= (mu + 1.0) / mu) return 0.0;
  return std::clamp(std::sqrt(mu * (mu + 1.0) / z) - mu, 0.0, 1.0);
}

void GraduatedWeights::Advance(double factor) {
  control_ = loss_ == GraduatedLoss::kTruncatedSquares
                 ? control_ * factor
                 : std::max(1.0, control_ / factor);
}

bool GraduatedWeights::IsAtLoss() const {
  return loss_ == GraduatedLoss::kGemanMcClure && control_ == 1.0;
}

}  // namespace ceres::internal
