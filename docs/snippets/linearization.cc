// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// One Gauss-Newton step of one's own, from the linearization of a problem.

#include "ceres/linearization.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/marginalization.h"

namespace {

// A curve a exp(b t) through a point.
struct Curve {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::exp;
    residual[0] = a[0] * exp(b[0] * t) - y;
    return true;
  }
  double t, y;
};

}  // namespace

int main() {
  double a = 1.0, b = 0.0;
  ceres::Problem problem;
  for (int i = 0; i < 4; ++i) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Curve, 1, 1, 1>(
                                 new Curve{0.5 * i, 2.0 * std::exp(0.25 * i)}),
                             nullptr, &a, &b);
  }

  // [linearize]
  ceres::Linearization linearization;
  if (!problem.Linearize(ceres::LinearizationOptions(), {}, &linearization)) {
    return 1;
  }
  for (int i = 0; i < linearization.num_residual_blocks(); ++i) {
    std::printf("residual %6.3f, derivatives", linearization.residuals(i)[0]);
    for (int k = 0; k < linearization.num_cells(i); ++k) {
      std::printf(" %.3f", linearization.cell(i, k).values(0, 0));
    }
    std::printf("\n");
  }
  const ceres::Linearization::Normal normal = linearization.NormalEquations();
  const std::vector<double>& h = normal.matrix.values;  // 2 x 2
  const double determinant = h[0] * h[3] - h[1] * h[2];
  const ceres::Vector& g = normal.gradient;
  std::printf("step %.3f %.3f\n", (h[1] * g[1] - h[3] * g[0]) / determinant,
              (h[2] * g[0] - h[0] * g[1]) / determinant);
  // [/linearize]

  // [marginalize]
  ceres::MarginalizationSummary summary;
  if (!ceres::Marginalize(ceres::MarginalizationOptions(), {&a}, &problem,
                          &summary)) {
    std::printf("%s\n", summary.message.c_str());
    return 1;
  }
  std::printf("%d residual blocks became a prior of rank %d\n",
              summary.num_removed_residual_blocks, summary.rank);
  // [/marginalize]
}
