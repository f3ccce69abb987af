// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_ARRAY_SELECTOR_H_
#define CERES_PUBLIC_INTERNAL_ARRAY_SELECTOR_H_

// The array type that suits a number of elements.

#include <array>
#include <vector>

#include "ceres/internal/fixed_array.h"
#include "ceres/types.h"

namespace ceres::internal {

// An array of num_elements elements, to be made with the number as argument
// also where it is known at compile time: std::array if it is known and at most
// max_num_elements_on_stack, std::vector if it is known and larger, FixedArray
// if num_elements is DYNAMIC.
template <typename T, int num_elements, int max_num_elements_on_stack,
          bool dynamic = (num_elements == DYNAMIC),
          bool fits_on_stack = (num_elements <= max_num_elements_on_stack)>
struct ArraySelector {};

template <typename T, int num_elements, int max_num_elements_on_stack,
          bool fits_on_stack>
struct ArraySelector<T, num_elements, max_num_elements_on_stack, true,
                     fits_on_stack> : FixedArray<T, max_num_elements_on_stack> {
  explicit ArraySelector(int s) : FixedArray<T, max_num_elements_on_stack>(s) {}
};

template <typename T, int num_elements, int max_num_elements_on_stack>
struct ArraySelector<T, num_elements, max_num_elements_on_stack, false, true>
    : std::array<T, num_elements> {
  explicit ArraySelector(int /*s*/) {}
};

template <typename T, int num_elements, int max_num_elements_on_stack>
struct ArraySelector<T, num_elements, max_num_elements_on_stack, false, false>
    : std::vector<T> {
  explicit ArraySelector(int s) : std::vector<T>(s) {}
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_ARRAY_SELECTOR_H_
