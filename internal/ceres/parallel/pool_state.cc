// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool_state.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "ceres/parallel/address_wait.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/clock.h"
#include "ceres/parallel/fork_handler.h"

namespace ceres::parallel::detail {
namespace {

thread_local const PoolState* pool_of_this_worker = nullptr;

}  // namespace

int NumCpus() {
  static const int num_cpus = AvailableConcurrency();
  return num_cpus;
}

PoolState::PoolState(int num_workers)
    : num_workers_(num_workers), threads_(std::make_unique<Threads>()) {
  RegisterForFork(this);
}

PoolState::~PoolState() {
  UnregisterForFork(this);
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    SetNumWorkersLocked(0);
  }
  for (const auto& worker : threads_->retired) worker->thread.join();
}

void PoolState::Resize(int num_workers) {
  std::vector<std::unique_ptr<Worker>> gone;
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    SetNumWorkersLocked(num_workers);
    const auto first_gone =
        std::partition(threads_->retired.begin(), threads_->retired.end(),
                       [](const auto& worker) {
                         return !worker->gone.load(std::memory_order_acquire);
                       });
    std::move(first_gone, threads_->retired.end(), std::back_inserter(gone));
    threads_->retired.erase(first_gone, threads_->retired.end());
  }
  for (const auto& worker : gone) worker->thread.join();
}

void PoolState::EnsureMinimumWorkers(int num_workers) {
  if (NumWorkers() >= num_workers) return;
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  if (NumWorkers() < num_workers) SetNumWorkersLocked(num_workers);
}

void PoolState::SetNumWorkersLocked(int num_workers) {
  num_workers_.store(num_workers, std::memory_order_relaxed);
  auto& workers = threads_->workers;
  while (static_cast<int>(workers.size()) > num_workers) {
    Retire(std::move(workers.back()));
    workers.pop_back();
  }
}

// From now on the worker counts as gone, although it may be at work for a
// while.
void PoolState::Retire(std::unique_ptr<Worker> worker) {
  worker->retire.store(true, std::memory_order_relaxed);
  auto& parked = threads_->parked;
  const auto position = std::find(parked.begin(), parked.end(), worker.get());
  if (position == parked.end()) {
    awake_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    parked.erase(position);
    worker->token.store(1, std::memory_order_release);
    WakeAddress(&worker->token);
  }
  threads_->retired.push_back(std::move(worker));
}

int PoolState::RunningLimit() const {
  const int limit = running_limit_.load(std::memory_order_relaxed);
  return limit > 0 ? limit : NumCpus();
}

float PoolState::SpinTime() const {
  return RunningLimit() <= NumCpus() ? kSpinTime : 0.0f;
}

int PoolState::MaxAwake() const {
  const int callers = std::max(1, board_.NumOuterOwners());
  const int sleeping = sleeping_owners_.load(std::memory_order_relaxed);
  return std::min(NumWorkers(), RunningLimit() - callers + sleeping);
}

bool PoolState::WakeWorker() {
  if (NumAwake() >= MaxAwake()) return false;
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    if (NumAwake() >= MaxAwake()) return false;
    if (threads_->parked.empty()) return StartWorker();
    Worker* const worker = threads_->parked.back();
    threads_->parked.pop_back();
    awake_.fetch_add(1, std::memory_order_relaxed);
    worker->token.store(1, std::memory_order_release);
    // Within the lock, because a retired worker may be gone after it.
    WakeAddress(&worker->token);
  }
  return true;
}

