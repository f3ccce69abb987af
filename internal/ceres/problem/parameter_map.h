// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_
#define CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_

#include <cstdint>

#include "ceres/base/hash_map.h"
#include "ceres/base/huge_pages.h"

namespace ceres::internal {

class ParameterBlock;

// Finds parameter blocks by the address of their values.
using ParameterMap =
    HashMap<ParameterBlock*, PagedVector<HashSlot<ParameterBlock*>>>;

inline std::uint64_t AddressKey(const double* values) {
  return reinterpret_cast<std::uintptr_t>(values);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_
