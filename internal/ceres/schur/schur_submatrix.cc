// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_submatrix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

constexpr int64_t kNotWanted = -1;

}  // namespace

SchurSubmatrix::SchurSubmatrix(const Execution& execution,
                               const SchurPlan& plan, std::vector<Block> blocks)
    : execution_(execution), plan_(plan), blocks_(std::move(blocks)) {
  VESTA_CHECK(plan.matrix() == ReducedMatrix::kSchurComplement ||
              plan.diagonal() == kernels::PointDiagonal::kNone);
  const int num_rows = plan.num_remaining_blocks();
  first_block_.assign(num_rows + 1, 0);
  for (const Block& block : blocks_) ++first_block_[block.row + 1];
  for (int i = 0; i < num_rows; ++i) first_block_[i + 1] += first_block_[i];
  cost_.assign(first_block_.begin(), first_block_.end());
  FindEntries();
  if (plan.matrix() == ReducedMatrix::kRemainingBlocks) FindPoints();
}

void SchurSubmatrix::FindEntries() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  for (const Block& block : blocks_) {
    const auto columns = pattern.entry_column.begin();
    const auto end = columns + pattern.first_entry[block.row + 1];
    const auto found = std::lower_bound(
        columns + pattern.first_entry[block.row], end, block.column);
    entry_.push_back(found != end && *found == block.column
                         ? static_cast<int>(found - columns)
                         : -1);
  }
}

void SchurSubmatrix::FindPoints() {
  const int num_rows = plan_.num_remaining_blocks();
  const int num_points = plan_.num_points();
  const std::vector<int>& first_camera = plan_.cliques().first_camera();
  const auto row_of = [&](int camera) {
    return plan_.cliques().camera_column()[camera] - num_points;
  };
  first_camera_.assign(num_rows + 1, 0);
  for (int camera = 0; camera < first_camera[num_points]; ++camera) {
    ++first_camera_[row_of(camera) + 1];
  }
  for (int i = 0; i < num_rows; ++i) first_camera_[i + 1] += first_camera_[i];
  cameras_.resize(first_camera_.back());
  std::vector<int> next(first_camera_.begin(), first_camera_.end() - 1);
  std::vector<int64_t> cost(num_rows, 0);
  for (int p = 0; p < num_points; ++p) {
    for (int camera = first_camera[p]; camera < first_camera[p + 1]; ++camera) {
      cameras_[next[row_of(camera)]++] = {p, camera};
      cost[row_of(camera)] += first_camera[p + 1] - camera;
    }
  }
  int64_t sum = 0;
  for (int i = 0; i < num_rows; ++i) {
    sum += cost[i];
    cost_[i + 1] += sum;
  }
}

void SchurSubmatrix::Assemble(const SchurEliminator& eliminator,
                              double* values) const {
  const int num_rows = plan_.num_remaining_blocks();
  ParallelForByCost(execution_, 0, num_rows, cost_.data(),
                    [&](IndexRange rows) {
                      // By column of the current row.
                      std::vector<int64_t> place(num_rows, kNotWanted);
                      for (int i = rows.begin; i < rows.end; ++i) {
                        AssembleRow(eliminator, i, &place, values);
                      }
                    });
}

void SchurSubmatrix::AssembleRow(const SchurEliminator& eliminator, int row,
                                 std::vector<int64_t>* place,
                                 double* values) const {
  const int begin = first_block_[row];
  const int end = first_block_[row + 1];
  for (int k = begin; k < end; ++k) {
    const Block& block = blocks_[k];
    (*place)[block.column] = block.value;
    if (entry_[k] >= 0) {
      eliminator.AssembleEntry(row, entry_[k], values + block.value);
    } else {
      std::fill_n(values + block.value,
                  plan_.width(row) * plan_.width(block.column), 0.0);
    }
  }
  if (!first_camera_.empty()) SubtractPoints(eliminator, row, *place, values);
  for (int k = begin; k < end; ++k) (*place)[blocks_[k].column] = kNotWanted;
}

void SchurSubmatrix::SubtractPoints(const SchurEliminator& eliminator, int row,
                                    const std::vector<int64_t>& place,
                                    double* values) const {
  const kernels::SchurView view = plan_.View();
  const int width = plan_.width(row);
  for (int k = first_camera_[row]; k < first_camera_[row + 1]; ++k) {
    const auto [point, camera] = cameras_[k];
    const int e = plan_.structure().column_size(point);
    const double* u = eliminator.u() + view.u_offset[point];
    const double* u_i = u + e * view.camera_offset[camera];
    for (int other = camera; other < plan_.cliques().first_camera()[point + 1];
         ++other) {
      const int column =
          plan_.cliques().camera_column()[other] - plan_.num_points();
      if (place[column] == kNotWanted) continue;
      const double* u_j = u + e * view.camera_offset[other];
      const int n = plan_.width(column);
      for (int s = 0; s < e; ++s) {
        double* block = values + place[column];
        for (int r = 0; r < width; ++r, block += n) {
          const double factor = u_i[s * width + r];
          for (int c = 0; c < n; ++c) block[c] -= factor * u_j[s * n + c];
        }
      }
    }
  }
}

}  // namespace ceres::internal
