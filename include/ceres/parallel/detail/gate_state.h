// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_GATE_STATE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_GATE_STATE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ceres/parallel/detail/pending_word.h"
#include "ceres/parallel/detail/spin_lock.h"

// What the threads of a gate share. gate.cc has the proof.
//
// The class is a template over its atomics. gate_protocol_test.cc compiles this
// source with simulated atomics and runs it in every interleaving. It must find
// an error for each rule that a Mutation breaks.

namespace ceres::parallel::detail {

struct GateAtomics : WordAtomics {
  template <typename T>
  using Plain = T;
  using SpinLock = detail::SpinLock;
};

enum class GateRule {
  kSaysThatItHelps,
  kLeavesTaskToHelper,
  kLooksAtSignals,
  kStoppingOpens,
  kTakesTask,
  kNotesFirst,
  kWakesHelper,
  kLastReferenceAcquires,
};

struct BreaksNoGateRule {
  static constexpr bool Breaks(GateRule) { return false; }
};

// How a thread has stopped helping.
enum class GateHelp {
  kTimedOut,
  kTaken,   // The caller runs the held task.
  kOpened,  // The held task has been launched.
};

// Held: the held task. In the functions, open(held) makes the task claimable.
// It is called under the lock, at most once in the life of a gate.
template <typename Held, typename Atomics, typename Mutation = BreaksNoGateRule>
class BasicGateState {
 public:
  void Ref() { num_references_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true if there is no reference left.
  bool Unref() {
    return num_references_.fetch_sub(1, Breaks(GateRule::kLastReferenceAcquires)
                                            ? std::memory_order_relaxed
                                            : std::memory_order_acq_rel) == 1;
  }

  // Before the inputs are launched.
  void Hold(Held* held, int missing) {
    const Guard guard(lock_);
    held_ = held;
    missing_ = missing;
  }

  // For a thread that has ended input `index`.
  template <typename Open>
  void Signal(std::uint32_t index, const Open& open) {
    bool wakes = false;
    {
      const Guard guard(lock_);
      if (first_.load(std::memory_order_relaxed) == 0 &&
          !Breaks(GateRule::kNotesFirst)) {
        first_.store(index + 1, std::memory_order_release);
      }
      wakes = is_helped_;
      missing_ = missing_ - 1;
      if (missing_ == 0 &&
          (!is_helped_ || Breaks(GateRule::kLeavesTaskToHelper))) {
        OpenLocked(open);
      }
    }
    if (wakes && !Breaks(GateRule::kWakesHelper)) Atomics::Wake(&first_);
  }

  // For the owner of the future. Returns false if the gate is open.
  bool BeginToHelp() {
    const Guard guard(lock_);
    if (held_ == nullptr) return false;
    if (!Breaks(GateRule::kSaysThatItHelps)) is_helped_ = true;
    return true;
  }
  // may_run: the inputs that the task waits for have ended.
  GateHelp EndHelp(bool may_run) {
    const Guard guard(lock_);
    is_helped_ = false;
    if (!may_run && (missing_ > 0 || Breaks(GateRule::kLooksAtSignals))) {
      return GateHelp::kTimedOut;
    }
    held_ = nullptr;
    return GateHelp::kTaken;
  }
  // Instead of EndHelp, after an exception.
  template <typename Open>
  void StopHelping(const Open& open) {
    const Guard guard(lock_);
    is_helped_ = false;
    if (missing_ <= 0 && !Breaks(GateRule::kStoppingOpens)) OpenLocked(open);
  }
  // Takes the held task, for the owner to drop it. Returns false if the gate is
  // open.
  bool Take() {
    const Guard guard(lock_);
    const bool is_held = held_ != nullptr;
    if (!Breaks(GateRule::kTakesTask)) held_ = nullptr;
    return is_held;
  }

  // 1 + the index of the input that has ended first; 0: none has.
  std::uint32_t First() const { return first_.load(std::memory_order_acquire); }
  // While the owner helps: sleeps until a signal has come, or the deadline has
  // passed, or for no reason.
  void SleepUntilFirst(std::chrono::steady_clock::time_point deadline) {
    Atomics::Wait(&first_, 0, deadline);
  }

 private:
  static constexpr bool Breaks(GateRule rule) { return Mutation::Breaks(rule); }
  using Guard = typename Atomics::SpinLock::Guard;
  template <typename T>
  using Plain = typename Atomics::template Plain<T>;
  template <typename T>
  using Atomic = typename Atomics::template Atomic<T>;

  template <typename Open>
  void OpenLocked(const Open& open) {
    Held* const held = held_;
    if (held == nullptr) return;
    held_ = nullptr;
    open(held);
  }

  Atomic<std::uint32_t> num_references_{1};
  Atomic<std::uint32_t> first_{0};

  typename Atomics::SpinLock lock_;
  // Under the lock.
  Plain<Held*> held_{nullptr};      // Null when the gate is open.
  Plain<std::int32_t> missing_{0};  // Signals.
  Plain<bool> is_helped_{false};    // The owner of the future waits for inputs.
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_GATE_STATE_H_
