// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_LEAF_TREE_H_
#define CERES_INTERNAL_DISTRIBUTED_LEAF_TREE_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace ceres::internal {

// The leaves [begin, end): a node of the tree.
struct LeafRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

// The order in which sums over leaves are formed: a binary tree over n leaves,
// which depends on n alone. A node of k > 1 leaves has a left child of the
// largest power of two below k. Leaves are the children of the lowest nodes:
//
// clang-format off
//     [0, 6) = [0, 4) + [4, 6)            rank 0 owns leaves 0, 1, 2:
//     [0, 4) = [0, 2) + [2, 4)              whole nodes [0, 2) and 2
//     [0, 2) = 0 + 1                      rank 1 owns leaves 3, 4, 5:
//     [2, 4) = 2 + 3                        whole nodes 3 and [4, 6)
//     [4, 6) = 4 + 5
// clang-format on
//
// A rank forms the sums of its whole nodes: the largest nodes all leaves of
// which it owns. Only these sums are sent. The rank that adds them up continues
// the same tree. Therefore a sum has the same bits for every distribution of
// the leaves.
class LeafTree {
 public:
  LeafTree() = default;
  // owner: the rank of each leaf.
  explicit LeafTree(std::vector<int> owner);

  int num_leaves() const { return static_cast<int>(owner_.size()); }
  int owner(int leaf) const { return owner_[leaf]; }
  LeafRange root() const { return {0, num_leaves()}; }
  // The first leaf of the right child. node.size() > 1.
  static int Split(const LeafRange& node);
  // The rank that owns all leaves of the node, or -1.
  int OwnerOf(const LeafRange& node) const;
  // The whole nodes of all ranks, in the order of leaves.
  const std::vector<LeafRange>& whole_nodes() const { return whole_nodes_; }

  // The sum of one value of each leaf.
  double Sum(const double* values) const;

 private:
  void FindWholeNodes(const LeafRange& node);

  std::vector<int> owner_;
  std::vector<LeafRange> whole_nodes_;
};

// Sums arrays of `size` doubles over the leaves below `node`, in the order of
// the tree.
//
// fill(range, use, array): if `range` is to be taken as a whole, overwrites
// `array` with its sum, or adds its sum to `array`, and returns true. Otherwise
// returns false; the children are summed. It must return true for a single
// leaf.
class ArraySum {
 public:
  enum class Use { kOverwrite, kAdd };
  using Fill =
      std::function<bool(const LeafRange& node, Use use, double* array)>;
  using Add = std::function<void(const double* from, double* to)>;

  // add: to += from, for arrays of this size.
  ArraySum(std::int64_t size, Fill fill, Add add)
      : size_(size), fill_(std::move(fill)), add_(std::move(add)) {}

  // Overwrites `sum`.
  void Compute(const LeafRange& node, double* sum) { Compute(node, 0, sum); }

 private:
  void Compute(const LeafRange& node, int depth, double* sum);

  const std::int64_t size_;
  const Fill fill_;
  const Add add_;
  // By depth: the sum of a right child that is not taken as a whole.
  std::vector<std::vector<double>> scratch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_LEAF_TREE_H_
