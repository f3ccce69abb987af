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

// Sums over rows into columns, y_j = sum over the cells c of column block j of
// some vector f(c) of the block's size, in parallel and without locks. Used for
// J'r, diag(J'J) and J'x.
//
// Each row chunk has a partial sum for every column block that it touches. The
// partial sums lie in a buffer, row chunk by row chunk. Reduce adds them in the
// order of row chunks, so that y has the same bits for every number of threads:
//
// clang-format off
//     column blocks:            0    1    2    3
//
//     row chunk 0 touches       #    #
//     row chunk 1 touches       #         #
//     row chunk 2 touches            #    #    #
//
//     buffer:      |  0    1  |  0    2  |  1    2    3  |
//                  ^ partial_sums_begin(0)
//                             ^ partial_sums_begin(1)
//
//     Reduce:      y_0 = buffer[0 of chunk 0] + buffer[0 of chunk 1], ...
//
// Use:
//
//     plan.Clear(s, buffer);                            // one thread for row chunk s
//     buffer[plan.destination(cell) + k] += f(cell)_k;  // for cells of its rows
//     plan.Reduce(execution, buffer, y);                // after all row chunks; overwrites y
// clang-format on
//
// If there is one row chunk, its partial sums are laid out like y. Then y may
// be the buffer, and Reduce is not needed.
//
// Immutable after construction. Thread-safe; the caller owns buffers.
class ColumnSumPlan {
 public:
  // `execution` is used during construction only.
  explicit ColumnSumPlan(const BlockJacobianStructure& structure,
                         const Execution& execution = {});

  int64_t buffer_size() const { return row_chunk_begin_.back(); }
  // Whether there is one row chunk: the buffer is laid out like y.
  bool has_one_part() const { return has_one_part_; }
  int64_t destination(int cell) const { return destination_[cell]; }
  const uint32_t* destinations() const { return destination_.data(); }
  // The partial sums of row chunk s are the doubles [partial_sums_begin(s),
  // partial_sums_begin(s + 1)) of the buffer.
  int64_t partial_sums_begin(int row_chunk) const {
    return row_chunk_begin_[row_chunk];
  }
  void Clear(int row_chunk, double* buffer) const;
  void Reduce(const Execution& execution, const double* buffer,
              double* y) const;

 private:
  void PlanOnePart(const BlockJacobianStructure& structure);
  void PlanParts(const BlockJacobianStructure& structure,
                 const Execution& execution);
  void ListSources(const std::vector<std::vector<int>>& columns_of_row_chunk);
  void SumParts(int block, const double* buffer, double* sum) const;

  const bool has_one_part_;
  PagedVector<uint32_t> destination_;     // by cell
  std::vector<int64_t> row_chunk_begin_;  // by row chunk, +1
  // If there are several row chunks: the places in the buffer of the partial
  // sums of column block b, in the order of row chunks, are
  // sources_[first_source_[b] .. first_source_[b + 1]).
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
// -sum m (r + m / 2) with m = J step. This form has no cancellation near a
// minimum. One pass over the row blocks.
double ModelCostChange(const Execution& execution,
                       const BlockJacobian& jacobian, const double* step);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_COLUMN_SUMS_H_
