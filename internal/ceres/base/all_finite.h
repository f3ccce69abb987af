// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_ALL_FINITE_H_
#define CERES_INTERNAL_BASE_ALL_FINITE_H_

#include <cstdint>

namespace ceres::internal {

// Whether all n values are finite. One pass without branches: x * 0 is NaN if
// and only if x is not finite. There are four sums, because the additions of
// one sum depend on each other.
inline bool AllFinite(const double* x, std::int64_t n) {
  double sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += x[i + k] * 0.0;
  }
  for (; i < n; ++i) sums[0] += x[i] * 0.0;
  return sums[0] + sums[1] + sums[2] + sums[3] == 0.0;
}

// Whether all values of a container in one piece of memory are finite.
template <typename Container>
bool AllFinite(const Container& values) {
  return AllFinite(values.data(), static_cast<std::int64_t>(values.size()));
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_ALL_FINITE_H_
