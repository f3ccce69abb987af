// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_
#define CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_

// The sizes of parameter blocks as types, and calls of functors of such blocks.
//
// StaticParameterDims<n_0, ..., n_{k-1}>   sizes known at compile time;
//                                         functor(x_0, ..., x_{k-1}, output)
// BlocksOfAnySize                          sizes known at run time only;
//                                         functor(x, output), x has k pointers
//
// Programs use the name StaticParameterDims together with AutoDifferentiate
// (autodiff.h), so both names stay.

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ceres/parallel/detail/language.h"

namespace ceres::internal {

// The keyword `inline` of member templates is a hint that Clang follows.
template <int... Ns>
class StaticParameterDims {
 public:
  static constexpr int kNumParameterBlocks = sizeof...(Ns);
  static_assert(kNumParameterBlocks > 0,
                "At least one parameter block is needed.");
  static_assert((... && (Ns > 0)),
                "The sizes of parameter blocks must be positive.");
  static constexpr int kNumParameters = (0 + ... + Ns);

  // The size of a block, 0 <= block < kNumParameterBlocks.
  static constexpr int SizeOf(int block) {
    return std::array<int, sizeof...(Ns)>{Ns...}[block];
  }

  // The number of parameters before a block.
  static constexpr int OffsetOf(int block) {
    int offset = 0;
    while (--block >= 0) offset += SizeOf(block);
    return offset;
  }

  // Pointers to the blocks that lie one after the other from `begin` on.
  template <typename T>
  static std::array<T*, sizeof...(Ns)> SplitIntoBlocks(T* begin) {
    return {{std::exchange(begin, begin + Ns)...}};
  }

  // Calls visit(std::integral_constant<int, block>) for each block in order
  // until it returns false. Returns whether all calls returned true.
  template <typename Visit>
  static inline bool ForEachBlock(const Visit& visit) {
    return Unroll(visit, std::make_integer_sequence<int, sizeof...(Ns)>());
  }

  // Returns what the functor returns for the blocks x[0], x[1], ...
  template <typename Functor, typename T>
  static inline bool Call(const Functor& functor, T const* const* x,
                          T* output) {
    return Spread(functor, x, output,
                  std::make_index_sequence<sizeof...(Ns)>());
  }

 private:
  template <typename Visit, int... kBlocks>
  static inline bool Unroll(const Visit& visit,
                            std::integer_sequence<int, kBlocks...>) {
    return (... && visit(std::integral_constant<int, kBlocks>()));
  }

  template <typename Functor, typename T, std::size_t... kBlocks>
  static inline bool Spread(const Functor& functor, T const* const* x,
                            T* output, std::index_sequence<kBlocks...>) {
    return functor(x[kBlocks]..., output);
  }
};

struct BlocksOfAnySize {
  template <typename Functor, typename T>
  static inline bool Call(const Functor& functor, T const* const* x,
                          T* output) {
    return functor(x, output);
  }
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_PARAMETER_DIMS_H_
