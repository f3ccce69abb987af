// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_QUEUE_PARKING_PROTOCOL_H_
#define CERES_INTERNAL_PARALLEL_PARKING_QUEUE_PARKING_PROTOCOL_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/sync/protocol_atomics.h"

// How tasks and regions find workers, and how workers park: the steps whose
// correctness is argued in parking_lot.h, task_queue.h, join_board.h and
// condition_wait.h. The runtime and its models (queue_parking_protocol_test.cc)
// compile this source.

namespace ceres::parallel::detail {

// The rules that the models break, one at a time.
enum class ParkingRule {
  // Threads that enqueue.
  kSetsBitInOrder,
  kLooksForSearchingInOrder,
  kLooksForSearching,  // Not for workers that are awake.
  kFencesPost,
  // Threads that wake a worker.
  kCountsWokenAsSearching,
  kTakesWokenOffList,
  kGivesToken,
  kReleasesToken,
  // Threads that retire a worker.
  kGivesRetiredToken,
  // Workers.
  kClearsBitUnderLock,
  kEndsSearchInOrder,
  kEndsSearchFirst,  // Before they look for work that they leave to others.
  kCallsForRest,
  kLooksAfterGivingUp,
  kLooksAgain,
  kTakesItselfOffList,
  kCountsItselfAsSearching,
  kAcquiresToken,
  // Threads that sleep until a condition holds.
  kCountsWaiter,
  kReadsEventFirst,
  kTriesAgain,
  kTakesFreshBeforeSleep,
  kChangesEvent,
};

// One bit for each task queue and priority: the list is not empty. One cache
// line, which searching workers read in their own cache until another thread
// writes.
template <typename Atomics, typename Mutation = NoMutation>
class alignas(64) BasicQueueBits {
 public:
  bool Any() const {
    return (words_[0].load(std::memory_order_seq_cst) |
            words_[1].load(std::memory_order_seq_cst)) != 0;
  }
  std::uint64_t Of(bool high) const {
    return words_[high ? 1 : 0].load(std::memory_order_seq_cst);
  }
  void Set(bool high, std::uint64_t bit) {
    auto& word = words_[high ? 1 : 0];
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, Mutation::Breaks(ParkingRule::kSetsBitInOrder)
                             ? std::memory_order_relaxed
                             : std::memory_order_seq_cst);
    }
  }
  void Clear(bool high, std::uint64_t bit) {
    words_[high ? 1 : 0].fetch_and(~bit, std::memory_order_seq_cst);
  }
  void ClearAll() {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  }

  // Claims from the list of the bit, under the lock of the list. Clears the bit
  // if claim_locked() finds the list empty.
  template <typename Lock, typename ClaimLocked>
  auto Claim(Lock& lock, bool high, std::uint64_t bit,
             const ClaimLocked& claim_locked) {
    lock.Lock();
    const auto claimed = claim_locked();
    const bool clears = !claimed;
    if (Mutation::Breaks(ParkingRule::kClearsBitUnderLock)) lock.Unlock();
    if (clears) Clear(high, bit);
    if (!Mutation::Breaks(ParkingRule::kClearsBitUnderLock)) lock.Unlock();
    return claimed;
  }

 private:
  std::array<typename Atomics::template Atomic<std::uint64_t>, 2> words_{};
};

using QueueBits = BasicQueueBits<RealAtomics>;

// The word on which a worker sleeps.
template <typename Atomics>
struct ParkedWorker {
  typename Atomics::template Atomic<std::uint32_t> token{0};
  typename Atomics::template Atomic<bool> retire{false};
};

// The steps of a pool. Pool is the derived class (ParkingLot), which has
//   Atomic<int> awake_, searching_, condition_waiters_;
//   Atomic<std::uint32_t> condition_events_;
//   queue_bits_;
//   Mutex& ParkingMutex();
//   with the mutex held: PushParked(worker), PopParked() (null: none),
//   RemoveParked(worker) (false: it is not parked), StartWorker();
//   BeforeWake(worker), with the mutex held;
//   SleepUntilToken(worker) (AwaitToken, or kWork after it has taken itself off
//   the list and called CountAsAwake), AfterSleep(worker, token);
//   MaxAwake(), MaxAwakeForTasks(), MayWake(), CouldJoinForTask();
//   IsAnyRequestOpen(), FindLong(handle), WakeSomeone(handle),
//   WakeSleepingOwner(handle).
//
// A thread searches if it looks for work and finds none. Two counts are kept in
// one word, searching_: threads that search, and, times kSearchingWorker,
// workers that are awake, or being woken, and not at work.
template <typename Pool, typename Atomics, typename Mutation = NoMutation>
class ParkingProtocol {
 public:
  // Counts the thread as searching, until EndSearch.
  template <typename Searcher>
  void BeginSearch(Searcher* searcher) {
    if (!searcher->is_searching) {
      pool().searching_.fetch_add(SearchCount(*searcher),
                                  std::memory_order_seq_cst);
    }
    searcher->is_searching = true;
  }
  template <typename Searcher>
  void EndSearch(Searcher* searcher) {
    if (searcher->is_searching) {
      pool().searching_.fetch_sub(SearchCount(*searcher),
                                  Breaks(ParkingRule::kEndsSearchInOrder)
                                      ? std::memory_order_relaxed
                                      : std::memory_order_seq_cst);
    }
    searcher->is_searching = false;
  }

