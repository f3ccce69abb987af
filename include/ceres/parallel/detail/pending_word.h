// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_PENDING_WORD_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_PENDING_WORD_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ceres/parallel/detail/export.h"

// Two words that synchronize the threads of a task set: the number of pending
// tasks, and the region that waits for the set. task_set.cc and task_wait.cc
// have the proofs.
//
// Both classes are templates over their atomics. wait_protocol_test.cc compiles
// this source with simulated atomics and runs it in every interleaving. It must
// find an error for each rule that a Mutation breaks.

namespace ceres::parallel::detail {

// The atomics of the runtime.
struct CERES_PARALLEL_EXPORT WordAtomics {
  template <typename T>
  using Atomic = std::atomic<T>;
  static void Wait(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline);
  static void Wake(std::atomic<std::uint32_t>* word);
};

enum class WaitRule {
  // Rules of the count.
  kCountsBeforePuttingIn,
  kRousesSleepers,
  kRousingChangesWord,
  kChangesWordBeforeWaking,
  kLooksAfterSettingBit,
  kSleepsOnValueRead,
  kWakesAtEnd,
  kReadsBitWithCount,
  kEndIsRelease,
  // Rules of the parent.
  kLooksAgain,
  kRemovesInOneOrder,
  // Rules of a single task.
  kDropsInOneStep,
  kSaysThatItAwaits,
  kLeavingIsCountedBeforeEnd,
  kTakesAwaitedBack,
  kSingleWakesAtEnd,
};

// How a single task has ended.
enum class SingleEnd {
  kOwned,      // Its future exists.
  kAbandoned,  // The calling thread deletes the set.
  kContinued,  // The calling thread runs the continuation next.
};

struct BreaksNoRule {
  static constexpr bool Breaks(WaitRule) { return false; }
};

// The number of pending tasks (28 bits), and four flags:
//   kSleeper    a thread sleeps until nothing is pending
//   kAbandoned  the thread that ends the single task deletes the set
//   kAwaited    the owner of the future uses the pool
//   kContinued  the thread that ends the single task runs the continuation
// Invariant: a task is counted before another thread can claim it, and
// discounted after it has run, as the last access of its thread to the set.
template <typename Atomics, typename Mutation = BreaksNoRule>
class BasicPendingWord {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  bool IsQuiet() const {  // Nothing pending. Acquire.
    return (word_.load(std::memory_order_seq_cst) & kCount) == 0;
  }
  std::uint32_t Bits() const { return word_.load(std::memory_order_relaxed); }
  void Reset() { word_.store(0, std::memory_order_relaxed); }

  // --- Any number of tasks. ---

  void Add(std::uint32_t count) {
    word_.fetch_add(count, std::memory_order_seq_cst);
  }
  // put_in() makes the tasks known to others, under the lock of the set.
  template <typename PutIn>
  void Push(std::uint32_t count, const PutIn& put_in) {
    if (!Breaks(WaitRule::kCountsBeforePuttingIn)) Add(count);
    put_in();
    if (Breaks(WaitRule::kCountsBeforePuttingIn)) Add(count);
    if (!Breaks(WaitRule::kRousesSleepers)) RouseIfAsleep();
  }
  // `count` tasks have ended. A thread that reads that nothing is pending may
  // destroy the word. Discount then uses only its address.
  void Discount(std::uint32_t count) {
    const auto order = Breaks(WaitRule::kEndIsRelease)
                           ? std::memory_order_relaxed
                           : std::memory_order_acq_rel;
    std::uint32_t before = word_.fetch_sub(count, order);
    if (Breaks(WaitRule::kReadsBitWithCount)) before = Bits() + count;
    if ((before & kCount) == count && (before & kSleeper) != 0 &&
        !Breaks(WaitRule::kWakesAtEnd)) {
      Atomics::Wake(&word_);
    }
  }

  // --- Sleeping until nothing is pending. ---

  // May return early. finds_work() looks once more, under the lock of the set,
  // for tasks that this thread could run.
  template <typename FindsWork>
  void Sleep(TimePoint deadline, const FindsWork& finds_work) {
    const bool looks_late = !Breaks(WaitRule::kLooksAfterSettingBit);
    if (!looks_late && finds_work()) return;
    const std::uint32_t pending =
        word_.fetch_or(kSleeper, std::memory_order_acq_rel) | kSleeper;
    if ((pending & kCount) == 0) return;
    if (looks_late && finds_work()) return;
    Atomics::Wait(&word_,
                  Breaks(WaitRule::kSleepsOnValueRead) ? Bits() : pending,
                  deadline);
  }
  // Changes the word, because the sleeper may have looked for work in vain but
  // not sleep yet. (If the set was reused, another sleeper wakes without need.)
  void Rouse() {
    if (Breaks(WaitRule::kChangesWordBeforeWaking)) Atomics::Wake(&word_);
    if (!Breaks(WaitRule::kRousingChangesWord)) {
      word_.fetch_and(~kSleeper, std::memory_order_relaxed);
    }
    if (!Breaks(WaitRule::kChangesWordBeforeWaking)) Atomics::Wake(&word_);
  }
  void RouseIfAsleep() {
    if ((Bits() & kSleeper) != 0) Rouse();
  }
  // For a thread that has waited.
  void TakeBackSleeperBit() {
    std::uint32_t expected = kSleeper;
    if (Bits() == expected) {
      word_.compare_exchange_strong(expected, 0, std::memory_order_relaxed);
    }
  }

