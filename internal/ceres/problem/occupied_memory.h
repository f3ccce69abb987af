// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_
#define CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ceres::internal {

// The set of doubles of the address space that belong to parameter blocks, to
// find blocks that overlap. One bit per double; a page of 64 bits is an entry
// of a hash table. Blocks that follow each other in memory find their page
// without a look-up. Not thread-safe.
class OccupiedMemory {
 public:
  // Adds [values, values + size). False: a part of it is in the set already,
  // and nothing changes.
  bool Add(const double* values, int size);

  // Removes a range that was added.
  void Remove(const double* values, int size);

 private:
  static constexpr int kDoublesPerPage = 64;

  struct Page {
    std::uint64_t number = kNoPage;
    std::uint64_t occupied = 0;  // bit i: the page's double i
  };
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

  // Calls f(page, mask of the range's bits in the page) until f returns false.
  template <typename F>
  bool ForEachPage(std::uint64_t first, std::uint64_t last, F&& f);
  bool OverlapsUnaligned(std::uintptr_t begin, std::uintptr_t end) const;
  Page& FindOrInsert(std::uint64_t number);
  std::size_t PlaceOf(std::uint64_t number) const;
  void Grow();

  std::vector<Page> pages_;  // open addressing; a power of two of them
  int shift_ = 64;
  std::size_t num_pages_ = 0;
  std::size_t recent_ = 0;  // the page found last

  // Blocks that do not start at a multiple of 8 bytes (members of packed
  // structs): end by begin. They are not in pages_.
  std::map<std::uintptr_t, std::uintptr_t> unaligned_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_OCCUPIED_MEMORY_H_
