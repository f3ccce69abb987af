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

// The same where no column is joined: each argument that varies has a cell of
// its own, for no argument is given twice.
int NumCells(const Program& program, int row) {
  int num_cells = 0;
  for (int k = program.first_argument[row]; k < program.first_argument[row + 1];
       ++k) {
    if (program.arguments[k] >= 0) ++num_cells;
  }
  return num_cells;
}

void PlaceCellsOfArguments(const Program& program, int row,
                           BlockJacobianStructure* structure) {
  const int num_residuals = structure->row_size(row);
  int position = num_residuals;
  int cell = structure->first_cell[row];
  const auto place = [&](int column) {
    structure->cell_column[cell] = column;
    structure->cell_position[cell] = position;
    ++cell;
    position += num_residuals * structure->column_size(column);
  };
  const int* const begin =
      program.arguments.data() + program.first_argument[row];
  const int* const end =
      program.arguments.data() + program.first_argument[row + 1];
  if (row < program.eliminated_first_row.back()) {
    place(*std::find_if(begin, end, [&program](int column) {
      return column >= 0 && column < program.num_eliminated;
    }));
  }
  for (const int* column = begin; column != end; ++column) {
    if (*column >= program.num_eliminated) place(*column);
  }
  // As PlaceCells leaves it.
  structure->record_offset[row + 1] = position;
}

// body: (row), in parallel.
template <typename F>
void ForEachRowIn(const Execution& execution, int num_rows, F&& body) {
  constexpr int kRowsPerPiece = 1024;
  ParallelFor(
      execution, 0, num_rows,
      [&](IndexRange rows) {
        for (int row = rows.begin; row < rows.end; ++row) body(row);
      },
      kRowsPerPiece);
}

void PlaceAllCells(const Execution& execution, const Program& program,
                   const std::vector<int>& joint_column,
                   BlockJacobianStructure* structure) {
  if (structure->num_column_blocks() == program.num_column_blocks()) {
    const int num_rows = program.num_row_blocks();
    ForEachRowIn(execution, num_rows, [&](int row) {
      structure->first_cell[row + 1] = NumCells(program, row);
    });
    AllocateCells(structure);
    ForEachRowIn(execution, num_rows, [&](int row) {
      PlaceCellsOfArguments(program, row, structure);
    });
    return;
  }
  ForEachRow(execution, program, joint_column,
             [&](int row, const std::vector<int>& columns) {
               structure->first_cell[row + 1] =
                   static_cast<int>(columns.size());
             });
  AllocateCells(structure);
  ForEachRow(execution, program, joint_column,
             [&](int row, const std::vector<int>& columns) {
               PlaceCells(row, columns, structure);
             });
}

}  // namespace

BlockJacobianStructure MakeJacobianStructure(
    const Execution& execution, const Program& program,
    const std::vector<int>& joint_column) {
  // In one go: what is there by default would only be replaced.
  BlockJacobianStructure structure = {
      /*column_offset=*/{},
      program.row_offset,
      /*record_offset=*/{},
      /*first_cell=*/std::vector<int>(program.num_row_blocks() + 1),
      /*cell_column=*/{},
      /*cell_position=*/{},
      program.num_eliminated,
      program.eliminated_first_row,
      /*slab_first_row=*/{}};
  structure.column_offset.reserve(program.num_column_blocks() + 1);
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (column == 0 || joint_column[column] != joint_column[column - 1]) {
      structure.column_offset.push_back(program.delta_offset[column]);
    }
  }
  structure.column_offset.push_back(program.num_delta());
  PlaceAllCells(execution, program, joint_column, &structure);
  PlaceRecords(&structure);
  CutIntoSlabs(&structure);
  return structure;
}

}  // namespace ceres::internal