  // A task set has been enqueued: makes sure that a thread looks for it.
  void NotifyEnqueued(RegionHandle handle) {
    if (NoWorkerSearches() && pool().MayWake()) WakeForTask(handle);
  }
  // Wakes a worker, unless a worker searches: that worker will find the region.
  // Call it after a long region was posted.
  void WakeUnlessSearching(RegionHandle handle) {
    if (NoWorkerSearches()) pool().WakeSomeone(handle);
  }

 protected:
  // In searching_: the unit of the upper half.
  static constexpr int kSearchingWorker = 1 << 16;
  template <typename Searcher>
  static int SearchCount(const Searcher& searcher) {
    return searcher.is_worker ? 1 + kSearchingWorker : 1;
  }

  // In ParkedWorker::token: what it is woken for.
  static constexpr std::uint32_t kWork = 1;
  static constexpr std::uint32_t kRetire = 2;

  static constexpr bool Breaks(ParkingRule rule) {
    return Mutation::Breaks(rule);
  }

  bool NoWorkerSearches() const {
    const auto order = Breaks(ParkingRule::kLooksForSearchingInOrder)
                           ? std::memory_order_relaxed
                           : std::memory_order_seq_cst;
    if (Breaks(ParkingRule::kLooksForSearching)) {
      return pool().awake_.load(order) == 0;
    }
    return pool().searching_.load(order) < kSearchingWorker;
  }

  void WakeForTask(RegionHandle handle) {
    if (WakeOneOf(pool().MaxAwakeForTasks())) return;
    if (pool().condition_waiters_.load(std::memory_order_seq_cst) > 0) {
      WakeConditionWaiters();
    } else if (handle != 0) {
      pool().WakeSleepingOwner(handle);
    }
  }
  void WakeIfMoreTasks() {
    if (pool().queue_bits_.Any()) NotifyEnqueued(0);
  }
  // For a worker that ends its search because it has found work: wakes another
  // worker if work is left, because threads that enqueued that work may have
  // relied on this worker. `handle`: the region that the worker has joined, or
  // 0.
  void LeaveRestToOthers(RegionHandle handle) {
    if (Breaks(ParkingRule::kCallsForRest)) return;
    WakeIfMoreTasks();
    const RegionHandle other = pool().FindLong(handle);
    if (other != 0) WakeUnlessSearching(other);
  }
  // Runs the work that the calling thread has found: the region of the handle,
  // which it has joined, or (0) a task, which it has claimed.
  template <typename Searcher, typename Run>
  void TurnToWork(Searcher* searcher, RegionHandle handle, const Run& run) {
    const bool was_searching = searcher->is_searching;
    if (!Breaks(ParkingRule::kEndsSearchFirst)) EndSearch(searcher);
    if (searcher->is_worker) {
      LeaveRestToOthers(handle);
    } else if (handle == 0) {
      WakeIfMoreTasks();
    }
    if (Breaks(ParkingRule::kEndsSearchFirst)) EndSearch(searcher);
    run();
    if (was_searching) BeginSearch(searcher);
  }

  // A worker between being woken and parking. look_around() works, and returns
  // false when it has looked for long enough in vain.
  template <typename Worker, typename Searcher, typename LookAround>
  void SearchForWork(Worker* worker, Searcher* searcher,
                     const LookAround& look_around) {
    // The thread that woke the worker has counted it as a searching worker.
    pool().searching_.fetch_add(1, std::memory_order_relaxed);
    searcher->is_searching = true;
    while (!worker->retire.load(std::memory_order_relaxed)) {
      if (look_around()) continue;
      if (Breaks(ParkingRule::kLooksAfterGivingUp) && IsAnyWorkForWorker())
        continue;
      break;
    }
    searcher->Watch(nullptr);
    EndSearch(searcher);
  }

  // Returns false when the worker is to end.
  template <typename Worker>
  bool Park(Worker* worker) {
    {
      const std::lock_guard<typename Atomics::Mutex> lock(
          pool().ParkingMutex());
      if (worker->retire.load(std::memory_order_relaxed)) return false;
      pool().PushParked(worker);
      pool().awake_.fetch_sub(1, std::memory_order_seq_cst);
    }
    const bool looks = !Breaks(ParkingRule::kLooksAgain) &&
                       !Breaks(ParkingRule::kLooksAfterGivingUp);
    if (looks && ReturnForWork(worker)) return true;
    const std::uint32_t token = pool().SleepUntilToken(worker);
    pool().AfterSleep(worker, token);
    return token == kWork;
  }

