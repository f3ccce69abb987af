// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/occupied_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ceres::internal {

template <typename F>
bool OccupiedMemory::ForEachPage(std::uint64_t first, std::uint64_t last,
                                 F&& f) {
  while (first < last) {
    const std::uint64_t number = first / kDoublesPerPage;
    const std::uint64_t page_end = (number + 1) * kDoublesPerPage;
    const std::uint64_t end = std::min(last, page_end);
    const int length = static_cast<int>(end - first);
    const std::uint64_t ones = length == kDoublesPerPage
                                   ? ~std::uint64_t{0}
                                   : (std::uint64_t{1} << length) - 1;
    if (!f(FindOrInsert(number), ones << (first % kDoublesPerPage))) {
      return false;
    }
    first = end;
  }
  return true;
}

bool OccupiedMemory::Add(const double* values, int size) {
  if (size == 0) return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(values);
  const std::uintptr_t end = begin + size * sizeof(double);
  if (!unaligned_.empty() && OverlapsUnaligned(begin, end)) return false;

  const std::uint64_t first = begin / sizeof(double);
  const std::uint64_t last = (end + sizeof(double) - 1) / sizeof(double);
  const bool is_free =
      ForEachPage(first, last, [](Page& page, std::uint64_t mask) {
        return (page.occupied & mask) == 0;
      });
  if (!is_free) return false;
  if (begin % sizeof(double) != 0) {
    unaligned_[begin] = end;
    return true;
  }
  ForEachPage(first, last, [](Page& page, std::uint64_t mask) {
    page.occupied |= mask;
    return true;
  });
  return true;
}

void OccupiedMemory::Remove(const double* values, int size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(values);
  if (begin % sizeof(double) != 0) {
    unaligned_.erase(begin);
    return;
  }
  const std::uint64_t first = begin / sizeof(double);
  ForEachPage(first, first + size, [](Page& page, std::uint64_t mask) {
    page.occupied &= ~mask;
    return true;
  });
}

bool OccupiedMemory::OverlapsUnaligned(std::uintptr_t begin,
                                       std::uintptr_t end) const {
  // Blocks are disjoint, so the last block that begins before `end` also ends
  // last.
  const auto it = unaligned_.lower_bound(end);
  return it != unaligned_.begin() && std::prev(it)->second > begin;
}

std::size_t OccupiedMemory::PlaceOf(std::uint64_t number) const {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  std::size_t i = static_cast<std::size_t>((number * kMultiplier) >> shift_);
  while (pages_[i].number != number && pages_[i].number != kNoPage) {
    i = (i + 1) & (pages_.size() - 1);
  }
  return i;
}

OccupiedMemory::Page& OccupiedMemory::FindOrInsert(std::uint64_t number) {
  if (!pages_.empty() && pages_[recent_].number == number) {
    return pages_[recent_];
  }
  if (2 * (num_pages_ + 1) > pages_.size()) Grow();
  recent_ = PlaceOf(number);
  Page& page = pages_[recent_];
  if (page.number == kNoPage) {
    page.number = number;
    ++num_pages_;
  }
  return page;
}

void OccupiedMemory::Grow() {
  // Empty pages are dropped. The table grows only if the other pages need it.
  constexpr int kLogInitialSize = 4;
  std::vector<Page> old = std::move(pages_);
  const std::size_t num_used =
      std::count_if(old.begin(), old.end(),
                    [](const Page& page) { return page.occupied != 0; });
  if (old.empty()) {
    shift_ = 64 - kLogInitialSize;
  } else if (4 * num_used >= old.size()) {
    --shift_;
  }
  pages_.assign(std::size_t{1} << (64 - shift_), Page());
  num_pages_ = num_used;
  for (const Page& page : old) {
    if (page.occupied != 0) pages_[PlaceOf(page.number)] = page;
  }
  recent_ = 0;
}

}  // namespace ceres::internal
