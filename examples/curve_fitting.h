// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_CURVE_FITTING_H_
#define VESTA_EXAMPLES_CURVE_FITTING_H_

#include <cmath>

namespace ceres::examples {

// residual = y - exp(m x + c) for one sample (x, y).
class ExponentialResidual {
 public:
  ExponentialResidual(double x, double y) : x_(x), y_(y) {}

  template <typename T>
  bool operator()(const T* m, const T* c, T* residual) const {
    using std::exp;
    residual[0] = y_ - exp(m[0] * x_ + c[0]);
    return true;
  }

 private:
  double x_;
  double y_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_CURVE_FITTING_H_
