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

// dst[j] = src[j] + e_{Offset + j} for 0 <= j < N.
template <int Offset, int N, typename T, typename JetT>
CERES_ALWAYS_INLINE void Make1stOrderPerturbation(const T* src, JetT* dst) {
  for (int j = 0; j < N; ++j) {
    dst[j] = JetT(src[j], Offset + j);
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
template <int kNumResiduals, typename ParameterDims, typename Functor,
          typename T>
inline bool AutoDifferentiate(const Functor& functor,
                              T const* const* parameters,
                              int dynamic_num_outputs, T* function_value,
                              T** jacobians) {
  using Parameters = typename ParameterDims::Parameters;
  using Offsets = ExclusiveScan<Parameters>;
  using JetT = Jet<T, ParameterDims::kNumParameters>;

  const int num_outputs =
      kNumResiduals == DYNAMIC ? dynamic_num_outputs : kNumResiduals;

  ArraySelector<JetT, ParameterDims::kNumParameters,
                CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK>
      x(ParameterDims::kNumParameters);
  Make1stOrderPerturbationsImpl(parameters, x.data(), Parameters(), Offsets());

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
