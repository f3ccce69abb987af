// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The threads of a pool: started, woken, parked, retired. What happens before
// what: pool_state.h.

#if defined(__linux__)
#include <pthread.h>
#endif

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/cpu_mask.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {
namespace {

// How long a worker watches a slot where nothing happens, nanoseconds.
constexpr float kWatchTime = 5e3f;

thread_local const PoolState* pool_of_this_worker = nullptr;
thread_local int index_of_this_worker = -1;

}  // namespace

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
  WakeIfMoreTasks();
}

void PoolState::EnsureMinimumWorkers(int num_workers) {
  if (NumWorkers() >= num_workers) return;
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    if (NumWorkers() < num_workers) SetNumWorkersLocked(num_workers);
  }
  WakeIfMoreTasks();
}

void PoolState::SetNumWorkersLocked(int num_workers) {
  num_workers_.store(num_workers, std::memory_order_seq_cst);
  auto& workers = threads_->workers;
  while (static_cast<int>(workers.size()) > num_workers) {
    Retire(std::move(workers.back()));
    workers.pop_back();
  }
  // There may be workers to start.
  if (threads_->parked.empty()) {
    watch_.store(Watch::kOff, std::memory_order_relaxed);
  }
}

void PoolState::Retire(std::unique_ptr<Worker> worker) {
  RetireLocked(worker.get());
  threads_->retired.push_back(std::move(worker));
}

bool PoolState::WakeWorker() { return WakeOneOf(MaxAwake()); }

void PoolState::PushParked(Worker* worker) {
  auto& parked = threads_->parked;
  if (parked.empty()) KeepWatchLocked(worker);
  parked.push_back(worker);
}

PoolState::Worker* PoolState::PopParked() {
  auto& parked = threads_->parked;
  if (parked.empty()) return nullptr;
  Worker* const worker = parked.back();
  TakeOffParkedLocked(std::prev(parked.end()));
  return worker;
}

bool PoolState::RemoveParked(Worker* worker) {
  auto& parked = threads_->parked;
  const auto position = std::find(parked.begin(), parked.end(), worker);
  if (position == parked.end()) return false;
  TakeOffParkedLocked(position);
  return true;
}

void PoolState::BeforeWake(Worker* worker) {
  TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
  ExcludeCallerCpu(worker);
}

void PoolState::AfterSleep(Worker* worker, std::uint32_t token) {
  if (token == kWork) Arrive(worker);
  TraceMoment(TraceKind::kWakeArrived, TraceId(worker));
}

bool PoolState::StartWorker() {
  auto& workers = threads_->workers;
  if (static_cast<int>(workers.size()) >= NumWorkers()) return false;
  try {
    // Then no worker allocates when it parks.
    threads_->parked.reserve(workers.size() + 1);
    workers.push_back(std::make_unique<Worker>());
  } catch (const std::bad_alloc&) {
    return false;
  }
  Worker* const worker = workers.back().get();
  worker->index = static_cast<int>(workers.size()) - 1;
  CountAsAwake();
  TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
  try {
    worker->thread = std::thread([this, worker] { WorkerMain(worker); });
  } catch (...) {
    // The system has no thread, or no memory, for us. Those who wait do
    // without.
    awake_.fetch_sub(1, std::memory_order_seq_cst);
    searching_.fetch_sub(kSearchingWorker, std::memory_order_seq_cst);
    workers.pop_back();
    return false;
  }
  // It waits for this.
  ExcludeCallerCpu(worker);
  GiveToken(worker, kWork);
  return true;
}

void PoolState::SetUpThread(int index) const {
#if defined(__linux__)
  constexpr std::size_t kMaxLength = 15;
  const std::string number = "-" + std::to_string(index);
  const std::string name =
      name_.substr(0, kMaxLength - std::min(kMaxLength, number.size())) +
      number;
  pthread_setname_np(pthread_self(), name.c_str());
#endif
  if (mask_to_pin_ == nullptr) return;
  CpuMask mine;
  mine.Add(mask_to_pin_->At((index + 1) % mask_to_pin_->Count()));
  // Failure only costs speed.
  mine.ApplyTo(ThisThread());
}

