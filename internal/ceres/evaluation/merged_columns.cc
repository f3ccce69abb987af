// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/merged_columns.h"

namespace ceres::internal {

std::vector<int> FindMergedColumns(const Program& program,
                                   const std::vector<int>* group,
                                   int max_size) {
  const int num_columns = program.num_column_blocks();
  std::vector<int> num_rows(num_columns, 0);
  std::vector<int> num_rows_with_next(num_columns, 0);
  std::vector<int> last_row(num_columns + 1, -1);
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int begin = program.first_argument()[row];
    const int end = program.first_argument()[row + 1];
    for (int k = begin; k < end; ++k) {
      const int column = program.arguments()[k];
      if (column >= 0) last_row[column] = row;
    }
    for (int k = begin; k < end; ++k) {
      const int column = program.arguments()[k];
      if (column < 0) continue;
      ++num_rows[column];
      if (last_row[column + 1] == row) ++num_rows_with_next[column];
    }
  }

  const std::vector<int>& offset = program.delta_offset();
  std::vector<int> first_column;
  for (int column = 0; column < num_columns; ++column) {
    const int previous = column - 1;
    const bool is_merged =
        previous >= program.num_eliminated() &&
        offset[column + 1] - offset[first_column.back()] <= max_size &&
        num_rows_with_next[previous] == num_rows[previous] &&
        num_rows[column] == num_rows[previous] &&
        (group == nullptr || (*group)[column - program.num_eliminated()] ==
                                 (*group)[previous - program.num_eliminated()]);
    if (!is_merged) first_column.push_back(column);
  }
  first_column.push_back(num_columns);
  return first_column;
}

}  // namespace ceres::internal