  bool WakeOneOf(int max_awake) {
    if (pool().awake_.load(std::memory_order_seq_cst) >= max_awake) {
      return false;
    }
    const std::lock_guard<typename Atomics::Mutex> lock(pool().ParkingMutex());
    if (pool().awake_.load(std::memory_order_relaxed) >= max_awake) {
      return false;
    }
    auto* const worker = pool().PopParked();
    if (worker == nullptr) return pool().StartWorker();
    if (Breaks(ParkingRule::kTakesWokenOffList)) pool().PushParked(worker);
    CountAsAwake(!Breaks(ParkingRule::kCountsWokenAsSearching));
    // Within the lock, because a retired worker may be gone after it.
    pool().BeforeWake(worker);
    if (!Breaks(ParkingRule::kGivesToken)) GiveToken(worker, kWork);
    return true;
  }

  // With the mutex held. From now on the worker counts as gone, although it may
  // be at work for a while.
  template <typename Worker>
  void RetireLocked(Worker* worker) {
    worker->retire.store(true, std::memory_order_relaxed);
    if (!pool().RemoveParked(worker)) {
      pool().awake_.fetch_sub(1, std::memory_order_relaxed);
    } else if (!Breaks(ParkingRule::kGivesRetiredToken)) {
      GiveToken(worker, kRetire);
    }
  }

  void CountAsAwake(bool searches = true) {
    pool().awake_.fetch_add(1, std::memory_order_seq_cst);
    if (searches)
      pool().searching_.fetch_add(kSearchingWorker, std::memory_order_seq_cst);
  }

  template <typename Worker>
  static void GiveToken(Worker* worker, std::uint32_t token) {
    worker->token.store(token, Breaks(ParkingRule::kReleasesToken)
                                   ? std::memory_order_relaxed
                                   : std::memory_order_release);
    Atomics::Wake(&worker->token);
  }
  template <typename Worker>
  static std::uint32_t AwaitToken(Worker* worker) {
    constexpr auto kOrder = Breaks(ParkingRule::kAcquiresToken)
                                ? std::memory_order_relaxed
                                : std::memory_order_acquire;
    std::uint32_t token = 0;
    while ((token = worker->token.exchange(0, kOrder)) == 0) {
      Atomics::Wait(&worker->token, 0);
    }
    return token;
  }

  // For a thread that waits for a condition: if try_again() fails once more,
  // sleep(event) is to sleep while condition_events_ is `event`.
  template <typename TryAgain, typename Sleep>
  void SleepUnless(const TryAgain& try_again, const Sleep& sleep) {
    // try_again() may throw.
    struct Counted {
      explicit Counted(Pool& pool) : pool(pool) {
        if (Breaks(ParkingRule::kCountsWaiter)) return;
        pool.condition_waiters_.fetch_add(1, std::memory_order_seq_cst);
      }
      ~Counted() {
        if (Breaks(ParkingRule::kCountsWaiter)) return;
        pool.condition_waiters_.fetch_sub(1, std::memory_order_relaxed);
      }
      Pool& pool;
    };
    const Counted counted(pool());
    auto& events = pool().condition_events_;
    std::uint32_t event = events.load(std::memory_order_seq_cst);
    // Events after this look change the word.
    if (!Breaks(ParkingRule::kTriesAgain) && try_again()) return;
    if (Breaks(ParkingRule::kReadsEventFirst)) {
      event = events.load(std::memory_order_seq_cst);
    }
    sleep(event);
  }
  void WakeConditionWaiters() {
    auto& events = pool().condition_events_;
    if (!Breaks(ParkingRule::kChangesEvent)) {
      events.fetch_add(1, std::memory_order_seq_cst);
    }
    Atomics::Wake(&events);
  }

 private:
  // A worker that has parked looks once more: takes itself off the list if
  // there is work.
  template <typename Worker>
  bool ReturnForWork(Worker* worker) {
    const bool has_task = IsAnyTaskForWorker();
    if (!has_task && !pool().IsAnyRequestOpen()) return false;
    const std::lock_guard<typename Atomics::Mutex> lock(pool().ParkingMutex());
    const bool returns =
        has_task ||
        pool().awake_.load(std::memory_order_relaxed) < pool().MaxAwake();
    if (!returns || !pool().RemoveParked(worker)) return false;
    if (Breaks(ParkingRule::kTakesItselfOffList)) pool().PushParked(worker);
    CountAsAwake(!Breaks(ParkingRule::kCountsItselfAsSearching));
    return true;
  }
  bool IsAnyTaskForWorker() {
    return pool().queue_bits_.Any() && pool().CouldJoinForTask();
  }
  bool IsAnyWorkForWorker() {
    return IsAnyTaskForWorker() || pool().IsAnyRequestOpen();
  }

  Pool& pool() { return static_cast<Pool&>(*this); }
  const Pool& pool() const { return static_cast<const Pool&>(*this); }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_QUEUE_PARKING_PROTOCOL_H_
