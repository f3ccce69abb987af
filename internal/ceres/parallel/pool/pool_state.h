// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_POOL_STATE_H_
#define CERES_INTERNAL_PARALLEL_POOL_POOL_STATE_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/loops/region.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/cpu_mask.h"
#include "ceres/parallel/pool/join_board.h"
#include "ceres/parallel/pool/protocol_atomics.h"
#include "ceres/parallel/tasks/queue_parking_protocol.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel::detail {

// How long a thread without work looks for some before it sleeps, nanoseconds:
// about what waking it costs (ski rental).
inline constexpr float kSpinTime = 50e3f;
// The same while somebody expects loops in a row (KeepWorkersSpinning).
inline constexpr float kLongSpinTime = 500e3f;

// AvailableConcurrency(), read once in the process.
int NumCpus();

// The workers of a pool.
//
// A worker is awake (it runs blocks or spins for some time) or parked (in
// `parked`, asleep on its token). Only the mutex moves it from one to the
// other: a worker that has spun in vain parks itself; who takes it off `parked`
// owes it a token, as does who starts one, and a worker sleeps until it has
// one. So nobody is woken twice and no token is lost. (Starting and giving the
// token is one hold of the mutex: nobody retires a worker in between.) A worker
// looks at the board once more after it has entered itself in `parked`; an
// invitation that is posted after that look finds it there, one that falls
// between both (a store and a load may pass each other) is repeated by the
// owner while it works alone; to a long group it does not fall between
// (join_board.h). Retiring goes the same way.
//
// One parked worker may keep watch: it sleeps with a timeout, and looks for
// groups that are late (late_regions.cc). Its token may then be kKeepWatch,
// with which it stays parked. SleepUntilToken returns, as
// queue_parking_protocol.h demands, with kWork or kRetire from who took the
// worker off `parked`, or with kWork after the worker itself did so and counted
// itself as awake. Who takes a worker off clears kKeepWatch under the mutex,
// before it gives another token.
//
// Counters are hints about speed, except that `awake` and the lists agree under
// the mutex, and that tasks rely on `hungry` and `awake`: a worker that is not
// at work is counted as seeking from before it is woken. It takes itself off
// (when it begins to work, or parks) before it looks at the offers of tasks for
// the last time; who hangs an offer looks at the counters afterwards, all
// sequentially consistent (task_queue.h). So an offer is seen, or calls a
// worker. A worker that finds more offers than the one it takes calls the next.
// The source of these steps is in queue_parking_protocol.h, a template that
// queue_parking_protocol_test.cc runs in every interleaving.
class PoolState : public ParkingProtocol<PoolState, RealAtomics> {
 public:
  // `owner` is what this_thread::Pool() answers.
  PoolState(ThreadPool* owner, const ThreadPoolOptions& options);
  ~PoolState();
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  int NumWorkers() const {
    return num_workers_.load(std::memory_order_relaxed);
  }
  // The workers and a caller.
  int MaxConcurrency() const {
    const int workers = NumWorkers();
    return workers < std::numeric_limits<int>::max() ? workers + 1 : workers;
  }
  void Resize(int num_workers);
  void EnsureMinimumWorkers(int num_workers);

  // The most threads at work at once, callers included.
  int RunningLimit() const;
  void SetRunningLimit(int limit);

  // ThreadPool::SetSharing.
  bool AlwaysShares() const {
    return always_shares_.load(std::memory_order_relaxed);
  }
  void SetAlwaysShares(bool always) {
    always_shares_.store(always, std::memory_order_relaxed);
  }

  // Workers that are awake: an invitation costs them nothing but a look.
  int NumAwake() const { return awake_.load(std::memory_order_relaxed); }
  // Those of them that are not at work. Touches a line that workers write to at
  // every turn.
  int NumIdle() const {
    return NumAwake() - busy_.load(std::memory_order_relaxed);
  }
  // Threads that look for work in vain.
  bool IsAnyThreadSearching() const {
    return searching_.load(std::memory_order_relaxed) > 0;
  }
  const std::atomic<int>& searching() const { return searching_; }

  JoinBoard& board() { return board_; }

  // How many times a worker was kept from its waker's cpu (ExcludeCallerCpu).
  int NumCpuExclusions() const {
    return num_cpu_exclusions_.load(std::memory_order_relaxed);
  }

  // Wakes or starts a worker, if there is one and the limit allows it.
  bool WakeWorker();
  // WakeWorker, else wakes an owner that sleeps until a group ends within which
  // `handle` was opened: it may help, too.
  bool WakeSomeone(RegionHandle handle);
  // Joins one group from the board, if any will do, and works for it until its
  // blocks are gone. For workers (no ancestor), and for the owner of the
  // ancestor while it waits. Returns whether it joined one.
  bool HelpOnce(Searcher* searcher);

