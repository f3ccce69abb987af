// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/structural_rank.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace ceres::internal {
namespace {

// The flow network. A vertex is a row block, or num_rows + a column block.
class Flow {
 public:
  explicit Flow(const BlockJacobianStructure& s)
      : s_(s),
        num_rows_(s.num_row_blocks()),
        supply_(num_rows_),
        demand_(s.num_column_blocks()),
        flow_(s.cell_column.size(), 0) {
    for (int row = 0; row < num_rows_; ++row) supply_[row] = s.row_size(row);
    for (int block = 0; block < s.num_column_blocks(); ++block) {
      demand_[block] = s.column_size(block);
    }
  }

  std::int64_t Run() {
    std::int64_t left = s_.num_columns();
    for (int row = 0; row < num_rows_ && left > 0; ++row) {
      for (int c = s_.first_cell[row]; c < s_.first_cell[row + 1]; ++c) {
        const int moved = std::min(supply_[row], demand_[s_.cell_column[c]]);
        flow_[c] += moved;
        supply_[row] -= moved;
        demand_[s_.cell_column[c]] -= moved;
        left -= moved;
      }
    }
    if (left == 0) return s_.num_columns();
    cells_.emplace(s_);
    const auto has_demand = [](int demand) { return demand > 0; };
    while (std::any_of(demand_.begin(), demand_.end(), has_demand) &&
           FindLevels()) {
      next_.assign(num_rows_ + demand_.size(), 0);
      for (int row = 0; row < num_rows_; ++row) {
        while (supply_[row] > 0 && Augment(row)) {
        }
      }
    }
    left = std::accumulate(demand_.begin(), demand_.end(), std::int64_t{0});
    return std::int64_t{s_.num_columns()} - left;
  }

 private:
  // The vertex behind edge k of a vertex, the cell of the edge, and how much
  // may flow along it; false if there is no edge k.
  struct Edge {
    int to;
    int cell;
    bool is_open;
  };
  bool EdgeOf(int vertex, int k, Edge* edge) const {
    if (vertex < num_rows_) {
      const int cell = s_.first_cell[vertex] + k;
      if (cell >= s_.first_cell[vertex + 1]) return false;
      *edge = {num_rows_ + s_.cell_column[cell], cell, true};
      return true;
    }
    const int place = cells_->first[vertex - num_rows_] + k;
    if (place >= cells_->first[vertex - num_rows_ + 1]) return false;
    const auto [row, cell] = cells_->cells[place];
    *edge = {row, cell, flow_[cell] > 0};
    return true;
  }
  bool IsEnd(int vertex) const {
    return vertex >= num_rows_ && demand_[vertex - num_rows_] > 0;
  }

  // Levels of the vertices by their distance from a row with supply. False: no
  // column with demand can be reached.
  bool FindLevels() {
    level_.assign(num_rows_ + demand_.size(), -1);
    std::vector<int> queue;
    for (int row = 0; row < num_rows_; ++row) {
      if (supply_[row] == 0) continue;
      level_[row] = 0;
      queue.push_back(row);
    }
    bool is_reached = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const int vertex = queue[i];
      if (IsEnd(vertex)) is_reached = true;
      Edge edge;
      for (int k = 0; EdgeOf(vertex, k, &edge); ++k) {
        if (!edge.is_open || level_[edge.to] >= 0) continue;
        level_[edge.to] = level_[vertex] + 1;
        queue.push_back(edge.to);
      }
    }
    return is_reached;
  }

  // Sends flow from a row to a column along levels. Depth first, without
  // recursion: paths are long.
  bool Augment(int row) {
    std::vector<int> path = {row};
    std::vector<int> cells;
    while (!path.empty()) {
      const int vertex = path.back();
      if (IsEnd(vertex)) break;
      Edge edge;
      bool has_moved = false;
      for (; EdgeOf(vertex, next_[vertex], &edge); ++next_[vertex]) {
        if (!edge.is_open || level_[edge.to] != level_[vertex] + 1) continue;
        path.push_back(edge.to);
        cells.push_back(edge.cell);
        has_moved = true;
        break;
      }
      if (has_moved) continue;
      path.pop_back();
      if (path.empty()) return false;
      cells.pop_back();
      ++next_[path.back()];
    }
    int moved = std::min(supply_[row], demand_[path.back() - num_rows_]);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (k % 2 == 1) moved = std::min(moved, flow_[cells[k]]);
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      flow_[cells[k]] += k % 2 == 0 ? moved : -moved;
    }
    supply_[row] -= moved;
    demand_[path.back() - num_rows_] -= moved;
    return true;
  }

  const BlockJacobianStructure& s_;
  std::optional<CellsByColumn> cells_;  // If rows in order leave demand.
  const int num_rows_;
  std::vector<int> supply_;
  std::vector<int> demand_;
  std::vector<int> flow_;  // By cell.
  std::vector<int> level_;
  std::vector<int> next_;
};

}  // namespace

std::int64_t StructuralRank(const BlockJacobianStructure& structure) {
  return Flow(structure).Run();
}

}  // namespace ceres::internal
