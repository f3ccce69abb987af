// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/row_elimination.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace ceres::internal {
namespace {

using Groups = std::vector<const RowGroup*>;

// The columns of some blocks, one block after the other, and of the residual.
class Layout {
 public:
  Layout(const std::vector<int>& blocks, const std::vector<int>& block_sizes)
      : block_sizes_(block_sizes) {
    for (const int block : blocks) {
      first_.emplace_back(block, residual_);
      residual_ += block_sizes[block];
    }
    std::sort(first_.begin(), first_.end());
  }
  int num_columns() const { return residual_ + 1; }

  // The places of the columns of a group.
  std::vector<int> ColumnsOf(const RowGroup& group) const {
    std::vector<int> columns;
    for (const int block : group.blocks) {
      const auto place =
          std::lower_bound(first_.begin(), first_.end(), std::pair(block, 0));
      for (int c = 0; c < block_sizes_[block]; ++c) {
        columns.push_back(place->second + c);
      }
    }
    columns.push_back(residual_);
    return columns;
  }

 private:
  const std::vector<int>& block_sizes_;
  std::vector<std::pair<int, int>> first_;  // block and first column
  int residual_ = 0;
};

// The rows of all groups, one group below the other.
ColMajorMatrix Stack(const Groups& groups, const Layout& layout) {
  Eigen::Index num_rows = 0;
  for (const RowGroup* group : groups) num_rows += group->values.rows();
  ColMajorMatrix rows = ColMajorMatrix::Zero(num_rows, layout.num_columns());
  Eigen::Index row = 0;
  for (const RowGroup* group : groups) {
    const ColMajorMatrix& values = group->values;
    const std::vector<int> columns = layout.ColumnsOf(*group);
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      rows.col(columns[c]).segment(row, values.rows()) = values.col(c);
    }
    row += values.rows();
  }
  return rows;
}

// The sum of the symmetric matrices of all groups.
ColMajorMatrix AddUp(const Groups& groups, const Layout& layout) {
  ColMajorMatrix sum =
      ColMajorMatrix::Zero(layout.num_columns(), layout.num_columns());
  for (const RowGroup* group : groups) {
    const ColMajorMatrix& values = group->values;
    const std::vector<int> columns = layout.ColumnsOf(*group);
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      for (Eigen::Index r = 0; r < values.rows(); ++r) {
        sum(columns[r], columns[c]) += values(r, c);
      }
    }
  }
  return sum;
}

}  // namespace

RowElimination::RowElimination(const Execution& execution,
                               MarginalizationMethod method, double tolerance,
                               std::vector<int> block_sizes,
                               std::vector<RowGroup> groups)
    : execution_(execution),
      method_(method),
      block_sizes_(std::move(block_sizes)),
      tolerance_(tolerance),
      groups_of_block_(block_sizes_.size()) {
  double size = std::accumulate(block_sizes_.begin(), block_sizes_.end(), 0.0);
  for (const RowGroup& group : groups) {
    size += static_cast<double>(group.values.rows());
  }
  if (tolerance_ < 0.0) {
    tolerance_ = 20.0 * size * std::numeric_limits<double>::epsilon();
  }
  for (RowGroup& group : groups) AddGroup(std::move(group));
  ScaleColumns();
  if (by_qr()) return;
  for (RowGroup& group : groups_) {
    group.values = ColMajorMatrix(group.values.transpose() * group.values);
  }
}

void RowElimination::AddGroup(RowGroup group) {
  const int index = static_cast<int>(groups_.size());
  for (const int block : group.blocks) groups_of_block_[block].insert(index);
  groups_.push_back(std::move(group));
}

