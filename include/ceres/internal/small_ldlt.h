// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_SMALL_LDLT_H_
#define CERES_PUBLIC_INTERNAL_SMALL_LDLT_H_

#include <limits>
#include <type_traits>
#include <utility>

#include "ceres/internal/port.h"

namespace ceres::internal {

// Calls f(std::integral_constant<int, i>()) for i = 0, ..., kNum - 1.
template <int kNum, typename F>
CERES_ALWAYS_INLINE void ForEachConstant(F&& f) {
  if constexpr (kNum > 0) {
    ForEachConstant<kNum - 1>(f);
    f(std::integral_constant<int, kNum - 1>());
  }
}

// Solves A x = b, A symmetric, positive definite and of kSize rows, by A = L D
// L' (Golub and Van Loan, Matrix Computations, 4th edition, 4.1.2) with all
// loops unrolled, so that a small factor stays in registers. Reads the lower
// triangle of A. Returns false, x being unspecified, if a pivot is not positive
// or no more than rounding errors: then only a factorization with pivoting
// tells what A is.
template <int kSize, typename Matrix, typename Vector>
CERES_ALWAYS_INLINE bool SolveByLdlt(const Matrix& a, const Vector& b,
                                     Vector* x) {
  using Scalar = std::decay_t<decltype(a(0, 0))>;
  constexpr Scalar kRelative =
      Scalar(kSize) * std::numeric_limits<Scalar>::epsilon();
  Scalar l[kSize][kSize];  // below the diagonal; above it (L D)'
  Scalar inverse_pivot[kSize];
  bool is_definite = true;
  ForEachConstant<kSize>([&](auto step) {
    constexpr int j = decltype(step)::value;
    Scalar pivot = a(j, j);
    ForEachConstant<j>([&](auto k) { pivot -= l[j][k] * l[k][j]; });
    is_definite &= pivot > kRelative * a(j, j);
    inverse_pivot[j] = Scalar(1) / pivot;
    ForEachConstant<kSize - 1 - j>([&](auto below) {
      constexpr int i = j + 1 + decltype(below)::value;
      Scalar entry = a(i, j);
      ForEachConstant<j>([&](auto k) { entry -= l[i][k] * l[k][j]; });
      l[j][i] = entry;
      l[i][j] = entry * inverse_pivot[j];
    });
  });
  if (!is_definite) return false;

  Scalar y[kSize];
  ForEachConstant<kSize>([&](auto step) {
    constexpr int i = decltype(step)::value;
    y[i] = b[i];
    ForEachConstant<i>([&](auto k) { y[i] -= l[i][k] * y[k]; });
  });
  ForEachConstant<kSize>([&](auto back) {
    constexpr int num_solved = decltype(back)::value;
    constexpr int i = kSize - 1 - num_solved;
    y[i] *= inverse_pivot[i];
    ForEachConstant<num_solved>([&](auto k) {
      constexpr int solved = kSize - 1 - decltype(k)::value;
      y[i] -= l[solved][i] * y[solved];
    });
    (*x)[i] = y[i];
  });
  return true;
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_SMALL_LDLT_H_
