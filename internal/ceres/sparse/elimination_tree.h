// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_
#define CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_

#include <cstdint>
#include <vector>

#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The graph of a symmetric matrix: each edge in both directions, no loops. The
// neighbours of node i are neighbor[start[i] .. start[i + 1]), ascending.
struct SymmetricGraph {
  std::vector<int> start = {0};
  std::vector<int> neighbor;
  int num_nodes() const { return static_cast<int>(start.size()) - 1; }
};

// The graph whose nodes are the blocks of a matrix.
SymmetricGraph GraphOfBlocks(const BlockSymmetricStructure& structure);

// Merges indistinguishable nodes, which have the same neighbours (themselves
// included) and are eliminated together: supervariables (Duff and Reid, ACM
// Transactions on Mathematical Software 9, 1983). Returns the number of the
// merged node for each node; numbers are in order of first nodes. If `group` is
// not null, only nodes of one group are merged. Linear time.
std::vector<int> MergeIndistinguishable(const SymmetricGraph& graph,
                                        const std::vector<int>* group);

// The graph whose nodes are classes of nodes. class_of[i] < num_classes; no
// class is empty.
SymmetricGraph QuotientGraph(const SymmetricGraph& graph,
                             const std::vector<int>& class_of, int num_classes);

// The number of scalars of each merged node.
std::vector<int> NodeWeights(const BlockSymmetricStructure& structure,
                             const std::vector<int>& merged_into,
                             int num_nodes);

// The elimination tree of a graph whose node order[k] is eliminated at position
// k: the parent of each position, or -1 for a root. Almost linear time. Source:
// Liu, The Role of Elimination Trees in Sparse Factorization, SIAM J. Matrix
// Analysis and Applications 11, 1990, algorithm 4.2.
std::vector<int> EliminationTree(const SymmetricGraph& graph,
                                 const std::vector<int>& order);

// A postorder of a forest: children before parents, each subtree contiguous.
std::vector<int> Postorder(const std::vector<int>& parent);
// A postorder in which the heaviest of siblings is first, which keeps stacks of
// update matrices small.
std::vector<int> Postorder(const std::vector<int>& parent,
                           const std::vector<double>& weight);

// The weight of the rows below the diagonal of each column of the factor.
// weight: by position. Time is proportional to the entries of the factor, which
// are not stored. Source: row subtrees, Liu 1990, section 5.1.
std::vector<int64_t> ColumnCounts(const SymmetricGraph& graph,
                                  const std::vector<int>& order,
                                  const std::vector<int>& parent,
                                  const std::vector<int>& weight);

// Returns position with position[order[k]] = k.
std::vector<int> InversePermutation(const std::vector<int>& order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_ELIMINATION_TREE_H_
