// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_ARRAY_POOL_H_
#define CERES_INTERNAL_BASE_ARRAY_POOL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "ceres/base/huge_pages.h"

namespace ceres::internal {

// An array that owns its memory, aligned to cache lines, large arrays to huge
// pages. Values are not initialised.
template <typename T>
class LineArray {
 public:
  LineArray() = default;
  explicit LineArray(int64_t size)
      : data_(size == 0 ? nullptr
                        : static_cast<T*>(AllocatePages(size * sizeof(T))),
              Free{size * static_cast<int64_t>(sizeof(T))}),
        size_(size) {}
  LineArray(LineArray&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  LineArray& operator=(LineArray&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() const { return data_.get(); }
  int64_t size() const { return size_; }

 private:
  struct Free {
    int64_t bytes = 0;
    void operator()(T* p) const { FreePages(p, bytes); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t size_ = 0;
};

// A free list of arrays. Thread-safe.
template <typename T>
class ArrayPool {
 public:
  // Returns an array of at least `size` values, not initialised: a kept array
  // of at most twice the size, or a new array.
  LineArray<T> Take(int64_t size) {
    if (size == 0) return LineArray<T>();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto it = arrays_.lower_bound(size);
      if (it != arrays_.end() && it->first <= 2 * size) {
        LineArray<T> array = std::move(it->second);
        arrays_.erase(it);
        return array;
      }
    }
    return LineArray<T>(size);
  }
  // Keeps the array for later calls of Take.
  void Give(LineArray<T> array) {
    if (array.size() == 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64_t size = array.size();
    arrays_.emplace(size, std::move(array));
  }

 private:
  std::mutex mutex_;
  std::multimap<int64_t, LineArray<T>> arrays_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_ARRAY_POOL_H_
