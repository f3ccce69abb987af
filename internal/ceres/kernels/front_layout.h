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
// Rows are cut into panels of H rows, one cache line of scalars. Pivot rows and
// rows below are cut separately. A panel is stored column by column, so that
// one vector, or a few, hold a column, and products of panels read memory in
// order.
//
// clang-format off
//     element (row, column) = panel(row / H)[column * H + row % H]
//
//                    width columns
//     pivot rows   | panel 0             |   update matrix, panel p has
//                  | panel 1             |   H (p + 1) columns:
//     rows below   | panel 0             |   | panel 0 |
//                  | panel 1             |   | panel 1           |
// clang-format on
//
// Elements above the diagonal and in the padding rows are undefined. Kernels
// may read them.
template <typename T>
inline constexpr int kFrontPanel = 64 / static_cast<int>(sizeof(T));

template <typename T>
constexpr int NumFrontPanels(int rows) {
  return (rows + kFrontPanel<T> - 1) / kFrontPanel<T>;
}

// Scalars of the columns of a front.
template <typename T>
constexpr int64_t FrontColumnsSize(int width, int below) {
  return int64_t{NumFrontPanels<T>(width) + NumFrontPanels<T>(below)} *
         kFrontPanel<T> * width;
}
template <typename T>
constexpr int64_t PivotPosition(int width, int row, int column) {
  constexpr int h = kFrontPanel<T>;
  return int64_t{row / h} * h * width + column * h + row % h;
}
template <typename T>
constexpr int64_t BelowPosition(int width, int row, int column) {
  return int64_t{NumFrontPanels<T>(width)} * kFrontPanel<T> * width +
         PivotPosition<T>(width, row, column);
}

// The place of panel p of an update matrix. For p = the number of panels, the
// size of the update matrix.
template <typename T>
constexpr int64_t UpdatePanel(int p) {
  return int64_t{kFrontPanel<T>} * kFrontPanel<T> * p * (p + 1) / 2;
}
template <typename T>
constexpr int64_t UpdatePosition(int row, int column) {
  constexpr int h = kFrontPanel<T>;
  return UpdatePanel<T>(row / h) + int64_t{column} * h + row % h;
}
template <typename T>
constexpr int64_t UpdateSize(int below) {
  return UpdatePanel<T>(NumFrontPanels<T>(below));
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_LAYOUT_H_
