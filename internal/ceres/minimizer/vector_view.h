// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_VECTOR_VIEW_H_
#define CERES_INTERNAL_MINIMIZER_VECTOR_VIEW_H_

#include <cstddef>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// A vector whose memory it does not own. Copies are views of the same values.
class VectorView {
 public:
  VectorView() = default;
  VectorView(double* values, int size) : values_(values), size_(size) {}

  double* data() const { return values_; }
  std::size_t size() const { return size_; }
  VectorView First(int size) const { return {values_, size}; }
  double* begin() const { return values_; }
  double* end() const { return values_ + size_; }
  double& operator[](std::size_t i) const { return values_[i]; }

 private:
  double* values_ = nullptr;
  std::size_t size_ = 0;
};

// Memory for several vectors, allocated at once and set to zero. One allocation
// saves time in small solves. Not thread-safe.
class VectorPool {
 public:
  VectorPool(const Execution& execution, std::size_t total_size) {
    memory_.ResizeToZeros(execution, total_size);
  }
  VectorPool(const VectorPool&) = delete;
  VectorPool& operator=(const VectorPool&) = delete;

  // Returns the next `size` values. The sum of all sizes is at most total_size.
  VectorView Take(int size) {
    double* const values = memory_.data() + num_taken_;
    num_taken_ += size;
    return {values, size};
  }

 private:
  AlignedBuffer memory_;
  std::size_t num_taken_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_VECTOR_VIEW_H_
