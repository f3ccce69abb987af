// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_SHARED_LAYOUT_H_
#define CERES_INTERNAL_DISTRIBUTED_SHARED_LAYOUT_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/leaf_tree.h"
#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// The leaves of all ranks, and the column blocks of the reduced system. The
// same on all ranks, and for every distribution of the leaves over ranks.
//
// Leaves are numbered from 0 in the order of the user's numbers. A column block
// of the reduced system is a shared block that varies and is used on some rank,
// or a promoted block. Its home leaf is the first leaf that uses it. Column
// blocks are sorted by home leaf; of one home leaf, shared blocks come first,
// by id, then promoted blocks. Sums over columns count a block in its home
// leaf.
struct SharedLayout {
  LeafTree tree;
  std::vector<int> block_offset = {0};  // by column block, +1: tangent sizes
  std::vector<int> home_leaf;           // by column block
  // The column block of each shared block that is one.
  std::unordered_map<std::int64_t, int> number_of_id;

  // The leaves of this rank.
  std::vector<int> local_leaves;  // numbers of the leaves, ascending
  // The parameter blocks of this rank that are column blocks, by number.
  std::vector<ParameterBlock*> local_blocks;  // ascending numbers
  std::vector<int> local_numbers;

  // The number and the sizes of all shared blocks and of the column blocks.
  struct Totals {
    int num_blocks = 0;
    int num_parameters = 0;
    int num_effective_parameters = 0;
  };
  Totals all_shared;
  Totals columns;

  int num_blocks() const { return static_cast<int>(home_leaf.size()); }
  int size() const { return block_offset.back(); }
};

// Compares the shared blocks of all ranks and builds the layout. Returns false
// on all ranks, with the same message, if ranks disagree about a shared block,
// or if two ranks have the same leaf. Collective.
[[nodiscard]] bool BuildSharedLayout(RankGroup* ranks,
                                     const ProblemImpl& problem,
                                     const distributed::SharedBlocks& shared,
                                     const std::vector<LocalLeaf>& leaves,
                                     SharedLayout* layout, std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_SHARED_LAYOUT_H_
