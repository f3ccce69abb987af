// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/occupied_memory.h"

#include <algorithm>
#include <iterator>

namespace ceres::internal {

template <typename F>
bool OccupiedMemory::ForEachPage(std::uint64_t first, std::uint64_t last,
                                 F&& f) {
  while (first < last) {
    const std::uint64_t page = first / kDoublesPerPage + 1;
    const std::uint64_t page_end = page * kDoublesPerPage;
    const std::uint64_t end = std::min(last, page_end);
    const int length = static_cast<int>(end - first);
    const std::uint64_t ones = length == kDoublesPerPage
                                   ? ~std::uint64_t{0}
                                   : (std::uint64_t{1} << length) - 1;
    if (!f(page, ones << (first % kDoublesPerPage))) return false;
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
      ForEachPage(first, last, [this](std::uint64_t page, std::uint64_t mask) {
        return (*FindOrInsert(page) & mask) == 0;
      });
  if (!is_free) return false;
  if (begin % sizeof(double) != 0) {
    unaligned_[begin] = end;
    return true;
  }
  ForEachPage(first, last, [this](std::uint64_t page, std::uint64_t mask) {
    *FindOrInsert(page) |= mask;
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
  ForEachPage(first, first + size,
              [this](std::uint64_t page, std::uint64_t mask) {
                std::uint64_t* const bits = FindOrInsert(page);
                *bits &= ~mask;
                if (*bits == 0) {
                  occupied_.Erase(page);
                  recent_page_ = 0;
                }
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

std::uint64_t* OccupiedMemory::FindOrInsert(std::uint64_t page) {
  if (page != recent_page_) {
    recent_ = occupied_.FindOrInsert(page);
    recent_page_ = page;
  }
  return recent_;
}

}  // namespace ceres::internal
