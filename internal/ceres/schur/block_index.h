// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
#define CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ceres/base/hash_map.h"
#include "ceres/base/intrinsics.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

// A map from blocks (row, column) of a square matrix to numbers. If a table of
// all blocks is small, it is a table: consecutive points see the same cameras,
// so that most look-ups hit the first-level cache. Otherwise it is a HashMap.
// Not thread-safe.
class BlockIndex {
 public:
  explicit BlockIndex(int num_rows,
                      int64_t max_table_size = kMaxBlockTableSize);

  // Adds a block with number 0, unless the block was added before.
  void Add(int row, int column) { FindOrAdd(row, column); }
  void Set(int row, int column, int number) {
    *FindOrAdd(row, column) = number;
  }
  // The number of a block that was added.
  int Find(int row, int column) const {
    const int64_t key = num_rows_ * row + column;
    return is_table_ ? table_[key] : hashed_.Find(key + 1);
  }

  // f(row, column) for all blocks that were added, by rows and columns.
  template <typename F>
  void ForEachInOrder(const F& f) {
    SortKeys();
    for (const int64_t key : keys_) {
      f(static_cast<int>(key / num_rows_), static_cast<int>(key % num_rows_));
    }
  }

  // Removes all blocks, in at most the time of adding them.
  void Clear();

 private:
  static constexpr int kNone = -1;

  int* FindOrAdd(int row, int column) {
    const int64_t key = num_rows_ * row + column;
    if (is_table_) {
      int& number = table_[key];
      if (number == kNone) {
        number = 0;
        keys_.push_back(key);
      }
      return &number;
    }
    const std::size_t size = hashed_.size();
    int* const number = hashed_.FindOrInsert(key + 1);
    if (hashed_.size() > size) keys_.push_back(key);
    return number;
  }
  void SortKeys();

  const int64_t num_rows_;
  const bool is_table_;
  std::vector<int64_t> keys_;  // all blocks that were added
  std::vector<int> table_;     // by key; kNone: not added
  HashMap<int> hashed_;        // by key + 1
};

// A set of blocks (row, column), row <= column, of a square matrix. Every row
// that has blocks has its diagonal block. If the matrix has few blocks, the set
// is a bitmap, which stays in the first-level cache and needs no sorting;
// otherwise it is a hash table. Not thread-safe.
class BlockSet {
 public:
  // AddPairs and AddDiagonal take columns of which first_column is number 0;
  // TakeInOrder returns rows and columns counted from 0.
  explicit BlockSet(int num_rows, int first_column = 0,
                    int64_t max_table_size = kMaxBlockBitmapSize)
      : num_rows_(num_rows),
        first_column_(first_column),
        words_per_row_((num_rows + kBits - 1) / kBits),
        is_table_(int64_t{num_rows} * num_rows <= max_table_size),
        hashed_(is_table_ ? 0 : num_rows) {
    if (is_table_) words_.assign(words_per_row_ * num_rows, 0);
  }

  // Adds the blocks (columns[a], columns[b]), a <= b, of ascending columns.
  // AddDiagonal adds those with a = b.
  void AddPairs(const int* columns, const int* end) {
    for (const int* a = columns; a < end; ++a) AddRow(*a, a, end);
  }
  void AddDiagonal(const int* columns, const int* end) {
    for (const int* a = columns; a < end; ++a) AddRow(*a, a, a + 1);
  }

  // f(row, column) for all blocks, by rows and columns, and removes them.
  template <typename F>
  void TakeInOrder(const F& f) {
    if (!is_table_) {
      hashed_.ForEachInOrder(f);
      hashed_.Clear();
      return;
    }
    for (int row = 0; row < num_rows_; ++row) TakeRow(row, f);
  }

 private:
  static constexpr int kBits = 64;

  static uint64_t Bit(int64_t column) {
    return uint64_t{1} << (column % kBits);
  }

  void AddRow(int row, const int* columns, const int* end) {
    if (!is_table_) {
      for (; columns < end; ++columns) {
        hashed_.Add(row - first_column_, *columns - first_column_);
      }
      return;
    }
    uint64_t* const words =
        words_.data() + words_per_row_ * (row - first_column_);
    for (; columns < end; ++columns) {
      const unsigned column = *columns - first_column_;
      words[column / kBits] |= Bit(column);
    }
  }

  template <typename F>
  void TakeRow(int row, const F& f) {
    uint64_t* const words = words_.data() + words_per_row_ * row;
    if ((words[row / kBits] & Bit(row)) == 0) return;
    for (int64_t w = row / kBits; w < words_per_row_; ++w) {
      for (; words[w] != 0; words[w] &= words[w] - 1) {
        f(row,
          static_cast<int>(w * kBits) + base::CountTrailingZeros(words[w]));
      }
    }
  }

  const int num_rows_;
  const int first_column_;
  const int64_t words_per_row_;
  const bool is_table_;
  std::vector<uint64_t> words_;
  BlockIndex hashed_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
