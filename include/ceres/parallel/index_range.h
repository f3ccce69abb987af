// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_INDEX_RANGE_H_
#define CERES_PUBLIC_PARALLEL_INDEX_RANGE_H_

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The half-open range of indices [begin, end).
template <typename Index>
struct BasicIndexRange {
  static_assert(std::is_integral_v<Index>, "an index is an integer");

  // The empty range [0, 0).
  constexpr BasicIndexRange() = default;
  // The range [range_begin, range_end); empty if range_end <= range_begin.
  constexpr BasicIndexRange(Index range_begin, Index range_end)
      : begin(range_begin), end(range_end) {}

  // From a range of a type that is not wider. The conversion is implicit, so
  // that a body may take IndexRange for any type of the loop's bounds. Throws
  // std::out_of_range if bounds of an unsigned type of the same size do not
  // fit.
  template <typename Other,
            std::enable_if_t<(sizeof(Other) < sizeof(Index)) ||
                                 (sizeof(Other) == sizeof(Index) &&
                                  !std::is_same_v<Other, Index> &&
                                  std::is_signed_v<Index>),
                             int> = 0>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr BasicIndexRange(const BasicIndexRange<Other>& other)
      : begin(static_cast<Index>(other.begin)),
        end(static_cast<Index>(other.end)) {
    if constexpr (sizeof(Other) == sizeof(Index) && std::is_unsigned_v<Other>) {
      if (begin < 0 || end < 0) {
        throw std::out_of_range(
            "ceres::parallel: bounds of a loop do not fit the signed range of "
            "its body; let the body take BasicIndexRange of their type");
      }
    }
  }

  // The number of indices, in the type of end - begin: int for narrower
  // indices. Undefined if the number does not fit this type, as for [INT_MIN,
  // INT_MAX) and int.
  constexpr auto size() const { return end - begin; }
  // Returns whether the range has no index.
  constexpr bool empty() const { return begin >= end; }

  // The first index, and the index after the last one.
  Index begin = 0;
  Index end = 0;
};

// The range of the default index type.
using IndexRange = BasicIndexRange<std::int64_t>;

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_INDEX_RANGE_H_
