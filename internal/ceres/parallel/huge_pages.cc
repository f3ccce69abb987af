// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/huge_pages.h"

#include <cstdint>
#include <new>

// Sanitizers see what is allocated, not what is mapped.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && \
    !__has_feature(memory_sanitizer)
#define CERES_MAPS_PAGES
#endif
#else
#define CERES_MAPS_PAGES
#endif
#endif

#ifdef CERES_MAPS_PAGES
#include <sys/mman.h>
#endif

namespace ceres::internal {
namespace {

#ifdef CERES_MAPS_PAGES

// Aligned to a huge page: what is mapped in front and behind is unmapped again.
char* MapAligned(std::size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes + kHugePageSize, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapped);
  const std::size_t past =
      reinterpret_cast<std::uintptr_t>(mapped) % kHugePageSize;
  const std::size_t front = past == 0 ? 0 : kHugePageSize - past;
  if (front > 0) munmap(begin, front);
  if (front < kHugePageSize) {
    munmap(begin + front + bytes, kHugePageSize - front);
  }
  return begin + front;
}

std::size_t RoundUpToPage(std::size_t bytes) {
  constexpr std::size_t kLargestSmallPage = 1 << 16;  // of any system
  return (bytes + kLargestSmallPage - 1) / kLargestSmallPage *
         kLargestSmallPage;
}

#endif

}  // namespace

void* AllocatePages(std::size_t bytes) {
#ifdef CERES_MAPS_PAGES
  if (bytes >= kMinHugeBytes) {
    void* const memory = MapAligned(RoundUpToPage(bytes));
    // Only advice: where it is not followed, pages are small. What is left
    // behind the last whole page stays small, so that no memory is wasted.
    madvise(memory, bytes / kHugePageSize * kHugePageSize, MADV_HUGEPAGE);
    return memory;
  }
#endif
  return ::operator new(bytes, std::align_val_t(AlignmentForPages(bytes)));
}

void FreePages(void* memory, std::size_t bytes) {
#ifdef CERES_MAPS_PAGES
  if (bytes >= kMinHugeBytes) {
    if (memory != nullptr) munmap(memory, RoundUpToPage(bytes));
    return;
  }
#endif
  ::operator delete(memory, std::align_val_t(AlignmentForPages(bytes)));
}

}  // namespace ceres::internal
