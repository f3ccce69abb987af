// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/pool_state.h"

#include <algorithm>
#include <new>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/prefetch.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/graph/unshared_tasks.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/fork_handler.h"
#include "ceres/parallel/tasks/task_set_handle.h"

namespace ceres::parallel::detail {
namespace {

std::atomic<std::uint64_t> next_pool_id{1};

std::unique_ptr<const CpuMask> MaskOfThisThread() {
  const auto mask = CpuMask::Of(ThisThread());
  return mask ? std::make_unique<const CpuMask>(*mask) : nullptr;
}

}  // namespace

int NumCpus() {
  // Without a guard, on which a child would wait for ever if it was forked
  // while another thread is here for the first time.
  static std::atomic<int> num_cpus{0};
  int known = num_cpus.load(std::memory_order_relaxed);
  if (known > 0) return known;
  const int first = AvailableConcurrency();
  return num_cpus.compare_exchange_strong(known, first) ? first : known;
}

PoolState::PoolState(ThreadPool* owner, const ThreadPoolOptions& options)
    : num_workers_(options.num_workers),
      threads_(std::make_unique<Threads>()),
      queues_(std::make_unique<TaskQueues>(&queue_bits_)),
      id_(next_pool_id.fetch_add(1, std::memory_order_relaxed)),
      owner_(owner),
      name_(options.name),
      tasks_block_(options.tasks_block),
      mask_to_pin_(options.pin ? MaskOfThisThread() : nullptr),
      handler_(options.exception_handler) {
  // For the first time not in a worker, which may be pinned to one cpu, nor
  // under a lock.
  NumCpus();
  NoteThread();
  RegisterForFork(this);
}

PoolState::~PoolState() {
  // Threads that waited for a future of this pool may still be on their way. A
  // thread that only yields could keep them from running under a real-time
  // scheduler.
  for (std::uint32_t leaving = 0;
       ((leaving =
             leaving_.fetch_or(kDestructorWaits, std::memory_order_acq_rel)) &
        ~kDestructorWaits) != 0;) {
    WaitOnAddress(&leaving_, leaving | kDestructorWaits);
  }
  UnregisterForFork(this);
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    SetNumWorkersLocked(0);
  }
  for (const auto& worker : threads_->retired) worker->thread.join();
}

void PoolState::Abandon() noexcept {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  SetNumWorkersLocked(0);
  for (const auto& worker : threads_->retired) worker->thread.detach();
}

void PoolState::SetRunningLimit(int limit) {
  running_limit_.store(limit, std::memory_order_seq_cst);
  WakeIfMoreTasks();
}

int PoolState::RunningLimit() const {
  const int limit = running_limit_.load(std::memory_order_relaxed);
  if (limit > 0) return limit;
  // Sums with numbers of threads do not overflow.
  constexpr int kUnlimited = 1 << 30;
  return tasks_block_ ? kUnlimited : NumCpus();
}

float PoolState::SpinTime() const {
  return RunningLimit() <= NumCpus() ? kSpinTime : 0.0f;
}

int PoolState::MaxAwake() const {
  const int absent = inactive_.load(std::memory_order_seq_cst);
  return std::min(NumWorkers(), RunningLimit() - NumCallers() + absent);
}

bool PoolState::WakeSomeone(RegionHandle handle) {
  return WakeWorker() || WakeSleepingOwner(handle);
}

