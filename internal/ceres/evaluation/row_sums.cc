// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_sums.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/evaluation/row_kernels.h"
#include "ceres/kernels/row_block_sums.h"

namespace ceres::internal {
namespace {

// Rows of one residual and kColumns cells of one column each.
template <int kColumns>
void AddFullRows(int num_rows, const double* row_block, double* gradient,
                 double* squared_norms) {
  double g[kColumns];
  double q[kColumns];
  std::copy_n(gradient, kColumns, g);
  std::copy_n(squared_norms, kColumns, q);
  for (int row = 0; row < num_rows; ++row, row_block += kColumns + 1) {
    for (int k = 0; k < kColumns; ++k) {
      g[k] += row_block[k + 1] * row_block[0];
      q[k] += row_block[k + 1] * row_block[k + 1];
    }
  }
  std::copy_n(g, kColumns, gradient);
  std::copy_n(q, kColumns, squared_norms);
}

inline void AddRow(const BlockJacobianStructure& s,
                   const ColumnSumPlan& sum_plan, int row,
                   const double* row_block, const RowSums& sums) {
  const int num_residuals = s.row_size(row);
  const int* const offset = s.column_offset.data();
  const int end = s.first_cell[row + 1];
  for (int k = s.first_cell[row]; k < end; ++k) {
    const std::int64_t destination = sum_plan.destination(k);
    const int* const column = offset + s.cell_column[k];
    AddGradientAndNorms(num_residuals, column[1] - column[0], row_block,
                        row_block + s.cell_position[k],
                        sums.gradient + destination,
                        sums.squared_norms + destination);
  }
}

}  // namespace

void AddScalarRows(const ColumnSumPlan& sum_plan, const RowPlan::Range& range,
                   int begin, int end, const double* row_blocks,
                   const RowSums& sums) {
  const int num_cells = range.num_scalar_cells;
  double* const gradient = sums.gradient;
  double* const squared_norms = sums.squared_norms;
  const double* row_block = row_blocks + std::int64_t{begin} * (num_cells + 1);
  if (range.has_full_rows) {
    switch (num_cells) {
      case 1:
        return AddFullRows<1>(end - begin, row_block, gradient, squared_norms);
      case 2:
        return AddFullRows<2>(end - begin, row_block, gradient, squared_norms);
      case 3:
        return AddFullRows<3>(end - begin, row_block, gradient, squared_norms);
    }
  }
  const std::uint32_t* column =
      sum_plan.destinations() + std::int64_t{begin} * num_cells;
  const std::uint32_t* const end_column =
      sum_plan.destinations() + std::int64_t{end} * num_cells;
  while (column != end_column) {
    const double residual = *row_block++;
    const std::uint32_t* const row_end = column + num_cells;
    for (; column != row_end; ++column) {
      const double entry = *row_block++;
      gradient[*column] += entry * residual;
      squared_norms[*column] += entry * entry;
    }
  }
}

void AddRows(const RowPlan& plan, const ColumnSumPlan& sum_plan,
             const RowPlan::Range& range, int begin, int end,
             const RowBlocks& row_blocks, const RowSums& sums) {
  const BlockJacobianStructure& s = plan.structure;
  if (range.shape != kernels::RowBlockShape::kOther) {
    kernels::AddRowBlockSums(range.shape, end - begin,
                             row_blocks.row_block(begin),
                             sum_plan.destinations() + s.first_cell[begin],
                             sums.gradient, sums.squared_norms);
    return;
  }
  for (int row = begin; row < end; ++row) {
    AddRow(s, sum_plan, row, row_blocks.row_block(row), sums);
  }
}

bool NormsAreFinite(const ColumnSumPlan& sum_plan, int row_chunk,
                    const RowSums& sums) {
  // Four sums: a single one would be a chain of dependent additions.
  double sum[4] = {};
  const std::int64_t end = sum_plan.partial_sums_begin(row_chunk + 1);
  std::int64_t k = sum_plan.partial_sums_begin(row_chunk);
  for (; k + 4 <= end; k += 4) {
    for (int i = 0; i < 4; ++i) sum[i] += sums.squared_norms[k + i];
  }
  for (; k < end; ++k) sum[0] += sums.squared_norms[k];
  return std::isfinite(sum[0] + sum[1] + sum[2] + sum[3]);
}

}  // namespace ceres::internal
