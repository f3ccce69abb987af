// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_STATE_H_
#define CERES_INTERNAL_PARALLEL_POOL_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ceres/parallel/group.h"
#include "ceres/parallel/invitation_board.h"

namespace ceres::parallel::detail {

// How long a thread without work looks for some before it sleeps, nanoseconds:
// about what waking it costs (ski rental).
inline constexpr float kSpinTime = 50e3f;

// AvailableConcurrency(), read once in the process.
int NumCpus();

// The workers of a pool.
//
// A worker is awake (it runs blocks or spins for some time) or parked (in
// `parked`, asleep on its token). Only the mutex moves it from one to the
// other: a worker that has spun in vain parks itself; who takes it off `parked`
// owes it a token, and a worker sleeps until it has one. So nobody is woken
// twice and no token is lost. A worker looks at the board once more after it
// has entered itself in `parked`; an invitation that is posted after that look
// finds it there, one that falls between both (a store and a load may pass each
// other) is repeated by the owner while it works alone. Retiring goes the same
// way.
//
// Counters are hints about speed, except that `awake` and the lists agree under
// the mutex.
class PoolState {
 public:
  explicit PoolState(int num_workers);
  ~PoolState();
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  int NumWorkers() const {
    return num_workers_.load(std::memory_order_relaxed);
  }
  void Resize(int num_workers);
  void EnsureMinimumWorkers(int num_workers);

  // The most threads at work at once, callers included.
  int RunningLimit() const;
  void SetRunningLimit(int limit) {
    running_limit_.store(limit, std::memory_order_relaxed);
  }

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
  bool IsAnyoneHungry() const {
    return hungry_.load(std::memory_order_relaxed) > 0;
  }

  InvitationBoard& board() { return board_; }

  // Wakes or starts a worker, if there is one and the limit allows it.
  bool WakeWorker();
  // WakeWorker, else wakes an owner that sleeps until a group ends within which
  // `handle` was opened: it may help, too.
  bool WakeSomeone(GroupHandle handle);

  // Joins one group from the board, if any will do, and works for it until its
  // blocks are gone. For workers (no ancestor), and for the owner of the
  // ancestor while it waits. Returns whether it joined one.
  bool HelpOnce(Seeker* seeker);

  // Makes IsAnyoneHungry true as long as the seeker is not at work.
  void BeHungry(Seeker* seeker) {
    if (!seeker->hungry) hungry_.fetch_add(1, std::memory_order_relaxed);
    seeker->hungry = true;
  }
  void StopBeingHungry(Seeker* seeker) {
    if (seeker->hungry) hungry_.fetch_sub(1, std::memory_order_relaxed);
    seeker->hungry = false;
  }

  // An owner that waits asleep counts neither as running nor as busy.
  void BeginOwnerSleep(GroupHandle handle);
  void EndOwnerSleep(GroupHandle handle);

  // 0 when threads outnumber cpus: then the one that is waited for needs the
  // cpu.
  float SpinTime() const;

  // In the child of a fork, where no other thread exists.
  void ResetAfterFork();

  bool IsWorkerThread() const;

 private:
  struct Worker {
    std::atomic<std::uint32_t> token{0};
    std::atomic<bool> retire{false};
    std::atomic<bool> gone{false};
    std::thread thread;
  };

  // All that a fork leaves in an unknown state.
  struct Threads {
    std::mutex mutex;
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<std::unique_ptr<Worker>> retired;
    std::vector<Worker*> parked;
    std::vector<GroupHandle> sleeping_owners;
  };

  bool MayJoin() const;
  int MaxAwake() const;
  bool StartWorker();
  void WorkerMain(Worker* worker);
  void SpinForWork(const Worker& worker);
  void Park(Worker* worker);
  bool IsAnyInvitationOpen() const;
  void Retire(std::unique_ptr<Worker> worker);
  void SetNumWorkersLocked(int num_workers);

  InvitationBoard board_;
  alignas(64) std::atomic<int> awake_{0};
  std::atomic<int> num_workers_;
  std::atomic<int> running_limit_{0};
  std::atomic<bool> always_shares_{false};
  std::atomic<int> sleeping_owners_{0};
  alignas(64) std::atomic<int> hungry_{0};
  alignas(64) std::atomic<int> busy_{0};
  std::unique_ptr<Threads> threads_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_STATE_H_
