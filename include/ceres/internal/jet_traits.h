// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_TRAITS_H_
#define CERES_PUBLIC_INTERNAL_JET_TRAITS_H_

// The kinds of scalars and Jets that may meet in one operation.

#include <type_traits>

#include "ceres/jet_fwd.h"

namespace ceres {
namespace internal {

// The kind of an operand: a Jet, a scalar, or neither. Scalar is the type at
// the bottom of Jets of Jets.
template <typename T>
struct JetOperand {
  using Scalar = T;
  static constexpr bool kIsJet = false;
  static constexpr bool kIsNumber = std::is_scalar_v<T>;
  static constexpr int kNumDerivatives = 0;
};

template <typename T, int N>
struct JetOperand<Jet<T, N>> {
  using Scalar = typename JetOperand<T>::Scalar;
  static constexpr bool kIsJet = true;
  static constexpr bool kIsNumber = true;
  static constexpr int kNumDerivatives = N;
};

template <typename... Types>
inline constexpr bool kAreSameType = true;

template <typename T, typename... Types>
inline constexpr bool kAreSameType<T, Types...> = (std::is_same_v<T, Types> &&
                                                   ...);

// Whether all operands have either this number of derivatives or none.
template <int kNumDerivatives, typename... Operands>
inline constexpr bool kHaveDerivatives = ((Operands::kNumDerivatives == 0 ||
                                           Operands::kNumDerivatives ==
                                               kNumDerivatives) &&
                                          ...);

template <typename... Operands>
inline constexpr bool kArePromotable =
    (Operands::kIsJet || ...) && (Operands::kIsNumber && ...) &&
    (kHaveDerivatives<Operands::kNumDerivatives, Operands...> || ...);

// The value of a Jet without its derivatives, down to the scalar at the bottom.
template <typename T>
constexpr const auto& BottomScalar(const T& x) noexcept {
  if constexpr (JetOperand<T>::kIsJet) {
    return BottomScalar(x.a);
  } else {
    return x;
  }
}

}  // namespace internal

// Whether one function can take arguments of all Types, where C++ promotes
// scalars of different types: at least one is a Jet, and Jets agree in the
// number of derivatives.
template <typename... Types>
struct PromotableJetOperands
    : std::bool_constant<
          internal::kArePromotable<internal::JetOperand<Types>...>> {};

template <typename... Types>
inline constexpr bool PromotableJetOperands_v =
    PromotableJetOperands<Types...>::value;

// The same where the underlying scalars of all Types are of one type.
template <typename... Types>
struct CompatibleJetOperands
    : std::bool_constant<PromotableJetOperands_v<Types...> &&
                         internal::kAreSameType<
                             typename internal::JetOperand<Types>::Scalar...>> {
};

template <typename... Types>
inline constexpr bool CompatibleJetOperands_v =
    CompatibleJetOperands<Types...>::value;

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_JET_TRAITS_H_
