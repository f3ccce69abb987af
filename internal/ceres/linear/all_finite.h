// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_ALL_FINITE_H_
#define CERES_INTERNAL_LINEAR_ALL_FINITE_H_

#include <cstdint>

namespace ceres::internal {

// Whether none of the n values is infinite or NaN. In one pass without
// branches: x * 0 is NaN for exactly the values that are not finite.
inline bool AllFinite(const double* x, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_ALL_FINITE_H_
