// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CONSTANTS_H_
#define CERES_PUBLIC_CONSTANTS_H_

#include "ceres/parallel/detail/language.h"

namespace ceres::constants {

// The ratio of a circle's circumference to its diameter, to the precision of T.
template <typename T>
inline constexpr T pi_v = T(3.141592653589793238462643383279502884L);

// pi as a double.
inline constexpr double pi = pi_v<double>;

}  // namespace ceres::constants

#endif  // CERES_PUBLIC_CONSTANTS_H_
