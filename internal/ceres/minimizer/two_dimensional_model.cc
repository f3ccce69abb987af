// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/two_dimensional_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "Eigen/Eigenvalues"

namespace ceres::internal {
namespace {

// y(m) for eigenvalues l; a zero over a zero is a zero, the shortest choice.
Eigen::Vector2d PointOf(const Eigen::Vector2d& l, const Eigen::Vector2d& g,
                        double m) {
  Eigen::Vector2d y;
  for (int i = 0; i < 2; ++i) {
    y[i] = g[i] == 0.0 ? 0.0 : -g[i] / (l[i] + m);
  }
  return y;
}

}  // namespace

Eigen::Vector2d MinimizeInDisk(const Eigen::Matrix2d& b,
                               const Eigen::Vector2d& g, double radius) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(b);
  const Eigen::Vector2d l = eigen.eigenvalues().cwiseMax(0.0);
  const Eigen::Vector2d rotated = eigen.eigenvectors().transpose() * g;

  Eigen::Vector2d y = PointOf(l, rotated, 0.0);
  if (y.allFinite() && y.norm() <= radius) {
    return eigen.eigenvectors() * y;
  }
  // Each term alone gives a lower bound of the root.
  double m = 0.0;
  for (int i = 0; i < 2; ++i) {
    m = std::max(m, std::abs(rotated[i]) / radius - l[i]);
  }
  constexpr int kMaxIterations = 100;
  for (int i = 0; i < kMaxIterations; ++i) {
    y = PointOf(l, rotated, m);
    const double norm = y.norm();
    // d|y|/dm = -sum y_i^2 / (l_i + m) / |y|.
    double slope = 0.0;
    for (int k = 0; k < 2; ++k) {
      if (y[k] != 0.0) slope += y[k] * y[k] / (l[k] + m);
    }
    const double step = (norm - radius) / radius * norm * norm / slope;
    if (!(step > std::numeric_limits<double>::epsilon() * m)) break;
    m += step;
  }
  y = PointOf(l, rotated, m);
  return eigen.eigenvectors() * (y * (radius / y.norm()));
}

}  // namespace ceres::internal
