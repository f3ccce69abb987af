// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_ALIGNED_BUFFER_H_
#define CERES_INTERNAL_EXECUTION_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// An array of doubles that starts on a cache line and is NOT initialised. The
// large arrays of a solve are written before they are read, and a page should
// first be touched by the thread that fills it. kSlack doubles after the end
// may be read, so that kernels may load whole vectors; their values are
// undefined. Large arrays lie on huge pages (base/huge_pages.h). Movable, not
// copyable. Not thread-safe.
class AlignedBuffer {
 public:
  static constexpr std::size_t kAlignment = kCacheLine;
  static constexpr std::size_t kSlack = 8;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) { Resize(size); }

  // Contents are lost when the size changes. Throws std::bad_alloc.
  void Resize(std::size_t size) { Resize(size, WhoTouches::kAnyone); }

  // All threads touch the pages of a large array: for arrays that are filled as
  // a whole.
  void Resize(const Execution& execution, std::size_t size);
  // All doubles are zero.
  void ResizeToZeros(const Execution& execution, std::size_t size);
  // The array is empty afterwards. All threads return the pages of a large
  // array to the system.
  void Release(const Execution& execution);

  // Null if the size is 0.
  double* data() { return Align(memory_.get()); }
  const double* data() const { return Align(memory_.get()); }
  std::size_t size() const { return size_; }

 private:
  void Resize(std::size_t size, WhoTouches who) {
    if (size == size_) return;
    memory_.reset();
    size_ = 0;
    if (size > 0) {
      const std::size_t bytes = BytesOf(size);
      memory_ = std::unique_ptr<void, Free>(
          IsSmall(bytes) ? ::operator new(bytes + kAlignment)
                         : AllocatePages(bytes, who),
          Free(bytes));
    }
    size_ = size;
  }

  static std::size_t BytesOf(std::size_t size) {
    return (size + kSlack) * sizeof(double);
  }
  static bool IsSmall(std::size_t bytes) {
    constexpr std::size_t kMinAlignedBytes = 1 << 14;
    return bytes < kMinAlignedBytes;
  }

  static double* Align(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return static_cast<double*>(memory) +
           (-address) % kAlignment / sizeof(double);
  }

  class Free {
   public:
    explicit Free(std::size_t bytes) : bytes_(bytes) {}
    void operator()(void* p) const {
      if (IsSmall(bytes_)) {
        ::operator delete(p);
      } else {
        FreePages(p, bytes_);
      }
    }

   private:
    std::size_t bytes_;
  };

  std::unique_ptr<void, Free> memory_{nullptr, Free(0)};
  std::size_t size_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_ALIGNED_BUFFER_H_
