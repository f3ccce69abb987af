// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_LAYOUT_H_
#define CERES_INTERNAL_KERNELS_FRONT_LAYOUT_H_

#include <cstdint>

namespace ceres::internal::kernels {

// The memory layout of a front of a multifrontal Cholesky factorization (Duff
// and Reid, ACM Transactions on Mathematical Software 9, 1983): `width` columns
// to eliminate, each of `width` pivot rows and `below` rows below, and the
// lower triangle of the below x below update matrix.
//
// Rows are cut into strips of H rows, one cache line of scalars. Pivot rows and
// rows below are cut separately. A strip is stored column by column, so that
// one vector, or a few, hold a column, and products of strips read memory in
// order.
//
// clang-format off
//     element (row, column) = strip(row / H)[column * H + row % H]
//
//                    width columns
//     pivot rows   | strip 0             |   update matrix, strip p has
//                  | strip 1             |   H (p + 1) columns:
//     rows below   | strip 0             |   | strip 0 |
//                  | strip 1             |   | strip 1           |
// clang-format on
//
// Elements above the diagonal and in the padding rows are undefined. Kernels
// may read them.
template <typename T>
inline constexpr int kFrontStrip = 64 / static_cast<int>(sizeof(T));

template <typename T>
constexpr int NumFrontStrips(int rows) {
  return (rows + kFrontStrip<T> - 1) / kFrontStrip<T>;
}

// Scalars of the columns of a front.
template <typename T>
constexpr int64_t FrontColumnsSize(int width, int below) {
  return int64_t{NumFrontStrips<T>(width) + NumFrontStrips<T>(below)} *
         kFrontStrip<T> * width;
}
template <typename T>
constexpr int64_t PivotPosition(int width, int row, int column) {
  constexpr int h = kFrontStrip<T>;
  return int64_t{row / h} * h * width + column * h + row % h;
}
template <typename T>
constexpr int64_t BelowPosition(int width, int row, int column) {
  return int64_t{NumFrontStrips<T>(width)} * kFrontStrip<T> * width +
         PivotPosition<T>(width, row, column);
}

// The place of strip p of an update matrix. For p = the number of strips, the
// size of the update matrix.
template <typename T>
constexpr int64_t UpdateStrip(int p) {
  return int64_t{kFrontStrip<T>} * kFrontStrip<T> * p * (p + 1) / 2;
}
template <typename T>
constexpr int64_t UpdatePosition(int row, int column) {
  constexpr int h = kFrontStrip<T>;
  return UpdateStrip<T>(row / h) + int64_t{column} * h + row % h;
}
template <typename T>
constexpr int64_t UpdateSize(int below) {
  return UpdateStrip<T>(NumFrontStrips<T>(below));
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_LAYOUT_H_
