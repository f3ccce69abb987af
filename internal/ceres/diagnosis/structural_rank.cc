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
    while (FindLevels()) {
      next_.assign(level_.size(), 0);
      for (int block = 0; block < s_.num_column_blocks(); ++block) {
        while (demand_[block] > 0 && Augment(num_rows_ + block)) {
        }
      }
    }
    left = std::accumulate(demand_.begin(), demand_.end(), std::int64_t{0});
    return std::int64_t{s_.num_columns()} - left;
  }

 private:
  // The vertex from which edge k lets flow come to a vertex, the cell of the
  // edge, and whether any may come; false if there is no edge k.
  struct Edge {
    int from;
    int cell;
    bool is_open;
  };
  bool EdgeOf(int vertex, int k, Edge* edge) const {
    if (vertex < num_rows_) {
      // A column gives back what it has got from the row.
      const int cell = s_.first_cell[vertex] + k;
      if (cell >= s_.first_cell[vertex + 1]) return false;
      *edge = {num_rows_ + s_.cell_column[cell], cell, flow_[cell] > 0};
      return true;
    }
    const int place = cells_->first[vertex - num_rows_] + k;
    if (place >= cells_->first[vertex - num_rows_ + 1]) return false;
    const auto [row, cell] = cells_->cells[place];
    *edge = {row, cell, true};
    return true;
  }
  bool HasSupply(int vertex) const {
    return vertex < num_rows_ && supply_[vertex] > 0;
  }

  // Levels of the vertices by their distance from a column with demand, up to
  // that of the nearest row with supply. The search begins at columns: few have
  // demand, many rows may have supply. False: no row with supply is reached.
  bool FindLevels() {
    level_.assign(num_rows_ + demand_.size(), -1);
    std::vector<int> queue;
    for (std::size_t block = 0; block < demand_.size(); ++block) {
      if (demand_[block] == 0) continue;
      queue.push_back(num_rows_ + static_cast<int>(block));
      level_[queue.back()] = 0;
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const int vertex = queue[i];
      if (HasSupply(vertex)) return true;
      Edge edge;
      for (int k = 0; EdgeOf(vertex, k, &edge); ++k) {
        if (!edge.is_open || level_[edge.from] >= 0) continue;
        level_[edge.from] = level_[vertex] + 1;
        queue.push_back(edge.from);
      }
    }
    return false;
  }

  // Gets flow from a row to a column along levels. Depth first, without
  // recursion: paths are long.
  bool Augment(int column) {
    std::vector<int> path = {column};
    std::vector<int> cells;
    while (!HasSupply(path.back())) {
      const int vertex = path.back();
      Edge edge;
      bool has_moved = false;
      for (; EdgeOf(vertex, next_[vertex], &edge); ++next_[vertex]) {
        if (!edge.is_open || level_[edge.from] != level_[vertex] + 1) continue;
        path.push_back(edge.from);
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
    int moved = std::min(demand_[column - num_rows_], supply_[path.back()]);
    for (std::size_t k = 1; k < cells.size(); k += 2) {
      moved = std::min(moved, flow_[cells[k]]);
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      flow_[cells[k]] += k % 2 == 0 ? moved : -moved;
    }
    demand_[column - num_rows_] -= moved;
    supply_[path.back()] -= moved;
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
