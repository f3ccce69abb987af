// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_FREE_SLOTS_PROTOCOL_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_FREE_SLOTS_PROTOCOL_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/sync/protocol_atomics.h"

namespace ceres::parallel::detail {

// The rules that the model breaks, one at a time.
enum class FreeSlotsRule {
  kChangesVersion,
  kPutsWithRelease,
  kTakesWithAcquire,
};

// The free slots of a table: a lock-free stack (Treiber, IBM RJ 5118, 1986).
//
// Slots have indices from 1; index 0 means no slot. The word is
//   version (32 bits) | index of the top (32 bits).
// Every operation changes the version, so a thread notices that a slot was
// taken and put back between two reads (the ABA problem). A thread that takes a
// slot sees all writes to the slot that precede its Put. The runtime
// (region.cc) and its model (free_slots_protocol_test.cc) compile this source.
// Thread-safe.
template <typename Atomics, typename Mutation = NoMutation>
class BasicFreeSlots {
 public:
  using Index = std::uint32_t;

  // Returns a free slot, or 0. next_of(index) is the link of a slot, an
  // Atomic<Index>.
  template <typename NextOf>
  Index Take(const NextOf& next_of) {
    constexpr auto kOrder = Breaks(FreeSlotsRule::kTakesWithAcquire)
                                ? std::memory_order_relaxed
                                : std::memory_order_acquire;
    std::uint64_t head = head_.load(kOrder);
    while (const auto top = static_cast<Index>(head)) {
      const Index next = next_of(top).load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, WithTop(head, next), kOrder)) {
        return top;
      }
    }
    return 0;
  }

  template <typename NextOf>
  void Put(Index index, const NextOf& next_of) {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      next_of(index).store(static_cast<Index>(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(
        head, WithTop(head, index),
        Breaks(FreeSlotsRule::kPutsWithRelease) ? std::memory_order_relaxed
                                                : std::memory_order_release,
        std::memory_order_relaxed));
  }

 private:
  static constexpr bool Breaks(FreeSlotsRule rule) {
    return Mutation::Breaks(rule);
  }
  static constexpr std::uint64_t WithTop(std::uint64_t head, Index top) {
    const int step = Breaks(FreeSlotsRule::kChangesVersion) ? 0 : 1;
    return (((head >> 32) + step) << 32) | top;
  }

  typename Atomics::template Atomic<std::uint64_t> head_{0};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_FREE_SLOTS_PROTOCOL_H_