  // Whether the calling thread runs a task of the pool or a piece of a loop.
  bool HasThisThreadAtWork() const;

  // A thread that sleeps until a group ends; lies in the frame of the thread.
  // Members but the handle belong to the pool, under its mutex.
  struct SleepingOwner {
    RegionHandle handle = 0;  // 0: it sleeps until a condition holds.
    bool roused = false;
    bool is_inactive = false;
    SleepingOwner* older = nullptr;
    SleepingOwner* newer = nullptr;
  };

  // Around the sleep of a thread that waits: from the first on, groups within
  // the one that it waits for find it, and it looks for such groups once more.
  // If there are none it stands down: unless it was at work for the pool before
  // that, another thread may run meanwhile. (One that was will go on with its
  // work, whatever others do by then.) None of them allocates or throws:
  // helpers may be using the frame of the caller.
  void BeginOwnerSleep(SleepingOwner* owner) noexcept;
  void BecomeInactive(SleepingOwner* owner) noexcept;
  void EndOwnerSleep(SleepingOwner* owner) noexcept;

  // 0 when threads outnumber cpus: then the one that is waited for needs the
  // cpu.
  float SpinTime() const;
  // Of a worker, which may be asked for patience at any moment.
  float WorkerSpinTime() const {
    const float spin_time = SpinTime();
    return spin_time > 0.0f &&
                   spin_requests_.load(std::memory_order_relaxed) > 0
               ? kLongSpinTime
               : spin_time;
  }
  void RequestSpinning(int change) {
    spin_requests_.fetch_add(change, std::memory_order_relaxed);
  }

  // Where the pool stands, for tests that hang (pool_debug.cc).
  std::string DebugString();

  // How the pool is to end if the calling thread destroys it now.
  enum class End {
    kOrderly,    // When all tasks have ended.
    kOfProcess,  // exit() was called inside a task or a piece of a loop, maybe
                 // of another pool: what is at work cannot be waited for.
    kForbidden,  // Inside its own work, which would be gone.
  };
  End EndHere() const;
  // The process ends: workers go when they have finished what they do, and the
  // state stays, because other threads may still use it.
  void Abandon() noexcept;

  // In the child of a fork, where no other thread exists.
  void ResetAfterFork();
  // In the thread that has forked: in the child it belongs to no pool.
  static void LeaveAllAfterFork();

  bool IsWorkerThread() const;

  // --- Tasks (pool_tasks.cc). ---

  // The offer queue of the calling thread.
  TaskQueue& Queue() {
    return queue_of_thread.pool_id == id_ ? *queue_of_thread.queue
                                          : FindQueue();
  }
  // The thread that borrowed it ends.
  void ReturnQueue(TaskQueue* queue) {
    if (queue_of_thread.queue == queue) queue_of_thread = {0, nullptr};
    queues_->Return(queue);
  }
  // In a thread that is to be known as alive (EndHere) before it uses the pool.
  static void NoteThread();
  const QueueBits& queue_bits() const { return queue_bits_; }
  std::uint64_t id() const { return id_; }

  // --- Groups that take longer than predicted (late_regions.cc). ---

  // For the owner of a group that nobody was called for: while such groups
  // follow each other, a parked worker wakes at intervals to look for late
  // ones.
  void KeepWatch() {
    if (!has_quiet_regions_.load(std::memory_order_relaxed)) {
      has_quiet_regions_.store(true, std::memory_order_relaxed);
    }
    if (watch_.load(std::memory_order_relaxed) != Watch::kOn) StartWatch();
  }
  // Joins a late group that will do (as HelpOnce), if it is time to look.
  bool HelpLate(Searcher* searcher);

  // The group of the handle has got a parent: calls a thread that sleeps until
  // a group around it ends.
  void CallSleepingAncestor(RegionHandle handle) {
    if (sleeping_owners_.load(std::memory_order_seq_cst) > 0 &&
        searching_.load(std::memory_order_relaxed) < kSearchingWorker) {
      WakeSleepingOwner(handle);
    }
  }

  // Runs a task of any set, and others of it. For workers, and for threads that
  // help with anything.
  bool HelpWithTask(Searcher* searcher);
  // Joins a loop, or runs a task, within the searcher's ancestor.
  bool HelpWithin(Searcher* searcher);
  // A worker's look at everything, fair to all.
  bool HelpWithAnything(Searcher* searcher);
  bool HelpOnAnyStack(Searcher* searcher);

