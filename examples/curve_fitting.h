// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_CURVE_FITTING_H_
#define VESTA_EXAMPLES_CURVE_FITTING_H_

#include <cmath>

namespace ceres::examples {

// How far the sample (x, y) is above the curve y = exp(m x + c).
class ExponentialResidual {
 public:
  ExponentialResidual(double x, double y) : sample_x_(x), sample_y_(y) {}

  template <typename T>
  bool operator()(const T* m, const T* c, T* residual) const {
    using std::exp;
    *residual = sample_y_ - exp(*m * sample_x_ + *c);
    return true;
  }

 private:
  double sample_x_;
  double sample_y_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_CURVE_FITTING_H_
