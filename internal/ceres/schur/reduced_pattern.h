// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_REDUCED_PATTERN_H_
#define CERES_INTERNAL_SCHUR_REDUCED_PATTERN_H_

#include <cstdint>
#include <vector>

#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The pattern of the reduced matrix, and for each of its blocks the places in
// the partial sums that are added up to it, in the order of merged chunks.
class ReducedPattern {
 public:
  ReducedPattern(const RemainingBlocks& remaining, const MergedChunks& merged);

  const BlockSymmetricStructure& blocks() const { return blocks_; }
  // The places of entry k of blocks(): sources() [first_source()[k],
  // first_source()[k + 1]), in doubles from the begin of partial sum 0. None
  // for a diagonal block that no product touches.
  const std::vector<int64_t>& first_source() const { return first_source_; }
  const std::vector<int64_t>& sources() const { return sources_; }

 private:
  struct Source {
    int column;
    int64_t place;
  };

  void AppendRow(const RemainingBlocks& remaining, int row,
                 const std::vector<Source>& sources);

  BlockSymmetricStructure blocks_;
  std::vector<int64_t> first_source_ = {0};
  std::vector<int64_t> sources_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_REDUCED_PATTERN_H_
