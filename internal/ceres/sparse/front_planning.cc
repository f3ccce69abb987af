// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/front_planning.h"

#include <algorithm>
#include <utility>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/supernodes.h"
#include "ceres/sparse/tree_balance.h"

namespace ceres::internal {
namespace {

// The nodes in the order of their first blocks.
std::vector<int> OrderOfNodes(const std::vector<int>& order_of_blocks,
                              const std::vector<int>& merged_into,
                              int num_nodes) {
  std::vector<int> order;
  order.reserve(num_nodes);
  std::vector<bool> seen(num_nodes, false);
  for (const int block : order_of_blocks) {
    const int node = merged_into[block];
    if (!seen[node]) order.push_back(node);
    seen[node] = true;
  }
  return order;
}

// The blocks in the order of their nodes, those of a node ascending.
std::vector<int> OrderOfBlocks(const std::vector<int>& order_of_nodes,
                               const std::vector<int>& merged_into) {
  std::vector<int> next(order_of_nodes.size() + 1, 0);  // by node
  for (const int node : merged_into) ++next[node];
  int num_placed = 0;
  for (const int node : order_of_nodes) {
    num_placed += std::exchange(next[node], num_placed);
  }
  std::vector<int> order(merged_into.size());
  for (size_t b = 0; b < merged_into.size(); ++b) {
    order[next[merged_into[b]]++] = static_cast<int>(b);
  }
  return order;
}

// The nodes of the graph of a matrix, which fronts are made of.
struct Nodes {
  Nodes(const BlockSymmetricStructure& structure, const std::vector<int>* group)
      : Nodes(structure, GraphOfBlocks(structure), group) {}
  Nodes(const BlockSymmetricStructure& structure, const SymmetricGraph& blocks,
        const std::vector<int>* group)
      : merged_into(MergeIndistinguishable(blocks, group)) {
    int num_nodes = 0;
    for (const int node : merged_into) {
      num_nodes = std::max(num_nodes, node + 1);
    }
    graph = QuotientGraph(blocks, merged_into, num_nodes);
    weight = NodeWeights(structure, merged_into, num_nodes);
    if (group == nullptr) return;
    group_of_node.resize(num_nodes);
    for (size_t b = 0; b < merged_into.size(); ++b) {
      group_of_node[merged_into[b]] = (*group)[b];
    }
  }
  bool has_groups() const { return !group_of_node.empty(); }

  std::vector<int> merged_into;  // by block
  SymmetricGraph graph;
  std::vector<int> weight;
  std::vector<int> group_of_node;  // empty: no groups
};

// may_balance: whether the order may be replaced by a balanced one.
template <typename T>
std::unique_ptr<const FrontPlan<T>> PlanInOrder(
    const BlockSymmetricStructure& structure, const Nodes& nodes,
    bool may_balance, FrontEntries entries, std::vector<int>* order) {
  Supernodes supernodes = FindSupernodes(nodes.graph, nodes.weight, *order);
  if (may_balance) {
    std::vector<int> balanced = BalancedOrder(supernodes, nodes.weight);
    if (!balanced.empty()) {
      supernodes = FindSupernodes(nodes.graph, nodes.weight, balanced);
      *order = std::move(balanced);
    }
  }
  return std::make_unique<const FrontPlan<T>>(structure, nodes.merged_into,
                                              supernodes, entries);
}

}  // namespace

template <typename T>
std::unique_ptr<const FrontPlan<T>> PlanFronts(
    LinearSolverOrderingType ordering, const BlockSymmetricStructure& structure,
    const std::vector<int>* group, FrontEntries entries,
    EliminationOrder* elimination_order, std::string* error) {
  const Nodes nodes(structure, group);
  const auto plan_in_order = [&](bool may_balance, std::vector<int> order) {
    auto plan = PlanInOrder<T>(structure, nodes, may_balance, entries, &order);
    if (elimination_order != nullptr) {
      elimination_order->order = OrderOfBlocks(order, nodes.merged_into);
      elimination_order->is_final = true;
      elimination_order->num_operations = plan->num_operations;
    }
    return plan;
  };
  if (elimination_order != nullptr && elimination_order->IsGiven()) {
    CheckEliminationOrder(elimination_order->order, structure.num_blocks());
    auto plan =
        plan_in_order(!elimination_order->is_final,
                      OrderOfNodes(elimination_order->order, nodes.merged_into,
                                   nodes.graph.num_nodes()));
    if (elimination_order->Accepts(plan->num_operations)) return plan;
  }
  std::vector<int> order = NativeOrdering(
      nodes.graph, ordering,
      nodes.has_groups() ? &nodes.group_of_node : nullptr, error);
  if (!error->empty()) return nullptr;
  if (elimination_order != nullptr) ++elimination_order->num_computed;
  return plan_in_order(!nodes.has_groups(), std::move(order));
}

template std::unique_ptr<const FrontPlan<double>> PlanFronts(
    LinearSolverOrderingType, const BlockSymmetricStructure&,
    const std::vector<int>*, FrontEntries, EliminationOrder*, std::string*);
template std::unique_ptr<const FrontPlan<float>> PlanFronts(
    LinearSolverOrderingType, const BlockSymmetricStructure&,
    const std::vector<int>*, FrontEntries, EliminationOrder*, std::string*);

}  // namespace ceres::internal
