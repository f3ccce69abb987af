// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_ALIGNED_TEST_ARRAY_H_
#define CERES_INTERNAL_KERNELS_ALIGNED_TEST_ARRAY_H_

#include <cstddef>
#include <memory>
#include <new>

namespace ceres::internal::kernels {

// For tests: memory that begins with a cache line, as kernels expect it.
inline constexpr std::align_val_t kTestAlignment{64};

struct FreeTestArray {
  void operator()(void* memory) const {
    ::operator delete(memory, kTestAlignment);
  }
};

// T: a type of numbers. The values are not initialized.
template <typename T>
using AlignedTestArray = std::unique_ptr<T[], FreeTestArray>;

template <typename T>
AlignedTestArray<T> MakeAlignedTestArray(std::size_t size) {
  return AlignedTestArray<T>(
      static_cast<T*>(::operator new(size * sizeof(T), kTestAlignment)));
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_ALIGNED_TEST_ARRAY_H_
