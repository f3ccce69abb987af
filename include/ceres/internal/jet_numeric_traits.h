// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_NUMERIC_TRAITS_H_
#define CERES_PUBLIC_INTERNAL_JET_NUMERIC_TRAITS_H_

// Traits of Jets for the standard library and Eigen. Included by ceres/jet.h
// only, which comes first.

#include <limits>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/jet_fwd.h"

namespace std {

// A scalar and a Jet, or two Jets of equal size, have a Jet in common.
template <typename T, typename U, int N>
struct common_type<T, ceres::Jet<U, N>> {
  using type = ceres::Jet<common_type_t<T, U>, N>;
};

template <typename T, int N, typename U>
struct common_type<ceres::Jet<T, N>, U> {
  using type = ceres::Jet<common_type_t<T, U>, N>;
};

template <typename T, int N, typename U>
struct common_type<ceres::Jet<T, N>, ceres::Jet<U, N>> {
  using type = ceres::Jet<common_type_t<T, U>, N>;
};

// The limits of Jet<T, N> are those of T; values are constants. Names in
// parentheses are no calls of macros (min and max of windows.h).
template <typename T, int N>
struct numeric_limits<ceres::Jet<T, N>> : numeric_limits<T> {
  static constexpr bool is_specialized = true;

  static constexpr ceres::Jet<T, N>(max)() noexcept {
    return ceres::Jet<T, N>((numeric_limits<T>::max)());
  }
  static constexpr ceres::Jet<T, N>(min)() noexcept {
    return ceres::Jet<T, N>((numeric_limits<T>::min)());
  }
  static constexpr ceres::Jet<T, N> lowest() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::lowest());
  }
  static constexpr ceres::Jet<T, N> denorm_min() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::denorm_min());
  }
  static constexpr ceres::Jet<T, N> epsilon() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::epsilon());
  }
  static constexpr ceres::Jet<T, N> round_error() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::round_error());
  }
  static constexpr ceres::Jet<T, N> infinity() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::infinity());
  }
  static constexpr ceres::Jet<T, N> quiet_NaN() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::quiet_NaN());
  }
  static constexpr ceres::Jet<T, N> signaling_NaN() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::signaling_NaN());
  }
};

}  // namespace std

namespace Eigen {

// Lets Eigen compute with matrices of Jets. Eigen takes what is not said here
// from numeric_limits.
template <typename T, int N>
struct NumTraits<ceres::Jet<T, N>> : GenericNumTraits<ceres::Jet<T, N>> {
  // The number of digits of the values.
  static int digits10() { return NumTraits<T>::digits10(); }
  static int max_digits10() { return std::numeric_limits<T>::max_digits10; }
  static ceres::Jet<T, N> dummy_precision() {
    return ceres::Jet<T, N>(T(1e-12));
  }

  // A product has two products of derivatives and values.
  enum { HasFloatingPoint = 1, MulCost = 3 };
};

// Operations of a matrix of Jets and a scalar, or the other way round.
template <typename BinaryOp, typename T, int N>
struct ScalarBinaryOpTraits<ceres::Jet<T, N>, T, BinaryOp> {
  using ReturnType = ceres::Jet<T, N>;
};

template <typename BinaryOp, typename T, int N>
struct ScalarBinaryOpTraits<T, ceres::Jet<T, N>, BinaryOp> {
  using ReturnType = ceres::Jet<T, N>;
};

}  // namespace Eigen

#endif  // CERES_PUBLIC_INTERNAL_JET_NUMERIC_TRAITS_H_
