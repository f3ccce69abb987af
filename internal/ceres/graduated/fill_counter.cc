// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/fill_counter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/normal_pattern.h"

namespace ceres::internal {
FillCounter::FillCounter(const ProblemImpl& problem)
    : node_(problem.parameter_blocks().size(), -1) {
  std::vector<std::vector<int>> users(node_.size());
  for (const ResidualBlock* block : problem.residual_blocks()) {
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      const ParameterBlock& argument = *block->parameter_blocks()[k];
      if (!argument.IsConstant()) {
        users[argument.index()].push_back(block->index());
      }
    }
  }
  std::map<std::vector<int>, int> node_of_users;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    std::vector<int>& key = users[block->index()];
    if (key.empty()) continue;
    const auto [place, is_new] = node_of_users.try_emplace(
        std::move(key), static_cast<int>(node_size_.size()));
    if (is_new) node_size_.push_back(0);
    node_[block->index()] = place->second;
    node_size_[place->second] += block->tangent_size();
  }
}

BlockSymmetricStructure FillCounter::Pattern(
    const std::vector<const ResidualBlock*>& blocks) const {
  BlockJacobianStructure rows;
  for (const int size : node_size_) {
    rows.column_offset.push_back(rows.column_offset.back() + size);
  }
  std::vector<int> nodes;
  for (const ResidualBlock* block : blocks) {
    nodes.clear();
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      const int node = node_[block->parameter_blocks()[k]->index()];
      if (node >= 0) nodes.push_back(node);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    AppendRowBlock(/*num_residuals=*/1, nodes, &rows);
  }
  return NormalPattern(rows);
}

double FillCounter::NumOperations(
    const std::vector<const ResidualBlock*>& blocks) const {
  const int n = static_cast<int>(node_size_.size());
  const SymmetricGraph graph = GraphOfBlocks(Pattern(blocks));
  const std::vector<int> order = MinimumDegree(graph);
  std::vector<int> weight(n);
  for (int k = 0; k < n; ++k) weight[k] = node_size_[order[k]];
  const std::vector<std::int64_t> below =
      ColumnCounts(graph, order, EliminationTree(graph, order), weight);
  double sum = 0.0;
  for (int k = 0; k < n; ++k) {
    for (int i = 1; i <= weight[k]; ++i) {
      const double count = static_cast<double>(below[k]) + i;
      sum += 0.5 * count * (count + 1.0);
    }
  }
  return sum;
}

double FillCounter::NumEntries(
    const std::vector<const ResidualBlock*>& blocks) const {
  // The upper triangle by blocks has both halves of diagonal blocks.
  auto sum = static_cast<double>(Pattern(blocks).num_values());
  for (const int size : node_size_) sum -= 0.5 * size * (size - 1.0);
  return sum;
}

}  // namespace ceres::internal
