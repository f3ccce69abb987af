// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/variance_factor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "ceres/graduated/chi_square.h"

namespace ceres::internal {

double EstimateVarianceFactor(const std::vector<double>& statistics,
                              const std::vector<int>& num_residuals) {
  constexpr std::size_t kFewestBlocks = 100;
  constexpr double kLeastFactor = 1e-4;
  double factor = kLeastFactor;
  for (const double probability : {0.5, 0.9, 0.99}) {
    std::map<int, double> quantiles;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      if (statistics[i] <= 0.0) continue;
      double& quantile = quantiles[num_residuals[i]];
      if (quantile == 0.0) {
        quantile = ChiSquareQuantile(probability, num_residuals[i]);
      }
      ratios.push_back(statistics[i] / quantile);
    }
    if (ratios.size() < kFewestBlocks) return 1.0;
    const auto rank =
        static_cast<std::size_t>(std::ceil(probability * ratios.size())) - 1;
    std::nth_element(ratios.begin(), ratios.begin() + rank, ratios.end());
    factor = std::max(factor, ratios[rank]);
  }
  return factor;
}

}  // namespace ceres::internal
