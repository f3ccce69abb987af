// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_
#define CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_

#include <cstdint>
#include <map>

#include "ceres/base/hash_map.h"

namespace ceres::internal {

// The set of doubles of the address space that belong to parameter blocks, to
// find blocks that overlap. One bit per double; the 64 bits of a page are an
// entry of a hash table. Blocks that follow each other in memory find their
// page without a look-up. Not thread-safe.
class OccupiedMemory {
 public:
  // Adds [values, values + size). False: a part of it is in the set already,
  // and nothing changes. Nor does it if std::bad_alloc is thrown.
  bool Add(const double* values, int size);

  // Removes a range that was added. Needs no memory.
  void Remove(const double* values, int size);

 private:
  static constexpr int kDoublesPerPage = 64;

  // Calls f(page, mask of the range's bits in the page) until f returns false.
  // Pages count from 1.
  template <typename F>
  bool ForEachPage(std::uint64_t first, std::uint64_t last, F&& f);
  bool OverlapsUnaligned(std::uintptr_t begin, std::uintptr_t end) const;
  std::uint64_t* FindOrInsert(std::uint64_t page);

  // By page: bit i is set if the page's double i is in the set.
  HashMap<std::uint64_t> occupied_;
  std::uint64_t recent_page_ = 0;  // the page found last; 0: none
  std::uint64_t* recent_ = nullptr;

  // Blocks that do not start at a multiple of 8 bytes (members of packed
  // structs): end by begin. They are not in occupied_.
  std::map<std::uintptr_t, std::uintptr_t> unaligned_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_
