// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_batches.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "ceres/base/intrinsics.h"
#include "ceres/execution/loops.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

using kernels::SchurPair;
using kernels::SchurShape;
using kernels::SchurView;

namespace {

int NumRows(const SchurView& view, int begin, int end) {
  return view.eliminated_first_row[end] - view.eliminated_first_row[begin];
}

int WidthOfColumn(const SchurView& view, int column) {
  return view.column_offset[column + 1] - view.column_offset[column];
}

}  // namespace

SchurBatchesBuilder::SchurBatchesBuilder(int num_remaining, int first_remaining,
                                         int64_t max_table_size)
    : num_remaining_(num_remaining),
      first_remaining_(first_remaining),
      is_table_(int64_t{num_remaining} * num_remaining <= max_table_size),
      index_(is_table_ ? 0 : num_remaining, max_table_size) {
  if (is_table_) {
    line_.resize(int64_t{num_remaining} * num_remaining);
    count_.resize(line_.size());
  }
}

void SchurBatchesBuilder::Begin(int64_t num_products) {
  if (!is_table_) line_.clear();
  sums_ = SchurBatches();
  sums_.pairs_.reserve(num_products + kernels::kSchurPairsAhead);
  all_sums_.clear();
}

void SchurBatchesBuilder::AddBlock(int row, int column, int line) {
  if (is_table_) {
    line_[row * num_remaining_ + column] = line;
    return;
  }
  index_.Set(row, column, static_cast<int>(line_.size()));
  line_.push_back(line);
}

SchurBatches SchurBatchesBuilder::Finish() {
  sums_.sums_.assign(all_sums_.begin(), all_sums_.end());
  sums_.pairs_.insert(sums_.pairs_.end(), kernels::kSchurPairsAhead,
                      SchurPair{0, 0});
  index_.Clear();
  return std::move(sums_);
}

SchurBatches::Range SchurBatchesBuilder::Append(const SchurView& view,
                                                kernels::SchurShape /*shape*/,
                                                int begin, int end) {
  SchurBatches::Range range;
  range.first_batch = range.end_batch =
      static_cast<int>(sums_.batches_.size()) - 1;
  for (int p = begin; p < end; ++p) {
    if (NumRows(view, p, p + 1) > std::numeric_limits<uint16_t>::max()) {
      return range;
    }
  }
  const size_t num_numbers = line_.size();
  constexpr size_t kBits = 64;
  count_.resize(num_numbers);
  marks_.resize(num_numbers / kBits + 1);
  marked_words_.resize(marks_.size() / kBits + 1);
  const int row = view.eliminated_first_row[begin];
  const int row_size = kernels::SchurBatchRowSize(
      view.row_offset[row + 1] - view.row_offset[row],
      WidthOfColumn(view, begin),
      WidthOfColumn(view, view.camera_column[view.first_camera[begin]]));
  for (int p = begin; p < end;) {
    int last = p + 1;
    while (last < end && NumRows(view, p, last + 1) <= kSchurBatchRows) {
      ++last;
    }
    sums_.max_u_size_ =
        std::max(sums_.max_u_size_, int64_t{NumRows(view, p, last)} * row_size);
    AppendBatch(view, p, last);
    p = last;
  }
  range.end_batch = static_cast<int>(sums_.batches_.size()) - 1;
  return range;
}

// Lists the pairs of rows of all products, point by point, and the numbers of
// their blocks; counts the products of each block. number_of: of a block's row
// and column.
template <typename F>
void SchurBatchesBuilder::ListProducts(const SchurView& view, int begin,
                                       int end, const F& number_of) {
  size_t num_products = 0;
  for (int p = begin; p < end; ++p) {
    const size_t k = NumRows(view, p, p + 1);
    num_products += k * (k + 1) / 2;
  }
  products_.resize(num_products);
  number_of_product_.resize(num_products);
  // Room for one more, written before it is known to be new.
  numbers_.resize(std::max(numbers_.size(), num_products + 1));
  SchurPair* product = products_.data();
  int* number_of_product = number_of_product_.data();
  int* next_number = numbers_.data();
  int* const count = count_.data();
  int first = 0;  // row of the point, in the batch
  for (int p = begin; p < end; ++p) {
    const int k = NumRows(view, p, p + 1);
    row_of_camera_.resize(std::max<size_t>(k, row_of_camera_.size()));
    uint16_t* const rows = row_of_camera_.data();
    const int* const cameras =
        view.cell_camera + view.first_cell[view.eliminated_first_row[p]];
    for (int i = 0; i < k; ++i) {
      rows[cameras[2 * i + 1]] = static_cast<uint16_t>(first + i);
    }
    const int* const columns = view.camera_column + view.first_camera[p];
    for (int a = 0; a < k; ++a) {
      const int block_row = columns[a] - first_remaining_;
      const uint16_t row = rows[a];
      for (int b = a; b < k; ++b) {
        const int number = number_of(block_row, columns[b] - first_remaining_);
        *product++ = {row, rows[b]};
        *number_of_product++ = number;
        *next_number = number;
        next_number += count[number]++ == 0 ? 1 : 0;
      }
    }
    first += k;
  }
  num_numbers_ = static_cast<int>(next_number - numbers_.data());
}

