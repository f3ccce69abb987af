// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/column_sums.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ceres/execution/loops.h"
#include "ceres/linear/linear_tuning.h"
#include "ceres/linear/small_blocks.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

constexpr int64_t kDoublesPerCacheLine = 8;

int64_t RoundUpToCacheLine(int64_t n) {
  return (n + kDoublesPerCacheLine - 1) / kDoublesPerCacheLine *
         kDoublesPerCacheLine;
}

// y (kRows) += A x with A kRows x kColumns: the sums of AddProduct.
template <int kRows, int kColumns>
void AddProductOfSize(const double* __restrict a, const double* __restrict x,
                      double* __restrict y) {
  for (int i = 0; i < kRows; ++i) {
    double sum = 0.0;
    for (int j = 0; j < kColumns; ++j) sum += a[i * kColumns + j] * x[j];
    y[i] += sum;
  }
}

// y (row_size) = J_row x.
void MultiplyRow(const BlockJacobianStructure& s, const double* row_block,
                 int row, const double* x, double* y) {
  const int m = s.row_size(row);
  std::fill_n(y, m, 0.0);
  for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
    const int column = s.cell_column[c];
    const int n = s.column_size(column);
    const double* cell = row_block + s.cell_position[c];
    const double* x_of_cell = x + s.column_offset[column];
    if (m == 3 && n == 3) {  // poses in the plane
      AddProductOfSize<3, 3>(cell, x_of_cell, y);
    } else if (m == 6 && n == 6) {  // poses in space
      AddProductOfSize<6, 6>(cell, x_of_cell, y);
    } else {
      AddProduct(cell, m, n, x_of_cell, y);
    }
  }
}

// -(J_row x)'(r + J_row x / 2) of m residuals, given the product.
inline double Decrease(const double* r, const double* product, int m) {
  double sum = 0.0;
  for (int i = 0; i < m; ++i) sum -= product[i] * (r[i] + 0.5 * product[i]);
  return sum;
}

// The decrease of a row of kSize residuals with two cells as wide, edges
// between poses: the same sums as of any row, in registers.
template <int kSize>
inline double DecreaseOfPair(const double* __restrict row_block,
                             const double* __restrict a,
                             const double* __restrict x_of_a,
                             const double* __restrict b,
                             const double* __restrict x_of_b) {
  double sum = 0.0;
  for (int i = 0; i < kSize; ++i, a += kSize, b += kSize) {
    double product_a = 0.0, product_b = 0.0;
    for (int j = 0; j < kSize; ++j) {
      product_a += a[j] * x_of_a[j];
      product_b += b[j] * x_of_b[j];
    }
    const double product = product_a + product_b;
    sum -= product * (row_block[i] + 0.5 * product);
  }
  return sum;
}

// The decrease of a row of kSize residuals; fast for cells kSize wide: poses.
template <int kSize>
double DecreaseOfSize(const BlockJacobianStructure& s, const double* row_block,
                      int row, const double* x) {
  const int begin = s.first_cell[row];
  const int end = s.first_cell[row + 1];
  const int* const columns = s.cell_column.data();
  const PeriodicArray<int>& positions = s.cell_position;
  const int* const offsets = s.column_offset.data();
  if (end == begin + 2) {
    const int* const a = offsets + columns[begin];
    const int* const b = offsets + columns[begin + 1];
    if (a[1] - a[0] == kSize && b[1] - b[0] == kSize) {
      return DecreaseOfPair<kSize>(row_block, row_block + positions[begin],
                                   x + a[0], row_block + positions[begin + 1],
                                   x + b[0]);
    }
  }
  double product[kSize] = {};
  for (int c = begin; c < end; ++c) {
    const int* const column = offsets + columns[c];
    const double* const cell = row_block + positions[c];
    if (column[1] - column[0] == kSize) {
      AddProductOfSize<kSize, kSize>(cell, x + column[0], product);
    } else {
      AddProduct(cell, kSize, column[1] - column[0], x + column[0], product);
    }
  }
  return Decrease(row_block, product, kSize);
}

double RowModelCostChange(const BlockJacobianStructure& s,
                          const double* row_block, int row, const double* x,
                          SmallBuffer* buffer) {
  const int m = s.row_size(row);
  if (m == 3) return DecreaseOfSize<3>(s, row_block, row, x);
  if (m == 6) return DecreaseOfSize<6>(s, row_block, row, x);
  double* const product = buffer->Get(m);
  MultiplyRow(s, row_block, row, x, product);
  return Decrease(row_block, product, m);
}

