// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The first stages of SchurPlan: what each point sees, and which rows need a
// clique of their own.

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ceres/kernels/packed_cholesky.h"
#include "ceres/parallel/loops.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {

using kernels::SchurShape;

namespace {

struct ShapeSizes {
  SchurShape shape;
  int m, e, f;
};
constexpr ShapeSizes kShapes[] = {
    {SchurShape::k2x3x6, 2, 3, 6},
    {SchurShape::k2x3x9, 2, 3, 9},
    {SchurShape::k2x3x10, 2, 3, 10},
};

}  // namespace

void SchurPlan::FindSizes() {
  for (int b = 0; b < structure_.num_column_blocks(); ++b) {
    int& width = b < num_points() ? max_eliminated_width_ : max_width_;
    width = std::max(width, structure_.column_size(b));
  }
  // Where offsets are no lists, all rows are alike.
  const int num_rows = structure_.row_offset.is_list()
                           ? structure_.num_row_blocks()
                           : std::min(structure_.num_row_blocks(), 1);
  for (int row = 0; row < num_rows; ++row) {
    max_residuals_ = std::max(max_residuals_, structure_.row_size(row));
  }
  for (int p = 0; p < num_points(); ++p) {
    const int residuals =
        structure_.row_offset[structure_.eliminated_first_row[p + 1]] -
        structure_.row_offset[structure_.eliminated_first_row[p]];
    max_point_residuals_ = std::max(max_point_residuals_, residuals);
  }
}

// The remaining columns that a point sees, ascending.
void SchurPlan::ListPointColumns(int point, std::vector<int>* columns) const {
  const int first =
      structure_.first_cell[structure_.eliminated_first_row[point]];
  const int last =
      structure_.first_cell[structure_.eliminated_first_row[point + 1]];
  columns->clear();
  for (int c = first; c < last; ++c) {
    if (structure_.cell_column[c] >= num_points()) {
      columns->push_back(structure_.cell_column[c]);
    }
  }
  // Mostly they are in order, each once.
  if (std::adjacent_find(columns->begin(), columns->end(),
                         std::greater_equal<int>()) == columns->end()) {
    return;
  }
  std::sort(columns->begin(), columns->end());
  columns->erase(std::unique(columns->begin(), columns->end()), columns->end());
}

void SchurPlan::FindPointSlots(const Execution& execution) {
  constexpr int kPointsPerPiece = 256;
  first_slot_.resize(num_points() + 1);
  const auto for_each_point = [&](auto&& body) {
    ParallelFor(
        execution, 0, num_points(),
        [&](IndexRange points) {
          std::vector<int> columns;
          for (int p = points.begin; p < points.end; ++p) {
            ListPointColumns(p, &columns);
            body(p, columns);
          }
        },
        kPointsPerPiece);
  };
  for_each_point([&](int p, const std::vector<int>& columns) {
    first_slot_[p + 1] = static_cast<int>(columns.size());
  });
  std::partial_sum(first_slot_.begin(), first_slot_.end(), first_slot_.begin());
  slot_column_.resize(first_slot_.back());
  slot_offset_.resize(first_slot_.back());
  cell_slot_.resize(structure_.cell_column.size());
  shape_.resize(num_points());
  for_each_point([&](int p, const std::vector<int>& columns) {
    FillPointSlots(p, columns);
  });
  const int first_other =
      structure_.first_cell[structure_.eliminated_first_row.back()];
  std::fill(cell_slot_.begin() + first_other, cell_slot_.end(), -1);
  factor_offset_.reserve(num_points() + 1);
  for (int p = 0; p < num_points(); ++p) {
    factor_offset_.push_back(factor_offset_.back() +
                             kernels::PackedSize(structure_.column_size(p)));
  }
}