// The kernel of a virtual machine may put a thread that it wakes on the cpu of
// the one that wakes it, although others are idle: to Linux on KVM a cpu that
// has halted looks like one that the host has taken away. (Up to 97 % of all
// wake-ups were such on two cpus.) Both then share one cpu until the system
// balances them, and the one that was woken may not run at all before: two
// milliseconds, the whole of a short loop. New threads go astray alike. So
// workers are kept from the cpu of who wakes or starts them, and from those of
// other workers, before they run. Until it has run for a moment such a worker
// cannot have the cpu of its waker, not even if that one falls asleep.
void PoolState::ExcludeCallerCpu(Worker* worker) {
  const int cpu = CurrentCpu();
  if (cpu < 0 || !PlacesWorkers()) return;
  CpuMask taken;
  taken.Add(cpu);
  for (const auto& other : threads_->workers) {
    const int of_other = other->cpu.load(std::memory_order_relaxed);
    if (of_other >= 0) taken.Add(of_other);
  }
  const auto mask = ExcludeCpus(taken, worker->thread.native_handle());
  if (!mask) return;
  num_cpu_exclusions_.fetch_add(1, std::memory_order_relaxed);
  // If it still has one, the system has refused to take it.
  if (!worker->mask_to_restore) worker->mask_to_restore = mask;
}

void PoolState::Arrive(Worker* worker) {
  if (worker->mask_to_restore &&
      worker->mask_to_restore->ApplyTo(ThisThread())) {
    worker->mask_to_restore.reset();
  }
  worker->NoteCpu();
}

void PoolState::WorkerMain(Worker* worker) {
  pool_of_this_worker = this;
  index_of_this_worker = worker->index;
  NoteThread();
  SetUpThread(worker->index);
  AwaitToken(worker);
  Arrive(worker);
  TraceMoment(TraceKind::kWakeArrived, TraceId(worker));
  do {
    SpinForWork(worker);
  } while (Park(worker));
  // What it could not take while others were at work.
  WakeIfMoreTasks();
  worker->gone.store(true, std::memory_order_release);
}

void PoolState::SpinForWork(Worker* worker) {
  // The clock and a pause take longer than a look at the board.
  constexpr int kLooksPerClock = 32;
  Searcher searcher;
  searcher.is_worker = true;
  Ticks start = Now();
  SearchForWork(worker, &searcher, [&] {
    const int looks = searcher.watched == nullptr ? kLooksPerClock : 1;
    bool helped = false;
    for (int look = 0; look < looks && !helped; ++look) {
      helped = LookForWork(&searcher);
    }
    helped = helped || HelpLate(&searcher);
    const Ticks now = Now();
    if (helped) {
      start = now;
      worker->NoteCpu();
      return true;
    }
    Pause();
    const float idle = Nanoseconds(now - start);
    if (idle >= kWatchTime) searcher.Watch(nullptr);
    return idle < WorkerSpinTime();
  });
}

bool PoolState::IsAnyRequestOpen() const {
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = board_.At(k);
    if (entry != 0 && RegionSlot::IsOpen(JoinBoard::Handle(entry))) {
      return true;
    }
  }
  return false;
}

KeepWorkersSpinning::KeepWorkersSpinning(PoolState* pool) : pool_(pool) {
  if (pool_ == nullptr) return;
  pool_->RequestSpinning(1);
  pool_->WakeWorker();
}

KeepWorkersSpinning::~KeepWorkersSpinning() {
  if (pool_ != nullptr) pool_->RequestSpinning(-1);
}

bool PoolState::IsWorkerThread() const { return pool_of_this_worker == this; }
const PoolState* PoolState::OfThisWorker() { return pool_of_this_worker; }
int PoolState::IndexOfThisWorker() { return index_of_this_worker; }
void PoolState::LeaveAsWorker() {
  pool_of_this_worker = nullptr;
  index_of_this_worker = -1;
}

}  // namespace ceres::parallel::detail
