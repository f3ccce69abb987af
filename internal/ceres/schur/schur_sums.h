// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_
#define CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/schur_kernels.h"

namespace ceres::internal {

// The products of points of regular shapes (kernels/schur_kernels.h), cut into
// batches of points and sorted by destination within each: a block of S is then
// read and written once for all that a batch adds to it. For one thread at a
// time while it is made; immutable then.
//
// The blocks of 16 cameras that see each other fill the second-level cache, and
// a product of 9 x 9 spent half of its time on moving 11 lines to and from
// there.
class SchurSums {
 public:
  // Rows of a batch: their U and records (464 bytes each for cameras of 9
  // parameters) stay in the second-level cache.
  static constexpr int kBatchRows = 512;

  struct Range {
    int first_batch = 0;
    int end_batch = 0;
  };

  // Adds the points [begin, end), all of `shape`, which is not kDynamic.
  // entry_of_product: at view.first_destination[point], row by row, the entry
  // that (a, b), a <= b, is added to, of those whose lines are given. An empty
  // range if a point has too many rows for batches.
  Range Append(const kernels::SchurView& view, kernels::SchurShape shape,
               int begin, int end, const int* entry_of_product,
               const std::vector<int>& entry_line);

  // Room for so many products of all points together, which would else be
  // copied a few times.
  void Reserve(int64_t num_products) {
    pairs_.reserve(num_products + kernels::kSchurPairsAhead);
  }

  // After the last Append: gives back what was only needed for these.
  void Finish();

  kernels::SchurSums View() const;
  // Doubles of the U of the largest batch.
  int64_t max_u_size() const { return max_u_size_; }

 private:
  void AppendBatch(const kernels::SchurView& view, int begin, int end,
                   const int* entry_of_product,
                   const std::vector<int>& entry_line);
  void ListProducts(const kernels::SchurView& view, int begin, int end);

  // The batches and, behind them, one more.
  std::vector<kernels::SchurBatch> batches_ = {{0, 0, 0, 0}};
  std::vector<kernels::SchurSum> sums_;
  std::vector<kernels::SchurPair> pairs_;
  int64_t max_u_size_ = 0;
  // While batches are made.
  std::vector<int64_t>
      next_;  // by entry: its products, then the place of the next
  std::vector<kernels::SchurPair> products_;  // of a batch, by point
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_SUMS_H_
