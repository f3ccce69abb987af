// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_ALIGNED_BUFFER_H_
#define CERES_INTERNAL_LINEAR_ALIGNED_BUFFER_H_

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace ceres::internal {

// An array of doubles that starts on a cache line and is NOT initialised: the
// large arrays of a solve are written before they are read, and each page
// should first be touched by the thread that fills it. Behind its end kSlack
// doubles may be read (they hold anything), so that kernels may load whole
// vectors. Movable, not copyable.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kSlack = 8;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) { Resize(size); }

  // Contents are lost when the size changes. Throws std::bad_alloc.
  void Resize(std::size_t size) {
    if (size == size_) return;
    data_.reset();
    size_ = 0;
    if (size > 0) {
      data_.reset(static_cast<double*>(::operator new(
          (size + kSlack) * sizeof(double), std::align_val_t(kAlignment))));
    }
    size_ = size;
  }

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(double* p) const {
      ::operator delete(p, std::align_val_t(kAlignment));
    }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_ALIGNED_BUFFER_H_
