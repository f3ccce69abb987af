// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/huge_pages.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

#include "ceres/base/platform.h"

// Sanitizers track memory from operator new, but not mapped memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CERES_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define CERES_SANITIZED
#endif
#endif

namespace ceres::internal {
namespace {

// If no pages are mapped, the functions marked maybe_unused are unused.
#ifdef CERES_SANITIZED
constexpr bool kMapsPages = false;
#else
constexpr bool kMapsPages = platform::kMapsMemory;
#endif

// The number of bytes from an address to the next huge page.
[[maybe_unused]] std::size_t BytesToHugePage(const void* memory) {
  return -reinterpret_cast<std::uintptr_t>(memory) % kHugePageSize;
}

// Maps memory that is aligned to a huge page: maps one huge page more, and
// unmaps the parts before and after the aligned range.
[[maybe_unused]] char* MapAligned(std::size_t bytes) {
  void* const mapped = platform::MapMemory(bytes + kHugePageSize);
  if (mapped == nullptr) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapped);
  const std::size_t front = BytesToHugePage(mapped);
  if (front > 0) platform::UnmapMemory(begin, front);
  if (front < kHugePageSize) {
    platform::UnmapMemory(begin + front + bytes, kHugePageSize - front);
  }
  return begin + front;
}

// Huge pages, and small ones for the rest.
[[maybe_unused]] std::size_t MappedBytes(std::size_t bytes) {
  constexpr std::size_t kLargestSmallPage = 1 << 16;  // of any system
  return std::max(
      (bytes + kLargestSmallPage - 1) / kLargestSmallPage * kLargestSmallPage,
      NumHugePages(bytes) * kHugePageSize);
}

// Measures whether the system is too slow at providing one huge page. The
// kernel clears a huge page in 0.2 ms, and 512 small pages in 0.6 to 0.9 ms. A
// virtual machine that returns free memory to its host takes 6 ms for a huge
// page that the host must provide again, but has enough small pages of its own.
// The time during which other threads have the processor does not count.
class PageTimer {
 public:
  bool IsTooLong() const {
    return platform::ThreadSeconds() - start_ > kLongestSeconds;
  }

 private:
  static constexpr double kLongestSeconds = 2e-3;
  const double start_ = platform::ThreadSeconds();
};

// The number of bytes that are still to be allocated without asking for huge
// pages, after a huge page took too long.
std::atomic<std::int64_t> small_bytes{0};

// Advises small pages. Pages that are huge already stay huge.
void AskForSmallPages(char* memory, std::size_t num_pages) {
  platform::AdviseSmallPages(memory, num_pages * kHugePageSize);
}

void GiveUpHugePages(char* memory, std::size_t num_pages) {
  constexpr std::int64_t kBytes = std::int64_t{1} << 28;
  small_bytes.store(kBytes, std::memory_order_relaxed);
  AskForSmallPages(memory, num_pages);
}

// Advises huge pages. The system may provide small pages nevertheless.
[[maybe_unused]] void AskForHugePages(char* memory, std::size_t num_pages,
                                      WhoTouches who) {
  constexpr std::size_t kMaxTried = 4;
  if (small_bytes.load(std::memory_order_relaxed) > 0) {
    small_bytes.fetch_sub(static_cast<std::int64_t>(num_pages * kHugePageSize),
                          std::memory_order_relaxed);
    AskForSmallPages(memory, num_pages);
    return;
  }
  platform::AdviseHugePages(memory, num_pages * kHugePageSize);
  if (who == WhoTouches::kTouchPage) return;
  for (std::size_t page = 0; page < std::min(num_pages, kMaxTried); ++page) {
    const PageTimer timer;
    static_cast<volatile char*>(memory)[page * kHugePageSize] = 0;
    if (timer.IsTooLong()) {
      GiveUpHugePages(memory, num_pages);
      return;
    }
  }
}

// Makes the system provide a page now. A system without a call for this
// provides the page when its first byte is written. If its pages are small, it
// provides the rest at their first use.
[[maybe_unused]] void Populate(char* new_page) {
  if (platform::PopulatePages(new_page, kHugePageSize)) return;
  *static_cast<volatile char*>(new_page) = 0;
}

bool IsMapped(std::size_t bytes) {
  return kMapsPages && bytes >= kMinHugeBytes;
}

}  // namespace

void* AllocatePages(std::size_t bytes, [[maybe_unused]] WhoTouches who) {
  if constexpr (kMapsPages) {
    if (IsMapped(bytes)) {
      char* const memory = MapAligned(MappedBytes(bytes));
      // The part after the last huge page keeps small pages.
      AskForHugePages(memory, NumHugePages(bytes), who);
      return memory;
    }
  }
  return ::operator new(bytes, std::align_val_t(AlignmentForPages(bytes)));
}

void TouchPage([[maybe_unused]] void* memory,
               [[maybe_unused]] std::size_t bytes,
               [[maybe_unused]] std::size_t page) {
  if constexpr (kMapsPages) {
    char* const begin = static_cast<char*>(memory);
    const PageTimer timer;
    Populate(begin + page * kHugePageSize);
    if (timer.IsTooLong()) GiveUpHugePages(begin, NumHugePages(bytes));
  }
}

void DropPage([[maybe_unused]] void* memory,
              [[maybe_unused]] std::size_t page) {
  if constexpr (kMapsPages) {
    platform::DropPages(static_cast<char*>(memory) + page * kHugePageSize,
                        kHugePageSize);
  }
}

void PreferHugePages([[maybe_unused]] void* memory,
                     [[maybe_unused]] std::size_t bytes) {
  if constexpr (kMapsPages) {
    const std::size_t front = BytesToHugePage(memory);
    if (bytes < front + kHugePageSize) return;
    AskForHugePages(static_cast<char*>(memory) + front,
                    (bytes - front) / kHugePageSize, WhoTouches::kAnyone);
  }
}

bool AreNewPagesZero(std::size_t bytes) { return IsMapped(bytes); }

void FreePages(void* memory, std::size_t bytes) {
  if constexpr (kMapsPages) {
    if (IsMapped(bytes)) {
      if (memory != nullptr) {
        platform::UnmapMemory(memory, MappedBytes(bytes));
      }
      return;
    }
  }
  ::operator delete(memory, std::align_val_t(AlignmentForPages(bytes)));
}

}  // namespace ceres::internal
