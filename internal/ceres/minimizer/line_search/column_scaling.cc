// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/column_scaling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {
namespace {

// 1 / squared, finite: columns with norms below 1e-150 need no exact scale.
double Inverse(double squared) {
  constexpr double kTiny = 1e-300;
  return 1.0 / std::max(squared, kTiny);
}

}  // namespace

void ColumnScaling::Start(const std::vector<double>& squared_column_norms,
                          const std::vector<double>& gradient,
                          const std::vector<double>& sizes_of_terms) {
  squared_scale_ = squared_column_norms;
  for (std::size_t j = 0; j < squared_scale_.size(); ++j) {
    const double limit = std::abs(gradient[j]) *
                         std::sqrt(squared_column_norms[j]) / sizes_of_terms[j];
    if (sizes_of_terms[j] > 0.0 && std::isfinite(limit)) {
      squared_scale_[j] = std::max(squared_scale_[j], limit);
    }
  }
  Invert();
}

void ColumnScaling::Update(const std::vector<double>& squared_column_norms) {
  for (std::size_t j = 0; j < squared_scale_.size(); ++j) {
    squared_scale_[j] =
        std::max(squared_column_norms[j], kScaleDecay * squared_scale_[j]);
  }
  Invert();
}

void ColumnScaling::Invert() {
  double largest = 0.0;
  for (const double squared : squared_scale_) {
    largest = std::max(largest, squared);
  }
  const double substitute = largest > 0.0 ? largest : 1.0;
  inverse_diagonal_.resize(squared_scale_.size());
  for (std::size_t j = 0; j < squared_scale_.size(); ++j) {
    inverse_diagonal_[j] =
        Inverse(squared_scale_[j] > 0.0 ? squared_scale_[j] : substitute);
  }
}

}  // namespace ceres::internal
