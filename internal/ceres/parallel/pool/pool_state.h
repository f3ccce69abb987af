// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_POOL_STATE_H_
#define CERES_INTERNAL_PARALLEL_POOL_POOL_STATE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/parking/join_board.h"
#include "ceres/parallel/parking/parking_lot.h"
#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/searcher.h"
#include "ceres/parallel/parking/sleeping_owners.h"
#include "ceres/parallel/parking/thread_budget.h"
#include "ceres/parallel/parking/work_source.h"
#include "ceres/parallel/parking/worker.h"
#include "ceres/parallel/parking/worker_threads.h"
#include "ceres/parallel/pool/condition_wait.h"
#include "ceres/parallel/pool/cpu_placement.h"
#include "ceres/parallel/pool/detached_exceptions.h"
#include "ceres/parallel/pool/leaving_threads.h"
#include "ceres/parallel/pool/work_finder.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel::detail {

// The inside of a ThreadPool: its parts, and how they are connected. Each part
// has its contract and its argument for correctness in its own header.
//
// clang-format off
//   part                duty
//   ------------------  ----------------------------------------------------
//   PoolWords           the words that all threads share, by cache line
//   ThreadBudget        how many threads may run
//   WorkerThreads       starts, names, retires and joins the workers
//   CpuPlacement        on which CPUs the workers run
//   ParkingLot          which workers sleep, and how they are woken
//   LateRegionWatch     (in ParkingLot) finds regions that take too long
//   SleepingOwners      threads that sleep until a region ends
//   WorkSource          the tasks of the pool
//   WorkFinder          finds work for a thread, and runs it
//   ConditionWait       waits for conditions of the user
//   LeavingThreads      keeps the pool until the last thread has left it
//   DetachedExceptions  what tasks throw that nobody waits for
// clang-format on
//
// The functions of this class that only pass a call on have their contract at
// the function that they call. Thread-safe, except constructor, destructor and
// ResetAfterFork.
class PoolState {
 public:
  using SleepingOwner = detail::SleepingOwner;

  using MakeSource = std::unique_ptr<WorkSource> (*)(PoolState& pool);

  // `owner` is what this_thread::Pool() answers. make_source() may use
  // queue_bits() only.
  PoolState(ThreadPool* owner, const ThreadPoolOptions& options,
            MakeSource make_source);
  ~PoolState();
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  // --- Options. ---

  ThreadPool* owner() const { return owner_; }
  // No two pools of a process, and no pool before and after a fork, have the
  // same id.
  std::uint64_t id() const { return id_; }
  int NumWorkers() const { return budget_.NumWorkers(); }
  const std::atomic<int>& num_workers() const { return words_.num_workers; }
  int MaxConcurrency() const { return budget_.MaxConcurrency(); }
  void Resize(int num_workers);
  void EnsureMinimumWorkers(int num_workers);
  int RunningLimit() const { return budget_.RunningLimit(); }
  void SetRunningLimit(int limit);
  // ThreadPool::SetSharing.
  bool AlwaysShares() const {
    return words_.always_shares.load(std::memory_order_relaxed);
  }
  void SetAlwaysShares(bool always) {
    words_.always_shares.store(always, std::memory_order_relaxed);
  }
  void SetExceptionHandler(DetachedExceptions::Handler handler) {
    exceptions_.SetHandler(std::move(handler));
  }

  // --- Parts. ---

  JoinBoard& board() { return words_.board; }
  QueueBits& queue_bits() { return words_.queue_bits; }
  const QueueBits& queue_bits() const { return words_.queue_bits; }
  ParkingLot& parking() { return parking_; }
  WorkFinder& finder() { return finder_; }
  WorkSource& source() { return *source_; }

  // --- Threads of the pool. ---

  // Workers that are awake: a join request costs them nothing but a look.
  int NumAwake() const { return words_.awake.load(std::memory_order_relaxed); }
  // Awake workers that are not at work. Reads a line that workers write each
  // time that they begin or end work.
  int NumIdle() const {
    return NumAwake() - words_.busy.load(std::memory_order_relaxed);
  }
  // Whether a thread searches for work in vain.
  bool IsAnyThreadSearching() const {
    return words_.searching.load(std::memory_order_relaxed) > 0;
  }
  const std::atomic<int>& searching() const { return words_.searching; }
  bool IsWorkerThread() const { return this_worker.pool == this; }
  // Whether the calling thread runs a task of the pool or a piece of a loop.
  bool HasThisThreadAtWork() const;

  float SpinTime() const { return budget_.SpinTime(); }
  float WorkerSpinTime() const { return budget_.WorkerSpinTime(); }
  void RequestSpinning(int change) {
    words_.spin_requests.fetch_add(change, std::memory_order_relaxed);
  }
  void CountOuterCaller(int change) { budget_.CountOuterCaller(change); }

  // --- Regions and tasks that want threads. ---

