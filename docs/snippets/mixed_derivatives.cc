// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Uses a function without automatic derivatives inside a functor that has them.

#include <cstdio>

#include "ceres/ceres.h"
#include "ceres/cost_function_to_functor.h"

namespace {

// [functor]
// A function of a library: doubles only. How a lens moves a point at the
// squared radius r2, for two coefficients.
double LensScale(const double* coefficients, double r2) {
  return 1.0 + r2 * (coefficients[0] + r2 * coefficients[1]);
}

struct LensFunctor {
  bool operator()(const double* coefficients, const double* r2,
                  double* scale) const {
    scale[0] = LensScale(coefficients, r2[0]);
    return true;
  }
};

// The rest is differentiated automatically. For the lens, the chain rule is
// applied to numeric derivatives.
struct ImageError {
  ImageError(double x, double y, double u)
      : x(x),
        y(y),
        u(u),
        lens(new ceres::NumericDiffCostFunction<LensFunctor, ceres::CENTRAL, 1,
                                                2, 1>(new LensFunctor)) {}

  template <typename T>
  bool operator()(const T* focal_length, const T* coefficients,
                  T* residual) const {
    const T r2(x * x + y * y);
    T scale;
    if (!lens(coefficients, &r2, &scale)) return false;
    residual[0] = focal_length[0] * scale * x - u;
    return true;
  }

  double x, y;  // Direction of a ray.
  double u;     // Measured pixel.
  ceres::CostFunctionToFunctor<1, 2, 1> lens;
};
// [/functor]

}  // namespace

int main() {
  const double true_focal_length = 500.0, true_coefficients[2] = {-0.2, 0.05};
  double focal_length = 450.0, coefficients[2] = {0.0, 0.0};
  ceres::Problem problem;
  for (int i = -8; i <= 8; ++i) {
    const double x = 0.1 * i, y = 0.3;
    const double u =
        true_focal_length * LensScale(true_coefficients, x * x + y * y) * x;
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ImageError, 1, 1, 2>(
            new ImageError(x, y, u)),
        nullptr, &focal_length, coefficients);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.function_tolerance = 1e-12;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("focal length %.1f, coefficients %.3f %.3f\n", focal_length,
              coefficients[0], coefficients[1]);
}
