// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/elimination_tree.h"

#include <algorithm>
#include <numeric>

namespace ceres::internal {
namespace {

// For an order-independent hash of a set.
uint64_t Scramble(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Whether a and b are neighbours and have all other neighbours in common.
bool AreIndistinguishable(const SymmetricGraph& graph, int a, int b) {
  int i = graph.start[a], j = graph.start[b];
  const int i_end = graph.start[a + 1], j_end = graph.start[b + 1];
  bool are_neighbours = false;
  while (true) {
    if (i < i_end && graph.neighbor[i] == b) are_neighbours = true, ++i;
    if (j < j_end && graph.neighbor[j] == a) ++j;
    if (i == i_end || j == j_end) break;
    if (graph.neighbor[i] == b || graph.neighbor[j] == a) continue;
    if (graph.neighbor[i] != graph.neighbor[j]) return false;
    ++i, ++j;
  }
  return are_neighbours && i == i_end && j == j_end;
}

// Siblings in the order in which `visits` has them.
std::vector<int> PostorderOfChildren(const std::vector<int>& parent,
                                     const std::vector<int>& visits) {
  const int n = static_cast<int>(parent.size());
  // Lists of children, first child first.
  std::vector<int> first_child(n, -1), sibling(n, -1);
  int first_root = -1;
  for (int k = n - 1; k >= 0; --k) {
    const int i = visits[k];
    int& head = parent[i] == -1 ? first_root : first_child[parent[i]];
    sibling[i] = head;
    head = i;
  }
  std::vector<int> order;
  order.reserve(n);
  for (int node = first_root; node != -1;) {
    while (first_child[node] != -1) node = first_child[node];
    order.push_back(node);
    while (sibling[node] == -1 && parent[node] != -1) {
      node = parent[node];
      order.push_back(node);
    }
    node = sibling[node];
  }
  return order;
}

}  // namespace

SymmetricGraph GraphOfBlocks(const BlockSymmetricStructure& a) {
  const int n = a.num_blocks();
  SymmetricGraph graph;
  graph.start.assign(n + 1, 0);
  const auto for_each_edge = [&a, n](const auto& f) {
    for (int i = 0; i < n; ++i) {
      for (int e = a.first_entry[i]; e < a.first_entry[i + 1]; ++e) {
        if (a.entry_column[e] != i) f(i, a.entry_column[e]);
      }
    }
  };
  for_each_edge([&](int i, int j) {
    ++graph.start[i + 1];
    ++graph.start[j + 1];
  });
  for (int i = 0; i < n; ++i) graph.start[i + 1] += graph.start[i];
  graph.neighbor.resize(graph.start[n]);
  std::vector<int> next(graph.start.begin(), graph.start.end() - 1);
  // First the neighbours before each node, then those behind it.
  for_each_edge([&](int i, int j) { graph.neighbor[next[j]++] = i; });
  for_each_edge([&](int i, int j) { graph.neighbor[next[i]++] = j; });
  return graph;
}

std::vector<int> MergeIndistinguishable(const SymmetricGraph& graph,
                                        const std::vector<int>* group) {
  const int n = graph.num_nodes();
  // Representatives of classes in lists by hash.
  size_t num_lists = 1;
  while (num_lists < static_cast<size_t>(n)) num_lists *= 2;
  std::vector<int> first(num_lists, -1), next(n, -1);
  std::vector<uint64_t> hashes(n);
  std::vector<int> merged_into(n);
  int num_classes = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t hash = Scramble(i);
    for (int e = graph.start[i]; e < graph.start[i + 1]; ++e) {
      hash += Scramble(graph.neighbor[e]);
    }
    hashes[i] = hash;
    int* place = &first[hash & (num_lists - 1)];
    while (*place != -1 &&
           (hashes[*place] != hash ||
            (group != nullptr && (*group)[*place] != (*group)[i]) ||
            !AreIndistinguishable(graph, *place, i))) {
      place = &next[*place];
    }
    if (*place == -1) {
      *place = i;
      merged_into[i] = num_classes++;
    } else {
      merged_into[i] = merged_into[*place];
    }
  }
  return merged_into;
}

SymmetricGraph QuotientGraph(const SymmetricGraph& graph,
                             const std::vector<int>& class_of,
                             int num_classes) {
  const int n = graph.num_nodes();
  std::vector<int> first_member(num_classes + 1, 0), member(n);
  for (const int c : class_of) ++first_member[c + 1];
  for (int c = 0; c < num_classes; ++c) first_member[c + 1] += first_member[c];
  std::vector<int> next(first_member.begin(), first_member.end() - 1);
  for (int i = 0; i < n; ++i) member[next[class_of[i]]++] = i;
  SymmetricGraph quotient;
  std::vector<int> seen_by(num_classes, -1);
  for (int c = 0; c < num_classes; ++c) {
    seen_by[c] = c;
    const size_t first = quotient.neighbor.size();
    for (int m = first_member[c]; m < first_member[c + 1]; ++m) {
      for (int e = graph.start[member[m]]; e < graph.start[member[m] + 1];
           ++e) {
        const int other = class_of[graph.neighbor[e]];
        if (seen_by[other] == c) continue;
        seen_by[other] = c;
        quotient.neighbor.push_back(other);
      }
    }
    std::sort(quotient.neighbor.begin() + first, quotient.neighbor.end());
    quotient.start.push_back(static_cast<int>(quotient.neighbor.size()));
  }
  return quotient;
}

std::vector<int> NodeWeights(const BlockSymmetricStructure& structure,
                             const std::vector<int>& merged_into,
                             int num_nodes) {
  std::vector<int> weight(num_nodes, 0);
  for (int b = 0; b < structure.num_blocks(); ++b) {
    weight[merged_into[b]] +=
        structure.block_offset[b + 1] - structure.block_offset[b];
  }
  return weight;
}

std::vector<int> EliminationTree(const SymmetricGraph& graph,
                                 const std::vector<int>& order) {
  const int n = graph.num_nodes();
  const std::vector<int> position = InversePermutation(order);
  std::vector<int> parent(n, -1), ancestor(n, -1);
  for (int k = 0; k < n; ++k) {
    for (int e = graph.start[order[k]]; e < graph.start[order[k] + 1]; ++e) {
      int i = position[graph.neighbor[e]];
      if (i > k) continue;
      while (ancestor[i] != -1 && ancestor[i] != k) {
        const int next = ancestor[i];
        ancestor[i] = k;
        i = next;
      }
      if (ancestor[i] == -1) {
        ancestor[i] = k;
        parent[i] = k;
      }
    }
  }
  return parent;
}

std::vector<int> Postorder(const std::vector<int>& parent) {
  std::vector<int> visits(parent.size());
  std::iota(visits.begin(), visits.end(), 0);
  return PostorderOfChildren(parent, visits);
}

std::vector<int> Postorder(const std::vector<int>& parent,
                           const std::vector<double>& weight) {
  std::vector<int> visits(parent.size());
  std::iota(visits.begin(), visits.end(), 0);
  std::stable_sort(visits.begin(), visits.end(),
                   [&weight](int a, int b) { return weight[a] > weight[b]; });
  return PostorderOfChildren(parent, visits);
}

std::vector<int64_t> ColumnCounts(const SymmetricGraph& graph,
                                  const std::vector<int>& order,
                                  const std::vector<int>& parent,
                                  const std::vector<int>& weight) {
  const int n = graph.num_nodes();
  const std::vector<int> position = InversePermutation(order);
  std::vector<int64_t> count(n, 0);
  std::vector<int> seen_by(n, -1);
  for (int k = 0; k < n; ++k) {
    seen_by[k] = k;
    for (int e = graph.start[order[k]]; e < graph.start[order[k] + 1]; ++e) {
      int j = position[graph.neighbor[e]];
      if (j > k) continue;
      for (; seen_by[j] != k; j = parent[j]) {
        count[j] += weight[k];
        seen_by[j] = k;
      }
    }
  }
  return count;
}

std::vector<int> InversePermutation(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    position[order[k]] = static_cast<int>(k);
  }
  return position;
}

}  // namespace ceres::internal
