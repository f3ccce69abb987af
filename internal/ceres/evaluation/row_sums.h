// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_SUMS_H_
#define CERES_INTERNAL_EVALUATION_ROW_SUMS_H_

#include "ceres/evaluation/row_plan.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/column_sums.h"

namespace ceres::internal {

// The partial sums of gradient and squared column norms, laid out by a
// ColumnSumPlan: each row chunk has its own.
struct RowSums {
  double* gradient = nullptr;
  double* squared_norms = nullptr;
};

// Adds what the rows [begin, end) of a range contribute,
//
//   gradient += J'r,   squared_norms += diag(J'J),
//
// cell by cell, in row order. The bits do not depend on how rows are cut into
// calls.
//
// AddScalarRows: rows of range.num_scalar_cells. row_blocks: the first row's.
void AddScalarRows(const ColumnSumPlan& sum_plan, const RowPlan::Range& range,
                   int begin, int end, const double* row_blocks,
                   const RowSums& sums);
void AddRows(const RowPlan& plan, const ColumnSumPlan& sum_plan,
             const RowPlan::Range& range, int begin, int end,
             const RowBlocks& row_blocks, const RowSums& sums);
inline void AddRowSums(const RowPlan& plan, const ColumnSumPlan& sum_plan,
                       const RowPlan::Range& range, int begin, int end,
                       const RowBlocks& row_blocks, const RowSums& sums) {
  if (range.num_scalar_cells > 0) {
    AddScalarRows(sum_plan, range, begin, end, row_blocks.row_block(0), sums);
  } else {
    AddRows(plan, sum_plan, range, begin, end, row_blocks, sums);
  }
}

// Whether the squared norms of a row chunk are finite. Then all its cells were
// written and are finite.
bool NormsAreFinite(const ColumnSumPlan& sum_plan, int row_chunk,
                    const RowSums& sums);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_SUMS_H_
