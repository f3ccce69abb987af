// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_HASH_MAP_H_
#define CERES_INTERNAL_BASE_HASH_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/compiler.h"

namespace ceres::internal {

template <typename Value>
struct HashSlot {
  std::uint64_t key = 0;  // 0: free
  Value value{};
};

// A map from numbers, which are not 0, to small values: a hash table with open
// addressing and linear probing, at most half full, hashed by multiplication.
// Removal closes the gap, so there are no tombstones. Slots is the container of
// the table: a std::vector with any allocator. Thread-compatible.
//
// Source: Knuth, The Art of Computer Programming 3, section 6.4 and its
// algorithm R.
template <typename Value, typename Slots = std::vector<HashSlot<Value>>>
class HashMap {
 public:
  // The value of a key, or Value() if the map lacks the key.
  Value Find(std::uint64_t key) const {
    return slots_.empty() ? Value() : slots_[SlotOf(key)].value;
  }

  // The value of a key. It is Value() if the key is new. Valid until the next
  // call of a non-const function. Needs memory for new keys only; nothing has
  // changed if std::bad_alloc is thrown.
  Value* FindOrInsert(std::uint64_t key) {
    if (slots_.empty()) Reserve(1);
    HashSlot<Value>* slot = &slots_[SlotOf(key)];
    if (slot->key == 0) {
      if (2 * (size_ + 1) > slots_.size()) {
        Reserve(size_ + 1);
        slot = &slots_[SlotOf(key)];
      }
      slot->key = key;
      ++size_;
    }
    return &slot->value;
  }

  // Makes room for `size` keys in all.
  CERES_PARALLEL_COLD void Reserve(std::size_t size);

  // Does nothing if the map lacks the key.
  void Erase(std::uint64_t key);

  // Removes all keys, and keeps the memory.
  void Clear() {
    std::fill(slots_.begin(), slots_.end(), HashSlot<Value>());
    size_ = 0;
  }

  std::size_t size() const { return size_; }

  // The slot at which the search for a key begins, to fetch it into the cache.
  // Null: the map is empty.
  const HashSlot<Value>* FirstSlot(std::uint64_t key) const {
    return slots_.empty() ? nullptr : &slots_[HomeOf(key)];
  }

 private:
  std::size_t HomeOf(std::uint64_t key) const {
    // 2^64 divided by the golden ratio.
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>((key * kMultiplier) >> shift_);
  }
  // The slot that holds the key, or the free slot for it.
  std::size_t SlotOf(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = HomeOf(key);
    while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask;
    return i;
  }

  Slots slots_;     // a power of two of them
  int shift_ = 64;  // 64 - log2 of their number
  std::size_t size_ = 0;
};

template <typename Value, typename Slots>
void HashMap<Value, Slots>::Reserve(std::size_t size) {
  int log_size = 4;
  while (std::size_t{1} << log_size < 2 * size) ++log_size;
  if (std::size_t{1} << log_size <= slots_.size()) return;
  Slots old(std::size_t{1} << log_size, HashSlot<Value>());
  // Without memory, nothing has changed.
  old.swap(slots_);
  shift_ = 64 - log_size;
  for (const HashSlot<Value>& slot : old) {
    if (slot.key != 0) slots_[SlotOf(slot.key)] = slot;
  }
}

template <typename Value, typename Slots>
void HashMap<Value, Slots>::Erase(std::uint64_t key) {
  if (slots_.empty()) return;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = SlotOf(key);
  if (slots_[hole].key == 0) return;
  --size_;
  // Moves entries behind the hole into it if probing would no longer reach
  // them: if their home slot is not cyclically in (hole, i].
  for (std::size_t i = (hole + 1) & mask; slots_[i].key != 0;
       i = (i + 1) & mask) {
    const std::size_t home = HomeOf(slots_[i].key);
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = HashSlot<Value>();
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_HASH_MAP_H_
