// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/block_qr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "ceres/covariance/inverse_columns.h"
#include "ceres/execution/loops.h"
#include "ceres/kernels/householder.h"

namespace ceres::internal {
namespace {

int PlaceOf(int block, const QrFront& front) {
  return static_cast<int>(
      std::lower_bound(front.blocks.begin(), front.blocks.end(), block) -
      front.blocks.begin());
}

// The columns of `parent` where those of a child that are not pivots go.
std::vector<int> RestColumns(const QrFront& child, const QrFront& parent) {
  std::vector<int> columns;
  columns.reserve(child.num_rest_columns());
  size_t place = 0;
  for (size_t k = child.num_pivots; k < child.blocks.size(); ++k) {
    while (parent.blocks[place] < child.blocks[k]) ++place;
    for (int j = parent.offset[place]; j < parent.offset[place + 1]; ++j) {
      columns.push_back(j);
    }
  }
  return columns;
}

}  // namespace

// Panel by panel, each with no more rows than begin before its end: where rows
// begin late, as those of triangular children do, this saves much of the work.
void BlockQr::Triangularize(const Staircase& rows, int num_pivots,
                            int num_columns, double* values) {
  constexpr int kPanel = 16;
  const int64_t num_rows = rows.num_rows();
  for (int first = 0; first < num_pivots; first += kPanel) {
    const int end = std::min(first + kPanel, num_pivots);
    kernels::TallMatrix panel;
    panel.values = values + first + first * num_rows;
    panel.stride = rows.num_rows();
    panel.num_rows = std::max(rows.end[end - 1], end) - first;
    panel.num_dense_rows = panel.num_rows;
    panel.num_pivots = end - first;
    panel.num_columns = num_columns - first;
    kernels::HouseholderTriangularize(panel);
  }
}

BlockQr::BlockQr(const BlockJacobianStructure& structure,
                 const std::vector<int>& elimination_order)
    : structure_(structure), tree_(structure, elimination_order) {}

std::optional<BlockQr::DependentColumn> BlockQr::Factorize(
    const Execution& execution, const BlockJacobian& jacobian,
    double tolerance) {
  factors_.clear();
  factors_.resize(tree_.fronts.size());
  for (const std::vector<int>& level : tree_.levels) {
    ParallelFor(execution, 0, static_cast<int>(level.size()),
                [&](int i) { FactorizeFront(jacobian, tolerance, level[i]); });
    for (const int f : level) {
      if (factors_[f].dependent_column >= 0) return Describe(f);
    }
  }
  return std::nullopt;
}

void BlockQr::FactorizeFront(const BlockJacobian& jacobian, double tolerance,
                             int f) {
  const QrFront& front = tree_.fronts[f];
  Factor& factor = factors_[f];
  const int num_columns = front.num_columns();
  const int num_pivots = front.num_pivot_columns();
  const Staircase rows = SortRows(front);
  const int num_rows = rows.num_rows();
  AlignedBuffer buffer(static_cast<size_t>(num_rows) * num_columns);
  Assemble(jacobian, front, rows, buffer.data());
  // A full triangle if that makes fewer rows.
  const bool is_triangular = num_rows > num_columns;
  Triangularize(rows,
                std::min(num_rows, is_triangular ? num_columns : num_pivots),
                num_columns, buffer.data());

  for (int k = 0; k < num_pivots; ++k) {
    const double pivot =
        k < num_rows ? std::abs(buffer.data()[k + int64_t{k} * num_rows]) : 0.0;
    if (pivot > tolerance) continue;
    factor.dependent_column = k;
    factor.pivot = pivot;
    return;
  }
  factor.is_rest_triangular = is_triangular;
  factor.num_rest_rows = std::min(num_rows, num_columns) - num_pivots;
  Keep(front, buffer.data(), num_rows, &factor);
  for (const int child : front.children) factors_[child].rest.Resize(0);
}

// The parts of a triangularized front that are read again.
void BlockQr::Keep(const QrFront& front, const double* values, int num_rows,
                   Factor* factor) {
  const int num_columns = front.num_columns();
  const int num_pivots = front.num_pivot_columns();
  factor->r.Resize(static_cast<size_t>(num_pivots) * num_columns);
  double* r = factor->r.data();
  for (int j = 0; j < num_columns; ++j, r += num_pivots) {
    std::copy_n(values + int64_t{j} * num_rows, num_pivots, r);
  }
  const int rest_rows = factor->num_rest_rows;
  if (rest_rows == 0) return;
  factor->rest.Resize(static_cast<size_t>(rest_rows) *
                      front.num_rest_columns());
  double* rest = factor->rest.data();
  for (int j = num_pivots; j < num_columns; ++j, rest += rest_rows) {
    const int filled =
        factor->is_rest_triangular ? j + 1 - num_pivots : rest_rows;
    std::copy_n(values + num_pivots + int64_t{j} * num_rows, filled, rest);
    std::fill(rest + filled, rest + rest_rows, 0.0);
  }
}

// The rows of J and of the children by the column of the front where they
// begin.
BlockQr::Staircase BlockQr::SortRows(const QrFront& front) const {
  const BlockJacobianStructure& s = structure_;
  std::vector<int> first_column;
  for (const int row : front.rows) {
    int first = s.num_column_blocks();
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      first = std::min(first, tree_.position[s.cell_column[c]]);
    }
    first_column.insert(first_column.end(), s.row_size(row),
                        front.offset[first - front.first_pivot]);
  }
  for (const int c : front.children) {
    const QrFront& child = tree_.fronts[c];
    const Factor& factor = factors_[c];
    const std::vector<int> columns = RestColumns(child, front);
    for (int i = 0; i < factor.num_rest_rows; ++i) {
      first_column.push_back(columns[factor.is_rest_triangular ? i : 0]);
    }
  }
  Staircase rows;
  rows.end.assign(front.num_columns(), 0);
  for (const int column : first_column) ++rows.end[column];
  std::vector<int> next(front.num_columns(), 0);
  for (int j = 1; j < front.num_columns(); ++j) {
    next[j] = rows.end[j - 1];
    rows.end[j] += rows.end[j - 1];
  }
  rows.place.reserve(first_column.size());
  for (const int column : first_column) rows.place.push_back(next[column]++);
  return rows;
}

