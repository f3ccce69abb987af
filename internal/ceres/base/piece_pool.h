// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PIECE_POOL_H_
#define CERES_INTERNAL_BASE_PIECE_POOL_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "ceres/base/array_pool.h"
#include "ceres/base/huge_pages.h"

namespace ceres::internal {

// Allocates pieces of one array, by first fit: the lowest gap that is large
// enough, so that few pages of the array are touched. A piece that fits no gap
// gets memory of its own. Thread-safe.
//
// D. Knuth, The Art of Computer Programming 1, section 2.5.
template <typename T>
class PiecePool {
 public:
  // array: `size` elements, aligned to a cache line, which the caller owns.
  // Touches no page.
  PiecePool(T* array, int64_t size) : array_(array) {
    if (size > 0) gaps_.emplace(0, size);
  }

  // Returns `size` uninitialised elements, aligned to cache lines. Null if the
  // size is 0.
  T* Take(int64_t size) {
    if (size == 0) return nullptr;
    constexpr int64_t kLine = kCacheLine / sizeof(T);
    size = (size + kLine - 1) / kLine * kLine;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto gap = std::find_if(
        gaps_.begin(), gaps_.end(),
        [size](const auto& g) { return g.second - g.first >= size; });
    if (gap == gaps_.end()) {
      LineArray<T> apart(size);
      T* const piece = apart.data();
      apart_.emplace(piece, std::move(apart));
      return piece;
    }
    const auto [begin, end] = *gap;
    gaps_.erase(gap);
    if (begin + size < end) gaps_.emplace(begin + size, end);
    end_of_.emplace(begin, begin + size);
    return array_ + begin;
  }

  // Frees a piece that Take returned.
  void Give(T* piece) {
    if (piece == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (apart_.erase(piece) > 0) return;
    int64_t begin = piece - array_;
    const auto taken = end_of_.find(begin);
    int64_t end = taken->second;
    end_of_.erase(taken);
    // Merges the piece with the gaps before and after it.
    auto next = gaps_.lower_bound(begin);
    if (next != gaps_.end() && next->first == end) {
      end = next->second;
      next = gaps_.erase(next);
    }
    if (next != gaps_.begin() && std::prev(next)->second == begin) {
      std::prev(next)->second = end;
    } else {
      gaps_.emplace(begin, end);
    }
  }

 private:
  std::mutex mutex_;
  T* const array_;
  std::map<int64_t, int64_t> gaps_;    // begin -> end
  std::map<int64_t, int64_t> end_of_;  // begin -> end of allocated pieces
  std::map<T*, LineArray<T>> apart_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_PIECE_POOL_H_
