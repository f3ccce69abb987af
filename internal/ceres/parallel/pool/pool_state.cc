// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/pool_state.h"

#include <stdexcept>
#include <utility>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/pool_registry.h"
#include "ceres/parallel/sync/before_blocking.h"
#include "ceres/parallel/sync/thread_phase.h"

namespace ceres::parallel::detail {
namespace {

// Unwinds the stack only in threads whose phase allows it: thread-local objects
// of a thread that ends may make pools, too.
bool IsThisThreadInExit() {
  NoteThisThread();
#if defined(CERES_EXIT_CAN_BE_UNWOUND)
  if (PhaseOfThisThread() != ThreadPhase::kEnding) return false;
#endif
  return platform::IsInExit();
}

// Called by the first worker of each pool. exit() destroys what was made later
// first, so it is known when it destroys a pool whose owner was complete before
// that worker began. Only pools in static storage expect it each, because a
// program may make any number of others.
void ExpectExit(const ThreadPool* pool, std::atomic<bool>* by_pool) {
  static std::atomic<bool> by_others{false};
  std::atomic<bool>& is_expected =
      platform::IsDestroyedByExit(pool) ? *by_pool : by_others;
  if (!is_expected.exchange(true, std::memory_order_relaxed)) {
    platform::ExpectExit();
  }
}

std::atomic<PoolState*> newest_abandoned{nullptr};

std::atomic<std::uint64_t> next_pool_id{1};

std::uint64_t NextPoolId() {
  return next_pool_id.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

PoolState::PoolState(ThreadPool* owner, const ThreadPoolOptions& options,
                     MakeSource make_source)
    : words_(options.num_workers),
      budget_(words_, options.tasks_block),
      owner_(owner),
      id_(NextPoolId()),
      made_in_exit_(IsThisThreadInExit()),
      threads_(this, &PoolState::RunWorkerOf, options.name),
      placement_(options.pin),
      sleepers_(words_, budget_),
      parking_(this, words_, budget_, sleepers_, threads_),
      source_(make_source(*this)),
      finder_(this, words_, budget_, parking_, *source_),
      conditions_(*this, words_),
      leaving_(words_.leaving),
      exceptions_(options.exception_handler) {
  RegisterPool(this);
}

PoolState::~PoolState() {
  leaving_.WaitUntilNone();
  UnregisterPool(this);
  for (Worker& worker : parking_.SetNumWorkers(0)) worker.thread.join();
  threads_.JoinAll();
  // Thread-local objects of the workers may have started tasks as they were
  // destroyed.
  WaitForAll();
  leaving_.WaitUntilNone();
}

void PoolState::Abandon() noexcept {
  for (Worker& worker : parking_.SetNumWorkers(0)) worker.thread.detach();
  threads_.DetachAll();
  next_abandoned_ = newest_abandoned.load(std::memory_order_relaxed);
  while (!newest_abandoned.compare_exchange_weak(next_abandoned_, this)) {
  }
}

void PoolState::Resize(int num_workers) {
  for (Worker& worker : parking_.SetNumWorkers(num_workers)) {
    worker.thread.join();
  }
  parking_.WakeIfMoreTasks();
}

void PoolState::EnsureMinimumWorkers(int num_workers) {
  if (NumWorkers() >= num_workers) return;
  parking_.EnsureMinimumWorkers(num_workers);
  parking_.WakeIfMoreTasks();
}

void PoolState::SetRunningLimit(int limit) {
  budget_.SetRunningLimit(limit);
  parking_.WakeIfMoreTasks();
}

void PoolState::RunWorker(Worker* worker) {
  this_worker = {this, worker->index};
  NoteThisThread();
  ExpectExit(owner_, &expects_exit_);
  threads_.NameThisThread(worker->index);
  placement_.PinThisThread(worker->index);
  ParkingLot::AwaitToken(worker);
  TraceMoment(TraceKind::kWakeArrived, TraceId(worker));
  do {
    finder_.SearchUntilIdle(worker);
  } while (parking_.Park(worker));
  // Tasks that it could not take while other threads were at work.
  parking_.WakeIfMoreTasks();
  worker->gone.store(true, std::memory_order_release);
}

bool PoolState::HasThisThreadAtWork() const {
  for (const Participation* p = current_participation; p != nullptr;
       p = p->outer) {
    if (p->pool == this) return true;
  }
  return false;
}

void PoolState::BecomeInactive(SleepingOwner* owner) noexcept {
  if (!HasThisThreadAtWork()) sleepers_.BecomeInactive(owner);
  // One more thread may run now.
  parking_.WakeIfMoreTasks();
}

void PoolState::WaitForAll() {
  if (HasThisThreadAtWork()) {
    throw std::logic_error(
        "ThreadPool::WaitForAll called inside a task or loop of the pool");
  }
  conditions_.HelpUntil(
      [](void* source) {
        return static_cast<const WorkSource*>(source)->AllFinished();
      },
      source_.get(), std::chrono::steady_clock::time_point::max(),
      /*tasks_of=*/this);
}

// exit() does not wait, whichever thread calls it. It ends the pools that it
// destroys as the end of the process does, wherever they are stored. A pool
// that was made while exit() ran is a local variable of a destructor.
//
// If the stack does not show exit(), the state of the thread does. A thread
// that ends normally has left all tasks and loops before its thread-local
// objects are destroyed. A thread that is in a loop for the first time, and has
// made no pool, may be unknown: in work of the pool itself it is more likely to
// have called exit() than to have made that mistake.
PoolState::End PoolState::EndHere() const {
  if (!made_in_exit_ && platform::IsInExit()) return End::kOfProcess;
  const ThreadPhase phase = platform::IsDestroyedByExit(owner_)
                                ? ThreadPhase::kEnding
                                : PhaseOfThisThread();
  if (IsWorkerThread() || HasThisThreadAtWork()) {
    return phase == ThreadPhase::kAlive ? End::kForbidden : End::kOfProcess;
  }
  const bool is_ending = phase == ThreadPhase::kEnding;
  return is_ending && current_participation != nullptr ? End::kOfProcess
                                                       : End::kOrderly;
}

void PoolState::LeaveAllAfterFork() {
  current_participation = nullptr;
  sequential_cutoff = {};
  BeforeBlocking::ForgetAll();
  this_worker = {nullptr, -1};
}

void PoolState::ResetAfterFork() {
  parking_.ResetAfterFork();
  threads_.ResetAfterFork();
  sleepers_.ResetAfterFork();
  id_ = NextPoolId();
  source_->ResetAfterFork();
  exceptions_.ResetAfterFork();
  words_.ResetAfterFork();
  RegionSlot::ForgetAll();
}

KeepWorkersSpinning::KeepWorkersSpinning(PoolState* pool) : pool_(pool) {
  if (pool_ == nullptr) return;
  pool_->RequestSpinning(1);
  pool_->WakeWorker();
}

KeepWorkersSpinning::~KeepWorkersSpinning() {
  if (pool_ != nullptr) pool_->RequestSpinning(-1);
}

// See detail/host.h.

bool HelpPool(PoolState& pool, bool (*holds)(void* context), void* context,
              std::chrono::steady_clock::time_point deadline) {
  return pool.HelpUntil(holds, context, deadline);
}

void HandleDetachedException(PoolState* pool,
                             std::exception_ptr error) noexcept {
  if (pool != nullptr) {
    pool->HandleException(std::move(error));
  } else {
    TerminateFor(error);
  }
}

}  // namespace ceres::parallel::detail
