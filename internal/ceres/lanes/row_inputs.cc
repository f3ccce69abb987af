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
  const int num_rows = NumSamples(count) * kLanes;
  RowPointers from;
  for (const BatchColumns::Table& table : columns.tables()) {
    const auto row = [&](int i) {
      return table.values + rows.rows[indices[i]] * table.stride;
    };
    if (table.num_columns == 1) {
      for (int i = 0; i < count; ++i) to[i] = *row(i);
      std::fill(to + count, to + num_rows, to[count - 1]);
    } else {
      for (int i = 0; i < count; ++i) from[i] = row(i);
      GatherPadded(count, table.num_columns, &from, to);
    }
    to += table.num_columns * kNumberStride;
  }
}

}  // namespace ceres::internal::lanes
