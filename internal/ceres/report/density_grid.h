// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_DENSITY_GRID_H_
#define CERES_INTERNAL_REPORT_DENSITY_GRID_H_

#include <string>
#include <vector>

namespace ceres::internal {

inline constexpr int kMaxGridSize = 160;

// The densities of the cells of a square matrix, for a picture. A small matrix
// has one cell per element; a larger one has kMaxGridSize by kMaxGridSize
// cells.
class DensityGrid {
 public:
  // size: rows of the matrix, > 0.
  explicit DensityGrid(int size);

  // Adds a dense block. Blocks must not overlap.
  void AddBlock(int first_row, int num_rows, int first_column, int num_columns);

  int grid_size() const { return grid_size_; }
  // Row by row: '0' for an empty cell, '1' to '9' for densities up to
  // 10^-4, 10^-3.5, ..., 1.
  std::string Digits() const;

 private:
  const int size_;
  const int grid_size_;
  const double cell_;  // rows per cell
  std::vector<double> area_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_DENSITY_GRID_H_
