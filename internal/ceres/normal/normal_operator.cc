// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_operator.h"

#include <algorithm>

#include "ceres/execution/loops.h"
#include "ceres/linear/small_blocks.h"

namespace ceres::internal {

namespace {

// Whether the next kMaxColumns cells have width 1.
bool AreColumns(const BlockJacobianStructure& s, int cell, int end) {
  if (end - cell < kMaxColumns) return false;
  for (int c = cell; c < cell + kMaxColumns; ++c) {
    if (s.column_size(s.cell_column[c]) != 1) return false;
  }
  return true;
}

}  // namespace

NormalOperator::NormalOperator(const Execution& execution,
                               const BlockJacobianStructure& structure)
    : execution_(execution),
      structure_(structure),
      plan_(structure),
      partial_sums_(plan_.buffer_size()) {}

void NormalOperator::Bind(const BlockJacobian& jacobian,
                          const double* damping) {
  jacobian_ = &jacobian;
  damping_ = damping;
}

void NormalOperator::ApplyRowChunk(int row_chunk, const double* x) const {
  const BlockJacobianStructure& s = structure_;
  plan_.Clear(row_chunk, partial_sums_.data());
  SmallBuffer product;
  for (int row = s.row_chunk_first_row[row_chunk];
       row < s.row_chunk_first_row[row_chunk + 1]; ++row) {
    const double* row_block = jacobian_->row_block(row);
    const int m = s.row_size(row);
    double* t = product.Get(m);
    std::fill_n(t, m, 0.0);
    const int end = s.first_cell[row + 1];
    for (int c = s.first_cell[row]; c < end;) {
      c += AddProductOfCells(c, end, row_block, m, x, t);
    }
    for (int c = s.first_cell[row]; c < end;) {
      c += AddTransposedProductOfCells(c, end, row_block, m, t);
    }
  }
}

// t += A x for the next cells. Returns their number.
int NormalOperator::AddProductOfCells(int c, int end, const double* row_block,
                                      int m, const double* x, double* t) const {
  const BlockJacobianStructure& s = structure_;
  const double* const a = row_block + s.cell_position[c];
  const int column = s.cell_column[c];
  if (!AreColumns(s, c, end)) {
    AddProduct(a, m, s.column_size(column), x + s.column_offset[column], t);
    return 1;
  }
  double x_of_cells[kMaxColumns];
  for (int k = 0; k < kMaxColumns; ++k) {
    x_of_cells[k] = x[s.column_offset[s.cell_column[c + k]]];
  }
  AddColumns<kMaxColumns>(a, m, x_of_cells, t);
  return kMaxColumns;
}

// Adds A' t of the next cells to the partial sums. Returns their number.
int NormalOperator::AddTransposedProductOfCells(int c, int end,
                                                const double* row_block, int m,
                                                const double* t) const {
  const BlockJacobianStructure& s = structure_;
  const double* const a = row_block + s.cell_position[c];
  double* const sums = partial_sums_.data();
  if (!AreColumns(s, c, end)) {
    AddTransposedProduct(a, m, s.column_size(s.cell_column[c]), t,
                         sums + plan_.destination(c));
    return 1;
  }
  double sums_of_cells[kMaxColumns];
  for (int k = 0; k < kMaxColumns; ++k) {
    sums_of_cells[k] = sums[plan_.destination(c + k)];
  }
  AddTransposedColumns<kMaxColumns>(a, m, t, sums_of_cells);
  for (int k = 0; k < kMaxColumns; ++k) {
    sums[plan_.destination(c + k)] = sums_of_cells[k];
  }
  return kMaxColumns;
}

void NormalOperator::Apply(const double* x, double* y) const {
  ParallelFor(execution_, 0, structure_.num_row_chunks(),
              [this, x](int row_chunk) { ApplyRowChunk(row_chunk, x); });
  plan_.Reduce(execution_, partial_sums_.data(), y);
  if (damping_ == nullptr) return;
  constexpr int kGrain = 2048;
  const double* damping = damping_;
  ParallelFor(
      execution_, 0, size(),
      [=](int j) { y[j] += damping[j] * damping[j] * x[j]; }, kGrain);
}

NormalDiagonal::NormalDiagonal(const Execution& execution,
                               const BlockJacobianStructure& structure)
    : execution_(execution), structure_(structure), columns_(structure) {}

void NormalDiagonal::Compute(const BlockJacobian& jacobian,
                             const double* damping, double* right_hand_side,
                             BlockDiagonalInverse* blocks) const {
  ParallelForByCost(execution_, 0, structure_.num_column_blocks(),
                    columns_.first.data(), [&](int b) {
                      ComputeColumn(
                          b, jacobian, damping, right_hand_side,
                          blocks == nullptr ? nullptr : blocks->block(b));
                    });
}

void NormalDiagonal::ComputeColumn(int b, const BlockJacobian& jacobian,
                                   const double* damping,
                                   double* right_hand_side,
                                   double* block) const {
  const BlockJacobianStructure& s = structure_;
  const int n = s.column_size(b);
  const int offset = s.column_offset[b];
  double* g = right_hand_side + offset;
  std::fill_n(g, n, 0.0);
  if (block != nullptr) std::fill_n(block, n * n, 0.0);
  for (int k = columns_.first[b]; k < columns_.first[b + 1]; ++k) {
    const auto [row, cell] = columns_.cells[k];
    const double* row_block = jacobian.row_block(row);
    const double* a = row_block + s.cell_position[cell];
    for (int i = 0; i < s.row_size(row); ++i, a += n) {
      for (int j = 0; j < n; ++j) g[j] -= a[j] * row_block[i];
      if (block == nullptr) continue;
      for (int p = 0; p < n; ++p) {
        for (int q = p; q < n; ++q) block[p * n + q] += a[p] * a[q];
      }
    }
  }
  if (block == nullptr || damping == nullptr) return;
  for (int p = 0; p < n; ++p) {
    block[p * n + p] += damping[offset + p] * damping[offset + p];
  }
}

}  // namespace ceres::internal
