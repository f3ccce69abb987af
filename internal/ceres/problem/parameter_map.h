// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_
#define CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_

#include <cstddef>
#include <cstdint>

#include "ceres/base/huge_pages.h"
#include "ceres/base/intrinsics.h"

namespace ceres::internal {

class ParameterBlock;

// Finds parameter blocks by the address of their values: a hash table with open
// addressing and linear probing, at most half full, hashed by multiplication.
// Removal closes the gap, so there are no tombstones. Thread-compatible.
//
// Source: Knuth, The Art of Computer Programming 3, section 6.4 and its
// algorithm R.
class ParameterMap {
 public:
  // The block at `values` (not null), or null.
  ParameterBlock* Find(const double* values) const {
    if (slots_.empty()) return nullptr;
    return slots_[SlotOf(values)].block;
  }

  // The place of the pointer to the block at `values`. Null is stored there if
  // the entry is new; the caller must set it. Valid until the next call of a
  // non-const function.
  ParameterBlock** FindOrInsert(const double* values) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(values)];
    if (slot.values == nullptr) {
      slot.values = values;
      ++size_;
    }
    return &slot.block;
  }

  // Fetches into the cache: the slot that Find(values) reads first, and the
  // block that this slot points to.
  void PrefetchSlot(const double* values) const {
    if (!slots_.empty()) CERES_PREFETCH(&slots_[HomeOf(values)]);
  }
  void PrefetchBlock(const double* values) const {
    if (!slots_.empty()) CERES_PREFETCH(slots_[HomeOf(values)].block);
  }

  // Does nothing if there is no such block.
  void Erase(const double* values);

  std::size_t size() const { return size_; }

 private:
  struct Slot {
    const double* values = nullptr;  // null: free
    ParameterBlock* block = nullptr;
  };

  std::size_t HomeOf(const double* values) const {
    // 2^64 divided by the golden ratio.
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(
        (reinterpret_cast<std::uintptr_t>(values) * kMultiplier) >> shift_);
  }
  // The slot that holds `values`, or the free slot for it.
  std::size_t SlotOf(const double* values) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = HomeOf(values);
    while (slots_[i].values != values && slots_[i].values != nullptr) {
      i = (i + 1) & mask;
    }
    return i;
  }
  void Grow();

  PagedVector<Slot> slots_;  // a power of two of them
  int shift_ = 64;           // 64 - log2 of their number
  std::size_t size_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PARAMETER_MAP_H_
