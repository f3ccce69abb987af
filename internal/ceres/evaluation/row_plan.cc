// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_plan.h"

#include <algorithm>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/plus_jacobians.h"

namespace ceres::internal {
namespace {

RowPlan::Cell::Fill ChooseFill(int ambient_size, int tangent_size,
                               bool is_manifold) {
  using Fill = RowPlan::Cell::Fill;
  if (!is_manifold) return Fill::kCopy;
  switch (PlusJacobians::KindOf(ambient_size, tangent_size)) {
    case PlusJacobians::Kind::kAngle:
      return Fill::kAngle;
    case PlusJacobians::Kind::kQuaternion:
      return Fill::kQuaternion;
    case PlusJacobians::Kind::kOther:
      break;
  }
  return Fill::kManifold;
}

bool HasManifold(const Program& program) {
  return std::any_of(
      program.manifolds().begin(), program.manifolds().end(),
      [](const Manifold* manifold) { return manifold != nullptr; });
}

bool HasLossFunction(const Program& program) {
  if (!program.has_loss_functions()) return false;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    if (program.loss_function(row) != nullptr) return true;
  }
  return false;
}

// Whether each row has all columns, in their order. For rows of one residual
// and cells of one column.
bool HasFullRows(const BlockJacobianStructure& s) {
  const int num_columns = s.num_columns();
  if (s.num_values() != std::int64_t{s.num_rows()} * (num_columns + 1)) {
    return false;
  }
  int next = 0;
  for (const int column : s.cell_column) {
    if (column != next) return false;
    if (++next == num_columns) next = 0;
  }
  return true;
}

}  // namespace

RowPlan::RowPlan(const Program& program,
                 const BlockJacobianStructure& structure,
                 const std::vector<int>& merged_column,
                 bool apply_loss_function)
    : program(program),
      structure(structure),
      apply_loss_function(apply_loss_function),
      has_manifold_or_merged_blocks(structure.num_column_blocks() <
                                        program.num_column_blocks() ||
                                    HasManifold(program)),
      is_prepared(structure.num_row_chunks() == 1 &&
                  !has_manifold_or_merged_blocks &&
                  !(apply_loss_function && HasLossFunction(program))) {
  if (has_manifold_or_merged_blocks) FindCells(merged_column);
  if (is_prepared) {
    ranges.push_back(PreparedRange());
  } else {
    FindRanges(structure.num_column_blocks() < program.num_column_blocks());
  }
}

void RowPlan::PlaceJacobians(int row, double* row_block,
                             double** jacobians) const {
  const auto position = structure.cell_position.view();
  const int* const arguments = program.arguments().data();
  const int num_eliminated = program.num_eliminated();
  const int first = structure.first_cell[row];
  int next = first + (row < structure.eliminated_first_row.back() ? 1 : 0);
  const int end = program.first_argument()[row + 1];
  for (int k = program.first_argument()[row]; k < end; ++k, ++jacobians) {
    const int argument = arguments[k];
    *jacobians = argument < 0                ? nullptr
                 : argument < num_eliminated ? row_block + position[first]
                                             : row_block + position[next++];
  }
}

void RowPlan::FindCells(const std::vector<int>& merged_column) {
  cells.resize(program.arguments().size());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const std::int64_t num_residuals = structure.row_size(row);
    std::int64_t ambient_size = 0;
    for (int k = program.first_argument()[row];
         k < program.first_argument()[row + 1]; ++k) {
      const int argument = program.arguments()[k];
      if (argument < 0) continue;
      const int tangent_size = program.tangent_size(argument);
      const int column = merged_column[argument];
      int place = structure.first_cell[row];
      while (structure.cell_column[place] != column) ++place;
      Cell& cell = cells[k];
      cell.position = structure.cell_position[place] +
                      program.delta_offset()[argument] -
                      structure.column_offset[column];
      cell.stride = structure.column_size(column);
      const bool is_manifold = program.manifolds()[argument] != nullptr;
      const bool is_shared = tangent_size != cell.stride;
      if (!is_manifold && !is_shared) continue;
      cell.fill =
          ChooseFill(program.ambient_size(argument), tangent_size, is_manifold);
      ambient_size += num_residuals * program.ambient_size(argument);
      if (is_manifold && is_shared) {
        max_tangent_size =
            std::max(max_tangent_size, num_residuals * tangent_size);
      }
    }
    max_ambient_size = std::max(max_ambient_size, ambient_size);
  }
}

RowPlan::Range RowPlan::PreparedRange() const {
  Range range;
  range.kind = Range::Kind::kPrepared;
  range.end = program.num_row_blocks();
  if (!structure.first_cell.is_list() &&
      structure.num_rows() == structure.num_row_blocks() &&
      structure.num_columns() == structure.num_column_blocks()) {
    range.num_scalar_cells = structure.first_cell[1];
    range.has_full_rows = HasFullRows(structure);
  }
  return range;
}

