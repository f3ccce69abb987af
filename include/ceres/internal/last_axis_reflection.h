// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_LAST_AXIS_REFLECTION_H_
#define CERES_PUBLIC_INTERNAL_LAST_AXIS_REFLECTION_H_

#include <cmath>
#include <limits>

#include "Eigen/Core"
#include "ceres/internal/check.h"

namespace ceres::internal {

// The orthogonal matrix H = I - beta v v' with H x = |x| e_n for a vector x of
// R^n: a reflection onto the last axis, or the identity (beta = 0) if x already
// lies there. v_n = 1. kSize is n or Eigen::Dynamic.
//
// Golub and Van Loan, "Matrix Computations", 4th edition, algorithm 5.1.1, with
// the last element in the place of the first.
template <int kSize>
class LastAxisReflection {
 public:
  using Vector = Eigen::Matrix<double, kSize, 1>;

  // Checks that x has at least two elements.
  explicit LastAxisReflection(const Vector& x) : v_(x) {
    const Eigen::Index last = x.size() - 1;
    CheckThat(last > 0,
              "A Householder reflection needs a vector of at least two "
              "elements; this one has ",
              static_cast<int>(x.size()), ".");
    // H does not depend on the length of x: scaling avoids overflow.
    const double largest = v_.cwiseAbs().maxCoeff();
    if (largest > 0.0) v_ /= largest;
    const double along = v_[last];
    const double across_squared = v_.head(last).squaredNorm();
    v_[last] = 1.0;
    if (across_squared <= std::numeric_limits<double>::min()) {
      v_.head(last).setZero();
      beta_ = along < 0.0 ? 2.0 : 0.0;
      return;
    }
    // x - |x| e_n is a multiple of v. Its last element, without cancellation:
    const double norm = std::sqrt(along * along + across_squared);
    const double difference =
        along > 0.0 ? -across_squared / (along + norm) : along - norm;
    v_.head(last) /= difference;
    const double square = difference * difference;
    beta_ = 2.0 * square / (across_squared + square);
  }

  // H y.
  Vector operator*(const Vector& y) const {
    return y - v_ * (beta_ * v_.dot(y));
  }

  // H_ij.
  double operator()(Eigen::Index i, Eigen::Index j) const {
    return (i == j ? 1.0 : 0.0) - beta_ * v_[i] * v_[j];
  }

 private:
  Vector v_;
  double beta_ = 0.0;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_LAST_AXIS_REFLECTION_H_
