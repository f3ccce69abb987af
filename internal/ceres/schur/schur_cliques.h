// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_CLIQUES_H_
#define CERES_INTERNAL_SCHUR_SCHUR_CLIQUES_H_

#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_chunks.h"

namespace ceres::internal {

// The cliques of an elimination: for each point, and for each row whose own
// products need places, the remaining column blocks whose products meet in the
// reduced matrix. A block's position in its clique is its local camera index.
//
// clang-format off
//     point p sees the column blocks   17  4  9     cells of its rows, in order
//     clique p                          4  9 17     ascending, each once
//     local camera index                0  1  2
//     of the cells                      2  0  1     cell_camera
// clang-format on
//
// Clique p, for p < num_points(), is what point p sees. Further cliques are
// those of single rows: rows that touch no point, and rows of points that have
// no SchurShape. A function of the Jacobian's structure, which must outlive it.
class SchurCliques {
 public:
  SchurCliques(const Execution& execution,
               const BlockJacobianStructure& structure, ReducedMatrix matrix);

  int num_points() const { return structure_.num_eliminated; }
  int size() const { return static_cast<int>(first_camera_.size()) - 1; }
  int num_cameras(int clique) const {
    return first_camera_[clique + 1] - first_camera_[clique];
  }
  // The column blocks of a clique, ascending.
  const int* begin(int clique) const {
    return camera_column_.data() + first_camera_[clique];
  }
  const int* end(int clique) const {
    return camera_column_.data() + first_camera_[clique + 1];
  }
  kernels::SchurShape shape(int point) const { return shape_[point]; }
  // The widths of all column blocks of a clique together.
  int TotalWidth(int clique) const;
  // Whether the products of all pairs of a clique are summed, or only those of
  // each block with itself.
  bool HasPairs(int clique) const {
    return clique >= num_points() || matrix_ == ReducedMatrix::kSchurComplement;
  }
  bool has_row_cliques() const { return !row_clique_.empty(); }

  // f(clique) for all cliques of a chunk, points first.
  template <typename F>
  void ForEachClique(const SchurChunk& chunk, const F& f) const {
    for (int p = chunk.point_begin; p < chunk.point_end; ++p) f(p);
    if (!has_row_cliques()) return;
    const auto visit_rows = [&](int begin, int end) {
      for (int row = begin; row < end; ++row) {
        if (row_clique_[row] >= 0) f(row_clique_[row]);
      }
    };
    visit_rows(structure_.eliminated_first_row[chunk.point_begin],
               structure_.eliminated_first_row[chunk.point_end]);
    visit_rows(chunk.row_begin, chunk.row_end);
  }

  // f(row, column) for all products of a clique, in the order of their
  // destinations; remaining blocks, counted from 0.
  template <typename F>
  void ForEachProduct(int clique, const F& f) const {
    const bool has_pairs = HasPairs(clique);
    const int* const last = end(clique);
    for (const int* a = begin(clique); a < last; ++a) {
      const int* const b_end = has_pairs ? last : a + 1;
      for (const int* b = a; b < b_end; ++b) {
        f(*a - num_points(), *b - num_points());
      }
    }
  }

  // The lists as kernels read them; see kernels::SchurView.
  const std::vector<int>& first_camera() const { return first_camera_; }
  const std::vector<int>& camera_column() const { return camera_column_; }
  const std::vector<int>& camera_offset() const { return camera_offset_; }
  const PagedVector<int>& cell_camera() const { return cell_camera_; }
  const std::vector<int>& row_clique() const { return row_clique_; }
  const std::vector<int>& camera_cell() const { return camera_cell_; }

  // Frees the two lists that batches do not read: cell_camera() and
  // camera_offset().
  void FreePlacesOfCells();

 private:
  class PointColumns;

  void FindPointCliques(const Execution& execution);
  // The place of a point's clique before gaps are closed: behind the places
  // that one camera for each row of the earlier points takes.
  int FirstPlace(int point) const;
  int FillPointClique(int point, PointColumns* columns);
  void CloseGaps();
  kernels::SchurShape ShapeOf(int point, int num_cameras,
                              const int* camera_column) const;
  void AddRowCliques();
  void AddRowClique(int row, int first_cell, int end_cell);

  const BlockJacobianStructure& structure_;
  const ReducedMatrix matrix_;
  std::vector<kernels::SchurShape> shape_;  // by point
  std::vector<int> first_camera_ = {0};     // by clique, +1
  std::vector<int> camera_column_;
  std::vector<int> camera_offset_;
  PagedVector<int> cell_camera_;
  std::vector<int> row_clique_;  // empty: no row has one
  std::vector<int> camera_cell_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_CLIQUES_H_
