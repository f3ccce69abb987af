// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_FIT_SHAPES_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_FIT_SHAPES_H_

#include <cmath>

#include "ceres/rotation.h"
#include "ceres/solver/whole_solves/random_fit.h"

namespace ceres::internal {

// The shapes of one variable, d = data[0].
template <typename T>
T EvaluateCurve(Shape shape, const T* z, double d) {
  using std::exp;
  using std::sin;
  switch (shape) {
    case Shape::kDecay:
      return z[0] * exp(z[1] * d) + z[2];
    case Shape::kPeak:
      return z[0] * exp(-(d - z[1]) * (d - z[1]) / (2.0 * z[2] * z[2]));
    case Shape::kLogistic:
      return z[0] / (1.0 + exp(-z[1] * (d - z[2])));
    case Shape::kWave:
      return z[0] * sin(z[1] * d + z[2]) + z[3];
    case Shape::kCubic:
      return z[0] + d * (z[1] + d * (z[2] + d * z[3]));
    case Shape::kLine:
      return z[0] + z[1] * d;
    default:
      return d == 0.0 ? 10.0 * (z[1] - z[0] * z[0]) : z[0];
  }
}

template <typename T>
T EvaluateShape(Shape shape, const T* z, const double* data) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const auto length = [](const T& u, const T& v) {
    return sqrt(u * u + v * v);
  };
  switch (shape) {
    case Shape::kRange:
      return length(z[0] - data[0], z[1] - data[1]);
    case Shape::kDistance:
      return length(z[0] - z[2], z[1] - z[3]);
    case Shape::kForward:
      return cos(z[2]) * (data[0] - z[0]) + sin(z[2]) * (data[1] - z[1]);
    case Shape::kLeft:
      return cos(z[2]) * (data[1] - z[1]) - sin(z[2]) * (data[0] - z[0]);
    case Shape::kRotatedX:
    case Shape::kRotatedY:
    case Shape::kRotatedZ: {
      const int i =
          static_cast<int>(shape) - static_cast<int>(Shape::kRotatedX);
      const T point[3] = {T(data[0]), T(data[1]), T(data[2])};
      T rotated[3];
      QuaternionRotatePoint(z, point, rotated);
      return rotated[i] + z[4 + i];
    }
    default:
      return EvaluateCurve(shape, z, data[0]);
  }
}

template <typename T>
T EvaluateRow(const FitRow& row, const T* z) {
  return row.weight * (EvaluateShape(row.shape, z, row.data) - row.target);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_FIT_SHAPES_H_