void CheckRowChunks(const BlockJacobianStructure& s) {
  VESTA_CHECK_EQ(s.row_chunk_first_row.back(), s.num_row_blocks())
      << "CutIntoRowChunks was not called after the last row block.";
}

}  // namespace

ColumnSumPlan::ColumnSumPlan(const BlockJacobianStructure& structure,
                             const Execution& execution)
    : has_one_part_(structure.num_row_chunks() == 1),
      destination_(structure.cell_column.size()) {
  CheckRowChunks(structure);
  if (has_one_part_) {
    PlanOnePart(structure);
  } else {
    PlanParts(structure, execution);
  }
}

void ColumnSumPlan::PlanOnePart(const BlockJacobianStructure& structure) {
  row_chunk_begin_ = {0, structure.num_columns()};
  for (size_t cell = 0; cell < destination_.size(); ++cell) {
    destination_[cell] = structure.column_offset[structure.cell_column[cell]];
  }
}

void ColumnSumPlan::PlanParts(const BlockJacobianStructure& structure,
                              const Execution& execution) {
  column_offset_ = structure.column_offset;
  const int num_row_chunks = structure.num_row_chunks();
  const auto cells_of = [&structure](int row_chunk) {
    return IndexRange{
        structure.first_cell[structure.row_chunk_first_row[row_chunk]],
        structure.first_cell[structure.row_chunk_first_row[row_chunk + 1]]};
  };
  // Copies lie in the order in which a row chunk first touches their columns,
  // which is the order in which it will read and write them.
  constexpr int kNone = -1;
  std::vector<std::vector<int>> columns_of_row_chunk(num_row_chunks);
  std::vector<int> row_chunk_size(num_row_chunks, 0);
  std::vector<std::vector<int>> place_by_thread(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, num_row_chunks, [&](int thread_id, int row_chunk) {
    std::vector<int>& place = place_by_thread[thread_id];
    place.resize(structure.num_column_blocks(), kNone);
    for (int cell = cells_of(row_chunk).begin; cell < cells_of(row_chunk).end;
         ++cell) {
      const int column = structure.cell_column[cell];
      if (place[column] == kNone) {
        place[column] = row_chunk_size[row_chunk];
        row_chunk_size[row_chunk] += structure.column_size(column);
        columns_of_row_chunk[row_chunk].push_back(column);
      }
      destination_[cell] = place[column];
    }
    for (const int column : columns_of_row_chunk[row_chunk])
      place[column] = kNone;
  });

  row_chunk_begin_ = {0};
  for (const int size : row_chunk_size) {
    row_chunk_begin_.push_back(
        RoundUpToCacheLine(row_chunk_begin_.back() + size));
  }
  VESTA_CHECK_LE(buffer_size(), std::numeric_limits<uint32_t>::max())
      << "Sums over so many rows and columns are not supported.";
  ParallelFor(execution, 0, num_row_chunks, [&](int row_chunk) {
    for (int cell = cells_of(row_chunk).begin; cell < cells_of(row_chunk).end;
         ++cell) {
      destination_[cell] += static_cast<uint32_t>(row_chunk_begin_[row_chunk]);
    }
  });
  ListSources(columns_of_row_chunk);
}

// For each column block the places of its partial sums, in the order of row
// chunks.
void ColumnSumPlan::ListSources(
    const std::vector<std::vector<int>>& columns_of_row_chunk) {
  first_source_.assign(column_offset_.size(), 0);
  for (const std::vector<int>& columns : columns_of_row_chunk) {
    for (const int column : columns) ++first_source_[column + 1];
  }
  std::partial_sum(first_source_.begin(), first_source_.end(),
                   first_source_.begin());
  sources_.resize(first_source_.back());
  std::vector<int> next(first_source_.begin(), first_source_.end() - 1);
  for (size_t row_chunk = 0; row_chunk < columns_of_row_chunk.size();
       ++row_chunk) {
    int64_t source = row_chunk_begin_[row_chunk];
    for (const int column : columns_of_row_chunk[row_chunk]) {
      sources_[next[column]++] = source;
      source += column_offset_[column + 1] - column_offset_[column];
    }
  }
}