// The range that a row would begin.
RowPlan::Range RowPlan::RangeOf(int row, bool has_merged_columns) const {
  Range range;
  range.end = row + 1;
  range.num_residuals = structure.row_size(row);
  range.row_block_size = static_cast<int>(structure.row_block_offset[row + 1] -
                                          structure.row_block_offset[row]);
  if (NoCellIsDirect(row)) range.kind = Range::Kind::kManifoldOrMerged;
  const int first = program.first_argument()[row];
  const int first_cell = structure.first_cell[row];
  if (structure.first_cell[row + 1] != first_cell + 2) return range;
  range.shape = kernels::FindRowBlockShape(
      range.num_residuals,
      structure.column_size(structure.cell_column[first_cell]),
      structure.column_size(structure.cell_column[first_cell + 1]));
  if (has_merged_columns || program.first_argument()[row + 1] != first + 2 ||
      (has_manifold_or_merged_blocks &&
       (cells[first].fill != Cell::Fill::kDirect ||
        cells[first + 1].fill != Cell::Fill::kDirect))) {
    return range;
  }
  range.kind = Range::Kind::kTwoCells;
  // The eliminated argument's cell comes first.
  range.cell[0] =
      program.arguments()[first + 1] < program.num_eliminated() ? 1 : 0;
  range.cell[1] = 1 - range.cell[0];
  for (int k = 0; k < 2; ++k) {
    range.position[k] = structure.cell_position[first_cell + range.cell[k]];
  }
  return range;
}

// Whether a row has cells, and the cost function writes none of them.
bool RowPlan::NoCellIsDirect(int row) const {
  if (!has_manifold_or_merged_blocks) return false;
  bool any = false;
  for (int k = program.first_argument()[row];
       k < program.first_argument()[row + 1]; ++k) {
    if (program.arguments()[k] < 0) continue;
    if (cells[k].fill == Cell::Fill::kDirect) return false;
    any = true;
  }
  return any;
}

// Whether the cells of two rows with the same number of residuals are filled
// alike and have the same positions.
bool RowPlan::HaveSameCells(int row, int other) const {
  const int first = program.first_argument()[row];
  const int first_other = program.first_argument()[other];
  const int num_arguments = program.first_argument()[row + 1] - first;
  if (program.first_argument()[other + 1] - first_other != num_arguments) {
    return false;
  }
  for (int k = 0; k < num_arguments; ++k) {
    const Cell& a = cells[first + k];
    const Cell& b = cells[first_other + k];
    if (a.position != b.position || a.stride != b.stride || a.fill != b.fill) {
      return false;
    }
    const int column = program.arguments()[first + k];
    const int column_other = program.arguments()[first_other + k];
    if (column >= 0 &&
        (program.ambient_size(column) != program.ambient_size(column_other) ||
         program.tangent_size(column) != program.tangent_size(column_other))) {
      return false;
    }
  }
  return true;
}

void RowPlan::DescribeManifoldOrMerged(int row, Range* range) const {
  const int first = program.first_argument()[row];
  const int m = range->num_residuals;
  range->num_arguments = program.first_argument()[row + 1] - first;
  range->source.assign(range->row_block_size - m, 0);
  int ambient = 0;
  for (int k = 0; k < range->num_arguments; ++k) {
    const int column = program.arguments()[first + k];
    if (column < 0) continue;
    const Cell& cell = cells[first + k];
    const int size = program.ambient_size(column);
    if (program.manifolds()[column] != nullptr) {
      range->arguments_on_manifold.push_back(k);
    }
    if (cell.fill != Cell::Fill::kQuaternion &&
        cell.fill != Cell::Fill::kManifold) {
      for (int i = 0; i < m * size; ++i) {
        range->source[cell.position - m + i / size * cell.stride + i % size] =
            ambient + i;
      }
    }
    ambient += m * size;
  }
}

namespace {

// Whether two rows, each given by the range that it would begin, may be in one
// range. Cells that manifolds fill are not compared.
bool AreAlike(const RowPlan::Range& a, const RowPlan::Range& b) {
  if (a.kind != b.kind || a.shape != b.shape) return false;
  if (a.kind == RowPlan::Range::Kind::kGeneral) return true;
  return a.num_residuals == b.num_residuals &&
         a.row_block_size == b.row_block_size &&
         std::equal(a.position, a.position + 2, b.position) &&
         std::equal(a.cell, a.cell + 2, b.cell);
}

}  // namespace

// Whether a row may extend a range that begins with row `first`.
bool RowPlan::MayFollow(const Range& range, int first, int row,
                        bool has_merged_columns) const {
  // If first_cell is a formula, cells have the same positions in all row
  // blocks.
  if (structure.first_cell.is_list() || has_manifold_or_merged_blocks) {
    return AreAlike(RangeOf(row, has_merged_columns), range) &&
           (range.kind != Range::Kind::kManifoldOrMerged ||
            HaveSameCells(first, row));
  }
  const int second = program.first_argument()[row] + 1;
  return range.kind != Range::Kind::kTwoCells ||
         range.cell[0] ==
             (program.arguments()[second] < program.num_eliminated() ? 1 : 0);
}

void RowPlan::FindRanges(bool has_merged_columns) {
  const int num_rows = program.num_row_blocks();
  for (int row = 0; row < num_rows;) {
    Range range = RangeOf(row, has_merged_columns);
    int end = row + 1;
    while (end < num_rows && MayFollow(range, row, end, has_merged_columns)) {
      ++end;
    }
    if (end - row < kMinUniformRows) range = Range();
    range.begin = row;
    range.end = end;
    if (range.kind == Range::Kind::kManifoldOrMerged) {
      DescribeManifoldOrMerged(row, &range);
    }
    if (!ranges.empty() && range.kind == Range::Kind::kGeneral &&
        ranges.back().kind == Range::Kind::kGeneral &&
        range.shape == ranges.back().shape) {
      ranges.back().end = end;
    } else {
      ranges.push_back(range);
    }
    row = end;
  }
}

}  // namespace ceres::internal
