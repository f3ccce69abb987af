// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_VARIADIC_EVALUATE_H_
#define CERES_PUBLIC_INTERNAL_VARIADIC_EVALUATE_H_

// Calls a functor that takes its parameter blocks as separate arguments.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ceres/cost_function.h"

namespace ceres::internal {

template <typename Functor, typename T, size_t... Blocks>
inline bool CallWithBlocks(const Functor& functor, T const* const* input,
                           T* output, std::index_sequence<Blocks...>) {
  return functor(input[Blocks]..., output);
}

// Evaluates functor at the blocks input[0], input[1], ... and writes output.
// Depending on what functor and ParameterDims are, calls
//   functor.Evaluate(input, output, nullptr)  for a CostFunction,
//   functor(input, output)                    for a number of blocks that is
//                                             known at run time only,
//   functor(input[0], ..., input[k-1], output) otherwise.
// Returns what the call returns.
template <typename ParameterDims, typename Functor, typename T>
inline bool VariadicEvaluate(const Functor& functor, T const* const* input,
                             T* output) {
  if constexpr (std::is_base_of_v<CostFunction, Functor>) {
    return functor.Evaluate(input, output, nullptr);
  } else if constexpr (ParameterDims::kIsDynamic) {
    return functor(input, output);
  } else {
    return CallWithBlocks(
        functor, input, output,
        std::make_index_sequence<ParameterDims::kNumParameterBlocks>());
  }
}

// Lets a functor of one block, bool operator()(const T* x, T* cost) const, be
// called with an array of pointers to blocks. Refers to the functor.
template <typename Functor>
class FirstOrderFunctorAdapter {
 public:
  explicit FirstOrderFunctorAdapter(const Functor& functor)
      : functor_(functor) {}

  template <typename T>
  bool operator()(T const* const* parameters, T* cost) const {
    return functor_(parameters[0], cost);
  }

 private:
  const Functor& functor_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_VARIADIC_EVALUATE_H_