void ColumnSumPlan::Clear(int row_chunk, double* buffer) const {
  std::fill(buffer + row_chunk_begin_[row_chunk],
            buffer + row_chunk_begin_[row_chunk + 1], 0.0);
}

namespace {

// sum = the sum of the partial sums at the places [source, end), in order.
// kSize: of each; kAnySize: `size`.
constexpr int kAnySize = 0;
template <int kSize>
inline void SumOfCopies(int any_size, const int64_t* source, const int64_t* end,
                        const double* __restrict buffer,
                        double* __restrict sum) {
  const int size = kSize == kAnySize ? any_size : kSize;
  // Most blocks are too short for std::copy_n, which calls memmove.
  const double* part = buffer + *source;
  for (int i = 0; i < size; ++i) sum[i] = part[i];
  while (++source != end) {
    part = buffer + *source;
    for (int i = 0; i < size; ++i) sum[i] += part[i];
  }
}

}  // namespace

inline void ColumnSumPlan::SumParts(int b, const double* buffer,
                                    double* sum) const {
  const int size = column_offset_[b + 1] - column_offset_[b];
  const int64_t* const source = sources_.data() + first_source_[b];
  const int64_t* const end = sources_.data() + first_source_[b + 1];
  if (source == end) {
    for (int i = 0; i < size; ++i) sum[i] = 0.0;
  } else if (size == 3) {  // poses in the plane, points
    SumOfCopies<3>(size, source, end, buffer, sum);
  } else {
    SumOfCopies<kAnySize>(size, source, end, buffer, sum);
  }
}

void ColumnSumPlan::Reduce(const Execution& execution, const double* buffer,
                           double* y) const {
  if (has_one_part_) {
    std::copy_n(buffer, buffer_size(), y);
    return;
  }
  const int num_blocks = static_cast<int>(column_offset_.size()) - 1;
  ParallelFor(
      execution, 0, num_blocks,
      [&](IndexRange blocks) {
        for (int b = blocks.begin; b < blocks.end; ++b) {
          SumParts(b, buffer, y + column_offset_[b]);
        }
      },
      kMinColumnsPerPiece);
}

void Multiply(const Execution& execution, const BlockJacobian& jacobian,
              const double* x, double* y) {
  const BlockJacobianStructure& s = *jacobian.structure;
  CheckRowChunks(s);
  ParallelFor(execution, 0, s.num_row_chunks(), [&](int row_chunk) {
    for (int row = s.row_chunk_first_row[row_chunk];
         row < s.row_chunk_first_row[row_chunk + 1]; ++row) {
      MultiplyRow(s, jacobian.row_block(row), row, x, y + s.row_offset[row]);
    }
  });
}

void TransposeMultiply(const Execution& execution,
                       const BlockJacobian& jacobian, const ColumnSumPlan& plan,
                       const double* x, double* y) {
  const BlockJacobianStructure& s = *jacobian.structure;
  AlignedBuffer buffer(plan.buffer_size());
  ParallelFor(execution, 0, s.num_row_chunks(), [&](int row_chunk) {
    plan.Clear(row_chunk, buffer.data());
    for (int row = s.row_chunk_first_row[row_chunk];
         row < s.row_chunk_first_row[row_chunk + 1]; ++row) {
      const double* row_block = jacobian.row_block(row);
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        AddTransposedProduct(row_block + s.cell_position[c], s.row_size(row),
                             s.column_size(s.cell_column[c]),
                             x + s.row_offset[row],
                             buffer.data() + plan.destination(c));
      }
    }
  });
  plan.Reduce(execution, buffer.data(), y);
}

double ModelCostChange(const Execution& execution,
                       const BlockJacobian& jacobian, const double* step) {
  const BlockJacobianStructure& s = *jacobian.structure;
  CheckRowChunks(s);
  // One block of the reduction is one row chunk.
  return ParallelReduce(
      execution, 0, s.num_row_chunks(), 0.0,
      [&](IndexRange row_chunks) {
        SmallBuffer buffer;
        double sum = 0.0;
        for (int row = s.row_chunk_first_row[row_chunks.begin];
             row < s.row_chunk_first_row[row_chunks.end]; ++row) {
          sum += RowModelCostChange(s, jacobian.row_block(row), row, step,
                                    &buffer);
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace ceres::internal