void SchurPlan::FillPointSlots(int point, const std::vector<int>& columns) {
  int slot = first_slot_[point];
  int offset = 0;
  for (const int column : columns) {
    slot_column_[slot] = column;
    slot_offset_[slot] = offset;
    offset += structure_.column_size(column);
    ++slot;
  }
  const int first =
      structure_.first_cell[structure_.eliminated_first_row[point]];
  const int last =
      structure_.first_cell[structure_.eliminated_first_row[point + 1]];
  const int num_columns = static_cast<int>(columns.size());
  int next = 0;
  for (int c = first; c < last; ++c) {
    const int column = structure_.cell_column[c];
    if (column < num_points()) {
      cell_slot_[c] = -1;
      continue;
    }
    // Mostly they are in order.
    if (next == num_columns || columns[next] != column) {
      next = static_cast<int>(
          std::lower_bound(columns.begin(), columns.end(), column) -
          columns.begin());
    }
    cell_slot_[c] = next++;
  }
  shape_[point] = ShapeOf(point, static_cast<int>(columns.size()));
}

void SchurPlan::AppendClique(const std::vector<int>& columns) {
  int offset = 0;
  for (const int column : columns) {
    slot_column_.push_back(column);
    slot_offset_.push_back(offset);
    offset += structure_.column_size(column);
  }
  first_slot_.push_back(static_cast<int>(slot_column_.size()));
}

SchurShape SchurPlan::ShapeOf(int point, int num_slots) const {
  const BlockJacobianStructure& s = structure_;
  const int row_begin = s.eliminated_first_row[point];
  const int row_end = s.eliminated_first_row[point + 1];
  if (num_slots != row_end - row_begin || num_slots == 0) {
    return SchurShape::kDynamic;
  }
  const int m = s.row_size(row_begin);
  const int e = s.column_size(point);
  const int f = s.column_size(slot_column_[first_slot_[point]]);
  const auto is_regular = [&](int row) {
    const int c = s.first_cell[row];
    return s.row_size(row) == m && s.first_cell[row + 1] == c + 2 &&
           s.column_size(s.cell_column[c + 1]) == f &&
           s.cell_position[c] == m && s.cell_position[c + 1] == m + m * e &&
           s.record_offset[row + 1] - s.record_offset[row] == m * (1 + e + f);
  };
  const int num_different = s.first_cell.is_list() ? row_end - row_begin : 1;
  for (int row = row_begin; row < row_begin + num_different; ++row) {
    if (!is_regular(row)) return SchurShape::kDynamic;
  }
  for (const ShapeSizes& known : kShapes) {
    if (known.m == m && known.e == e && known.f == f) return known.shape;
  }
  return SchurShape::kDynamic;
}

void SchurPlan::AddRowCliques() {
  const int first_other = structure_.eliminated_first_row.back();
  const bool any_row =
      std::find(shape_.begin(), shape_.end(), SchurShape::kDynamic) !=
          shape_.end() ||
      structure_.first_cell[first_other] < structure_.first_cell.back();
  if (!any_row) return;
  row_clique_.assign(structure_.num_row_blocks(), -1);
  slot_cell_.assign(slot_column_.size(), -1);
  bool any = false;
  std::vector<std::pair<int, int>> cells;  // column, cell
  std::vector<int> columns;
  const auto add_row = [&](int row, int begin, int end) {
    if (begin == end) return;
    cells.clear();
    columns.clear();
    for (int c = begin; c < end; ++c) {
      cells.emplace_back(structure_.cell_column[c], c);
    }
    std::sort(cells.begin(), cells.end());
    for (const auto& [column, cell] : cells) {
      columns.push_back(column);
      slot_cell_.push_back(cell);
    }
    row_clique_[row] = num_cliques();
    AppendClique(columns);
    any = true;
  };
  const PeriodicArray<int>& first_cell = structure_.first_cell;
  for (int p = 0; p < num_points(); ++p) {
    if (shape_[p] != SchurShape::kDynamic) continue;
    for (int row = structure_.eliminated_first_row[p];
         row < structure_.eliminated_first_row[p + 1]; ++row) {
      add_row(row, first_cell[row] + 1, first_cell[row + 1]);
    }
  }
  for (int row = structure_.eliminated_first_row.back();
       row < structure_.num_row_blocks(); ++row) {
    add_row(row, first_cell[row], first_cell[row + 1]);
  }
  if (!any) {
    row_clique_ = {};
    slot_cell_ = {};
  }
}

}  // namespace ceres::internal