void BlockQr::Assemble(const BlockJacobian& jacobian, const QrFront& front,
                       const Staircase& rows, double* values) const {
  const int64_t num_rows = rows.num_rows();
  std::fill_n(values, num_rows * front.num_columns(), 0.0);
  const BlockJacobianStructure& s = structure_;
  const int* place = rows.place.data();
  for (const int row : front.rows) {
    const int row_size = s.row_size(row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      const double* cell = jacobian.row_block(row) + s.cell_position[c];
      const int size = s.column_size(block);
      double* columns =
          values +
          num_rows * front.offset[PlaceOf(tree_.position[block], front)];
      for (int i = 0; i < row_size; ++i) {
        for (int j = 0; j < size; ++j) {
          columns[place[i] + j * num_rows] = *cell++;
        }
      }
    }
    place += row_size;
  }
  for (const int c : front.children) {
    const int child_rows = factors_[c].num_rest_rows;
    const double* source = factors_[c].rest.data();
    for (const int column : RestColumns(tree_.fronts[c], front)) {
      double* destination = values + column * num_rows;
      for (int i = 0; i < child_rows; ++i) destination[place[i]] = *source++;
    }
    place += child_rows;
  }
}

BlockQr::DependentColumn BlockQr::Describe(int f) const {
  const QrFront& front = tree_.fronts[f];
  const int column = factors_[f].dependent_column;
  const int k = static_cast<int>(std::upper_bound(front.offset.begin(),
                                                  front.offset.end(), column) -
                                 front.offset.begin()) -
                1;
  return {tree_.block_at[front.blocks[k]], column - front.offset[k],
          factors_[f].pivot};
}

void BlockQr::ComputeInverseBlocks(
    const Execution& execution, const std::vector<InverseBlock>& blocks) const {
  // By the block that is eliminated later, whose path is the shorter.
  std::vector<InverseColumns::Request> requests;
  requests.reserve(blocks.size());
  for (const InverseBlock& block : blocks) {
    const int row = tree_.position[block.row];
    const int column = tree_.position[block.column];
    requests.push_back(row <= column
                           ? InverseColumns::Request{column, row, block.values,
                                                     /*is_transposed=*/false}
                           : InverseColumns::Request{row, column, block.values,
                                                     /*is_transposed=*/true});
  }
  std::vector<const double*> factors;
  factors.reserve(factors_.size());
  for (const Factor& factor : factors_) factors.push_back(factor.r.data());
  InverseColumns(tree_, factors).Compute(execution, std::move(requests));
}

}  // namespace ceres::internal
