// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_
#define CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
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

// Deletes get(block) of all residual blocks, each object once; null: nothing.
// Sorts the blocks if there is no memory for a list of the objects.
template <typename Get>
void DeleteEachOnceOf(const Get& get, std::vector<ResidualBlock*>* blocks) {
  using Object = decltype(get(static_cast<ResidualBlock*>(nullptr)));
  std::vector<Object> objects;
  try {
    objects.reserve(blocks->size());
  } catch (const std::bad_alloc&) {
    std::sort(blocks->begin(), blocks->end(),
              [&](const ResidualBlock* a, const ResidualBlock* b) {
                return std::less<Object>()(get(a), get(b));
              });
    Object last = nullptr;
    for (const ResidualBlock* block : *blocks) {
      if (get(block) != last) delete last;
      last = get(block);
    }
    delete last;
    return;
  }
  for (const ResidualBlock* block : *blocks) {
    const Object object = get(block);
    if (object == nullptr) continue;
    if (objects.empty() || objects.back() != object) objects.push_back(object);
  }
  DeleteEachOnce(std::move(objects));
}

// Deletes the cost functions of the residual blocks, each once. Those of few
// blocks are deleted without sorting, and without memory from the heap.
inline void DeleteCostFunctions(std::vector<ResidualBlock*>* residual_blocks) {
  const std::vector<ResidualBlock*>& blocks = *residual_blocks;
  if (blocks.size() <= FewAddresses::kMaxSize) {
    FewAddresses deleted;
    for (const ResidualBlock* block : blocks) {
      if (deleted.Add(block->cost_function())) delete block->cost_function();
    }
    return;
  }
  DeleteEachOnceOf(
      [](const ResidualBlock* block) { return block->cost_function(); },
      residual_blocks);
}

// Deletes the loss functions of the residual blocks, each once.
inline void DeleteLossFunctions(std::vector<ResidualBlock*>* residual_blocks) {
  DeleteEachOnceOf(
      [](const ResidualBlock* block) { return block->loss_function(); },
      residual_blocks);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_DELETE_EACH_ONCE_H_
