// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The first stages of SchurPlan: what each point sees, and which rows need a
// clique of their own.

#include <algorithm>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/kernels/packed_cholesky.h"
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

// The columns of a point's remaining cells, and the slot of each.
class SchurPlan::PointColumns {
 public:
  void Clear() { num_cells_ = 0; }
  void Add(int column) {
    if (num_cells_ == static_cast<int>(columns_.size())) Grow();
    columns_[num_cells_++] = column;
  }

  // The columns ascending, each once; returns how many. Room for all cells.
  int Sort(int* sorted) {
    if (num_cells_ <= kMaxNumToCompare && RankByComparing()) {
      for (int i = 0; i < num_cells_; ++i) sorted[ranks_[i]] = columns_[i];
      return num_cells_;
    }
    std::copy_n(columns_.begin(), num_cells_, sorted);
    std::sort(sorted, sorted + num_cells_);
    const int num =
        static_cast<int>(std::unique(sorted, sorted + num_cells_) - sorted);
    for (int i = 0; i < num_cells_; ++i) {
      ranks_[i] = static_cast<int>(
          std::lower_bound(sorted, sorted + num, columns_[i]) - sorted);
    }
    return num;
  }
  // Of the i-th cell.
  int slot(int i) const { return ranks_[i]; }

 private:
  static constexpr int kVector = 8;
  static constexpr int kMaxNumToCompare = 4 * kVector;

  void Grow() {
    columns_.resize(2 * columns_.size() + kVector);
    ranks_.resize(columns_.size());
  }

  // Each with each, by whole vectors and without branches that cannot be
  // foreseen: most points see a few cameras. False if a column is there twice.
  bool RankByComparing() {
    int sum = 0;
    for (int begin = 0; begin < num_cells_; begin += kVector) {
      int columns[kVector], ranks[kVector] = {};
      std::copy_n(columns_.begin() + begin, kVector, columns);
      for (int other = 0; other < num_cells_; ++other) {
        const int column = columns_[other];
        for (int i = 0; i < kVector; ++i) ranks[i] += column < columns[i];
      }
      std::copy_n(ranks, kVector, ranks_.begin() + begin);
      const int num = std::min(kVector, num_cells_ - begin);
      for (int i = 0; i < num; ++i) sum += ranks[i];
    }
    // Of two that are equal, neither counts for the other.
    return sum == num_cells_ * (num_cells_ - 1) / 2;
  }

  int num_cells_ = 0;
  std::vector<int> columns_;  // a multiple of kVector, as ranks_
  std::vector<int> ranks_;
};

// Each row of a point begins with the point's own cell.
void SchurPlan::FindPointSlots(const Execution& execution) {
  constexpr int kPointsPerPiece = 256;
  const std::vector<int>& first_row = structure_.eliminated_first_row;
  const auto most_slots_before = [&](int p) {
    return structure_.first_cell[first_row[p]] - first_row[p];
  };
  first_slot_.resize(num_points() + 1);
  slot_column_.resize(most_slots_before(num_points()));
  slot_offset_.resize(slot_column_.size());
  cell_slot_.resize(structure_.cell_column.size());
  shape_.resize(num_points());
  ParallelFor(
      execution, 0, num_points(),
      [&](IndexRange points) {
        PointColumns columns;
        for (int p = points.begin; p < points.end; ++p) {
          first_slot_[p + 1] =
              FillPointSlots(p, most_slots_before(p), &columns);
        }
      },
      kPointsPerPiece);
  // Points that a camera sees twice have left gaps.
  for (int p = 0; p < num_points(); ++p) {
    const int num = first_slot_[p + 1];
    const int first = first_slot_[p];
    const int place = most_slots_before(p);
    first_slot_[p + 1] = first + num;
    if (place == first) continue;
    std::copy_n(slot_column_.begin() + place, num,
                slot_column_.begin() + first);
    std::copy_n(slot_offset_.begin() + place, num,
                slot_offset_.begin() + first);
  }
  slot_column_.resize(first_slot_.back());
  slot_offset_.resize(first_slot_.back());
  std::fill(cell_slot_.begin() + structure_.first_cell[first_row.back()],
            cell_slot_.end(), -1);
  factor_offset_.reserve(num_points() + 1);
  for (int p = 0; p < num_points(); ++p) {
    factor_offset_.push_back(factor_offset_.back() +
                             kernels::PackedSize(structure_.column_size(p)));
  }
}

// Slots at `first_slot` and behind; returns how many.
int SchurPlan::FillPointSlots(int point, int first_slot,
                              PointColumns* columns) {
  const int first =
      structure_.first_cell[structure_.eliminated_first_row[point]];
  const int last =
      structure_.first_cell[structure_.eliminated_first_row[point + 1]];
  const int* const cell_column = structure_.cell_column.data();
  columns->Clear();
  for (int c = first; c < last; ++c) {
    if (cell_column[c] >= num_points()) columns->Add(cell_column[c]);
  }
  int* const slots = slot_column_.data() + first_slot;
  const int num_slots = columns->Sort(slots);
  int offset = 0;
  for (int slot = 0; slot < num_slots; ++slot) {
    slot_offset_[first_slot + slot] = offset;
    offset += structure_.column_size(slots[slot]);
  }
  int next = 0;
  for (int c = first; c < last; ++c) {
    cell_slot_[c] = cell_column[c] < num_points() ? -1 : columns->slot(next++);
  }
  shape_[point] = ShapeOf(point, num_slots, slots);
  return num_slots;
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

SchurShape SchurPlan::ShapeOf(int point, int num_slots,
                              const int* slot_column) const {
  const BlockJacobianStructure& s = structure_;
  const int row_begin = s.eliminated_first_row[point];
  const int row_end = s.eliminated_first_row[point + 1];
  if (num_slots != row_end - row_begin || num_slots == 0) {
    return SchurShape::kDynamic;
  }
  const int m = s.row_size(row_begin);
  const int e = s.column_size(point);
  const int f = s.column_size(slot_column[0]);
  const auto is_regular = [&](int row) {
    const int c = s.first_cell[row];
    return s.row_size(row) == m && s.first_cell[row + 1] == c + 2 &&
           s.column_size(s.cell_column[c + 1]) == f &&
           s.cell_position[c] == m && s.cell_position[c + 1] == m + m * e &&
           s.row_block_offset[row + 1] - s.row_block_offset[row] ==
               m * (1 + e + f);
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
