// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/front_planning.h"

#include <algorithm>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/supernodes.h"
#include "ceres/sparse/tree_balance.h"

namespace ceres::internal {

template <typename T>
std::unique_ptr<const FrontPlan<T>> PlanFronts(
    LinearSolverOrderingType ordering, const BlockSymmetricStructure& structure,
    const std::vector<int>* group, FrontEntries entries, std::string* error) {
  const SymmetricGraph blocks = GraphOfBlocks(structure);
  const std::vector<int> merged_into = MergeIndistinguishable(blocks, group);
  int num_nodes = 0;
  for (const int node : merged_into) num_nodes = std::max(num_nodes, node + 1);
  const SymmetricGraph graph = QuotientGraph(blocks, merged_into, num_nodes);
  std::vector<int> node_group;
  if (group != nullptr) {
    node_group.resize(num_nodes);
    for (size_t b = 0; b < merged_into.size(); ++b) {
      node_group[merged_into[b]] = (*group)[b];
    }
  }
  const std::vector<int> order = NativeOrdering(
      graph, ordering, group == nullptr ? nullptr : &node_group, error);
  if (!error->empty()) return nullptr;
  const std::vector<int> weight =
      NodeWeights(structure, merged_into, num_nodes);
  Supernodes supernodes = FindSupernodes(graph, weight, order);
  if (group == nullptr) {
    const std::vector<int> balanced = BalancedOrder(supernodes, weight);
    if (!balanced.empty()) supernodes = FindSupernodes(graph, weight, balanced);
  }
  return std::make_unique<const FrontPlan<T>>(structure, merged_into,
                                              supernodes, entries);
}

template std::unique_ptr<const FrontPlan<double>> PlanFronts(
    LinearSolverOrderingType, const BlockSymmetricStructure&,
    const std::vector<int>*, FrontEntries, std::string*);
template std::unique_ptr<const FrontPlan<float>> PlanFronts(
    LinearSolverOrderingType, const BlockSymmetricStructure&,
    const std::vector<int>*, FrontEntries, std::string*);

}  // namespace ceres::internal
