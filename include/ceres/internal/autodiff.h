// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_AUTODIFF_H_
#define CERES_PUBLIC_INTERNAL_AUTODIFF_H_

// Forward-mode automatic differentiation of functors.
//
// A functor f: (x_0, ..., x_{k-1}) -> R^m is evaluated once in dual numbers of
// n = n_0 + ... + n_{k-1} infinitesimals. Parameter j of the concatenation of
// all blocks enters as x_j + e_j, so that residual r comes out as
//
//   f_r(x) + sum_j (df_r / dx_j) e_j.
//
// Its derivative part holds row r of all Jacobian blocks side by side:
//
//          n_0    n_1         n_{k-1}
//       +------+--------+---+---------+
//   r   | J_0  |  J_1   |...| J_{k-1} |
//       +------+--------+---+---------+
//
// Griewank and Walther, Evaluating Derivatives (SIAM, 2008), section 3.1.

#include <array>
#include <utility>

#include "ceres/internal/array_selector.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/internal/port.h"
#include "ceres/internal/variadic_evaluate.h"
#include "ceres/jet.h"
#include "ceres/types.h"

// Up to so many parameters and residuals, their Jets lie on the stack. A user
// may define other values before including any header of the library.
#ifndef CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK
#define CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK 50
#endif

#ifndef CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK
#define CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK 20
#endif

namespace ceres::internal {

// Up to so many parameters, their Jets are made one by one, without a loop:
// with constant indices, compilers see which derivatives are zero in all of
// them, and compute with these once instead of entry by entry.
inline constexpr int kMaxUnrolledParameters = 24;

// Where parameter k of the concatenation of all blocks is found.
struct ParameterPosition {
  int block;
  int offset;
};

template <typename ParameterDims>
constexpr ParameterPosition FindParameter(int k) {
  int block = 0;
  while (k >= ParameterDims::GetDim(block)) {
    k -= ParameterDims::GetDim(block++);
  }
  return {block, k};
}

// dst[j] = src[j] + e_{Offset + j} for 0 <= j < N. Before, dst[j] is zero.
template <int Offset, int N, typename T, typename JetT>
CERES_ALWAYS_INLINE void Make1stOrderPerturbation(const T* src, JetT* dst) {
  for (int j = 0; j < N; ++j) {
    dst[j].a = src[j];
    dst[j].v[Offset + j] = T(1);
  }
}

template <typename T, typename JetT, int... Ns, int... Offsets>
CERES_ALWAYS_INLINE void Make1stOrderPerturbationsImpl(
    T const* const* parameters, JetT* x, std::integer_sequence<int, Ns...>,
    std::integer_sequence<int, Offsets...>) {
  int block = 0;
  (Make1stOrderPerturbation<Offsets, Ns>(parameters[block++], x + Offsets),
   ...);
}

// The Jets of all parameters, x_k + e_k, one block after the other.
template <typename JetT, typename ParameterDims, typename T, int... kIndices>
CERES_ALWAYS_INLINE std::array<JetT, sizeof...(kIndices)> MakePerturbedArray(
    T const* const* parameters, std::integer_sequence<int, kIndices...>) {
  constexpr ParameterPosition kPositions[] = {
      FindParameter<ParameterDims>(kIndices)...};
  return {
      {JetT(parameters[kPositions[kIndices].block][kPositions[kIndices].offset],
            kIndices)...}};
}

template <typename JetT, typename ParameterDims, typename T>
CERES_ALWAYS_INLINE auto MakePerturbedParameters(T const* const* parameters) {
  using Parameters = typename ParameterDims::Parameters;
  constexpr int kNumParameters = ParameterDims::kNumParameters;
  if constexpr (kNumParameters <= kMaxUnrolledParameters &&
                kNumParameters <= CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK) {
    return MakePerturbedArray<JetT, ParameterDims>(
        parameters, std::make_integer_sequence<int, kNumParameters>());
  } else {
    ArraySelector<JetT, kNumParameters, CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK>
        x(kNumParameters);
    Make1stOrderPerturbationsImpl(parameters, x.data(), Parameters(),
                                  ExclusiveScan<Parameters>());
    return x;
  }
}

// dst[r] = the value of src[r], for 0 <= r < M.
template <typename JetT, typename T>
CERES_ALWAYS_INLINE void Take0thOrderPart(int M, const JetT* src, T* dst) {
  for (int r = 0; r < M; ++r) {
    dst[r] = src[r].a;
  }
}

// dst[r * N + c] = derivative Offset + c of src[r], for 0 <= r < M and
// 0 <= c < N.
template <int Offset, int N, typename JetT, typename T>
CERES_ALWAYS_INLINE void Take1stOrderPart(int M, const JetT* src, T* dst) {
  for (int r = 0; r < M; ++r) {
    const T* derivatives = src[r].v.data() + Offset;
    for (int c = 0; c < N; ++c) {
      dst[r * N + c] = derivatives[c];
    }
  }
}

template <typename JetT, typename T, int... Ns, int... Offsets>
CERES_ALWAYS_INLINE void Take1stOrderPartsImpl(
    int num_outputs, const JetT* output, T** jacobians,
    std::integer_sequence<int, Ns...>, std::integer_sequence<int, Offsets...>) {
  int block = 0;
  const auto take = [&](auto offset, auto size) {
    T* jacobian = jacobians[block++];
    if (jacobian != nullptr) {
      Take1stOrderPart<offset.value, size.value>(num_outputs, output, jacobian);
    }
  };
  (take(std::integral_constant<int, Offsets>(),
        std::integral_constant<int, Ns>()),
   ...);
}

// Evaluates functor and its Jacobian blocks at parameters.
//
//   kNumResiduals        m, or DYNAMIC: then dynamic_num_outputs is m.
//   parameters           k pointers to blocks; ParameterDims has their sizes.
//   function_value       m values to write.
//   jacobians            k pointers, of which those that are not null are
//                        row-major m x n_i matrices to write.
//
// Returns what the functor returns; when that is false, function_value and
// jacobians are as they were. A value that the functor does not write becomes
// kImpossibleValue.
//
// The functor is compiled into this function, although it may be large: only
// then does the compiler know the zeros of the parameters' derivatives, which
// halves the time of, for instance, a reprojection error.
template <int kNumResiduals, typename ParameterDims, typename Functor,
          typename T>
CERES_INLINE_CALLEES inline bool AutoDifferentiate(const Functor& functor,
                                                   T const* const* parameters,
                                                   int dynamic_num_outputs,
                                                   T* function_value,
                                                   T** jacobians) {
  using Parameters = typename ParameterDims::Parameters;
  using Offsets = ExclusiveScan<Parameters>;
  using JetT = Jet<T, ParameterDims::kNumParameters>;

  const int num_outputs =
      kNumResiduals == DYNAMIC ? dynamic_num_outputs : kNumResiduals;

  auto x = MakePerturbedParameters<JetT, ParameterDims>(parameters);

  ArraySelector<JetT, kNumResiduals, CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK>
      output(num_outputs);
  for (int r = 0; r < num_outputs; ++r) {
    output[r].a = T(kImpossibleValue);
  }

  const auto blocks = ParameterDims::GetUnpackedParameters(x.data());
  if (!VariadicEvaluate<ParameterDims, Functor, JetT>(functor, blocks.data(),
                                                      output.data())) {
    return false;
  }

  Take0thOrderPart(num_outputs, output.data(), function_value);
  Take1stOrderPartsImpl(num_outputs, output.data(), jacobians, Parameters(),
                        Offsets());
  return true;
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_AUTODIFF_H_
