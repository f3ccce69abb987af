// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/block_qr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/covariance/inverse_columns.h"
#include "ceres/kernels/householder.h"
#include "ceres/linear/lapack.h"
#include "ceres/parallel/loops.h"

namespace ceres::internal {
namespace {

// Where each block of `from` stands among `to`; both ascend.
std::vector<int> Places(const int* from, int num_from,
                        const std::vector<int>& to) {
  std::vector<int> places(num_from);
  auto next = to.begin();
  for (int k = 0; k < num_from; ++k) {
    next = std::lower_bound(next, to.end(), from[k]);
    places[k] = static_cast<int>(next - to.begin());
  }
  return places;
}

#ifndef CERES_NO_LAPACK

// Below this, blocking gains nothing over the kernel.
constexpr int kMinBlockedColumns = 48;

void TriangularizeBlocked(const kernels::TallMatrix& matrix) {
  constexpr int kAskForLength = -1;
  std::vector<double> tau(matrix.num_pivots);
  int info = 0;
  double best_length = 1.0;
  dgeqrf_(&matrix.num_rows, &matrix.num_columns, matrix.values, &matrix.stride,
          tau.data(), &best_length, &kAskForLength, &info);
  const int length = std::max(1, static_cast<int>(best_length));
  std::vector<double> work(length);
  dgeqrf_(&matrix.num_rows, &matrix.num_columns, matrix.values, &matrix.stride,
          tau.data(), work.data(), &length, &info);
}

#endif  // CERES_NO_LAPACK

// The first num_pivots columns. All of them if that makes fewer rows.
void Triangularize(const kernels::TallMatrix& matrix) {
#ifndef CERES_NO_LAPACK
  if (matrix.num_pivots == matrix.num_columns &&
      matrix.num_columns >= kMinBlockedColumns) {
    TriangularizeBlocked(matrix);
    return;
  }
#endif
  kernels::HouseholderTriangularize(matrix);
}

}  // namespace

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
  const Front& front = tree_.fronts[f];
  Factor& factor = factors_[f];
  const int num_columns = front.num_columns();
  const int num_pivots = front.num_pivot_columns();
  int num_rows = 0;
  for (const int row : front.rows) num_rows += structure_.row_size(row);
  for (const int child : front.children) {
    num_rows += factors_[child].num_rest_rows;
  }

  AlignedBuffer buffer(static_cast<size_t>(num_rows) * num_columns);
  Assemble(jacobian, front, num_rows, buffer.data());
  kernels::TallMatrix matrix;
  matrix.values = buffer.data();
  matrix.stride = num_rows;
  matrix.num_rows = num_rows;
  matrix.num_dense_rows = num_rows;
  matrix.num_columns = num_columns;
  matrix.num_pivots =
      std::min(num_rows, num_rows > num_columns ? num_columns : num_pivots);
  if (matrix.num_pivots > 0) Triangularize(matrix);

  const auto at = [&](int i, int j) -> double& {
    return buffer.data()[i + static_cast<int64_t>(j) * num_rows];
  };
  for (int k = 0; k < num_pivots; ++k) {
    const double pivot = k < num_rows ? std::abs(at(k, k)) : 0.0;
    if (pivot > tolerance) continue;
    factor.dependent_column = k;
    factor.pivot = pivot;
    return;
  }
  factor.r.Resize(static_cast<size_t>(num_pivots) * num_columns);
  for (int j = 0; j < num_columns; ++j) {
    std::copy_n(&at(0, j), num_pivots,
                factor.r.data() + static_cast<int64_t>(j) * num_pivots);
  }
  // Below a triangle there is nothing left.
  const bool is_triangular = matrix.num_pivots == num_columns;
  factor.num_rest_rows = std::min(num_rows, num_columns) - num_pivots;
  factor.rest.Resize(static_cast<size_t>(factor.num_rest_rows) *
                     front.num_rest_columns());
  for (int j = num_pivots; j < num_columns; ++j) {
    double* rest = factor.rest.data() +
                   static_cast<int64_t>(j - num_pivots) * factor.num_rest_rows;
    const int filled =
        is_triangular ? j + 1 - num_pivots : factor.num_rest_rows;
    if (factor.num_rest_rows == 0) break;
    std::copy_n(&at(num_pivots, j), filled, rest);
    std::fill(rest + filled, rest + factor.num_rest_rows, 0.0);
  }
  for (const int child : front.children) factors_[child].rest.Resize(0);
}

void BlockQr::Assemble(const BlockJacobian& jacobian, const Front& front,
                       int num_rows, double* values) const {
  std::fill_n(values, static_cast<size_t>(num_rows) * front.num_columns(), 0.0);
  const BlockJacobianStructure& s = structure_;
  int first_row = 0;
  for (const int row : front.rows) {
    const int row_size = s.row_size(row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      const double* cell = jacobian.record(row) + s.cell_position[c];
      const int place = Places(&tree_.position[block], 1, front.blocks).front();
      const int size = s.column_size(block);
      for (int j = 0; j < size; ++j) {
        double* column =
            values + first_row +
            static_cast<int64_t>(front.offset[place] + j) * num_rows;
        for (int i = 0; i < row_size; ++i) column[i] = cell[i * size + j];
      }
    }
    first_row += row_size;
  }
  for (const int c : front.children) {
    const Front& child = tree_.fronts[c];
    const int child_rows = factors_[c].num_rest_rows;
    const int num_rest =
        static_cast<int>(child.blocks.size()) - child.num_pivots;
    const std::vector<int> places =
        Places(child.blocks.data() + child.num_pivots, num_rest, front.blocks);
    const double* source = factors_[c].rest.data();
    for (int k = 0; k < num_rest; ++k) {
      const int size = child.offset[child.num_pivots + k + 1] -
                       child.offset[child.num_pivots + k];
      for (int j = 0; j < size; ++j, source += child_rows) {
        std::copy_n(
            source, child_rows,
            values + first_row +
                static_cast<int64_t>(front.offset[places[k]] + j) * num_rows);
      }
    }
    first_row += child_rows;
  }
}

BlockQr::DependentColumn BlockQr::Describe(int f) const {
  const Front& front = tree_.fronts[f];
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
