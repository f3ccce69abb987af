// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_SMALL_BUFFER_H_
#define CERES_PUBLIC_INTERNAL_SMALL_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <memory>

#include "ceres/parallel/detail/language.h"

namespace ceres::internal {

// An array whose size is known at run time only. Up to kNumInside elements lie
// in the object, more of them on the heap. Numbers and pointers have no value
// until one is assigned. It can be neither copied nor moved.
template <typename T, std::size_t kNumInside>
class SmallBuffer {
 public:
  explicit SmallBuffer(std::size_t size)
      : size_(size),
        heap_(size > kNumInside ? new T[size] : nullptr),
        data_(heap_ != nullptr ? heap_.get() : inside_) {
    if (heap_ == nullptr) std::uninitialized_default_construct_n(data_, size_);
  }
  SmallBuffer(std::size_t size, const T& value) : SmallBuffer(size) {
    std::fill(begin(), end(), value);
  }
  ~SmallBuffer() {
    if (heap_ == nullptr) std::destroy_n(data_, size_);
  }
  SmallBuffer(const SmallBuffer&) = delete;
  SmallBuffer& operator=(const SmallBuffer&) = delete;

  T* data() { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t size_;
  std::unique_ptr<T[]> heap_;
  T* data_;
  // A union constructs no element by itself.
  union {
    T inside_[kNumInside > 0 ? kNumInside : 1];
  };
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_SMALL_BUFFER_H_