bool PoolState::StartWorker() {
  auto& workers = threads_->workers;
  if (static_cast<int>(workers.size()) >= NumWorkers()) return false;
  workers.push_back(std::make_unique<Worker>());
  Worker* const worker = workers.back().get();
  try {
    worker->thread = std::thread([this, worker] { WorkerMain(worker); });
  } catch (const std::system_error&) {
    // The system has no thread for us. The loops do without.
    workers.pop_back();
    return false;
  }
  awake_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool PoolState::WakeSomeone(GroupHandle handle) {
  if (WakeWorker()) return true;
  if (sleeping_owners_.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  for (const GroupHandle owner : threads_->sleeping_owners) {
    if (owner != handle && GroupSlot::IsWithin(handle, owner)) {
      GroupSlot::Of(owner)->Rouse();
      return true;
    }
  }
  return false;
}

void PoolState::BeginOwnerSleep(GroupHandle handle) {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  threads_->sleeping_owners.push_back(handle);
  sleeping_owners_.fetch_add(1, std::memory_order_relaxed);
}

void PoolState::EndOwnerSleep(GroupHandle handle) {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  auto& owners = threads_->sleeping_owners;
  owners.erase(std::find(owners.begin(), owners.end(), handle));
  sleeping_owners_.fetch_sub(1, std::memory_order_relaxed);
}

// For a worker that has already counted itself as busy.
bool PoolState::MayJoin() const {
  const int callers = std::max(1, board_.NumOuterOwners()) -
                      sleeping_owners_.load(std::memory_order_relaxed);
  return busy_.load(std::memory_order_relaxed) + callers <= RunningLimit();
}

bool PoolState::HelpOnce(Seeker* seeker) {
  const bool is_worker = seeker->ancestor == 0;
  for (int k = 0; k < InvitationBoard::kSize; ++k) {
    const std::uint64_t entry = board_.At(k);
    if (entry == 0 || entry == seeker->seen[k]) continue;
    const GroupHandle handle = InvitationBoard::Handle(entry);
    if (!is_worker && !GroupSlot::IsWithin(handle, seeker->ancestor)) {
      seeker->seen[k] = entry;
      continue;
    }
    GroupSlot& slot = *GroupSlot::Of(handle);
    PrefetchForWriting(&slot);
    PrefetchForReading(seeker->last_closure);
    if (is_worker) {
      busy_.fetch_add(1, std::memory_order_relaxed);
      if (!MayJoin()) {
        busy_.fetch_sub(1, std::memory_order_relaxed);
        continue;
      }
    }
    const GroupSlot::Ticket ticket = slot.TryJoin(handle);
    const bool joined = ticket.participant > 0;
    seeker->seen[k] = entry;
    if (joined) {
      const bool hungry = seeker->hungry;
      StopBeingHungry(seeker);
      seeker->last_closure = slot.closure();
      RunAsHelper(slot, handle, ticket);
      if (hungry) BeHungry(seeker);
    }
    if (is_worker) busy_.fetch_sub(1, std::memory_order_relaxed);
    if (joined) return true;
  }
  return false;
}

void PoolState::WorkerMain(Worker* worker) {
  pool_of_this_worker = this;
  while (!worker->retire.load(std::memory_order_relaxed)) {
    SpinForWork(*worker);
    Park(worker);
  }
  worker->gone.store(true, std::memory_order_release);
}

void PoolState::SpinForWork(const Worker& worker) {
  // The clock and a pause take longer than a look at the board.
  constexpr int kLooksPerClock = 32;
  Seeker seeker;
  BeHungry(&seeker);
  const float spin_time = SpinTime();
  Ticks start = Now();
  while (!worker.retire.load(std::memory_order_relaxed)) {
    bool helped = false;
    for (int look = 0; look < kLooksPerClock && !helped; ++look) {
      helped = board_.HasNews(seeker.seen) && HelpOnce(&seeker);
    }
    Pause();
    if (helped) {
      start = Now();
    } else if (Nanoseconds(Now() - start) >= spin_time) {
      break;
    }
  }
  StopBeingHungry(&seeker);
}

void PoolState::Park(Worker* worker) {
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    if (worker->retire.load(std::memory_order_relaxed)) return;
    threads_->parked.push_back(worker);
    awake_.fetch_sub(1, std::memory_order_seq_cst);
  }
  if (IsAnyInvitationOpen()) {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    auto& parked = threads_->parked;
    const auto position = std::find(parked.begin(), parked.end(), worker);
    if (position != parked.end() && NumAwake() < MaxAwake()) {
      parked.erase(position);
      awake_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  while (worker->token.exchange(0, std::memory_order_acquire) == 0) {
    WaitOnAddress(&worker->token, 0);
  }
}

bool PoolState::IsAnyInvitationOpen() const {
  for (int k = 0; k < InvitationBoard::kSize; ++k) {
    const std::uint64_t entry = board_.At(k);
    if (entry != 0 && GroupSlot::IsOpen(InvitationBoard::Handle(entry))) {
      return true;
    }
  }
  return false;
}

void PoolState::ResetAfterFork() {
  // The threads do not exist here, and the mutex may be held by one of them:
  // the old state is given up, not destroyed. A list keeps it reachable.
  static std::vector<Threads*>* const abandoned = new std::vector<Threads*>;
  abandoned->push_back(threads_.release());
  threads_ = std::make_unique<Threads>();
  board_.Clear();
  awake_.store(0, std::memory_order_relaxed);
  hungry_.store(0, std::memory_order_relaxed);
  busy_.store(0, std::memory_order_relaxed);
  sleeping_owners_.store(0, std::memory_order_relaxed);
}

bool PoolState::IsWorkerThread() const { return pool_of_this_worker == this; }

}  // namespace ceres::parallel::detail
