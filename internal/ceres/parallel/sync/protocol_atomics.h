// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_PROTOCOL_ATOMICS_H_
#define CERES_INTERNAL_PARALLEL_SYNC_PROTOCOL_ATOMICS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/sync/address_wait.h"
#include "ceres/parallel/sync/asymmetric_fence.h"

// Protocols between threads are templates over their atomics and locks. The
// runtime compiles them with RealAtomics. Their tests compile the same source
// with ModelAtomics (model_atomics.h), and run it in every interleaving
// (protocol_explorer.h).

namespace ceres::parallel::detail {

// Reads a field by a load of its own. Compilers may copy two adjacent fields by
// one load. If two recent stores wrote the fields, that load cannot be
// forwarded and waits until both stores have left the store buffer. That takes
// about 100 ns if the stores follow one to a cache line that a helper owns.
template <typename T>
T ReadAlone(const T& field) {
  return *const_cast<const volatile T*>(&field);
}

struct RealAtomics {
  template <typename T>
  using Atomic = std::atomic<T>;
  // Data that are not atomic, and that several threads access.
  template <typename T>
  using Plain = T;
  using Mutex = std::mutex;
  using SpinLock = detail::SpinLock;

  static void Fence(std::memory_order order) {
    std::atomic_thread_fence(order);
  }
  // Of asymmetric_fence.h.
  static void LightFence() { detail::LightFence(); }
  static void HeavyFence() { detail::HeavyFence(); }
  // In a loop that waits for a store by another thread.
  static void Pause() { base::Pause(); }
  static void Wait(std::atomic<std::uint32_t>* word, std::uint32_t expected) {
    WaitOnAddress(word, expected);
  }
  static void Wait(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline) {
    WaitOnAddress(word, expected, deadline);
  }
  static void Wake(std::atomic<std::uint32_t>* word) { WakeAddress(word); }
  template <typename T>
  static T ReadAlone(const T& field) {
    return detail::ReadAlone(field);
  }
};

// A protocol asks such a class, at compile time, whether it breaks a rule (of
// an enumeration of the protocol's own). The runtime breaks none.
struct NoMutation {
  template <typename Rule>
  static constexpr bool Breaks(Rule) {
    return false;
  }
};

// For tests: breaks one.
template <auto kRule>
struct BreaksRule {
  static constexpr bool Breaks(decltype(kRule) rule) { return rule == kRule; }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_PROTOCOL_ATOMICS_H_
