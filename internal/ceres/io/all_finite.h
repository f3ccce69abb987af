// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_IO_ALL_FINITE_H_
#define CERES_INTERNAL_IO_ALL_FINITE_H_

#include <algorithm>
#include <cmath>

namespace ceres::internal {

// Whether all numbers of a container are finite.
template <typename Container>
bool AllFinite(const Container& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_IO_ALL_FINITE_H_
