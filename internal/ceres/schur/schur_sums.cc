// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_sums.h"

#include <algorithm>
#include <limits>

namespace ceres::internal {

using kernels::SchurPair;
using kernels::SchurView;

namespace {

int NumRows(const SchurView& view, int begin, int end) {
  return view.eliminated_first_row[end] - view.eliminated_first_row[begin];
}

int WidthOfColumn(const SchurView& view, int column) {
  return view.column_offset[column + 1] - view.column_offset[column];
}

}  // namespace

SchurSums::Range SchurSums::Append(const SchurView& view,
                                   kernels::SchurShape /*shape*/, int begin,
                                   int end, const int* entry_of_product,
                                   const std::vector<int>& entry_line) {
  Range range;
  range.first_batch = range.end_batch = static_cast<int>(batches_.size()) - 1;
  for (int p = begin; p < end; ++p) {
    if (NumRows(view, p, p + 1) > std::numeric_limits<uint16_t>::max()) {
      return range;
    }
  }
  const int row = view.eliminated_first_row[begin];
  const int row_size = kernels::SchurBatchRowSize(
      view.row_offset[row + 1] - view.row_offset[row],
      WidthOfColumn(view, begin),
      WidthOfColumn(view, view.slot_column[view.first_slot[begin]]));
  for (int p = begin; p < end;) {
    int last = p + 1;
    while (last < end && NumRows(view, p, last + 1) <= kBatchRows) ++last;
    max_u_size_ =
        std::max(max_u_size_, int64_t{NumRows(view, p, last)} * row_size);
    AppendBatch(view, p, last, entry_of_product, entry_line);
    p = last;
  }
  range.end_batch = static_cast<int>(batches_.size()) - 1;
  return range;
}

// Lists the pairs of rows of all products, point by point, in the order of
// their entries.
void SchurSums::ListProducts(const SchurView& view, int begin, int end) {
  products_.clear();
  std::vector<uint16_t> row_of_slot;
  int first = 0;  // row of the point, in the batch
  for (int p = begin; p < end; ++p) {
    const int k = NumRows(view, p, p + 1);
    row_of_slot.resize(k);
    const int* slots =
        view.cell_slot + view.first_cell[view.eliminated_first_row[p]];
    for (int i = 0; i < k; ++i) {
      row_of_slot[slots[2 * i + 1]] = static_cast<uint16_t>(first + i);
    }
    for (int a = 0; a < k; ++a) {
      for (int b = a; b < k; ++b) {
        products_.push_back({row_of_slot[a], row_of_slot[b]});
      }
    }
    first += k;
  }
}

// A counting sort of the products of the points [begin, end) by entry.
void SchurSums::AppendBatch(const SchurView& view, int begin, int end,
                            const int* entry_of_product,
                            const std::vector<int>& entry_line) {
  ListProducts(view, begin, end);
  const int* const entries = entry_of_product + view.first_destination[begin];
  const int num_products = static_cast<int>(products_.size());
  next_.resize(entry_line.size() + 1);
  const auto [low, high] = std::minmax_element(entries, entries + num_products);
  std::fill(next_.begin() + *low, next_.begin() + *high + 1, 0);
  for (int i = 0; i < num_products; ++i) ++next_[entries[i]];
  int64_t place = batches_.back().first_pair;
  for (int entry = *low; entry <= *high; ++entry) {
    const int count = static_cast<int>(next_[entry]);
    next_[entry] = place;
    place += count;
    if (count > 0) sums_.push_back({entry_line[entry], count});
  }
  pairs_.resize(place + kernels::kSchurPairsAhead, SchurPair{0, 0});
  for (int i = 0; i < num_products; ++i) {
    pairs_[next_[entries[i]]++] = products_[i];
  }
  batches_.back().begin = begin;
  batches_.back().end = end;
  batches_.push_back({end, end, static_cast<int64_t>(sums_.size()), place});
}

void SchurSums::Finish() {
  sums_.shrink_to_fit();
  next_ = std::vector<int64_t>();
  products_ = std::vector<SchurPair>();
}

kernels::SchurSums SchurSums::View() const {
  kernels::SchurSums view;
  view.batches = batches_.data();
  view.sums = sums_.data();
  view.pairs = pairs_.data();
  return view;
}

}  // namespace ceres::internal