void SchurBatchesBuilder::MarkNumbers() {
  constexpr unsigned kBits = 64;
  for (int i = 0; i < num_numbers_; ++i) {
    const unsigned number = numbers_[i];
    const unsigned word = number / kBits;
    marks_[word] |= uint64_t{1} << (number % kBits);
    marked_words_[word / kBits] |= uint64_t{1} << (word % kBits);
  }
}

// f(number) for all that are marked, in order, and removes the marks.
template <typename F>
void SchurBatchesBuilder::TakeNumbers(const F& f) {
  constexpr size_t kBits = 64;
  for (size_t v = 0; v < marked_words_.size(); ++v) {
    for (; marked_words_[v] != 0; marked_words_[v] &= marked_words_[v] - 1) {
      const size_t w = v * kBits + base::CountTrailingZeros(marked_words_[v]);
      for (uint64_t word = marks_[w]; word != 0; word &= word - 1) {
        f(static_cast<int>(w * kBits) + base::CountTrailingZeros(word));
      }
      marks_[w] = 0;
    }
  }
}

// A counting sort of the products of the points [begin, end) by block.
void SchurBatchesBuilder::AppendBatch(const SchurView& view, int begin,
                                      int end) {
  if (is_table_) {
    ListProducts(view, begin, end, [n = num_remaining_](int row, int column) {
      return row * n + column;
    });
  } else {
    ListProducts(view, begin, end, [this](int row, int column) {
      return index_.Find(row, column);
    });
  }
  MarkNumbers();
  const int num_products = static_cast<int>(products_.size());
  // Counts become the places of the next products, and then 0.
  int place = 0;
  TakeNumbers([&](int number) {
    const int count = count_[number];
    count_[number] = place;
    place += count;
    all_sums_.push_back({line_[number], count});
  });
  const int64_t first = sums_.batches_.back().first_pair;
  sums_.pairs_.resize(first + num_products);
  SchurPair* const pairs = sums_.pairs_.data() + first;
  for (int i = 0; i < num_products; ++i) {
    pairs[count_[number_of_product_[i]]++] = products_[i];
  }
  for (int i = 0; i < num_numbers_; ++i) count_[numbers_[i]] = 0;
  sums_.batches_.back().begin = begin;
  sums_.batches_.back().end = end;
  sums_.batches_.push_back(
      {end, end, static_cast<int64_t>(all_sums_.size()), first + num_products});
}

kernels::SchurSums SchurBatches::View() const {
  kernels::SchurSums view;
  view.batches = batches_.data();
  view.sums = sums_.data();
  view.pairs = pairs_.data();
  return view;
}

BatchPlan::BatchPlan(const Execution& execution, const kernels::SchurView& view,
                     const SchurCliques& cliques,
                     const RemainingBlocks& remaining,
                     const MergedChunks& merged,
                     const std::vector<UniformRange>& ranges)
    : sums_(merged.size()), range_(ranges.size()) {
  std::vector<std::unique_ptr<SchurBatchesBuilder>> builders(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, merged.size(), [&](int thread_id, int m) {
    std::unique_ptr<SchurBatchesBuilder>& mine = builders[thread_id];
    if (mine == nullptr) {
      mine = std::make_unique<SchurBatchesBuilder>(remaining.num(),
                                                   remaining.first_column());
    }
    FillChunk(view, cliques, merged, m, ranges, mine.get());
  });
  for (const SchurBatches& sums : sums_) {
    max_u_size_ = std::max(max_u_size_, sums.max_u_size());
  }
}

void BatchPlan::FillChunk(const kernels::SchurView& view,
                          const SchurCliques& cliques,
                          const MergedChunks& merged, int m,
                          const std::vector<UniformRange>& ranges,
                          SchurBatchesBuilder* builder) {
  const SchurChunk& chunk = merged.chunk(m);
  int64_t num_products = 0;
  for (int p = chunk.point_begin; p < chunk.point_end; ++p) {
    if (cliques.shape(p) == SchurShape::kDynamic) continue;
    const int64_t k = cliques.num_cameras(p);
    num_products += k * (k + 1) / 2;
  }
  builder->Begin(num_products);
  for (const MergedChunks::Block& block : merged.blocks(m)) {
    builder->AddBlock(block.row, block.column, block.line);
  }
  for (int k = chunk.first_range; k < chunk.end_range; ++k) {
    const UniformRange& range = ranges[k];
    if (range.shape == SchurShape::kDynamic) continue;
    range_[k] = builder->Append(view, range.shape, range.begin, range.end);
  }
  sums_[m] = builder->Finish();
}

}  // namespace ceres::internal
