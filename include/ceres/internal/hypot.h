// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_HYPOT_H_
#define CERES_PUBLIC_INTERNAL_HYPOT_H_

#include <cmath>

#include "ceres/parallel/detail/language.h"

namespace ceres::internal {

// sqrt(x^2 + y^2 + z^2), also where the squares overflow or underflow. T: a
// floating-point number or a Jet.
template <typename T>
T Hypot(const T& x, const T& y, const T& z) {
  using std::hypot;
#if defined(_LIBCPP_VERSION)
  // libc++ 18 squares three arguments, but not two.
  return hypot(hypot(x, y), z);
#else
  return hypot(x, y, z);
#endif
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_HYPOT_H_
