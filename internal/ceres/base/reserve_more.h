// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_RESERVE_MORE_H_
#define CERES_INTERNAL_BASE_RESERVE_MORE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ceres::internal {

// Makes room for `count` more elements, so that adding them cannot throw. The
// capacity at least doubles if it changes. Throws std::bad_alloc.
template <typename T>
void ReserveMore(std::size_t count, std::vector<T>* elements) {
  const std::size_t needed = elements->size() + count;
  if (needed <= elements->capacity()) return;
  elements->reserve(std::max(needed, 2 * elements->capacity()));
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_RESERVE_MORE_H_
