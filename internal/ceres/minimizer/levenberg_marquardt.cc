// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/levenberg_marquardt.h"

#include <algorithm>
#include <cmath>

namespace ceres::internal {

LevenbergMarquardt::LevenbergMarquardt(const Options& options, int num_columns)
    : options_(options),
      radius_(options.initial_radius),
      damping_(num_columns) {}

const double* LevenbergMarquardt::Damping(const double* squared_column_norms,
                                          const double* column_scale) {
  const double inverse_radius = 1.0 / radius_;
  for (size_t j = 0; j < damping_.size(); ++j) {
    const double s2 = column_scale[j] * column_scale[j];
    const double diagonal =
        std::min(std::max(squared_column_norms[j] * s2, options_.min_diagonal),
                 options_.max_diagonal);
    damping_[j] = std::sqrt(diagonal * inverse_radius / s2);
  }
  return damping_.data();
}

void LevenbergMarquardt::Accept(double quality) {
  const double t = 2.0 * quality - 1.0;
  radius_ = radius_ / std::max(1.0 / 3.0, 1.0 - t * t * t);
  radius_ = std::min(options_.max_radius, radius_);
  decrease_factor_ = 2.0;
}

void LevenbergMarquardt::Reject() {
  radius_ /= decrease_factor_;
  decrease_factor_ *= 2.0;
}

}  // namespace ceres::internal
