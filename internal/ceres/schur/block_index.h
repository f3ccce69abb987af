// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
#define CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_

#include <cstdint>
#include <vector>

#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

// A map from blocks (row, column) of a square matrix to numbers. If a table of
// all blocks is small, it is a table: consecutive points see the same cameras,
// so that most look-ups hit the first-level cache. Otherwise it is a hash table
// with open addressing, linear probing and multiplicative hashing, at most half
// full (Knuth, The Art of Computer Programming 3, 6.4). Not thread-safe.
class BlockIndex {
 public:
  explicit BlockIndex(int num_rows,
                      int64_t max_table_size = kMaxBlockTableSize);

  // Adds a block with number 0, unless the block was added before.
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
  // The number of a block that was added.
  int Find(int row, int column) { return NumberOf(num_rows_ * row + column); }

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

  bool is_table() const { return places_.empty(); }
  int& NumberOf(int64_t key) {
    return is_table() ? numbers_[key] : numbers_[PlaceOf(key)];
  }
  int64_t PlaceOf(int64_t key);
  void AppendKey(int64_t key);
  void SortKeys();
  void Grow();

  const int64_t num_rows_;
  std::vector<int64_t> keys_;    // all blocks that were added
  std::vector<int> numbers_;     // by block, or by place
  std::vector<int64_t> places_;  // by place: its block; empty: a table
  int log_size_ = 0;             // log2 of the number of places
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_BLOCK_INDEX_H_
