// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_NUMERIC_TRAITS_H_
#define CERES_PUBLIC_INTERNAL_JET_NUMERIC_TRAITS_H_

// What the standard library and Eigen need to know about Jets. Included by
// ceres/jet.h only, which comes first.

#include <limits>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/internal/port.h"
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

// The limits of Jet<T, N> are those of T, as constants.
template <typename T, int N>
struct numeric_limits<ceres::Jet<T, N>> {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = numeric_limits<T>::is_signed;
  static constexpr bool is_integer = numeric_limits<T>::is_integer;
  static constexpr bool is_exact = numeric_limits<T>::is_exact;
  static constexpr bool has_infinity = numeric_limits<T>::has_infinity;
  static constexpr bool has_quiet_NaN = numeric_limits<T>::has_quiet_NaN;
  static constexpr bool has_signaling_NaN =
      numeric_limits<T>::has_signaling_NaN;
  static constexpr bool is_iec559 = numeric_limits<T>::is_iec559;
  static constexpr bool is_bounded = numeric_limits<T>::is_bounded;
  static constexpr bool is_modulo = numeric_limits<T>::is_modulo;

  // Deprecated in C++23.
  CERES_DISABLE_DEPRECATED_WARNING
  static constexpr float_denorm_style has_denorm =
      numeric_limits<T>::has_denorm;
  static constexpr bool has_denorm_loss = numeric_limits<T>::has_denorm_loss;
  CERES_RESTORE_DEPRECATED_WARNING

  static constexpr float_round_style round_style =
      numeric_limits<T>::round_style;
  static constexpr int digits = numeric_limits<T>::digits;
  static constexpr int digits10 = numeric_limits<T>::digits10;
  static constexpr int max_digits10 = numeric_limits<T>::max_digits10;
  static constexpr int radix = numeric_limits<T>::radix;
  static constexpr int min_exponent = numeric_limits<T>::min_exponent;
  static constexpr int min_exponent10 = numeric_limits<T>::min_exponent10;
  static constexpr int max_exponent = numeric_limits<T>::max_exponent;
  static constexpr int max_exponent10 = numeric_limits<T>::max_exponent10;
  static constexpr bool traps = numeric_limits<T>::traps;
  static constexpr bool tinyness_before = numeric_limits<T>::tinyness_before;

  static constexpr ceres::Jet<T, N> min
  CERES_PREVENT_MACRO_SUBSTITUTION() noexcept {
    return ceres::Jet<T, N>((numeric_limits<T>::min)());
  }
  static constexpr ceres::Jet<T, N> lowest() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::lowest());
  }
  static constexpr ceres::Jet<T, N> max
  CERES_PREVENT_MACRO_SUBSTITUTION() noexcept {
    return ceres::Jet<T, N>((numeric_limits<T>::max)());
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
  static constexpr ceres::Jet<T, N> denorm_min() noexcept {
    return ceres::Jet<T, N>(numeric_limits<T>::denorm_min());
  }
};

}  // namespace std

namespace Eigen {

// Lets Eigen compute with matrices of Jets.
template <typename T, int N>
struct NumTraits<ceres::Jet<T, N>> {
  using Real = ceres::Jet<T, N>;
  using NonInteger = ceres::Jet<T, N>;
  using Nested = ceres::Jet<T, N>;
  using Literal = ceres::Jet<T, N>;

  static Real dummy_precision() { return Real(T(1e-12)); }
  static Real epsilon() { return Real(std::numeric_limits<T>::epsilon()); }
  static int digits10() { return NumTraits<T>::digits10(); }
  static int max_digits10() { return std::numeric_limits<T>::max_digits10; }
  static Real highest() { return Real((std::numeric_limits<T>::max)()); }
  static Real lowest() { return Real(std::numeric_limits<T>::lowest()); }
  static Real quiet_NaN() { return Real(std::numeric_limits<T>::quiet_NaN()); }
  static Real infinity() { return Real(std::numeric_limits<T>::infinity()); }

  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 3,
    HasFloatingPoint = 1,
    RequireInitialization = 1
  };
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
