// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_
#define CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_

// The sizes of parameter blocks as a type.

#include <array>
#include <cstddef>
#include <utility>

#include "ceres/internal/integer_sequence_algorithm.h"

namespace ceres::internal {

// Ns... are the sizes of the blocks, all positive; with IsDynamic there are
// none, and sizes are known at run time only.
template <bool IsDynamic, int... Ns>
class ParameterDims {
 public:
  using Parameters = std::integer_sequence<int, Ns...>;

  static constexpr bool kIsDynamic = IsDynamic;
  static constexpr bool kIsValid = ((Ns > 0) && ...);
  static_assert(kIsValid, "The sizes of parameter blocks must be positive.");
  static_assert(IsDynamic || sizeof...(Ns) > 0,
                "At least one parameter block is needed.");

  static constexpr int kNumParameterBlocks = sizeof...(Ns);
  static constexpr int kNumParameters = (Ns + ... + 0);

  // The size of block dim, 0 <= dim < kNumParameterBlocks.
  static constexpr int GetDim(int dim) {
    constexpr int kSizes[] = {Ns..., 0};
    return kSizes[dim];
  }

  // Pointers to the blocks of which ptr holds one after the other.
  template <typename T>
  static std::array<T*, kNumParameterBlocks> GetUnpackedParameters(T* ptr) {
    return Unpack(ptr, ExclusiveScan<Parameters>());
  }

 private:
  template <typename T, int... Offsets>
  static std::array<T*, kNumParameterBlocks> Unpack(
      T* ptr, std::integer_sequence<int, Offsets...>) {
    return {{ptr + Offsets...}};
  }
};

template <int... Ns>
using StaticParameterDims = ParameterDims<false, Ns...>;
using DynamicParameterDims = ParameterDims<true>;

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_
