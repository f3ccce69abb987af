// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_MERGED_CHUNKS_H_
#define CERES_INTERNAL_SCHUR_MERGED_CHUNKS_H_

#include <cstdint>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_chunks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// Merged chunks: which row chunks share a partial sum, and where the blocks of
// the reduced matrix lie in each partial sum.
//
// clang-format off
//     row chunks      | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
//     merged chunks   |   0   |   1   |   2   | 3 |    each adds into a
//     partial sums    |  S_0  |  S_1  |  S_2  |S_3|    partial sum of its own
// clang-format on
//
// A partial sum holds the blocks that its merged chunk touches and no others,
// by rows and columns, in panel layout (kernels/panel_block.h). Neighbours are
// merged two by two until the partial sums take little memory beside the
// Jacobian (schur_tuning.h). The result depends on the structure alone.
class MergedChunks {
 public:
  // A block (row, column), row <= column, of a partial sum.
  struct Block {
    int row;  // remaining blocks, counted from 0
    int column;
    int line;  // of kernels::kPanelWidth doubles, from the partial sum's begin
  };

  // Merges until the partial sums are small. The arguments must outlive this.
  MergedChunks(const Execution& execution,
               const BlockJacobianStructure& structure,
               const SchurCliques& cliques, const RemainingBlocks& remaining,
               const std::vector<SchurChunk>& row_chunks);

  // Merges all into one.
  void MergeAll(const Execution& execution);
  // Places the blocks in the partial sums, one behind the other. Call it once,
  // when nothing is merged any more.
  void LayOut();

  int size() const { return static_cast<int>(chunks_.size()); }
  const std::vector<SchurChunk>& chunks() const { return chunks_; }
  const SchurChunk& chunk(int m) const { return chunks_[m]; }
  std::vector<SchurChunk>* mutable_chunks() { return &chunks_; }
  const std::vector<Block>& blocks(int m) const { return blocks_[m]; }
  // Doubles from the begin of partial sum 0.
  int64_t sum_begin(int m) const { return sum_begin_[m]; }
  int64_t sums_size() const { return sum_begin_.back(); }

  // Frees the lists of blocks.
  void FreeBlocks() { blocks_ = {}; }

 private:
  int64_t SizeOfSums(const Execution& execution) const;
  void MergePairs(const Execution& execution);

  const RemainingBlocks& remaining_;
  std::vector<SchurChunk> chunks_;
  std::vector<std::vector<Block>> blocks_;  // by merged chunk
  std::vector<int64_t> sum_begin_ = {0};    // by merged chunk, +1
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_MERGED_CHUNKS_H_
