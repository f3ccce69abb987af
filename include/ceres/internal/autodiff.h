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

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/internal/parameter_dims.h"
#include "ceres/internal/port.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/jet.h"
#include "ceres/types.h"

// The largest numbers of parameters and residuals whose Jets are on the stack.
// A user may define other values before including any header of the library.
#ifndef CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK
#define CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK 50
#endif

#ifndef CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK
#define CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK 20
#endif

namespace ceres::internal {

// The largest number of parameters whose Jets are made one by one, without a
// loop. With constant indices, compilers see which derivatives are zero in all
// Jets, and compute with these once instead of entry by entry.
inline constexpr int kMaxUnrolledParameters = 24;

struct ParameterPlace {
  int block;
  int index;
};

// The position of each parameter: its block and its index in the block.
template <typename ParameterDims>
constexpr auto FindParameters() {
  std::array<ParameterPlace, ParameterDims::kNumParameters> places{};
  int k = 0;
  for (int block = 0; block < ParameterDims::kNumParameterBlocks; ++block) {
    for (int i = 0; i < ParameterDims::SizeOf(block); ++i) {
      places[k++] = {block, i};
    }
  }
  return places;
}

template <typename JetT, typename ParameterDims, typename T, int... kIndices>
CERES_ALWAYS_INLINE std::array<JetT, sizeof...(kIndices)> UnrolledVariables(
    T const* const* x, std::integer_sequence<int, kIndices...>) {
  constexpr auto kPlaces = FindParameters<ParameterDims>();
  return {
      {JetT(x[kPlaces[kIndices].block][kPlaces[kIndices].index], kIndices)...}};
}

// The Jets x_k + e_k of all parameters, one block after the other.
template <typename JetT, typename ParameterDims, typename T>
CERES_ALWAYS_INLINE auto MakeVariables(T const* const* x) {
  constexpr int n = ParameterDims::kNumParameters;
  constexpr bool kOnStack = n <= CERES_AUTODIFF_MAX_PARAMETERS_ON_STACK;
  if constexpr (kOnStack && n <= kMaxUnrolledParameters) {
    return UnrolledVariables<JetT, ParameterDims>(
        x, std::make_integer_sequence<int, n>());
  } else {
    std::conditional_t<kOnStack, std::array<JetT, n>, std::vector<JetT>> jets;
    if constexpr (!kOnStack) jets.resize(n);
    int k = 0;
    for (int block = 0; block < ParameterDims::kNumParameterBlocks; ++block) {
      for (int i = 0; i < ParameterDims::SizeOf(block); ++i, ++k) {
        jets[k].a = x[block][i];
        jets[k].v[k] = T(1);
      }
    }
    return jets;
  }
}

// Writes the Jacobian of m residuals by one block, unless it is not wanted.
template <typename ParameterDims, int kBlock, typename JetT, typename T>
CERES_ALWAYS_INLINE void WriteJacobian(const JetT* residuals, int m,
                                       T* jacobian) {
  if (jacobian == nullptr) return;
  constexpr int kNumColumns = ParameterDims::SizeOf(kBlock);
  constexpr int kFirst = ParameterDims::OffsetOf(kBlock);
  for (int r = 0; r < m; ++r) {
    const T* v = residuals[r].v.data() + kFirst;
    for (int c = 0; c < kNumColumns; ++c) {
      jacobian[r * kNumColumns + c] = v[c];
    }
  }
}

// Sets the rows of all Jacobian blocks to kImpossibleValue for the residuals
// that have this value. Not inlined: it is rarely called.
template <typename ParameterDims, typename T>
[[gnu::noinline]] void MarkUnwrittenRows(const T* values, int m,
                                         T* const* jacobians) {
  const T unwritten(kImpossibleValue);
  for (int block = 0; block < ParameterDims::kNumParameterBlocks; ++block) {
    if (jacobians[block] == nullptr) continue;
    const int num_columns = ParameterDims::SizeOf(block);
    for (int r = 0; r < m; ++r) {
      if (values[r] != unwritten) continue;
      std::fill_n(jacobians[block] + r * num_columns, num_columns, unwritten);
    }
  }
}

// Does what AutoDifferentiate does, with memory for the Jets of m residuals.
template <typename ParameterDims, typename Functor, typename JetT, typename T>
inline bool EvaluateWithJets(const Functor& functor, T const* const* x, int m,
                             JetT* residuals, T* values, T** jacobians) {
  auto variables = MakeVariables<JetT, ParameterDims>(x);
  const T unwritten(kImpossibleValue);
  for (int r = 0; r < m; ++r) residuals[r].a = unwritten;
  const auto blocks = ParameterDims::SplitIntoBlocks(variables.data());
  if (!ParameterDims::Call(functor, blocks.data(), residuals)) return false;

  for (int r = 0; r < m; ++r) values[r] = residuals[r].a;
  ParameterDims::ForEachBlock([&](auto block) {
    WriteJacobian<ParameterDims, block>(residuals, m, jacobians[block]);
    return true;
  });
  for (int r = 0; r < m; ++r) {
    if (values[r] < unwritten) continue;
    MarkUnwrittenRows<ParameterDims>(values, m, jacobians);
    break;
  }
  return true;
}

// Evaluates functor and its Jacobian blocks at x.
//
//   kNumResiduals   m, or DYNAMIC: then num_residuals is m.
//   x               k pointers to blocks; ParameterDims has their sizes.
//   values          m values to write.
//   jacobians       k pointers. Those that are not null point at row-major
//                   m x n_i matrices to write.
//
// Returns what the functor returns. If that is false, values and jacobians are
// as they were. If the functor does not write a residual, its value and its
// rows of all Jacobian blocks become kImpossibleValue.
//
// The functor is compiled into this function, although it may be large: only
// then does the compiler know the zeros of the parameters' derivatives, which
// halves the time of, for instance, a reprojection error.
template <int kNumResiduals, typename ParameterDims, typename Functor,
          typename T>
CERES_INLINE_CALLEES inline bool AutoDifferentiate(const Functor& functor,
                                                   T const* const* x,
                                                   int num_residuals, T* values,
                                                   T** jacobians) {
  using JetT = Jet<T, ParameterDims::kNumParameters>;
  constexpr int kMaxOnStack = CERES_AUTODIFF_MAX_RESIDUALS_ON_STACK;
  if constexpr (kNumResiduals != DYNAMIC && kNumResiduals <= kMaxOnStack) {
    JetT residuals[kNumResiduals];
    return EvaluateWithJets<ParameterDims>(functor, x, kNumResiduals, residuals,
                                           values, jacobians);
  } else {
    const int m = kNumResiduals == DYNAMIC ? num_residuals : kNumResiduals;
    SmallBuffer<JetT, kMaxOnStack> residuals(m);
    return EvaluateWithJets<ParameterDims>(functor, x, m, residuals.data(),
                                           values, jacobians);
  }
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_AUTODIFF_H_
