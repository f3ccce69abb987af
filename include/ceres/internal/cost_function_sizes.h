// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_COST_FUNCTION_SIZES_H_
#define CERES_PUBLIC_INTERNAL_COST_FUNCTION_SIZES_H_

#include <cstdint>
#include <vector>

#include "ceres/parallel/detail/language.h"

namespace ceres::internal {

// The properties of a cost function. Problems have millions of cost
// functions, which mostly have it from their type: then all objects share one
// of these, and hold a pointer where they would hold, or allocate, three
// quarters of their memory.
struct CostFunctionSizes {
  std::vector<int32_t> parameter_blocks;
  int num_residuals = 0;
  // By all objects of a type, and never deleted: cost functions may outlive
  // every object that is destroyed at exit.
  bool is_shared = false;
  // Whether a cost function that refers to a functor deletes it.
  bool owns_functor = true;
};

template <int kNumResiduals, int... Ns>
const CostFunctionSizes* SharedSizes() {
  static const auto* const sizes =
      new CostFunctionSizes{{Ns...}, kNumResiduals, true, true};
  return sizes;
}

// The same, of cost functions that do not own their functor.
template <int kNumResiduals, int... Ns>
const CostFunctionSizes* SharedSizesOfBorrower() {
  static const auto* const sizes =
      new CostFunctionSizes{{Ns...}, kNumResiduals, true, false};
  return sizes;
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_COST_FUNCTION_SIZES_H_
