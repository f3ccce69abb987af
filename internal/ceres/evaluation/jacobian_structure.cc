// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/jacobian_structure.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "ceres/base/huge_pages.h"
#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

// Null: no columns are merged.
using MergedColumns = const std::vector<int>*;

// Lists the column blocks of a row's cells, in the order of the cells. Returns
// their number.
int ListColumns(const Program& program, MergedColumns merged_column, int row,
                int* columns) {
  const int* const arguments = program.arguments().data();
  const int num_eliminated = program.num_eliminated();
  const int end = program.first_argument()[row + 1];
  int num_columns = 0;
  for (int k = program.first_argument()[row]; k < end; ++k) {
    int column = arguments[k];
    if (column < 0) continue;
    if (merged_column != nullptr) {
      column = (*merged_column)[column];
      // One cell holds all parts of a merged parameter block.
      if (std::find(columns, columns + num_columns, column) !=
          columns + num_columns) {
        continue;
      }
    }
    // The eliminated block's cell comes first. (There are too few for
    // std::rotate, which calls memmove.)
    int place = num_columns++;
    if (column < num_eliminated) {
      for (; place > 0; --place) columns[place] = columns[place - 1];
    }
    columns[place] = column;
  }
  return num_columns;
}

// body: (row, its columns, how many), in parallel; returns whether to go on.
template <typename F>
void ForEachRow(const Execution& execution, const Program& program,
                MergedColumns merged_column, F&& body) {
  ParallelFor(
      execution, 0, program.num_row_blocks(),
      [&](IndexRange rows) {
        // Lists of two threads should not share a cache line.
        constexpr std::size_t kLine = kCacheLine / sizeof(int);
        std::vector<int> columns(program.max_arguments_per_block() + kLine);
        for (int row = rows.begin; row < rows.end; ++row) {
          const int num_columns =
              ListColumns(program, merged_column, row, columns.data());
          if (!body(row, columns.data(), num_columns)) return;
        }
      },
      kStructureRowsPerPiece);
}

void PlaceRows(const Execution& execution, const Program& program,
               MergedColumns merged_column, BlockJacobianStructure* structure) {
  structure->first_cell.Resize(program.num_row_blocks() + 1);
  int* const num_cells = structure->first_cell.list() + 1;
  ForEachRow(execution, program, merged_column,
             [&](int row, const int* /*columns*/, int num_columns) {
               num_cells[row] = num_columns;
               return true;
             });
  AllocateCells(structure);
  ForEachRow(execution, program, merged_column,
             [&](int row, const int* columns, int /*num_columns*/) {
               PlaceCells(row, columns, structure);
               return true;
             });
  PlaceRowBlocks(structure);
}

// The same for rows of two arguments, both of which vary and have columns of
// their own, as most rows of bundle adjustment and of pose graphs.
bool PlacePairsIfAlike(const Execution& execution, const Program& program,
                       BlockJacobianStructure* structure) {
  const int* const arguments = program.arguments().data();
  const int* const offset = structure->column_offset.data();
  const int num_eliminated = program.num_eliminated();
  int* const cells = structure->cell_column.data();
  const int first_size = structure->column_size(cells[0]);
  const int second_size = structure->column_size(cells[1]);
  std::atomic<bool> are_alike{true};
  ParallelFor(
      execution, 0, program.num_row_blocks(),
      [&](IndexRange rows) {
        bool alike = true;
        for (int row = rows.begin; alike && row < rows.end; ++row) {
          const int a = arguments[2 * int64_t{row}];
          const int b = arguments[2 * int64_t{row} + 1];
          if (a < 0 || b < 0) {
            alike = false;
            break;
          }
          const int first = b < num_eliminated ? b : a;
          const int second = b < num_eliminated ? a : b;
          alike = offset[first + 1] - offset[first] == first_size &&
                  offset[second + 1] - offset[second] == second_size;
          cells[2 * int64_t{row}] = first;
          cells[2 * int64_t{row} + 1] = second;
        }
        if (!alike) are_alike.store(false, std::memory_order_relaxed);
      },
      kStructureRowsPerPiece);
  return are_alike;
}

// False, with some cells written, if a row's cells have other sizes than those
// of the first one.
bool PlaceRowsIfAlike(const Execution& execution, const Program& program,
                      MergedColumns merged_column,
                      BlockJacobianStructure* structure) {
  if (program.num_row_blocks() == 0 || program.row_offset().is_list()) {
    return false;
  }
  std::vector<int> first(program.max_arguments_per_block());
  const int num_cells = ListColumns(program, merged_column, 0, first.data());
  structure->cell_column.resize(size_t(num_cells) * program.num_row_blocks());
  int* const cells = structure->cell_column.data();
  if (merged_column == nullptr && num_cells == 2 &&
      program.max_arguments_per_block() == 2) {
    std::copy_n(first.data(), num_cells, cells);
    if (!PlacePairsIfAlike(execution, program, structure)) return false;
    PlaceAlikeRows(num_cells, structure);
    return true;
  }
  std::atomic<bool> are_alike{true};
  ForEachRow(execution, program, merged_column,
             [&](int row, const int* columns, int num_columns) {
               const auto have_same_size = [structure](int a, int b) {
                 return structure->column_size(a) == structure->column_size(b);
               };
               if (num_columns == num_cells &&
                   std::equal(columns, columns + num_cells, first.data(),
                              have_same_size)) {
                 int* const cells_of_row = cells + int64_t{num_cells} * row;
                 for (int k = 0; k < num_cells; ++k) {
                   cells_of_row[k] = columns[k];
                 }
               } else {
                 are_alike.store(false, std::memory_order_relaxed);
               }
               return are_alike.load(std::memory_order_relaxed);
             });
  if (are_alike) PlaceAlikeRows(num_cells, structure);
  return are_alike;
}

}  // namespace

BlockJacobianStructure MakeJacobianStructure(
    const Execution& execution, const Program& program,
    const std::vector<int>& merged_column) {
  // All members at once: default values would be replaced.
  BlockJacobianStructure structure = {/*column_offset=*/{},
                                      program.row_offset(),
                                      /*row_block_offset=*/{},
                                      /*first_cell=*/{},
                                      /*cell_column=*/{},
                                      /*cell_position=*/{},
                                      program.num_eliminated(),
                                      program.eliminated_first_row(),
                                      /*row_chunk_first_row=*/{}};
  structure.column_offset.reserve(program.num_column_blocks() + 1);
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (column == 0 || merged_column[column] != merged_column[column - 1]) {
      structure.column_offset.push_back(program.delta_offset()[column]);
    }
  }
  structure.column_offset.push_back(program.num_delta());
  const MergedColumns merged =
      structure.num_column_blocks() == program.num_column_blocks()
          ? nullptr
          : &merged_column;
  if (!PlaceRowsIfAlike(execution, program, merged, &structure)) {
    PlaceRows(execution, program, merged, &structure);
  }
  CutIntoRowChunks(&structure);
  return structure;
}

}  // namespace ceres::internal
