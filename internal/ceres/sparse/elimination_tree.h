// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_
#define CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_

#include <cstdint>
#include <vector>

#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The graph of a symmetric matrix, each edge in both directions, no loops. The
// neighbours of node i, ascending: neighbor[start[i] .. start[i + 1]).
struct SymmetricGraph {
  std::vector<int> start = {0};
  std::vector<int> neighbor;
  int num_nodes() const { return static_cast<int>(start.size()) - 1; }
};

SymmetricGraph GraphOfBlocks(const BlockSymmetricStructure& structure);

// Nodes with the same neighbours (themselves included) fill alike and are
// eliminated together (Duff and Reid's supervariables): merged_into[i],
// numbered in order of their first nodes. Only nodes of equal `group` are
// merged, if that is not null. Linear time.
std::vector<int> MergeIndistinguishable(const SymmetricGraph& graph,
                                        const std::vector<int>* group);

// The graph of classes of nodes; class_of[i] < num_classes, all of them used.
SymmetricGraph QuotientGraph(const SymmetricGraph& graph,
                             const std::vector<int>& class_of, int num_classes);

// The scalars of each node that blocks have been merged into.
std::vector<int> NodeWeights(const BlockSymmetricStructure& structure,
                             const std::vector<int>& merged_into,
                             int num_nodes);

// The parent of each position in the elimination tree of a graph whose node
// order[k] is eliminated as number k; -1: a root. Liu, The Role of Elimination
// Trees in Sparse Factorization, SIAM J. Matrix Analysis and Applications 11,
// 1990, algorithm 4.2. Nearly linear time.
std::vector<int> EliminationTree(const SymmetricGraph& graph,
                                 const std::vector<int>& order);

// The nodes of a forest, children before parents, each subtree contiguous.
std::vector<int> Postorder(const std::vector<int>& parent);
// The same; of siblings the heaviest first, which keeps stacks of update
// matrices low.
std::vector<int> Postorder(const std::vector<int>& parent,
                           const std::vector<double>& weight);

// The weight of what stands below the diagonal in each column of the factor,
// weights given by position. By row subtrees (the same paper, section 5.1):
// time in proportion to the entries of the factor, but no memory for them.
std::vector<int64_t> ColumnCounts(const SymmetricGraph& graph,
                                  const std::vector<int>& order,
                                  const std::vector<int>& parent,
                                  const std::vector<int>& weight);

// position[order[k]] = k.
std::vector<int> InversePermutation(const std::vector<int>& order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_
