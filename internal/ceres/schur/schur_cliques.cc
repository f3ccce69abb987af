// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_cliques.h"

#include <algorithm>
#include <utility>

#include "ceres/execution/loops.h"

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

// The columns of a point's remaining cells, and the local camera index of each.
class SchurCliques::PointColumns {
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
  // The local camera index of the i-th cell.
  int camera(int i) const { return ranks_[i]; }

 private:
  static constexpr int kVector = 8;
  static constexpr int kMaxNumToCompare = 4 * kVector;

  void Grow() {
    columns_.resize(2 * columns_.size() + kVector);
    ranks_.resize(columns_.size());
  }

  // Compares each column with each, by whole vectors and without branches that
  // a CPU cannot predict: most points see a few cameras. False if a column
  // occurs twice.
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
    // Two equal columns do not count for each other.
    return sum == num_cells_ * (num_cells_ - 1) / 2;
  }

  int num_cells_ = 0;
  std::vector<int> columns_;  // a multiple of kVector, as ranks_
  std::vector<int> ranks_;
};

SchurCliques::SchurCliques(const Execution& execution,
                           const BlockJacobianStructure& structure,
                           ReducedMatrix matrix)
    : structure_(structure), matrix_(matrix) {
  FindPointCliques(execution);
  AddRowCliques();
}

int SchurCliques::TotalWidth(int clique) const {
  if (num_cameras(clique) == 0) return 0;
  const int last = first_camera_[clique + 1] - 1;
  return camera_offset_[last] + structure_.column_size(camera_column_[last]);
}

void SchurCliques::FreePlacesOfCells() {
  cell_camera_ = PagedVector<int>();
  camera_offset_ = std::vector<int>();
}

// Each row of a point begins with the point's own cell.
void SchurCliques::FindPointCliques(const Execution& execution) {
  constexpr int kPointsPerPiece = 256;
  const std::vector<int>& first_row = structure_.eliminated_first_row;
  first_camera_.resize(num_points() + 1);
  camera_column_.resize(structure_.first_cell[first_row[num_points()]] -
                        first_row[num_points()]);
  camera_offset_.resize(camera_column_.size());
  cell_camera_.resize(structure_.cell_column.size());
  shape_.resize(num_points());
  ParallelFor(
      execution, 0, num_points(),
      [&](IndexRange points) {
        PointColumns columns;
        for (int p = points.begin; p < points.end; ++p) {
          first_camera_[p + 1] = FillPointClique(p, &columns);
        }
      },
      kPointsPerPiece);
  CloseGaps();
  std::fill(cell_camera_.begin() + structure_.first_cell[first_row.back()],
            cell_camera_.end(), -1);
}

int SchurCliques::FirstPlace(int point) const {
  const int row = structure_.eliminated_first_row[point];
  return structure_.first_cell[row] - row;
}

// Points that a camera sees twice have left gaps.
void SchurCliques::CloseGaps() {
  for (int p = 0; p < num_points(); ++p) {
    const int num = first_camera_[p + 1];
    const int first = first_camera_[p];
    const int place = FirstPlace(p);
    first_camera_[p + 1] = first + num;
    if (place == first) continue;
    std::copy_n(camera_column_.begin() + place, num,
                camera_column_.begin() + first);
    std::copy_n(camera_offset_.begin() + place, num,
                camera_offset_.begin() + first);
  }
  camera_column_.resize(first_camera_.back());
  camera_offset_.resize(first_camera_.back());
}

// Returns the number of cameras.
int SchurCliques::FillPointClique(int point, PointColumns* columns) {
  const int first =
      structure_.first_cell[structure_.eliminated_first_row[point]];
  const int last =
      structure_.first_cell[structure_.eliminated_first_row[point + 1]];
  const int* const cell_column = structure_.cell_column.data();
  columns->Clear();
  for (int c = first; c < last; ++c) {
    if (cell_column[c] >= num_points()) columns->Add(cell_column[c]);
  }
  int* const cameras = camera_column_.data() + FirstPlace(point);
  int* const offsets = camera_offset_.data() + FirstPlace(point);
  const int num = columns->Sort(cameras);
  int offset = 0;
  for (int a = 0; a < num; ++a) {
    offsets[a] = offset;
    offset += structure_.column_size(cameras[a]);
  }
  int next = 0;
  for (int c = first; c < last; ++c) {
    cell_camera_[c] =
        cell_column[c] < num_points() ? -1 : columns->camera(next++);
  }
  shape_[point] = ShapeOf(point, num, cameras);
  return num;
}

SchurShape SchurCliques::ShapeOf(int point, int num_cameras,
                                 const int* camera_column) const {
  const BlockJacobianStructure& s = structure_;
  const int row_begin = s.eliminated_first_row[point];
  const int row_end = s.eliminated_first_row[point + 1];
  if (num_cameras != row_end - row_begin || num_cameras == 0) {
    return SchurShape::kDynamic;
  }
  const int m = s.row_size(row_begin);
  const int e = s.column_size(point);
  const int f = s.column_size(camera_column[0]);
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

void SchurCliques::AddRowCliques() {
  const PeriodicArray<int>& first_cell = structure_.first_cell;
  const int first_other = structure_.eliminated_first_row.back();
  const bool any_row = std::find(shape_.begin(), shape_.end(),
                                 SchurShape::kDynamic) != shape_.end() ||
                       first_cell[first_other] < first_cell.back();
  if (!any_row) return;
  row_clique_.assign(structure_.num_row_blocks(), -1);
  camera_cell_.assign(camera_column_.size(), -1);
  for (int p = 0; p < num_points(); ++p) {
    if (shape_[p] != SchurShape::kDynamic) continue;
    for (int row = structure_.eliminated_first_row[p];
         row < structure_.eliminated_first_row[p + 1]; ++row) {
      AddRowClique(row, first_cell[row] + 1, first_cell[row + 1]);
    }
  }
  for (int row = first_other; row < structure_.num_row_blocks(); ++row) {
    AddRowClique(row, first_cell[row], first_cell[row + 1]);
  }
  if (size() == num_points()) {
    row_clique_ = {};
    camera_cell_ = {};
  }
}

void SchurCliques::AddRowClique(int row, int first_cell, int end_cell) {
  if (first_cell == end_cell) return;
  row_clique_[row] = size();
  std::vector<std::pair<int, int>> cells;  // column, cell
  for (int c = first_cell; c < end_cell; ++c) {
    cells.emplace_back(structure_.cell_column[c], c);
  }
  std::sort(cells.begin(), cells.end());
  int offset = 0;
  for (const auto& [column, cell] : cells) {
    camera_cell_.push_back(cell);
    camera_column_.push_back(column);
    camera_offset_.push_back(offset);
    offset += structure_.column_size(column);
  }
  first_camera_.push_back(static_cast<int>(camera_column_.size()));
}

}  // namespace ceres::internal
