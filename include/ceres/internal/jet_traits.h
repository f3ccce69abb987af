// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_TRAITS_H_
#define CERES_PUBLIC_INTERNAL_JET_TRAITS_H_

// What kinds of scalars and Jets may meet in one operation.

#include <type_traits>
#include <utility>

#include "ceres/internal/integer_sequence_algorithm.h"
#include "ceres/jet_fwd.h"

namespace ceres {
namespace internal {

// Whether at least one of Types is a Jet.
template <typename... Types>
struct AreAnyJet : std::disjunction<AreAnyJet<Types>...> {};

template <typename T>
struct AreAnyJet<T> : std::false_type {};

template <typename T, int N>
struct AreAnyJet<Jet<T, N>> : std::true_type {};

template <typename... Types>
inline constexpr bool AreAnyJet_v = AreAnyJet<Types...>::value;

// The scalar at the bottom of Jets of Jets; T itself when T is no Jet.
template <typename T>
struct UnderlyingScalar {
  using type = T;
};

template <typename T, int N>
struct UnderlyingScalar<Jet<T, N>> : UnderlyingScalar<T> {};

template <typename T>
using UnderlyingScalar_t = typename UnderlyingScalar<T>::type;

// Whether all of Types are the same type as T.
template <typename T, typename... Types>
inline constexpr bool AreAllSame_v = (std::is_same_v<T, Types> && ...);

// The number of derivatives: N for Jet<., N>, 0 for a scalar, -1 for a type
// that is neither.
template <typename T>
struct Rank : std::integral_constant<int, std::is_scalar_v<T> ? 0 : -1> {};

template <typename T, int N>
struct Rank<Jet<T, N>> : std::integral_constant<int, N> {};

template <typename T>
inline constexpr int Rank_v = Rank<T>::value;

template <typename... Types>
using Ranks_t = std::integer_sequence<int, Rank_v<Types>...>;

// The value of a Jet without its derivatives, down to the underlying scalar.
template <typename T>
constexpr const T& AsScalar(const T& value) noexcept {
  return value;
}

template <typename T, int N>
constexpr const UnderlyingScalar_t<T>& AsScalar(
    const Jet<T, N>& value) noexcept {
  return AsScalar(value.a);
}

}  // namespace internal

// Whether one function can take arguments of all Types: at least one is a Jet,
// Jets agree in the number of derivatives, all in the underlying scalar type.
template <typename... Types>
struct CompatibleJetOperands
    : std::bool_constant<
          internal::AreAnyJet_v<Types...> &&
          internal::AreAllSame_v<internal::UnderlyingScalar_t<Types>...> &&
          internal::IsEmptyOrAreAllEqual_v<
              internal::RemoveValue_t<internal::Ranks_t<Types...>, 0>>> {};

template <typename... Types>
inline constexpr bool CompatibleJetOperands_v =
    CompatibleJetOperands<Types...>::value;

// The same where scalars may be of different types, which C++ promotes.
template <typename... Types>
struct PromotableJetOperands
    : std::bool_constant<
          internal::AreAnyJet_v<Types...> &&
          internal::IsEmptyOrAreAllEqual_v<
              internal::RemoveValue_t<internal::Ranks_t<Types...>, 0>>> {};

template <typename... Types>
inline constexpr bool PromotableJetOperands_v =
    PromotableJetOperands<Types...>::value;

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_JET_TRAITS_H_
