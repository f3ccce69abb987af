// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_ALIGNED_MALLOC_H_
#define CERES_INTERNAL_BASE_TESTING_ALIGNED_MALLOC_H_

#include <cstddef>
#include <cstdlib>

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace ceres::internal {

// For tests that replace operator new: memory with an alignment, which is a
// power of two, without any call of operator new. Null: no memory. The C
// library of Windows has no std::aligned_alloc.
inline void* AllocateAligned(std::size_t size, std::size_t alignment) {
#if defined(_WIN32)
  return _aligned_malloc(size, alignment);
#else
  return std::aligned_alloc(alignment,
                            (size + alignment - 1) / alignment * alignment);
#endif
}

inline void FreeAligned(void* memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_TESTING_ALIGNED_MALLOC_H_
