// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
#define CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_

#include <cstdint>
#include <vector>

namespace ceres::internal {

// Numbers for some of the blocks (row, column) of a square matrix. A table of
// all blocks where that is small: points that follow each other see the same
// cameras, so that nearly every look-up ends in the first-level cache. Else a
// hash table with open addressing and linear probing, at most half full, hashed
// by multiplication. For one thread at a time.
class BlockIndex {
 public:
  // Blocks of larger tables are hashed.
  static constexpr int64_t kMaxTableSize = int64_t{1} << 20;

  explicit BlockIndex(int num_rows, int64_t max_table_size = kMaxTableSize);

  // Adds a block with number 0, unless it is there.
  void Add(int row, int column) {
    const int64_t key = num_rows_ * row + column;
    int& number = NumberOf(key);
    if (number != kNone) return;
    number = 0;
    AppendKey(key);
  }
  void Set(int row, int column, int number) {
    Add(row, column);
    NumberOf(num_rows_ * row + column) = number;
  }
  // Of a block that was added.
  int Find(int row, int column) { return NumberOf(num_rows_ * row + column); }

  // f(row, column) for all blocks that were added, by rows and columns.
  template <typename F>
  void ForEachInOrder(const F& f) {
    SortKeys();
    for (const int64_t key : keys_) {
      f(static_cast<int>(key / num_rows_), static_cast<int>(key % num_rows_));
    }
  }

  // Removes all blocks; costs no more than adding them.
  void Clear();

 private:
  static constexpr int kNone = -1;

  bool is_table() const { return places_.empty(); }
  int& NumberOf(int64_t key) {
    return is_table() ? numbers_[key] : numbers_[PlaceOf(key)];
  }
  int64_t PlaceOf(int64_t key);
  void AppendKey(int64_t key);
  void SortKeys();
  void Grow();

  const int64_t num_rows_;
  std::vector<int64_t> keys_;    // of all blocks that were added
  std::vector<int> numbers_;     // by block, or by place
  std::vector<int64_t> places_;  // the block at each; empty: a table
  int log_size_ = 0;             // of the places
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
