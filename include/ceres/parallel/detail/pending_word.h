// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_PENDING_WORD_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_PENDING_WORD_H_

#include <atomic>
#include <chrono>
#include <cstdint>

// The two words of a task set in which its threads meet: how many of its tasks
// are pending, and the group that waits for it. Why they are correct:
// task_set.cc and task_wait.cc.
//
// Both are templates over their atomics. wait_protocol_test.cc compiles this
// source with simulated ones, and runs it in every interleaving; each rule that
// a Mutation breaks there is caught.

namespace ceres::parallel::detail {

// What the runtime compiles the words with.
struct WordAtomics {
  template <typename T>
  using Atomic = std::atomic<T>;
  static void Wait(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline);
  static void Wake(std::atomic<std::uint32_t>* word);
};

enum class WaitRule {
  // Of the count.
  kCountsBeforePuttingIn,
  kRousesSleepers,
  kRousingChangesWord,
  kChangesWordBeforeWaking,
  kLooksAfterSettingBit,
  kSleepsOnValueRead,
  kWakesAtEnd,
  kReadsBitWithCount,
  kEndIsRelease,
  // Of the parent.
  kLooksAgain,
  kRemovesInOneOrder,
  // Of a single task.
  kDropsInOneStep,
  kSaysThatItAwaits,
  kLeavingIsCountedBeforeEnd,
  kTakesAwaitedBack,
  kSingleWakesAtEnd,
};

// How a single task has ended.
enum class SingleEnd {
  kOwned,      // Somebody has its future.
  kAbandoned,  // The set is this thread's to delete.
  kContinued,  // This thread runs the continuation next.
};

struct BreaksNoRule {
  static constexpr bool Breaks(WaitRule) { return false; }
};

// The number of pending tasks, and bits.
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
  // So many have ended. Whoever reads that nothing is pending may destroy the
  // word: only its address is used after that.
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

  // Returns for no reason, too. finds_work() is a last look for tasks that this
  // thread could run, under the lock of the set.
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
  // Changes the word: the sleeper may have looked before there was something to
  // do, and not be asleep yet. (A sleeper of another life of the set is roused
  // for nothing.)
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
  // In a thread that does not own the future. expect_to_leave(): the owner
  // still uses the pool.
  template <typename ExpectToLeave>
  SingleEnd EndSingle(const ExpectToLeave& expect_to_leave) {
    const std::uint32_t before = word_.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kContinued) != 0) return SingleEnd::kContinued;
    if ((before & kAbandoned) != 0) return SingleEnd::kAbandoned;
    if ((before & kAwaited) != 0) expect_to_leave();
    if ((before & kSleeper) != 0 && !Breaks(WaitRule::kSingleWakesAtEnd)) {
      Atomics::Wake(&word_);
    }
    return SingleEnd::kOwned;
  }
  // The owner gives the future to a continuation, which it has made known
  // before. True: who ends the task runs it. False: the task has ended.
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
  // It has stopped using it before the end. False: the task has ended, and the
  // owner is expected to leave.
  bool GiveUp() {
    if (Breaks(WaitRule::kTakesAwaitedBack)) return !IsQuiet();
    return (word_.fetch_and(~kAwaited, std::memory_order_acq_rel) & kCount) !=
           0;
  }
  // Returns whether the set is the owner's to delete; else it is that of the
  // thread that ends the task.
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

// The handle of the group that cannot end before the set does, because its work
// waits for the set; 0: none.
template <typename Atomics, typename Mutation = BreaksNoRule>
class BasicParentWord {
 public:
  std::uint64_t Get() const { return word_.load(std::memory_order_seq_cst); }
  void Reset() { word_.store(0, std::memory_order_relaxed); }
  // For a set that never gets a task after its end.
  void Set(std::uint64_t parent) {
    word_.store(parent, std::memory_order_release);
  }

  // Something is pending. Waits for the end: calls wait(), which returns
  // whether nothing was pending. Meanwhile the set has the parent, if that is
  // not 0 and no other thread that waits has given one.
  template <typename Pending, typename Wait>
  bool WaitUnder(std::uint64_t parent, const Pending& pending,
                 const Wait& wait) {
    do {
      const Link link(this, parent);
      if (!wait()) return false;
      // Again, if the set gets tasks while the parent is taken away.
    } while (!Mutation::Breaks(WaitRule::kLooksAgain) && !pending.IsQuiet());
    return true;
  }

 private:
  class Link {
   public:
    Link(BasicParentWord* word, std::uint64_t parent) : word_(word) {
      if (parent == 0) return;
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
