// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_BATCHES_H_
#define CERES_INTERNAL_SCHUR_SCHUR_BATCHES_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/schur/block_index.h"
#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_chunks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// The products of the points of a merged chunk that have a SchurShape, cut into
// batches of points and sorted by destination within each batch
// (kernels/schur_kernels.h). A block of S is read and written once for all
// products of a batch. Immutable; SchurBatchesBuilder makes it.
class SchurBatches {
 public:
  struct Range {
    int first_batch = 0;
    int end_batch = 0;
  };

  kernels::SchurSums View() const;
  // Doubles that the largest batch needs at SchurTarget::u.
  int64_t max_u_size() const { return max_u_size_; }

 private:
  friend class SchurBatchesBuilder;

  // One more batch ends the last.
  std::vector<kernels::SchurBatch> batches_ = {{0, 0, 0, 0}};
  std::vector<kernels::SchurSum> sums_;
  PagedVector<kernels::SchurPair> pairs_;
  int64_t max_u_size_ = 0;
};

// Makes the SchurBatches of one merged chunk after the other. The tables are
// reused. Not thread-safe.
class SchurBatchesBuilder {
 public:
  // first_remaining: the first remaining column block.
  SchurBatchesBuilder(int num_remaining, int first_remaining,
                      int64_t max_table_size = kMaxBlockTableSize);

  // Begins a merged chunk. num_products: the number of products of all its
  // points; 0: unknown. Call AddBlock for all blocks of its partial sum, in
  // order, then Append for its points, then Finish.
  void Begin(int64_t num_products);
  // row, column: remaining blocks, counted from 0; line: in the partial sum.
  void AddBlock(int row, int column, int line);

  // Adds the points [begin, end), all of `shape`, not kDynamic. Returns an
  // empty range if a point has more rows than a SchurPair can count.
  SchurBatches::Range Append(const kernels::SchurView& view,
                             kernels::SchurShape shape, int begin, int end);

  SchurBatches Finish();

 private:
  void AppendBatch(const kernels::SchurView& view, int begin, int end);
  template <typename F>
  void ListProducts(const kernels::SchurView& view, int begin, int end,
                    const F& number_of);
  void MarkNumbers();
  template <typename F>
  void TakeNumbers(const F& f);

  // Blocks are numbered in order: by their places in a table of all blocks of
  // S, or in the order of AddBlock.
  const int num_remaining_;
  const int first_remaining_;
  const bool is_table_;
  BlockIndex index_;             // if there is no table
  std::vector<int> line_;        // by number
  std::vector<int> count_;       // by number: products in the batch; 0 between
  std::vector<uint64_t> marks_;  // a bit for each number
  std::vector<uint64_t> marked_words_;  // a bit for each word of marks

  SchurBatches sums_;
  // The sums of all batches so far; the memory is reused.
  std::vector<kernels::SchurSum> all_sums_;
  // The products of a batch, by point.
  std::vector<kernels::SchurPair> products_;
  std::vector<int> number_of_product_;
  std::vector<int> numbers_;  // each once, num_numbers_ of them
  int num_numbers_ = 0;
  std::vector<uint16_t> row_of_camera_;
};

// The batches of every uniform range of points that has a SchurShape
//, merged chunk by merged chunk.
class BatchPlan {
 public:
  // A plan for `num_ranges` ranges, without batches yet.
  explicit BatchPlan(size_t num_ranges) : range_(num_ranges) {}
  // view: of the cliques and the Jacobian's structure.
  BatchPlan(const Execution& execution, const kernels::SchurView& view,
            const SchurCliques& cliques, const RemainingBlocks& remaining,
            const MergedChunks& merged,
            const std::vector<UniformRange>& ranges);

  // The batches of a merged chunk. Points to this object.
  kernels::SchurSums View(int merged_chunk) const {
    return sums_[merged_chunk].View();
  }
  // The batches of UniformRange k among those of its merged chunk; empty where
  // products are added point by point.
  const SchurBatches::Range& range(int k) const { return range_[k]; }
  // Doubles that the largest batch needs at kernels::SchurTarget::u.
  int64_t max_u_size() const { return max_u_size_; }

 private:
  void FillChunk(const kernels::SchurView& view, const SchurCliques& cliques,
                 const MergedChunks& merged, int m,
                 const std::vector<UniformRange>& ranges,
                 SchurBatchesBuilder* builder);

  std::vector<SchurBatches> sums_;          // by merged chunk
  std::vector<SchurBatches::Range> range_;  // by UniformRange
  int64_t max_u_size_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_BATCHES_H_