  // --- A single task. ---

  void StartSingle(bool abandoned) {
    word_.store(abandoned ? 1 | kAbandoned : 1, std::memory_order_relaxed);
  }
  // Called by a thread that does not own the future. Calls expect_to_leave()
  // if the owner still uses the pool. Sequentially consistent: the owner may
  // wait as for any condition (PoolState::NoteTaskEnd).
  template <typename ExpectToLeave>
  SingleEnd EndSingle(const ExpectToLeave& expect_to_leave) {
    const std::uint32_t before = word_.fetch_sub(1, std::memory_order_seq_cst);
    if ((before & kContinued) != 0) return SingleEnd::kContinued;
    if ((before & kAbandoned) != 0) return SingleEnd::kAbandoned;
    if ((before & kAwaited) != 0) expect_to_leave();
    if ((before & kSleeper) != 0 && !Breaks(WaitRule::kSingleWakesAtEnd)) {
      Atomics::Wake(&word_);
    }
    return SingleEnd::kOwned;
  }
  // The owner gives the future to a continuation that the set already knows.
  // True: the thread that ends the task runs it. False: the task has ended.
  bool Continue() {
    return (word_.fetch_or(kContinued, std::memory_order_acq_rel) & kCount) !=
           0;
  }
  // The owner begins to use the pool of a task that is pending; it leaves the
  // pool later. False: the task has ended.
  bool BeginToAwait() {
    if (Breaks(WaitRule::kSaysThatItAwaits)) return !IsQuiet();
    return (word_.fetch_or(kAwaited, std::memory_order_acq_rel) & kCount) != 0;
  }
  // The owner stops using the pool before the task has ended. False: the task
  // has ended, and the pool expects the owner to leave.
  bool GiveUp() {
    if (Breaks(WaitRule::kTakesAwaitedBack)) return !IsQuiet();
    return (word_.fetch_and(~kAwaited, std::memory_order_acq_rel) & kCount) !=
           0;
  }
  bool IsAbandoned() const { return (Bits() & kAbandoned) != 0; }
  // True: the owner deletes the set. False: the thread that ends the task
  // deletes it.
  bool Abandon() {
    if (IsQuiet()) return true;
    if (Breaks(WaitRule::kDropsInOneStep)) {
      const std::uint32_t pending = Bits();
      word_.store(pending | kAbandoned, std::memory_order_release);
      return (pending & kCount) == 0;
    }
    return (word_.fetch_or(kAbandoned, std::memory_order_acq_rel) & kCount) ==
           0;
  }

 private:
  static constexpr std::uint32_t kSleeper = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kAbandoned = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kAwaited = std::uint32_t{1} << 29;
  static constexpr std::uint32_t kContinued = std::uint32_t{1} << 28;
  static constexpr std::uint32_t kCount = kContinued - 1;

  static constexpr bool Breaks(WaitRule rule) { return Mutation::Breaks(rule); }

  typename Atomics::template Atomic<std::uint32_t> word_{0};
};

// The parent of a task set: the handle of the region that cannot end before the
// set does, because its work waits for the set; 0: none.
template <typename Atomics, typename Mutation = BreaksNoRule>
class BasicParentWord {
 public:
  std::uint64_t Get() const { return word_.load(std::memory_order_seq_cst); }
  void Reset() { word_.store(0, std::memory_order_relaxed); }
  // For a set that never gets a task after its end.
  void Set(std::uint64_t parent) {
    word_.store(parent, std::memory_order_release);
  }

  // Waits until nothing is pending: calls wait(), which returns whether that
  // is so. During the wait `parent` is the parent of the set, unless `parent`
  // is 0 or another waiting thread has set one. Call it if something is
  // pending.
  template <typename Pending, typename Wait>
  bool WaitUnder(std::uint64_t parent, const Pending& pending,
                 const Wait& wait) {
    do {
      const Link link(this, parent);
      if (!wait()) return false;
      // The set may get tasks while the parent is removed.
    } while (!Mutation::Breaks(WaitRule::kLooksAgain) && !pending.IsQuiet());
    return true;
  }

 private:
  class Link {
   public:
    Link(BasicParentWord* word, std::uint64_t parent) : word_(word) {
      if (parent == 0 || word->Get() != 0) return;
      std::uint64_t none = 0;
      is_made_ = word->word_.compare_exchange_strong(none, parent,
                                                     std::memory_order_seq_cst);
    }
    ~Link() {
      if (is_made_) {
        word_->word_.store(0, Mutation::Breaks(WaitRule::kRemovesInOneOrder)
                                  ? std::memory_order_release
                                  : std::memory_order_seq_cst);
      }
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

   private:
    BasicParentWord* const word_;
    bool is_made_ = false;
  };

  typename Atomics::template Atomic<std::uint64_t> word_{0};
};

using PendingWord = BasicPendingWord<WordAtomics>;
using ParentWord = BasicParentWord<WordAtomics>;

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_PENDING_WORD_H_
