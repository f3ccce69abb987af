// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_STORE_BUFFERS_H_
#define CERES_INTERNAL_PARALLEL_MODELS_STORE_BUFFERS_H_

#include <cstdint>

// For models of protocols (interleaving_explorer.h): a memory in which stores
// take effect late.
//
// Each thread has a buffer of stores that the others do not see yet. When an
// entry becomes visible is the explorer's choice. Relaxed stores to different
// variables may become visible in any order, which is weaker than the TSO of
// x86 (Sewell et al., "x86-TSO", CACM 2010); a release store only after all
// that were made before it. Loads take place in program order: a missing
// acquire is not found. A read-modify-write acts on the memory at once, and if
// it is a release, only with an empty buffer.

namespace ceres::parallel::testing_internal {

enum class Order : std::uint8_t { kRelaxed, kRelease };

template <int kThreads, int kVariables, int kDepth>
class StoreBuffers {
 public:
  static constexpr int kNumActions = kThreads * kDepth;

  std::uint16_t Memory(int variable) const { return memory_[variable]; }

  std::uint16_t Load(int thread, int variable) const {
    const Buffer& buffer = buffers_[thread];
    for (int k = buffer.size - 1; k >= 0; --k) {
      if (buffer.entries[k].variable == variable)
        return buffer.entries[k].value;
    }
    return memory_[variable];
  }

  // Whether the buffer has room for so many more stores.
  bool HasRoom(int thread, int stores = 1) const {
    return buffers_[thread].size + stores <= kDepth;
  }
  void Store(int thread, int variable, int value, Order order) {
    Buffer& buffer = buffers_[thread];
    buffer.entries[buffer.size++] = {static_cast<std::uint8_t>(variable), order,
                                     static_cast<std::uint16_t>(value)};
  }

  bool IsDrained(int thread) const { return buffers_[thread].size == 0; }
  bool CanModify(int thread, int variable, Order order) const {
    if (order == Order::kRelease) return IsDrained(thread);
    const Buffer& buffer = buffers_[thread];
    for (int k = 0; k < buffer.size; ++k) {
      if (buffer.entries[k].variable == variable) return false;
    }
    return true;
  }
  // For a step that may modify it: the variable itself.
  std::uint16_t& Modify(int variable) { return memory_[variable]; }

  // Makes an entry visible; false if it is not that entry's turn.
  bool Flush(int action) {
    Buffer& buffer = buffers_[action / kDepth];
    const int position = action % kDepth;
    if (position >= buffer.size) return false;
    const Entry entry = buffer.entries[position];
    for (int k = 0; k < position; ++k) {
      if (entry.order == Order::kRelease ||
          buffer.entries[k].variable == entry.variable) {
        return false;
      }
    }
    memory_[entry.variable] = entry.value;
    for (int k = position + 1; k < buffer.size; ++k) {
      buffer.entries[k - 1] = buffer.entries[k];
    }
    buffer.entries[--buffer.size] = Entry{};
    return true;
  }

 private:
  struct Entry {
    std::uint8_t variable = 0;
    Order order = Order::kRelaxed;
    std::uint16_t value = 0;
  };
  struct Buffer {
    Entry entries[kDepth];
    std::uint16_t size = 0;
  };

  std::uint16_t memory_[kVariables] = {};
  Buffer buffers_[kThreads];
};

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_STORE_BUFFERS_H_
