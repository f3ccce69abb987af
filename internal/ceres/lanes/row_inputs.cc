// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/row_inputs.h"

#include <algorithm>
#include <cstddef>

namespace ceres::internal::lanes {
namespace {

void GatherPadded(int count, int size, RowPointers* from, double* to) {
  const int num_samples = NumSamples(count);
  std::fill(from->begin() + count, from->begin() + num_samples * kLanes,
            (*from)[count - 1]);
  GatherRows(*from, size, num_samples, to);
}

}  // namespace

void GatherArgument(const BatchRows& rows, const int* indices, int count,
                    int argument, int num_arguments, int size, double* to) {
  const double* const* const blocks = rows.parameters + argument;
  RowPointers from;
  for (int i = 0; i < count; ++i) {
    from[i] = blocks[std::ptrdiff_t{indices[i]} * num_arguments];
  }
  GatherPadded(count, size, &from, to);
}

void GatherColumns(const BatchColumns& columns, const BatchRows& rows,
                   const int* indices, int count, double* to) {
  if (columns.is_row_major()) {
    RowPointers from;
    for (int i = 0; i < count; ++i) {
      from[i] = columns.row(rows.rows[indices[i]]);
    }
    return GatherPadded(count, columns.num_columns(), &from, to);
  }
  const int num_rows = NumSamples(count) * kLanes;
  for (int c = 0; c < columns.num_columns(); ++c) {
    const double* const column = columns.columns()[c];
    double* const numbers = to + c * kNumberStride;
    for (int i = 0; i < count; ++i) numbers[i] = column[rows.rows[indices[i]]];
    std::fill(numbers + count, numbers + num_rows, numbers[count - 1]);
  }
}

}  // namespace ceres::internal::lanes
