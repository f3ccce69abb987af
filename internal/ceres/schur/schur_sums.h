// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_
#define CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/schur/block_index.h"

namespace ceres::internal {

// The products of points of regular shapes (kernels/schur_kernels.h), cut into
// batches of points and sorted by destination within each: a block of S is then
// read and written once for all that a batch adds to it. Made by a
// SchurSumsBuilder; immutable then.
//
// The blocks of 16 cameras that see each other fill the second-level cache, and
// a product of 9 x 9 spent half of its time on moving 11 lines to and from
// there.
class SchurSums {
 public:
  // Rows of a batch: what is kept of them and their row blocks (416 bytes each
  // for cameras of 9 parameters) stay in the second-level cache.
  static constexpr int kBatchRows = 512;

  struct Range {
    int first_batch = 0;
    int end_batch = 0;
  };

  kernels::SchurSums View() const;
  // Doubles that the largest batch needs at SchurTarget::u.
  int64_t max_u_size() const { return max_u_size_; }

 private:
  friend class SchurSumsBuilder;

  // The batches and, behind them, one more.
  std::vector<kernels::SchurBatch> batches_ = {{0, 0, 0, 0}};
  std::vector<kernels::SchurSum> sums_;
  PagedVector<kernels::SchurPair> pairs_;
  int64_t max_u_size_ = 0;
};

// Makes the sums of one group of points after the other, with tables that all
// of them use. For one thread at a time.
class SchurSumsBuilder {
 public:
  // Remaining columns are those from first_remaining on.
  SchurSumsBuilder(int num_remaining, int first_remaining,
                   int64_t max_table_size = BlockIndex::kMaxTableSize);

  // Begins a group. Then all of its blocks of S, in order (rows and columns
  // counted from 0), each with its line in the copy; and then its points.
  // num_products: of all of these together, or 0 where it is not known.
  void Begin(int64_t num_products);
  void AddBlock(int row, int column, int line);

  // Adds the points [begin, end), all of `shape`, which is not kDynamic. An
  // empty range if a point has too many rows for batches.
  SchurSums::Range Append(const kernels::SchurView& view,
                          kernels::SchurShape shape, int begin, int end);

  // Ends the group.
  SchurSums Finish();

 private:
  void AppendBatch(const kernels::SchurView& view, int begin, int end);
  template <typename F>
  void ListProducts(const kernels::SchurView& view, int begin, int end,
                    const F& number_of);
  void MarkNumbers();
  template <typename F>
  void TakeNumbers(const F& f);

  // Blocks are numbered in their order: by their places in a table of all
  // blocks of S, or as they were added.
  const int num_remaining_;
  const int first_remaining_;
  const bool is_table_;
  BlockIndex index_;             // where there is no table
  std::vector<int> line_;        // by number
  std::vector<int> count_;       // by number: products in the batch; 0 between
  std::vector<uint64_t> marks_;  // a bit for each number
  std::vector<uint64_t> marked_words_;  // and for each word of marks

  SchurSums sums_;
  // Of all batches so far, for the memory of all groups.
  std::vector<kernels::SchurSum> all_sums_;
  // Of a batch, by point.
  std::vector<kernels::SchurPair> products_;
  std::vector<int> number_of_product_;
  std::vector<int> numbers_;  // each once, num_numbers_ of them
  int num_numbers_ = 0;
  std::vector<uint16_t> row_of_slot_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_
