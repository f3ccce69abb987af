// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/jacobian_structure.h"

#include <algorithm>

#include "ceres/parallel/loops.h"

namespace ceres::internal {
namespace {

// The Jacobian's column blocks of a row's cells, in their order.
void ListColumns(const Program& program, const std::vector<int>& joint_column,
                 int row, std::vector<int>* columns) {
  columns->clear();
  for (int k = program.first_argument[row]; k < program.first_argument[row + 1];
       ++k) {
    if (program.arguments[k] < 0) continue;
    const int column = joint_column[program.arguments[k]];
    // Of a joint column all parts are here, and one cell holds them.
    if (std::find(columns->begin(), columns->end(), column) != columns->end()) {
      continue;
    }
    columns->push_back(column);
    // The eliminated block's cell comes first.
    if (column < program.num_eliminated) {
      std::rotate(columns->begin(), columns->end() - 1, columns->end());
    }
  }
}

// body: (row, its columns), in parallel.
template <typename F>
void ForEachRow(const Execution& execution, const Program& program,
                const std::vector<int>& joint_column, F&& body) {
  constexpr int kRowsPerPiece = 1024;
  ParallelFor(
      execution, 0, program.num_row_blocks(),
      [&](IndexRange rows) {
        std::vector<int> columns;
        for (int row = rows.begin; row < rows.end; ++row) {
          ListColumns(program, joint_column, row, &columns);
          body(row, columns);
        }
      },
      kRowsPerPiece);
}

}  // namespace

BlockJacobianStructure MakeJacobianStructure(
    const Execution& execution, const Program& program,
    const std::vector<int>& joint_column) {
  BlockJacobianStructure structure;
  structure.column_offset.clear();
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (column == 0 || joint_column[column] != joint_column[column - 1]) {
      structure.column_offset.push_back(program.delta_offset[column]);
    }
  }
  structure.column_offset.push_back(program.num_delta());
  structure.num_eliminated = program.num_eliminated;
  structure.eliminated_first_row = program.eliminated_first_row;

  structure.row_offset = program.row_offset;
  structure.first_cell.resize(program.num_row_blocks() + 1);
  ForEachRow(execution, program, joint_column,
             [&](int row, const std::vector<int>& columns) {
               structure.first_cell[row + 1] = static_cast<int>(columns.size());
             });
  AllocateCells(&structure);
  ForEachRow(execution, program, joint_column,
             [&](int row, const std::vector<int>& columns) {
               PlaceCells(row, columns, &structure);
             });
  PlaceRecords(&structure);
  CutIntoSlabs(&structure);
  return structure;
}

}  // namespace ceres::internal