  bool WakeWorker() { return parking_.WakeWorker(); }
  bool WakeSomeone(RegionHandle handle) { return parking_.WakeSomeone(handle); }
  void WakeUnlessSearching(RegionHandle handle) {
    parking_.WakeUnlessSearching(handle);
  }
  void NotifyEnqueued(RegionHandle handle) { parking_.NotifyEnqueued(handle); }
  void KeepWatch() { parking_.watch().Ask(); }
  // The region of the handle has got a parent: wakes a thread that sleeps until
  // a region around it ends.
  void CallSleepingAncestor(RegionHandle handle) {
    if (words_.sleeping_owners.load(std::memory_order_seq_cst) > 0 &&
        parking_.NoWorkerSearches()) {
      sleepers_.WakeOneFor(handle);
    }
  }
  // A task has ended. Sequentially consistent: a thread that waits for the end
  // counts itself, then looks whether the task has ended.
  void NoteTaskEnd() {
    if (words_.condition_waiters.load(std::memory_order_seq_cst) > 0) {
      parking_.WakeConditionWaiters();
    }
  }

  // --- Threads that want work, or wait. ---

  bool HelpOnce(Searcher* searcher) { return finder_.HelpOnce(searcher); }
  bool HelpLate(Searcher* searcher) { return finder_.HelpLate(searcher); }
  bool HelpWithin(Searcher* searcher) { return finder_.HelpWithin(searcher); }
  void BeginSearch(Searcher* searcher) { parking_.BeginSearch(searcher); }
  void EndSearch(Searcher* searcher) { parking_.EndSearch(searcher); }

  void BeginOwnerSleep(SleepingOwner* owner) noexcept {
    sleepers_.Begin(owner);
  }
  // Lets another thread run meanwhile, unless this one was at work before.
  void BecomeInactive(SleepingOwner* owner) noexcept;
  void EndOwnerSleep(SleepingOwner* owner) noexcept { sleepers_.End(owner); }

  bool HelpUntil(bool (*holds)(void* context), void* context,
                 std::chrono::steady_clock::time_point deadline) {
    return conditions_.HelpUntil(holds, context, deadline);
  }
  void WaitForAll();

  // --- Tasks. ---

  void ExpectToLeave() { leaving_.Expect(); }
  void HaveLeft() { leaving_.HaveLeft(); }
  void HandleException(std::exception_ptr error) noexcept {
    exceptions_.Handle(std::move(error));
  }

  // --- The end of the pool, and forks. ---

  // How the pool ends if the calling thread destroys it now.
  enum class End {
    kOrderly,    // When all tasks have ended.
    kOfProcess,  // exit() does it. Other threads may be at work for ever, or
                 // wait for this one, or look into the pool.
    kForbidden,  // Inside its own work, whose memory would be freed.
  };
  End EndHere() const;
  // The process ends: workers end when they have finished what they do, and the
  // state stays, because other threads may still use it. (It stays reachable,
  // so that leak checkers are silent.)
  void Abandon() noexcept;
  // In the child of a fork, where no other thread exists.
  void ResetAfterFork();
  // In the thread that has forked: in the child it belongs to no pool.
  static void LeaveAllAfterFork();

  // The main function of a worker.
  void RunWorker(Worker* worker);
  static void RunWorkerOf(PoolState* pool, Worker* worker) {
    pool->RunWorker(worker);
  }

  // The state as text, for tests that hang (pool_debug.cc).
  std::string DebugString();

 private:
  PoolWords words_;
  ThreadBudget budget_;
  ThreadPool* const owner_;
  std::uint64_t id_;
  // In a destructor that exit() runs, which waits for the tasks of the pool as
  // at any other time.
  const bool made_in_exit_;
  std::atomic<bool> expects_exit_{false};
  WorkerThreads threads_;
  CpuPlacement placement_;
  SleepingOwners sleepers_;
  ParkingLot parking_;
  const std::unique_ptr<WorkSource> source_;
  WorkFinder finder_;
  ConditionWait conditions_;
  LeavingThreads leaving_;
  DetachedExceptions exceptions_;
  PoolState* next_abandoned_ = nullptr;
};

// While it exists, the pool's workers search for kLongSpinTime instead of
// kSpinTime before they sleep. For an algorithm whose serial parts are shorter
// than the time from waking a worker until it works, some 100 us. Wakes the
// first worker. A null pool: does nothing.
class CERES_PARALLEL_EXPORT KeepWorkersSpinning {
 public:
  explicit KeepWorkersSpinning(PoolState* pool);
  ~KeepWorkersSpinning();
  KeepWorkersSpinning(const KeepWorkersSpinning&) = delete;
  KeepWorkersSpinning& operator=(const KeepWorkersSpinning&) = delete;

 private:
  PoolState* const pool_;
};

// While it exists, the calling thread counts as a caller of the pool, unless it
// was at work for the pool before.
class OuterCaller {
 public:
  explicit OuterCaller(PoolState& pool)
      : pool_(pool), is_outer_(!pool.HasThisThreadAtWork()) {
    if (is_outer_) pool_.CountOuterCaller(1);
  }
  ~OuterCaller() {
    if (is_outer_) pool_.CountOuterCaller(-1);
  }
  OuterCaller(const OuterCaller&) = delete;
  OuterCaller& operator=(const OuterCaller&) = delete;

 private:
  PoolState& pool_;
  const bool is_outer_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_POOL_STATE_H_
