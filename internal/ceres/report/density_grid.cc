// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/density_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace ceres::internal {
namespace {

// The overlap of a block with its neighbouring cell is zero but for rounding.
constexpr double kSmallestOverlap = 1e-6;

}  // namespace

DensityGrid::DensityGrid(int size)
    : size_(size),
      grid_size_(std::min(size, kMaxGridSize)),
      cell_(static_cast<double>(size_) / grid_size_),
      area_(static_cast<std::size_t>(grid_size_) * grid_size_, 0.0) {}

void DensityGrid::AddBlock(int first_row, int num_rows, int first_column,
                           int num_columns) {
  const int end_row = first_row + num_rows;
  const int end_column = first_column + num_columns;
  const int last = grid_size_ - 1;
  for (int i = std::min(last, static_cast<int>(first_row / cell_));
       i <= last && i * cell_ < end_row; ++i) {
    const double height = std::min<double>(end_row, (i + 1) * cell_) -
                          std::max<double>(first_row, i * cell_);
    if (height <= kSmallestOverlap) continue;
    for (int j = std::min(last, static_cast<int>(first_column / cell_));
         j <= last && j * cell_ < end_column; ++j) {
      const double width = std::min<double>(end_column, (j + 1) * cell_) -
                           std::max<double>(first_column, j * cell_);
      if (width <= kSmallestOverlap) continue;
      area_[static_cast<std::size_t>(i) * grid_size_ + j] += height * width;
    }
  }
}

std::string DensityGrid::Digits() const {
  std::string digits;
  digits.reserve(area_.size());
  for (const double area : area_) {
    if (area <= 0.0) {
      digits += '0';
      continue;
    }
    const double density = std::min(1.0, area / (cell_ * cell_));
    const int level =
        9 + static_cast<int>(std::ceil(2.0 * std::log10(density) - 1e-9));
    digits += static_cast<char>('0' + std::clamp(level, 1, 9));
  }
  return digits;
}

}  // namespace ceres::internal
