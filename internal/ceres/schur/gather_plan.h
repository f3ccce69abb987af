// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_GATHER_PLAN_H_
#define CERES_INTERNAL_SCHUR_GATHER_PLAN_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/elimination_places.h"
#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// The input of gathering by row: for each block row of S its terms, one for
// each clique that the block is in. Points come first, then rows, each in
// order. All row chunks are one merged chunk.
class GatherPlan {
 public:
  GatherPlan(const BlockJacobianStructure& structure,
             const SchurCliques& cliques, const RemainingBlocks& remaining,
             const MergedChunks& merged,
             const ProductDestinations& destinations,
             const PointStorage& storage);

  // Points to this object.
  kernels::SchurGather View() const;
  // By block row, +1: the cumulative number of products and terms.
  const std::vector<int64_t>& cost() const { return cost_; }

 private:
  std::vector<kernels::SchurTerm> terms_;  // by block row
  std::vector<int64_t> first_term_;        // by block row, +1
  std::vector<int64_t> row_begin_;  // by block row, +1: in the partial sum
  std::vector<int64_t> cost_ = {0};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_GATHER_PLAN_H_
