// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_INTEGER_SEQUENCE_ALGORITHM_H_
#define CERES_PUBLIC_INTERNAL_INTEGER_SEQUENCE_ALGORITHM_H_

// Algorithms on std::integer_sequence at compile time.

#include <type_traits>
#include <utility>

namespace ceres::internal {

// Carries the sum of what has been scanned and the sums before each element.
template <typename T, T Sum, typename Result, T... Rest>
struct ExclusiveScanImpl;

template <typename T, T Sum, T... Sums>
struct ExclusiveScanImpl<T, Sum, std::integer_sequence<T, Sums...>> {
  using Type = std::integer_sequence<T, Sums...>;
};

template <typename T, T Sum, T... Sums, T Head, T... Tail>
struct ExclusiveScanImpl<T, Sum, std::integer_sequence<T, Sums...>, Head,
                         Tail...>
    : ExclusiveScanImpl<T, Sum + Head, std::integer_sequence<T, Sums..., Sum>,
                        Tail...> {};

// Type: element i is the sum of the elements before i.
//   (n0, n1, n2) -> (0, n0, n0 + n1)
template <typename Seq>
struct ExclusiveScanT;

template <typename T, T... Ns>
struct ExclusiveScanT<std::integer_sequence<T, Ns...>>
    : ExclusiveScanImpl<T, T(0), std::integer_sequence<T>, Ns...> {};

template <typename Seq>
using ExclusiveScan = typename ExclusiveScanT<Seq>::Type;

// Appends to Result the elements that differ from value.
template <typename T, T value, typename Result, T... Rest>
struct RemoveValueImpl;

template <typename T, T value, T... Kept>
struct RemoveValueImpl<T, value, std::integer_sequence<T, Kept...>> {
  using type = std::integer_sequence<T, Kept...>;
};

template <typename T, T value, T... Kept, T Head, T... Tail>
struct RemoveValueImpl<T, value, std::integer_sequence<T, Kept...>, Head,
                       Tail...>
    : RemoveValueImpl<
          T, value,
          std::conditional_t<Head == value, std::integer_sequence<T, Kept...>,
                             std::integer_sequence<T, Kept..., Head>>,
          Tail...> {};

// type: the sequence without its elements equal to value.
template <typename Seq, typename Seq::value_type value>
struct RemoveValue {
 private:
  using T = typename Seq::value_type;
  template <T... Ns>
  static RemoveValueImpl<T, value, std::integer_sequence<T>, Ns...> Unpack(
      std::integer_sequence<T, Ns...>);

 public:
  using type = typename decltype(Unpack(Seq()))::type;
};

template <typename Seq, typename Seq::value_type value>
using RemoveValue_t = typename RemoveValue<Seq, value>::type;

// Whether all of Values equal Head.
template <typename T, T Head, T... Values>
inline constexpr bool AreAllEqual_v = ((Head == Values) && ...);

// Whether the sequence has no two different elements.
template <typename Seq>
struct IsEmptyOrAreAllEqual;

template <typename T>
struct IsEmptyOrAreAllEqual<std::integer_sequence<T>> : std::true_type {};

template <typename T, T Head, T... Tail>
struct IsEmptyOrAreAllEqual<std::integer_sequence<T, Head, Tail...>>
    : std::bool_constant<AreAllEqual_v<T, Head, Tail...>> {};

template <typename Seq>
inline constexpr bool IsEmptyOrAreAllEqual_v = IsEmptyOrAreAllEqual<Seq>::value;

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_INTEGER_SEQUENCE_ALGORITHM_H_