  // Helps with anything until holds(context), or the deadline; returns whether
  // it holds. With `tasks_of`, joins loops only within tasks of that pool.
  bool HelpUntil(bool (*holds)(void* context), void* context,
                 std::chrono::steady_clock::time_point deadline,
                 const PoolState* tasks_of = nullptr);
  // To be called when a task has ended.
  void NoteTaskEnd() {
    if (condition_waiters_.load(std::memory_order_relaxed) > 0) {
      WakeConditionWaiters();
    }
  }
  void WaitForAll();

  // See single_task.cc.
  void ExpectToLeave() { leaving_.fetch_add(1, std::memory_order_release); }
  void HaveLeft() {
    const std::uint32_t leaving =
        leaving_.fetch_sub(1, std::memory_order_release);
    // Only the address is used: the pool may be gone.
    if ((leaving & kDestructorWaits) != 0) WakeAddress(&leaving_);
  }

  // What a detached task, or an abandoned group, has thrown.
  void HandleException(std::exception_ptr error) noexcept;
  void SetExceptionHandler(std::function<void(std::exception_ptr)> handler);

  // A thread that is not at work for this pool begins, or ends, to work for it.
  void CountOuterCaller(int change) {
    outer_callers_.fetch_add(change, std::memory_order_relaxed);
  }

  ThreadPool* owner() const { return owner_; }
  // The pool of which the calling thread is a worker, or null; and which one.
  static const PoolState* OfThisWorker();
  static int IndexOfThisWorker();
  static void LeaveAsWorker();

 private:
  friend class ParkingProtocol<PoolState, RealAtomics>;

  struct Worker : ParkedWorker<RealAtomics> {
    std::atomic<bool> gone{false};
    int index = 0;
    // Whether it looks for late groups while it is parked; written under the
    // mutex.
    std::atomic<bool> keeps_watch{false};
    // What it had before who woke it took something from its mask; written
    // before the token, read behind it.
    std::optional<CpuMask> mask_to_restore;
    // Where it was seen last; -1: it does not run.
    std::atomic<int> cpu{-1};
    std::thread thread;

    void NoteCpu() {
      const int now = CurrentCpu();
      if (cpu.load(std::memory_order_relaxed) != now) {
        cpu.store(now, std::memory_order_relaxed);
      }
    }
  };

  // All that a fork leaves in an unknown state.
  struct Threads {
    std::mutex mutex;
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<std::unique_ptr<Worker>> retired;
    std::vector<Worker*> parked;
    // From the oldest to the newest.
    SleepingOwner* oldest_sleeper = nullptr;
    SleepingOwner* newest_sleeper = nullptr;
  };

  // The queue that the thread used last.
  struct QueueOfThread {
    std::uint64_t pool_id;
    TaskQueue* queue;
  };
  static inline thread_local QueueOfThread queue_of_thread = {0, nullptr};

  // Threads at work that are not workers, as far as they are known: the owner
  // of a loop that is expected by its watcher is not (Publication::Open).
  int NumKnownCallers() const {
    return board_.NumOuterOwners() +
           outer_callers_.load(std::memory_order_relaxed);
  }
  int NumCallers() const { return std::max(1, NumKnownCallers()); }
  bool MayJoin(int callers) const;
  bool BecomeActive(SleepingOwner* owner);
  bool MayJoin() const { return MayJoin(NumCallers()); }
  // kFull: as many are at work as may.
  enum class Turnout { kHelped, kGone, kFull };
  Turnout JoinAndHelp(RegionSlot::RegionSnapshot snapshot, int callers,
                      Searcher* searcher);
  bool HelpWatched(Searcher* searcher);
  bool LookForWork(Searcher* searcher);
  int MaxAwake() const;
  bool WakeSleepingOwner(RegionHandle handle);
  bool StartWorker();
  void SetUpThread(int index) const;
  bool PlacesWorkers() const {
    return mask_to_pin_ == nullptr && RunningLimit() <= NumCpus();
  }
  void ExcludeCallerCpu(Worker* worker);
  void Arrive(Worker* worker);
  void WorkerMain(Worker* worker);
  void SpinForWork(Worker* worker);

  // See late_regions.cc. In Worker::token: not to work, but to look for late
  // groups while it is parked.
  static constexpr std::uint32_t kKeepWatch = 3;
  // Whether a parked worker looks for late groups.
  enum class Watch : std::uint8_t {
    kOff,
    kNoneParked,  // No, because none is parked; one may be started for it.
    kOn,          // Yes; or all workers are awake, and the first to park will.
  };
  void StartWatch();
  void StartWatchLocked();
  void KeepWatchLocked(Worker* worker);
  RegionHandle FindLateRegion() const;
  bool LeaveParkedForLateRegion(Worker* worker);
  void EndWatchIfCalm(Worker* worker, int* calm_looks);
  void TakeOffParkedLocked(std::vector<Worker*>::iterator position);