void RowElimination::ScaleColumns() {
  for (const int size : block_sizes_) scale_.push_back(Vector::Zero(size));
  for (const RowGroup& group : groups_) {
    int column = 0;
    for (const int block : group.blocks) {
      scale_[block] += group.values.middleCols(column, block_sizes_[block])
                           .colwise()
                           .squaredNorm()
                           .transpose();
      column += block_sizes_[block];
    }
  }
  for (Vector& scale : scale_) {
    scale = scale.unaryExpr(
        [](double square) { return square > 0.0 ? std::sqrt(square) : 1.0; });
  }
  for (RowGroup& group : groups_) {
    int column = 0;
    for (const int block : group.blocks) {
      auto columns = group.values.middleCols(column, block_sizes_[block]);
      columns = columns * scale_[block].cwiseInverse().asDiagonal();
      column += block_sizes_[block];
    }
  }
}

std::vector<int> RowElimination::UnionOf(const std::vector<int>& groups) const {
  std::vector<int> blocks;
  for (const int group : groups) {
    blocks.insert(blocks.end(), groups_[group].blocks.begin(),
                  groups_[group].blocks.end());
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

int RowElimination::Degree(int block) const {
  const std::set<int>& groups = groups_of_block_[block];
  int degree = 0;
  for (const int other : UnionOf({groups.begin(), groups.end()})) {
    degree += block_sizes_[other];
  }
  return degree;
}

void RowElimination::EliminateFirst(int num_blocks) {
  std::set<std::pair<int, int>> queue;  // degree and block
  std::vector<int> degree(num_blocks);
  for (int block = 0; block < num_blocks; ++block) {
    degree[block] = Degree(block);
    queue.emplace(degree[block], block);
  }
  while (!queue.empty()) {
    const int block = queue.begin()->second;
    queue.erase(queue.begin());
    const std::vector<int> blocks = LeavingWith(block, num_blocks);
    for (std::size_t k = 1; k < blocks.size(); ++k) {
      queue.erase({degree[blocks[k]], blocks[k]});
    }
    for (const int other : Eliminate(blocks)) {
      if (other >= num_blocks) continue;
      queue.erase({degree[other], other});
      degree[other] = Degree(other);
      queue.emplace(degree[other], other);
    }
  }
}

std::vector<int> RowElimination::LeavingWith(int block, int num_blocks) const {
  const std::set<int>& own = groups_of_block_[block];
  const std::vector<int> reached = UnionOf({own.begin(), own.end()});
  std::vector<int> blocks = {block};
  for (const int other : reached) {
    if (other >= num_blocks) break;
    const auto is_inside = [&](int group) {
      const std::vector<int>& members = groups_[group].blocks;
      return own.count(group) > 0 ||
             std::includes(reached.begin(), reached.end(), members.begin(),
                           members.end());
    };
    const std::set<int>& groups = groups_of_block_[other];
    if (other != block &&
        std::all_of(groups.begin(), groups.end(), is_inside)) {
      blocks.push_back(other);
    }
  }
  return blocks;
}

void RowElimination::AddRest(std::vector<int> blocks, ColMajorMatrix values) {
  if (blocks.empty()) {
    least_cost_ += CostOf(values);
  } else if (values.rows() > 0) {
    AddGroup({std::move(blocks), std::move(values)});
  }
}

void RowElimination::ReduceGroup(int index, const std::vector<int>& pivots) {
  std::vector<int> columns;
  std::vector<int> rest;
  int num_pivots = 0;
  for (const int block : groups_[index].blocks) {
    const bool is_pivot =
        std::find(pivots.begin(), pivots.end(), block) != pivots.end();
    (is_pivot ? columns : rest).push_back(block);
    if (is_pivot) num_pivots += block_sizes_[block];
  }
  ColMajorMatrix& values = groups_[index].values;
  if (values.rows() < 2 * num_pivots) return;
  columns.insert(columns.end(), rest.begin(), rest.end());
  const Layout layout(columns, block_sizes_);
  const std::vector<int> places = layout.ColumnsOf(groups_[index]);
  SplitRows parts =
      SplitByPivots(execution_, Stack({&groups_[index]}, layout), num_pivots);
  values.resize(parts.first.rows(), values.cols());
  for (std::size_t c = 0; c < places.size(); ++c) {
    values.col(static_cast<Eigen::Index>(c)) = parts.first.col(places[c]);
  }
  AddRest(std::move(rest), std::move(parts.remainder.values));
}

std::vector<int> RowElimination::Eliminate(const std::vector<int>& blocks) {
  std::set<int> indices;
  int num_pivots = 0;
  for (const int block : blocks) {
    indices.insert(groups_of_block_[block].begin(),
                   groups_of_block_[block].end());
    num_pivots += block_sizes_[block];
  }
  if (indices.empty()) return {};
  std::vector<int> rest = UnionOf({indices.begin(), indices.end()});
  const auto leaves = [&blocks](int block) {
    return std::find(blocks.begin(), blocks.end(), block) != blocks.end();
  };
  rest.erase(std::remove_if(rest.begin(), rest.end(), leaves), rest.end());
  std::vector<int> columns = blocks;
  columns.insert(columns.end(), rest.begin(), rest.end());
  const Layout layout(columns, block_sizes_);
  if (by_qr() && indices.size() > 1) {
    for (const int index : indices) ReduceGroup(index, blocks);
  }
  Groups groups;
  for (const int index : indices) groups.push_back(&groups_[index]);
  Remainder remainder =
      by_qr()
          ? EliminateFromRows(execution_, Stack(groups, layout), num_pivots,
                              tolerance_)
          : EliminateFromNormal(AddUp(groups, layout), num_pivots, tolerance_);
  for (const int index : indices) {
    for (const int other : groups_[index].blocks) {
      groups_of_block_[other].erase(index);
    }
    groups_[index] = RowGroup();
  }
  eliminated_rank_ += remainder.rank;
  AddRest(rest, std::move(remainder.values));
  return rest;
}

// Of what has no columns but the residual.
double RowElimination::CostOf(const ColMajorMatrix& values) const {
  return 0.5 * (by_qr() ? values.squaredNorm() : std::max(values.sum(), 0.0));
}

std::vector<int> RowElimination::ByNumberOfRows(int first_block) const {
  std::vector<Eigen::Index> num_rows(block_sizes_.size(), 0);
  for (const RowGroup& group : groups_) {
    for (const int block : group.blocks) num_rows[block] += group.values.rows();
  }
  std::vector<int> blocks(block_sizes_.size() - first_block);
  std::iota(blocks.begin(), blocks.end(), first_block);
  std::stable_sort(blocks.begin(), blocks.end(), [&num_rows](int a, int b) {
    return num_rows[a] < num_rows[b];
  });
  return blocks;
}

SquareRoot RowElimination::TakeRest(int first_block) {
  Groups groups;
  for (const RowGroup& group : groups_) {
    if (group.values.rows() > 0) groups.push_back(&group);
  }
  const std::vector<int> blocks = ByNumberOfRows(first_block);
  const Layout layout(blocks, block_sizes_);
  SquareRoot root;
  root.a.resize(0, layout.num_columns() - 1);
  if (groups.empty()) return root;
  if (blocks.empty()) {
    for (const RowGroup* group : groups) least_cost_ += CostOf(group->values);
    return root;
  }
  root = by_qr() ? RootOfRows(execution_, Stack(groups, layout), tolerance_)
                 : RootOfNormal(AddUp(groups, layout), tolerance_);
  least_cost_ += root.least_cost;
  ColMajorMatrix sorted(root.a.rows(), root.a.cols());
  std::vector<Eigen::Index> first_column(block_sizes_.size() + 1, 0);
  for (std::size_t block = first_block; block < block_sizes_.size(); ++block) {
    first_column[block + 1] = first_column[block] + block_sizes_[block];
  }
  Eigen::Index column = 0;
  for (const int block : blocks) {
    const int size = block_sizes_[block];
    sorted.middleCols(first_column[block], size) =
        root.a.middleCols(column, size) * scale_[block].asDiagonal();
    column += size;
  }
  root.a = std::move(sorted);
  return root;
}

}  // namespace ceres::internal
