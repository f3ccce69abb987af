// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_LOCAL_LEAF_H_
#define CERES_INTERNAL_DISTRIBUTED_LOCAL_LEAF_H_

#include <string>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// The blocks of one leaf of this rank. Refers to the problem's blocks; all
// lists are in the problem's order.
struct LocalLeaf {
  int number = 0;  // the user's
  // Residual blocks with at least one variable parameter block, and the others.
  std::vector<ResidualBlock*> residual_blocks;
  std::vector<ResidualBlock*> fixed_residual_blocks;
  // The variable parameter blocks that the residual blocks use.
  //   eliminated  private; no residual block uses two of them
  //   promoted    private, but in the reduced system
  //   shared      in SharedBlocks
  std::vector<ParameterBlock*> eliminated;
  std::vector<ParameterBlock*> promoted;
  std::vector<ParameterBlock*> shared;
};

// Splits a rank's problem into its leaves, in the order of their numbers.
//
// The private blocks of a leaf that are eliminated are an independent set of
// the graph of private blocks. It is chosen greedily: blocks that few residual
// blocks use come first. The choice depends on the leaf alone. If `ordering` is
// not null, the private blocks of its lowest group are eliminated instead.
//
// rank: the number of the leaf if the user has not begun one. Returns false if
// a shared block is not in the problem, if two leaves use a private block, or
// if the blocks of the lowest group cannot be eliminated; `error` then names
// the block.
[[nodiscard]] bool FindLocalLeaves(const ProblemImpl& problem,
                                   const distributed::SharedBlocks& shared,
                                   const ParameterBlockOrdering* ordering,
                                   int rank, std::vector<LocalLeaf>* leaves,
                                   std::string* error);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_LOCAL_LEAF_H_
