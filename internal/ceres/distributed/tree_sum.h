// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_TREE_SUM_H_
#define CERES_INTERNAL_DISTRIBUTED_TREE_SUM_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ceres/distributed/leaf_tree.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// The sum over all leaves of a vector of entries. An entry is a fixed number of
// doubles, for example a block of a matrix. A leaf has values for some entries,
// and zeros for the others.
//
// clang-format off
//     1. SumLocal   a rank adds up its leaves, to one array for each of its
//                   whole nodes. The arrays have the entries that a leaf of the
//                   rank has.
//     2. Combine    entries are cut into one chunk for each rank. Each rank
//                   receives its chunk of the nodes of all ranks, and adds them
//                   up in the order of the tree. Then all ranks, or the root,
//                   receive the chunks of all ranks.
// clang-format on
//
// A rank sends (1 + 1 / n) times its entries, of each whole node, for n ranks.
// The sum has the same bits for every distribution of the leaves and every
// number of threads (leaf_tree.h). Not thread-safe.
class TreeSum {
 public:
  // local_leaves: the numbers of this rank's leaves, ascending.
  // entries_of_leaf: of each local leaf, the entries that it has, ascending.
  // first_value: by entry, +1: where the entry begins in the sum; the same on
  // all ranks. Collective. `ranks` and `tree` must outlive this.
  TreeSum(RankGroup* ranks, const LeafTree& tree,
          const std::vector<int>& local_leaves,
          const std::vector<std::vector<int>>& entries_of_leaf,
          std::vector<std::int64_t> first_value, const Execution& execution);

  // The doubles of a local leaf.
  std::int64_t leaf_size(int k) const { return leaf_places_[k].size; }
  std::int64_t size() const { return first_value_.back(); }

  // Adds up the leaves of this rank. fill_leaf(k, values) writes the entries of
  // local leaf k, one behind the other: leaf_size(k) doubles. It is called for
  // k = 0, 1, ... Throws what fill_leaf throws. Not collective.
  void SumLocal(const std::function<void(int k, double* values)>& fill_leaf);

  // After SumLocal. Writes the sum, size() doubles; kRoot: on the root alone,
  // `sum` is not read on other ranks. Collective.
  enum class Destination { kAll, kRoot };
  void Combine(Phase phase, Destination destination, double* sum);
  // Likewise, but each rank keeps its chunk: the entries [chunk_begin(),
  // chunk_end()) of the sum, one behind the other. Valid until the next call.
  const std::vector<double>& CombineChunk(Phase phase) {
    return CombineChunk(phase, nullptr);
  }
  int chunk_begin() const { return chunk_first_entry_[ranks_->rank()]; }
  int chunk_end() const { return chunk_first_entry_[ranks_->rank() + 1]; }
  // The first entry of the chunk of each rank, +1.
  const std::vector<int>& chunk_first_entry() const {
    return chunk_first_entry_;
  }

 private:
  // A range of consecutive entries of a leaf, and its place in the local array.
  struct Run {
    std::int64_t from;
    std::int64_t to;
    std::int64_t size;
  };
  struct LeafPlaces {
    std::vector<Run> runs;
    std::int64_t size = 0;
  };

  // room: null, or size() doubles that are overwritten: what is received lies
  // there if it fits.
  const std::vector<double>& CombineChunk(Phase phase, double* room);
  void FindLocalEntries(const std::vector<std::vector<int>>& entries_of_leaf);
  void CutIntoChunks();
  void ExchangeEntries();
  void Add(std::int64_t size, const double* from, double* to) const;

  RankGroup* const ranks_;
  const LeafTree& tree_;
  const std::vector<int> local_leaves_;
  const std::vector<std::int64_t> first_value_;
  const Execution execution_;

  // The entries that some local leaf has, ascending, and where each begins in
  // the local array, +1.
  std::vector<int> local_entries_;
  std::vector<std::int64_t> local_first_;
  std::vector<LeafPlaces> leaf_places_;
  std::vector<LeafRange> local_nodes_;    // whole nodes of this rank
  std::vector<AlignedBuffer> node_sums_;  // by local node
  AlignedBuffer leaf_values_;

  // By rank, +1: its chunk of entries and of values.
  std::vector<int> chunk_first_entry_;
  std::vector<std::int64_t> chunk_first_value_;
  // The local entries in the chunk of each rank: by rank, +1, positions in
  // local_entries_.
  std::vector<int> local_chunk_;
  // The runs in this rank's chunk of what each rank sends: from: in what the
  // rank sends for one node.
  std::vector<LeafPlaces> received_places_;
  std::vector<double> chunk_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_TREE_SUM_H_
