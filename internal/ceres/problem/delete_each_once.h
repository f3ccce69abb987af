// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_
#define CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Deletes each object of the list once, however often it is listed. Most lists
// are in the order of allocation, and repetitions are neighbours, so there is
// little to sort.
template <typename T>
void DeleteEachOnce(std::vector<const T*> objects) {
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  if (!std::is_sorted(objects.begin(), objects.end(), std::less<const T*>())) {
    // Merges long sorted sequences, where std::sort may fall back to heapsort.
    std::stable_sort(objects.begin(), objects.end(), std::less<const T*>());
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  }
  for (const T* object : objects) delete object;
}

// A small set of addresses: a hash table on the stack, hashed by
// multiplication, with linear probing.
class FewAddresses {
 public:
  static constexpr std::size_t kMaxSize = 128;

  // Adds an address, not null; at most kMaxSize in all. False: it was in the
  // set already.
  bool Add(const void* address) {
    // 2^64 divided by the golden ratio.
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    std::size_t i = static_cast<std::size_t>(
        (reinterpret_cast<std::uintptr_t>(address) * kMultiplier) >> kShift);
    while (slots_[i] != nullptr) {
      if (slots_[i] == address) return false;
      i = (i + 1) % kNumSlots;
    }
    slots_[i] = address;
    return true;
  }

 private:
  static constexpr int kShift = 64 - 8;
  static constexpr std::size_t kNumSlots = 2 * kMaxSize;
  const void* slots_[kNumSlots] = {};
};

// Deletes the cost functions of the residual blocks, each once. Those of few
// blocks are deleted without sorting, and without memory from the heap.
inline void DeleteCostFunctions(const std::vector<ResidualBlock*>& blocks) {
  if (blocks.size() <= FewAddresses::kMaxSize) {
    FewAddresses deleted;
    for (const ResidualBlock* block : blocks) {
      if (deleted.Add(block->cost_function())) delete block->cost_function();
    }
    return;
  }
  std::vector<const CostFunction*> cost_functions;
  cost_functions.reserve(blocks.size());
  for (const ResidualBlock* block : blocks) {
    cost_functions.push_back(block->cost_function());
  }
  DeleteEachOnce(std::move(cost_functions));
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_
