// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_FAILING_ALLOCATIONS_H_
#define CERES_INTERNAL_BASE_TESTING_FAILING_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "ceres/base/testing/aligned_malloc.h"
#include "ceres/base/testing/injected_failures.h"

// For one source of a test program: replaces operator new by one that throws
// std::bad_alloc at the n-th call, in whatever thread, or at random
// (injected_failures.h), and counts what is allocated.

namespace ceres::parallel::testing_internal {

// The call that brings it from 1 to 0 fails. Off: a number that no test
// reaches.
inline constexpr std::int64_t kNever = std::int64_t{1} << 60;
inline std::atomic<std::int64_t> calls_until_failure{kNever};
inline std::atomic<bool> later_calls_fail{false};
inline std::atomic<std::int64_t> num_live_allocations{0};

// How often operator new was called. Not beside a FailingAllocation.
inline std::int64_t NumAllocations() { return kNever - calls_until_failure; }

// While it exists, the n-th call fails, n >= 1; with `and_later`, each later
// one fails, too.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t n, bool and_later = false) {
    later_calls_fail = and_later;
    calls_until_failure = n;
  }
  ~FailingAllocation() { calls_until_failure = kNever; }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  // Whether a call has failed.
  bool HasFailed() const { return calls_until_failure <= 0; }
};

// alignment: 0 for that of malloc.
inline void* Allocate(std::size_t size, std::size_t alignment) {
  const std::int64_t left = calls_until_failure.fetch_sub(1);
  if (left == 1 || (left < 1 && later_calls_fail)) throw std::bad_alloc();
  if (allocations.FailsNow()) throw std::bad_alloc();
  void* const memory = alignment == 0
                           ? std::malloc(size)
                           : internal::AllocateAligned(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  num_live_allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

inline void Free(void* memory, bool is_aligned) noexcept {
  if (memory == nullptr) return;
  num_live_allocations.fetch_sub(1, std::memory_order_relaxed);
  is_aligned ? internal::FreeAligned(memory) : std::free(memory);
}

}  // namespace ceres::parallel::testing_internal

// Included by one source of a program.
// NOLINTBEGIN(misc-definitions-in-headers)
void* operator new(std::size_t size) {
  return ceres::parallel::testing_internal::Allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return ceres::parallel::testing_internal::Allocate(
      size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ceres::parallel::testing_internal::Allocate(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  ceres::parallel::testing_internal::Free(memory, false);
}
void operator delete(void* memory, std::size_t) noexcept {
  ceres::parallel::testing_internal::Free(memory, false);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  ceres::parallel::testing_internal::Free(memory, true);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  ceres::parallel::testing_internal::Free(memory, true);
}
// NOLINTEND(misc-definitions-in-headers)

#endif  // CERES_INTERNAL_BASE_TESTING_FAILING_ALLOCATIONS_H_
