// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/fill_counter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"

namespace ceres::internal {
namespace {

// edges: without loops, each once, sorted.
SymmetricGraph GraphOf(int num_nodes,
                       const std::vector<std::pair<int, int>>& edges) {
  SymmetricGraph graph;
  graph.start.assign(num_nodes + 1, 0);
  for (const auto& [a, b] : edges) {
    ++graph.start[a + 1];
    ++graph.start[b + 1];
  }
  for (int i = 0; i < num_nodes; ++i) graph.start[i + 1] += graph.start[i];
  graph.neighbor.resize(2 * edges.size());
  std::vector<int> end(graph.start.begin(), graph.start.end() - 1);
  // Neighbours of smaller numbers come first: lists ascend.
  for (const auto& [a, b] : edges) graph.neighbor[end[b]++] = a;
  for (const auto& [a, b] : edges) graph.neighbor[end[a]++] = b;
  return graph;
}

}  // namespace

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

std::vector<std::pair<int, int>> FillCounter::Edges(
    const std::vector<const ResidualBlock*>& blocks) const {
  std::vector<std::pair<int, int>> edges;
  std::vector<int> nodes;
  for (const ResidualBlock* block : blocks) {
    nodes.clear();
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      const int node = node_[block->parameter_blocks()[k]->index()];
      if (node >= 0) nodes.push_back(node);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = i + 1; j < nodes.size(); ++j) {
        edges.emplace_back(nodes[i], nodes[j]);
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

double FillCounter::NumOperations(
    const std::vector<const ResidualBlock*>& blocks) const {
  const int n = static_cast<int>(node_size_.size());
  const SymmetricGraph graph = GraphOf(n, Edges(blocks));
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
  double sum = 0.0;
  for (const int size : node_size_) sum += 0.5 * size * (size + 1.0);
  for (const auto& [a, b] : Edges(blocks)) {
    sum += static_cast<double>(node_size_[a]) * node_size_[b];
  }
  return sum;
}

}  // namespace ceres::internal
