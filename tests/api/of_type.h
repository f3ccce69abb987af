// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_TESTS_API_OF_TYPE_H_
#define VESTA_TESTS_API_OF_TYPE_H_

#include <ostream>
#include <type_traits>

#include "gtest/gtest.h"

namespace ceres {

// A value that can be compared with others of exactly its type only:
//   EXPECT_EQ(options.eta, OfType{0.1});
// does not compile if eta is a float.
template <typename T>
struct OfType {
  T value;
};
template <typename T>
OfType(T) -> OfType<T>;

template <typename Actual, typename T>
bool operator==(const Actual& actual, const OfType<T>& expected) {
  static_assert(std::is_same_v<Actual, T>);
  return actual == expected.value;
}

template <typename T>
std::ostream& operator<<(std::ostream& stream, const OfType<T>& expected) {
  return stream << testing::PrintToString(expected.value);
}

}  // namespace ceres

#endif  // VESTA_TESTS_API_OF_TYPE_H_
