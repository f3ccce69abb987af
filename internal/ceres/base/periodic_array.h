// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PERIODIC_ARRAY_H_
#define CERES_INTERNAL_BASE_PERIODIC_ARRAY_H_

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "ceres/base/huge_pages.h"

namespace ceres::internal {

// An array of numbers that is stored as a list or computed by a formula:
//
//   x_i = table[i & mask] + step i
//
//   list         mask = -1, step = 0, table = the values
//   linear       table = {0}
//   periodic     table = one period, step = 0
//
// If all rows of a problem have the same shape, offsets are linear and
// positions within a row block are periodic, so that no list of millions of
// values is stored. An access has no branch.
//
// Only a list can be changed by element. Not thread-safe while it changes.
template <typename T>
class PeriodicArray {
 public:
  PeriodicArray() = default;
  PeriodicArray(std::initializer_list<T> values)
      : table_(values), size_(static_cast<std::int64_t>(values.size())) {}

  T operator[](std::int64_t i) const { return view()[i]; }
  T back() const { return (*this)[size_ - 1]; }
  std::int64_t size() const { return size_; }
  bool is_list() const { return mask_ == -1; }
  // A copy of the formula. In loops that also write to memory, the compiler can
  // keep it in registers.
  struct View {
    const T* table;
    std::int64_t mask;
    T step;

    T operator[](std::int64_t i) const {
      return table[i & mask] + step * static_cast<T>(i);
    }
  };
  View view() const { return {table_.data(), mask_, step_}; }

  // For lists. New elements are not initialised.
  void Resize(std::int64_t size) {
    assert(is_list());
    table_.resize(size);
    size_ = size;
  }
  void PushBack(T value) {
    assert(is_list());
    table_.push_back(value);
    ++size_;
  }
  T* list() {
    assert(is_list());
    return table_.data();
  }

  // x_i = step i.
  void MakeLinear(std::int64_t size, T step) {
    Make(size, PagedVector<T>(1, T{0}), step);
  }
  // x_i = period[i % n]. The length n of the period is a power of 2.
  void MakePeriodic(std::int64_t size, const std::vector<T>& period) {
    assert(!period.empty() && (period.size() & (period.size() - 1)) == 0);
    Make(size, PagedVector<T>(period.begin(), period.end()), T{0});
  }

  // Returns all elements.
  std::vector<T> ToVector() const {
    std::vector<T> values(size_);
    for (std::int64_t i = 0; i < size_; ++i) values[i] = (*this)[i];
    return values;
  }

 private:
  void Make(std::int64_t size, PagedVector<T> table, T step) {
    mask_ = static_cast<std::int64_t>(table.size()) - 1;
    // Frees the memory of a list.
    table_.swap(table);
    step_ = step;
    size_ = size;
  }

  PagedVector<T> table_;
  std::int64_t mask_ = -1;
  T step_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_PERIODIC_ARRAY_H_
