// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_PANEL_BLOCK_H_
#define CERES_INTERNAL_KERNELS_PANEL_BLOCK_H_

#include <cstdint>

namespace ceres::internal::kernels {

// The panel layout of a small dense block that many products are summed into.
// Every addition consists of whole vectors of 8 doubles, and no vector crosses
// a 64-byte line.
//
// The columns are cut into panels of 8. A panel is stored row-major, 8 doubles
// a row. One or two columns that are left over are stored as columns, padded to
// a multiple of 8. Three or more, and blocks narrower than 8, are one more
// panel with padding lanes.
//
// clang-format off
//     9 x 9:  | rows 0..8 of columns 0..7 | column 8, 16 long |    11 lines
//     6 x 6:  | rows 0..5 of columns 0..5, 2 lanes of padding |     6 lines
// clang-format on
//
// The values of the padding are arbitrary unless a function says otherwise.
inline constexpr int kPanelWidth = 8;

constexpr int PaddedSize(int n) {
  return (n + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}
// The number of columns that are stored as columns.
constexpr int NumTailColumns(int columns) {
  return columns > kPanelWidth && columns % kPanelWidth <= 2
             ? columns % kPanelWidth
             : 0;
}
constexpr int NumPanels(int columns) {
  return PaddedSize(columns - NumTailColumns(columns)) / kPanelWidth;
}
// Doubles of a block, padding included: a multiple of 8.
constexpr int PanelBlockSize(int rows, int columns) {
  return NumPanels(columns) * rows * kPanelWidth +
         NumTailColumns(columns) * PaddedSize(rows);
}
// The place of element (row, column).
constexpr int PanelPosition(int rows, int columns, int row, int column) {
  const int panels = NumPanels(columns);
  if (column < panels * kPanelWidth) {
    return (column / kPanelWidth * rows + row) * kPanelWidth +
           column % kPanelWidth;
  }
  return panels * rows * kPanelWidth +
         (column - panels * kPanelWidth) * PaddedSize(rows) + row;
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_PANEL_BLOCK_H_
