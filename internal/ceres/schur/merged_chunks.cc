// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/merged_chunks.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/schur/block_index.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {
namespace {

using Block = MergedChunks::Block;

bool BlockLess(const Block& a, const Block& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

// The blocks that a chunk touches, by rows and columns, not laid out yet. set:
// empty before and after.
std::vector<Block> TouchedBlocks(const SchurCliques& cliques,
                                 const SchurChunk& chunk, BlockSet* set) {
  cliques.ForEachClique(chunk, [&](int q) {
    if (cliques.HasPairs(q)) {
      set->AddPairs(cliques.begin(q), cliques.end(q));
    } else {
      set->AddDiagonal(cliques.begin(q), cliques.end(q));
    }
  });
  std::vector<Block> blocks;
  set->TakeInOrder([&](int row, int column) {
    blocks.push_back({row, column, /*line=*/0});
  });
  return blocks;
}

int64_t MaxSizeOfSums(int num_sums, int64_t num_jacobian_values) {
  if (num_sums > kManyPartialSums) {
    return num_jacobian_values / kManyPartialSumsDivisor;
  }
  if (num_sums > kFewPartialSums) {
    return num_jacobian_values / kSomePartialSumsDivisor;
  }
  return std::max(num_jacobian_values, kMaxSmallPartialSums);
}

}  // namespace

MergedChunks::MergedChunks(const Execution& execution,
                           const BlockJacobianStructure& structure,
                           const SchurCliques& cliques,
                           const RemainingBlocks& remaining,
                           const std::vector<SchurChunk>& row_chunks)
    : remaining_(remaining), chunks_(row_chunks), blocks_(row_chunks.size()) {
  std::vector<std::unique_ptr<BlockSet>> sets(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, size(), [&](int thread_id, int s) {
    std::unique_ptr<BlockSet>& mine = sets[thread_id];
    if (mine == nullptr) {
      mine =
          std::make_unique<BlockSet>(remaining.num(), remaining.first_column());
    }
    blocks_[s] = TouchedBlocks(cliques, chunks_[s], mine.get());
  });
  while (size() > 1 && SizeOfSums(execution) >
                           MaxSizeOfSums(size(), structure.num_values())) {
    MergePairs(execution);
  }
}

int64_t MergedChunks::SizeOfSums(const Execution& execution) const {
  return ParallelReduce(
      execution, 0, size(), int64_t{0},
      [&](IndexRange merged) {
        int64_t sum = 0;
        for (int m = merged.begin; m < merged.end; ++m) {
          for (const Block& block : blocks_[m]) {
            sum += remaining_.SumSize(block.row, block.column);
          }
        }
        return sum;
      },
      [](int64_t a, int64_t b) { return a + b; });
}

void MergedChunks::MergeAll(const Execution& execution) {
  while (size() > 1) MergePairs(execution);
}

void MergedChunks::MergePairs(const Execution& execution) {
  const int half = (size() + 1) / 2;
  std::vector<std::vector<Block>> merged(half);
  ParallelFor(execution, 0, half, [&](int m) {
    std::vector<Block>& first = blocks_[2 * m];
    if (2 * m + 1 == size()) {
      merged[m] = std::move(first);
      return;
    }
    const std::vector<Block>& second = blocks_[2 * m + 1];
    merged[m].reserve(first.size() + second.size());
    std::set_union(first.begin(), first.end(), second.begin(), second.end(),
                   std::back_inserter(merged[m]), BlockLess);
  });
  for (int m = 0; m < half; ++m) {
    chunks_[m] = chunks_[2 * m];
    if (2 * m + 1 < size()) {
      chunks_[m].point_end = chunks_[2 * m + 1].point_end;
      chunks_[m].row_end = chunks_[2 * m + 1].row_end;
    }
  }
  chunks_.resize(half);
  blocks_ = std::move(merged);
}

void MergedChunks::LayOut() {
  for (std::vector<Block>& blocks : blocks_) {
    int64_t size = 0;
    for (Block& block : blocks) {
      block.line = static_cast<int>(size / kernels::kPanelWidth);
      size += remaining_.SumSize(block.row, block.column);
    }
    sum_begin_.push_back(sum_begin_.back() + size);
  }
}

}  // namespace ceres::internal