bool PoolState::WakeSleepingOwner(RegionHandle handle) {
  if (sleeping_owners_.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  for (SleepingOwner* owner = threads_->oldest_sleeper; owner != nullptr;
       owner = owner->newer) {
    if (!owner->roused && owner->handle != handle &&
        IsWithin(handle, owner->handle) && BecomeActive(owner)) {
      owner->roused = true;
      WakeOwner(owner->handle);
      return true;
    }
  }
  return false;
}

bool PoolState::HasThisThreadAtWork() const {
  for (const Participation* p = current_participation; p != nullptr;
       p = p->outer) {
    if (p->pool == this) return true;
  }
  return false;
}

void PoolState::BeginOwnerSleep(SleepingOwner* owner) noexcept {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  SleepingOwner*& newest = threads_->newest_sleeper;
  owner->older = newest;
  owner->newer = nullptr;
  (newest != nullptr ? newest->newer : threads_->oldest_sleeper) = owner;
  newest = owner;
  sleeping_owners_.fetch_add(1, std::memory_order_seq_cst);
}

void PoolState::BecomeInactive(SleepingOwner* owner) noexcept {
  if (!HasThisThreadAtWork()) {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    if (!owner->roused) {
      owner->is_inactive = true;
      inactive_.fetch_add(1, std::memory_order_seq_cst);
    }
  }
  // One more thread may run now.
  WakeIfMoreTasks();
}

void PoolState::EndOwnerSleep(SleepingOwner* owner) noexcept {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  if (owner->is_inactive) {
    inactive_.fetch_sub(1, std::memory_order_relaxed);
  }
  (owner->older != nullptr ? owner->older->newer : threads_->oldest_sleeper) =
      owner->newer;
  (owner->newer != nullptr ? owner->newer->older : threads_->newest_sleeper) =
      owner->older;
  sleeping_owners_.fetch_sub(1, std::memory_order_relaxed);
}

// Under the mutex, for an owner that is to be roused. As workers do, it is
// counted first, and then is looked whether it may run: of two threads for whom
// there is room for one, not both do.
bool PoolState::BecomeActive(SleepingOwner* owner) {
  if (!owner->is_inactive) return true;
  inactive_.fetch_sub(1, std::memory_order_relaxed);
  if (!MayJoin()) {
    inactive_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  owner->is_inactive = false;
  return true;
}

// For a thread that has already counted itself.
bool PoolState::MayJoin(int callers) const {
  const int absent = inactive_.load(std::memory_order_relaxed);
  return busy_.load(std::memory_order_relaxed) + callers - absent <=
         RunningLimit();
}

bool PoolState::HelpOnce(Searcher* searcher) {
  const bool is_worker = searcher->is_worker;
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = board_.At(k);
    if (entry == 0 || entry == searcher->seen[k]) continue;
    const RegionHandle handle = JoinBoard::Handle(entry);
    if (handle == searcher->last_handle ||
        (searcher->ancestor != 0 && !IsWithin(handle, searcher->ancestor)) ||
        (searcher->tasks_of != nullptr &&
         !IsWithinTaskOf(handle, searcher->tasks_of))) {
      searcher->seen[k] = entry;
      continue;
    }
    PrefetchForWriting(RegionSlot::Of(handle));
    PrefetchForReading(searcher->last_closure);
    const Turnout turnout =
        JoinAndHelp({handle}, is_worker ? NumCallers() : 0, searcher);
    if (turnout == Turnout::kFull) continue;
    searcher->seen[k] = entry;
    if (turnout == Turnout::kHelped) return true;
  }
  return false;
}

PoolState::Turnout PoolState::JoinAndHelp(RegionSlot::RegionSnapshot snapshot,
                                          int callers, Searcher* searcher) {
  const bool is_worker = searcher->is_worker;
  if (is_worker) {
    busy_.fetch_add(1, std::memory_order_relaxed);
    if (!MayJoin(callers)) {
      busy_.fetch_sub(1, std::memory_order_relaxed);
      return Turnout::kFull;
    }
  }
  const RegionHandle handle = snapshot.handle;
  RegionSlot& slot = *RegionSlot::Of(handle);
  const RegionSlot::JoinResult ticket = slot.TryJoin(snapshot);
  Turnout turnout = Turnout::kGone;
  if (ticket.participant > 0) {
    turnout = Turnout::kHelped;
    TurnToWork(searcher, handle, [&] {
      searcher->last_closure = slot.remote_closure();
      searcher->last_handle = handle;
      RunAsHelper(slot, handle, ticket);
    });
  }
  if (is_worker) busy_.fetch_sub(1, std::memory_order_relaxed);
  return turnout;
}

// Looks at the watched slot for about a microsecond, and at the offers of
// tasks. Not at the board, which the owner would have to fetch again; and with
// pauses, because every look at the slot between two of the owner's stores
// takes the line away from it.
bool PoolState::HelpWatched(Searcher* searcher) {
  constexpr int kLooks = 16;
  RegionSlot::RegionSnapshot snapshot = searcher->watched->Look(this);
  for (int look = 1;
       look < kLooks && snapshot.handle == 0 && !queue_bits_.Any(); ++look) {
    Pause();
    snapshot = searcher->watched->Look(this);
  }
  if (snapshot.handle == 0) return false;
  PrefetchForWriting(searcher->watched);
  PrefetchForReading(searcher->last_closure);
  return JoinAndHelp(snapshot, NumKnownCallers() + 1, searcher) ==
         Turnout::kHelped;
}

bool PoolState::LookForWork(Searcher* searcher) {
  bool helped = searcher->watched != nullptr && HelpWatched(searcher);
  // Other invitations have their turn, however fast the loops of the watched
  // slot follow each other.
  if (queue_bits_.Any()) {
    helped |= HelpWithAnything(searcher);
  } else if (board_.HasNews(searcher->seen) && HelpOnce(searcher)) {
    helped = true;
    if (searcher->last_handle != 0) {
      searcher->Watch(RegionSlot::Of(searcher->last_handle));
    }
  }
  return helped;
}

void PoolState::LeaveAllAfterFork() {
  current_participation = nullptr;
  sequential_cutoff = {};
  UnsharedTasks::ForgetAllOfThread();
  LeaveAsWorker();
}

void PoolState::ResetAfterFork() {
  // The threads do not exist here, and the mutex may be held by one of them:
  // the old state is given up, not destroyed. A list keeps it reachable. What
  // is in the boxes runs in the parent.
  struct Abandoned {
    Threads* threads;
    TaskQueues* boxes;
  };
  static std::vector<Abandoned>* const abandoned = new std::vector<Abandoned>;
  queues_->AbandonAll();
  abandoned->push_back({threads_.release(), queues_.release()});
  threads_ = std::make_unique<Threads>();
  queue_bits_.ClearAll();
  queues_ = std::make_unique<TaskQueues>(&queue_bits_);
  new (&handler_mutex_) std::mutex;
  id_ = next_pool_id.fetch_add(1, std::memory_order_relaxed);
  outer_callers_.store(0, std::memory_order_relaxed);
  leaving_.store(0, std::memory_order_relaxed);
  condition_waiters_.store(0, std::memory_order_relaxed);
  board_.Clear();
  RegionSlot::ForgetAll();
  awake_.store(0, std::memory_order_relaxed);
  searching_.store(0, std::memory_order_relaxed);
  busy_.store(0, std::memory_order_relaxed);
  sleeping_owners_.store(0, std::memory_order_relaxed);
  inactive_.store(0, std::memory_order_relaxed);
  watch_.store(Watch::kOff, std::memory_order_relaxed);
}

}  // namespace ceres::parallel::detail
