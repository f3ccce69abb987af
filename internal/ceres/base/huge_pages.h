// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_HUGE_PAGES_H_
#define CERES_INTERNAL_BASE_HUGE_PAGES_H_

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/export.h"

namespace ceres::internal {

// Memory on huge pages, for large arrays. A huge page replaces 512 small pages:
// there are fewer page faults and fewer TLB misses.

// The size of a huge page, and of the smallest array on huge pages, in bytes.
// A huge page takes a fifteenth of the time of its 512 small pages, so it pays
// for an array that fills half of it.
inline constexpr std::size_t kHugePageSize = std::size_t{1} << 21;
inline constexpr std::size_t kMinHugeBytes = kHugePageSize / 2;

// The alignment of an array of `bytes` bytes: a huge page, or a cache line for
// small arrays.
inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t AlignmentForPages(std::size_t bytes) {
  return bytes >= kMinHugeBytes ? kHugePageSize : kCacheLine;
}

// The number of huge pages of an array of `bytes` bytes: the last one is at
// least half full.
inline constexpr std::size_t NumHugePages(std::size_t bytes) {
  return (bytes + kMinHugeBytes) / kHugePageSize;
}

// Returns `bytes` uninitialised bytes, aligned by AlignmentForPages. Throws
// std::bad_alloc. Thread-safe.
//
// A large array is mapped from the system and unmapped by FreePages: an
// allocator would keep freed memory, and peak memory would include the arrays
// of set-up.
//
// A large array lies on huge pages if the system provides them fast. A virtual
// machine that returns free memory to its host may take thirty times as long
// for a huge page. To measure the time, AllocatePages touches the first few
// huge pages. With kTouchPage it does not: the caller will touch all pages by
// TouchPage, which measures the time as well.
enum class WhoTouches { kAnyone, kTouchPage };
CERES_PARALLEL_EXPORT void* AllocatePages(std::size_t bytes,
                                          WhoTouches who = WhoTouches::kAnyone);
// Touches huge page `page` (< NumHugePages(bytes)) of an array of
// AllocatePages. If that takes long, the rest of the array gets small pages.
// For arrays that have not been written to and will be filled entirely.
// Thread-safe.
CERES_PARALLEL_EXPORT void TouchPage(void* memory, std::size_t bytes,
                                     std::size_t page);
// Returns a huge page to the system before FreePages, which is faster then. The
// values of the page are lost. Thread-safe.
CERES_PARALLEL_EXPORT void DropPage(void* memory, std::size_t page);
// Whether the bytes that AllocatePages(bytes) returns are zero.
CERES_PARALLEL_EXPORT bool AreNewPagesZero(std::size_t bytes);
// Asks for huge pages for memory of another allocator that has not been written
// to. Thread-safe.
CERES_PARALLEL_EXPORT void PreferHugePages(void* memory, std::size_t bytes);
// Frees an array of AllocatePages(bytes).
CERES_PARALLEL_EXPORT void FreePages(void* memory, std::size_t bytes);

// An allocator for vectors that are resized and then filled, perhaps by several
// threads: resize does not initialise new elements. Large vectors lie on huge
// pages.
template <typename T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <typename U>
  PageAllocator(const PageAllocator<U>&) {}  // NOLINT: as std::allocator's

  // T may be a pointer. NOLINTBEGIN(bugprone-sizeof-expression)
  T* allocate(std::size_t n) {
    if (IsLarge(n)) return static_cast<T*>(AllocatePages(n * sizeof(T)));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    if (IsLarge(n)) {
      FreePages(p, n * sizeof(T));
    } else {
      std::allocator<T>().deallocate(p, n);
    }
  }

  template <typename U, typename... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(p)) U;
    } else {
      ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
    }
  }

  template <typename U>
  bool operator==(const PageAllocator<U>&) const {
    return true;
  }
  template <typename U>
  bool operator!=(const PageAllocator<U>&) const {
    return false;
  }

 private:
  static bool IsLarge(std::size_t n) { return n >= kMinHugeBytes / sizeof(T); }
  // NOLINTEND(bugprone-sizeof-expression)
};

template <typename T>
using PagedVector = std::vector<T, PageAllocator<T>>;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_HUGE_PAGES_H_