  // For ParkingProtocol.
  std::mutex& ParkingMutex() { return threads_->mutex; }
  void PushParked(Worker* worker);
  Worker* PopParked();
  bool RemoveParked(Worker* worker);
  void BeforeWake(Worker* worker);
  static void BeforeSleep(Worker* worker) {
    worker->cpu.store(-1, std::memory_order_relaxed);
  }
  std::uint32_t SleepUntilToken(Worker* worker);
  void AfterSleep(Worker* worker, std::uint32_t token);
  RegionHandle FindLong(RegionHandle except) const {
    return board_.FindLong(except);
  }

  // The same for tasks: one worker may always run them, because nobody else may
  // ever do it.
  bool MayJoinForTask() const;
  int MaxAwakeForTasks() const;
  bool CouldJoinForTask() const;
  // Cheap: false if WakeForTask would do nothing.
  bool MayWake() const {
    const int absent = inactive_.load(std::memory_order_seq_cst);
    return awake_.load(std::memory_order_seq_cst) <
               std::min(NumWorkers(),
                        std::max(1, RunningLimit() - 1 + absent)) ||
           sleeping_owners_.load(std::memory_order_seq_cst) > 0 ||
           condition_waiters_.load(std::memory_order_seq_cst) > 0;
  }
  TaskQueue& FindQueue();
  void SleepAsConditionWaiter(bool (*holds)(void* context), void* context,
                              std::chrono::steady_clock::time_point deadline,
                              Searcher* searcher);
  bool IsAnyRequestOpen() const;
  void Retire(std::unique_ptr<Worker> worker);
  std::string WorkersStringLocked() const;
  void SetNumWorkersLocked(int num_workers);

  JoinBoard board_;
  QueueBits queue_bits_;
  alignas(64) std::atomic<int> awake_{0};
  std::atomic<int> num_workers_;
  std::atomic<int> running_limit_{0};
  std::atomic<bool> always_shares_{false};
  std::atomic<int> sleeping_owners_{0};
  // Of those, how many have stood down.
  std::atomic<int> inactive_{0};
  std::atomic<int> spin_requests_{0};
  std::atomic<Watch> watch_{Watch::kOff};
  std::atomic<bool> has_quiet_regions_{false};
  alignas(64) std::atomic<int> searching_{0};
  alignas(64) std::atomic<int> busy_{0};
  alignas(64) std::unique_ptr<Threads> threads_;
  std::unique_ptr<TaskQueues> queues_;
  std::uint64_t id_;
  ThreadPool* const owner_;
  const std::string name_;
  const bool tasks_block_;
  // Of the thread that made the pool; null: workers are not pinned, or nobody
  // knows. A new thread has the mask of the one that starts it, which may be a
  // pinned worker.
  const std::unique_ptr<const CpuMask> mask_to_pin_;

  std::atomic<int> num_cpu_exclusions_{0};
  std::atomic<int> outer_callers_{0};
  // How many threads are on their way out, and whether the destructor sleeps
  // until there are none.
  static constexpr std::uint32_t kDestructorWaits = 0x80000000u;
  std::atomic<std::uint32_t> leaving_{0};
  std::mutex handler_mutex_;
  std::function<void(std::exception_ptr)> handler_;
  alignas(64) std::atomic<int> condition_waiters_{0};
  std::atomic<std::uint32_t> condition_events_{0};
};

// The default handler of exceptions that nobody waits for: a message on
// standard error, then std::terminate.
[[noreturn]] void TerminateFor(const std::exception_ptr& error) noexcept;

// While it exists, the pool's workers stay awake between loops for longer: for
// an algorithm whose serial parts are shorter than what waking them takes in
// all, some 100 us until one is at work. Wakes the first one. A null pool:
// nothing.
class KeepWorkersSpinning {
 public:
  explicit KeepWorkersSpinning(PoolState* pool);
  ~KeepWorkersSpinning();
  KeepWorkersSpinning(const KeepWorkersSpinning&) = delete;
  KeepWorkersSpinning& operator=(const KeepWorkersSpinning&) = delete;

 private:
  PoolState* const pool_;
};

// Counts the thread as a caller while it works for a pool that it did not work
// for before.
class OuterCaller {
 public:
  explicit OuterCaller(PoolState& pool);
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
