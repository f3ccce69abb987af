// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_COLUMN_SUMS_H_
#define CERES_INTERNAL_LINEAR_COLUMN_SUMS_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Sums over rows into columns, y = sum over cells of (something of the cell's
// column size), without locks and with the same bits for every number of
// threads: each row chunk adds into a private, compressed copy of the columns
// that it touches, and Reduce adds the copies in row chunk order, each column
// owned by one thread. Used for J'r, diag(J'J) and J'x.
//
//   plan.Clear(s, buffer);                       // by the thread that works on
//   row chunk s buffer[plan.destination(cell) + k] += ...;   // for cells of
//   rows of row chunk s plan.Reduce(execution, buffer, y);           // after
//   all row chunks: overwrites all num_columns of y
//
// A problem of one row chunk has one copy, laid out like y: it may be y itself,
// and Reduce is not needed then.
//
// The plan is immutable after construction and may be shared between threads;
// buffers belong to the caller.
class ColumnSumPlan {
 public:
  // `execution` is used here alone.
  explicit ColumnSumPlan(const BlockJacobianStructure& structure,
                         const Execution& execution = {});

  int64_t buffer_size() const { return row_chunk_begin_.back(); }
  // Whether the buffer is laid out like the sums.
  bool has_single_copy() const { return has_single_copy_; }
  int64_t destination(int cell) const { return destination_[cell]; }
  const uint32_t* destinations() const { return destination_.data(); }
  // A row chunk's copy: doubles [copy_begin(row chunk), copy_begin(row chunk +
  // 1)), or all.
  int64_t copy_begin(int row_chunk) const {
    return row_chunk_begin_[row_chunk];
  }
  void Clear(int row_chunk, double* buffer) const;
  void Reduce(const Execution& execution, const double* buffer,
              double* y) const;

 private:
  void PlanSingleCopy(const BlockJacobianStructure& structure);
  void PlanCopies(const BlockJacobianStructure& structure,
                  const Execution& execution);
  void ListSources(const std::vector<std::vector<int>>& columns_of_row_chunk);
  void SumCopies(int block, const double* buffer, double* sum) const;

  const bool has_single_copy_;
  PagedVector<uint32_t> destination_;     // by cell
  std::vector<int64_t> row_chunk_begin_;  // by row chunk, +1
  // Of several copies only: for each column block its copies, in row chunk
  // order: sources_[first_source_[b]
  // .. first_source_[b + 1]).
  std::vector<int> first_source_;
  std::vector<int64_t> sources_;
  std::vector<int> column_offset_;
};

// y = J x (num_rows values); and y = J'x (num_columns values).
void Multiply(const Execution& execution, const BlockJacobian& jacobian,
              const double* x, double* y);
void TransposeMultiply(const Execution& execution,
                       const BlockJacobian& jacobian, const ColumnSumPlan& plan,
                       const double* x, double* y);

// The decrease of the linear model, 1/2 |r|^2 - 1/2 |J step + r|^2, computed as
// -sum m (r + m / 2) with m = J step, which does not cancel near a minimum. One
// pass over the row blocks.
double ModelCostChange(const Execution& execution,
                       const BlockJacobian& jacobian, const double* step);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_COLUMN_SUMS_H_
