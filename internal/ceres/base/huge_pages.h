// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_HUGE_PAGES_H_
#define CERES_INTERNAL_BASE_HUGE_PAGES_H_

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ceres::internal {

// Large arrays lie on huge pages where the system grants them: one page fault
// where there were 512 (1.6 us each in a virtual machine, which for the arrays
// of a bundle adjustment added up to 300 ns an observation), and fewer misses
// of the TLB.
inline constexpr std::size_t kHugePageSize = std::size_t{1} << 21;
inline constexpr std::size_t kMinHugeBytes = 2 * kHugePageSize;

// The alignment that makes huge pages possible, or kCacheLine for few bytes.
inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t AlignmentForPages(std::size_t bytes) {
  return bytes >= kMinHugeBytes ? kHugePageSize : kCacheLine;
}

// The whole ones in what AllocatePages returns for `bytes`.
inline constexpr std::size_t NumHugePages(std::size_t bytes) {
  return bytes >= kMinHugeBytes ? bytes / kHugePageSize : 0;
}

// `bytes` uninitialised bytes, aligned by AlignmentForPages, on huge pages if
// that is worth it and the system has them at hand: a virtual machine that
// returns free memory to its host may take thirty times as long for one, 400 of
// 1600 ms of a large solve. Large arrays are asked of the system and given back
// to it: allocators keep what they are given back, so that the peak would hold
// what set-up needed for a moment. Throws std::bad_alloc. Thread-safe.
//
// To find out whether huge pages come fast, the first few are touched here,
// unless the caller will touch all of them by TouchPage, which finds out as
// well.
enum class WhoTouches { kAnyone, kTouchPage };
void* AllocatePages(std::size_t bytes, WhoTouches who = WhoTouches::kAnyone);
// Touches huge page `page` of NumHugePages(bytes) of what AllocatePages
// returned for `bytes`, and asks for small pages for the rest if that took
// long. For arrays that will be filled as a whole and have not been written to
// yet. Thread-safe.
void TouchPage(void* memory, std::size_t bytes, std::size_t page);
// Gives such a page back to the system ahead of FreePages, which is then
// quick: what is in it is lost. Thread-safe.
void DropPage(void* memory, std::size_t page);
// Whether AllocatePages returns `bytes` zeros.
bool AreNewPagesZero(std::size_t bytes);
// What AllocatePages returned for as many bytes.
void FreePages(void* memory, std::size_t bytes);

// Of a vector that is resized first and filled then, perhaps by several
// threads: elements without constructor arguments are left uninitialised. Small
// ones are allocated as any vector is.
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
