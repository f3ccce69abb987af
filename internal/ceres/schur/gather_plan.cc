// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/gather_plan.h"

#include <algorithm>
#include <numeric>

namespace ceres::internal {
namespace {

using kernels::SchurShape;

// For each camera of each clique the row that its term reads, or -1: for a
// point with a shape the row of that camera, for a row's own clique the row.
std::vector<int> RowsOfCameras(const BlockJacobianStructure& s,
                               const SchurCliques& cliques) {
  const std::vector<int>& first_camera = cliques.first_camera();
  std::vector<int> rows(first_camera.back(), -1);
  for (int p = 0; p < cliques.num_points(); ++p) {
    if (cliques.shape(p) == SchurShape::kDynamic) continue;
    for (int row = s.eliminated_first_row[p];
         row < s.eliminated_first_row[p + 1]; ++row) {
      const int camera = cliques.cell_camera()[s.first_cell[row] + 1];
      rows[first_camera[p] + camera] = row;
    }
  }
  for (size_t row = 0; row < cliques.row_clique().size(); ++row) {
    const int q = cliques.row_clique()[row];
    if (q < 0) continue;
    std::fill(rows.begin() + first_camera[q],
              rows.begin() + first_camera[q + 1], static_cast<int>(row));
  }
  return rows;
}

// The first double of each block row in the partial sum.
std::vector<int64_t> RowBegins(const RemainingBlocks& remaining,
                               const MergedChunks& merged) {
  std::vector<int64_t> begin(remaining.num() + 1, merged.sums_size());
  const std::vector<MergedChunks::Block>& blocks = merged.blocks(0);
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    begin[block->row] = int64_t{block->line} * kernels::kPanelWidth;
  }
  for (int i = remaining.num() - 1; i >= 0; --i) {
    begin[i] = std::min(begin[i], begin[i + 1]);
  }
  return begin;
}

}  // namespace

GatherPlan::GatherPlan(const BlockJacobianStructure& structure,
                       const SchurCliques& cliques,
                       const RemainingBlocks& remaining,
                       const MergedChunks& merged,
                       const ProductDestinations& destinations,
                       const PointStorage& storage)
    : first_term_(remaining.num() + 1, 0),
      row_begin_(RowBegins(remaining, merged)) {
  const std::vector<int> row_of_camera = RowsOfCameras(structure, cliques);
  const int num_points = cliques.num_points();
  const SchurChunk& all = merged.chunks().front();
  // A counting sort of the cameras of all cliques by block row.
  cliques.ForEachClique(all, [&](int q) {
    for (const int* a = cliques.begin(q); a < cliques.end(q); ++a) {
      ++first_term_[*a - num_points + 1];
    }
  });
  std::partial_sum(first_term_.begin(), first_term_.end(), first_term_.begin());
  terms_.resize(first_term_.back());
  std::vector<int64_t> next(first_term_.begin(), first_term_.end() - 1);
  std::vector<int64_t> products(remaining.num(), 0);
  cliques.ForEachClique(all, [&](int q) {
    const bool is_point = q < num_points;
    const int first = cliques.first_camera()[q];
    const int num_cameras = cliques.num_cameras(q);
    for (int a = 0; a < num_cameras; ++a) {
      const int i = cliques.begin(q)[a] - num_points;
      kernels::SchurTerm& term = terms_[next[i]++];
      term = {};
      term.shape = is_point ? cliques.shape(q) : SchurShape::kDynamic;
      term.point = is_point ? q : -1;
      term.row = row_of_camera[first + a];
      term.camera = first + a;
      term.num_cameras = num_cameras - a;
      term.destination =
          destinations.first(q) + kernels::DiagonalIndex(true, a, num_cameras);
      if (is_point) {
        term.u = storage.u_offset()[q] + int64_t{structure.column_size(q)} *
                                             cliques.camera_offset()[first + a];
      }
      products[i] += 1 + term.num_cameras;
    }
  });
  for (const int64_t n : products) cost_.push_back(cost_.back() + 1 + n);
}

kernels::SchurGather GatherPlan::View() const {
  kernels::SchurGather gather;
  gather.first_term = first_term_.data();
  gather.terms = terms_.data();
  gather.row_begin = row_begin_.data();
  return gather;
}

}  // namespace ceres::internal
