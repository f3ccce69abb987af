// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_COUNTING_ALLOCATIONS_H_
#define CERES_INTERNAL_BASE_TESTING_COUNTING_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "ceres/base/testing/aligned_malloc.h"

// Replaces operator new by one that counts what all threads of the program
// allocate, apart from malloc, which Eigen uses. Included by one source of a
// program. Not inlined, for the compiler to see pairs of new and delete.
#if defined(__GNUC__)
#define VESTA_NOT_INLINED __attribute__((noinline))
#else
#define VESTA_NOT_INLINED
#endif

// NOLINTBEGIN(misc-definitions-in-headers)
inline std::atomic<long> num_allocations{0};

VESTA_NOT_INLINED void* operator new(std::size_t size) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
VESTA_NOT_INLINED void* operator new(std::size_t size,
                                     std::align_val_t alignment) {
  num_allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  void* memory = ceres::internal::AllocateAligned(size, align);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
VESTA_NOT_INLINED void operator delete(void* memory) noexcept {
  std::free(memory);
}
VESTA_NOT_INLINED void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
VESTA_NOT_INLINED void operator delete(void* memory,
                                       std::align_val_t) noexcept {
  ceres::internal::FreeAligned(memory);
}
VESTA_NOT_INLINED void operator delete(void* memory, std::size_t,
                                       std::align_val_t) noexcept {
  ceres::internal::FreeAligned(memory);
}
// NOLINTEND(misc-definitions-in-headers)

#undef VESTA_NOT_INLINED

#endif  // CERES_INTERNAL_BASE_TESTING_COUNTING_ALLOCATIONS_H_
