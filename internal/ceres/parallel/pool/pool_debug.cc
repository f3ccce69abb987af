// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What a pool is in, as text, for tests that find it stuck. Takes no lock that
// somebody holds: then it says so.

#include <algorithm>
#include <mutex>
#include <sstream>

#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

std::string TaskQueue::DebugString() {
  std::ostringstream out;
  out << "  box " << index_ << (exclusive_ ? "" : " (shared)") << ": given "
      << NumSpawned() << ", ended " << NumFinished();
  if (!lock_.TryLock()) {
    out << ", locked";
    return out.str();
  }
  for (const bool high : {true, false}) {
    for (const TaskSet* set = lists_[high ? 1 : 0].oldest; set != nullptr;
         set = set->newer_) {
      out << "\n    offer " << std::hex << set->handle() << " within "
          << set->parent_.Get() << std::dec << (high ? ", high" : "")
          << ", pending " << set->pending_.Bits();
      if (set->is_single()) continue;
      const TaskSet::Group& group = set->group();
      out << ", queued " << group.queued.load() << ", threads "
          << group.active.load() << " of " << group.max_threads;
    }
  }
  lock_.Unlock();
  return out.str();
}

std::string TaskQueues::DebugString() const {
  std::ostringstream out;
  for (int k = 0; k < kMaxQueues && At(k) != nullptr; ++k) {
    out << At(k)->DebugString() << '\n';
  }
  return out.str();
}

// Workers do not say whether they are at work, only count themselves. One that
// is awake and looks for work in vain falls asleep soon.
std::string PoolState::WorkersStringLocked() const {
  std::ostringstream out;
  const auto& workers = threads_->workers;
  const auto& retired = threads_->retired;
  const auto& parked = threads_->parked;
  const int busy = busy_.load();
  const char* const awake = busy == 0 ? "looking for work"
                            : busy >= awake_.load() && retired.empty()
                                ? "at work"
                                : "at work or looking for some";
  for (const auto& worker : workers) {
    out << "\n  worker " << worker->index << ": ";
    if (std::find(parked.begin(), parked.end(), worker.get()) != parked.end()) {
      out << "asleep";
    } else if (worker->token.load() != 0) {
      out << "being woken";
    } else {
      out << awake << ", seen on cpu " << worker->cpu.load();
    }
  }
  const int num_started = static_cast<int>(workers.size());
  if (num_started < NumWorkers()) {
    out << "\n  not started: " << NumWorkers() - num_started << " workers";
  }
  for (const auto& worker : retired) {
    out << "\n  retired worker " << worker->index << ": "
        << (worker->gone.load() ? "gone" : "leaving");
  }
  return out.str();
}

std::string PoolState::DebugString() {
  std::ostringstream out;
  const int hungry = searching_.load();
  out << "pool " << name_ << ": " << NumWorkers() << " workers, limit "
      << RunningLimit() << ", awake " << awake_.load() << ", busy "
      << busy_.load() << ", hungry " << hungry % kSearchingWorker
      << ", seeking " << hungry / kSearchingWorker << ", sleeping owners "
      << sleeping_owners_.load() << ", outer callers " << outer_callers_.load()
      << ", leaving " << (leaving_.load() & ~kDestructorWaits)
      << ", waiting for conditions " << condition_waiters_.load() << '\n';
  out << "  offers high " << std::hex << queue_bits_.Of(/*high=*/true)
      << ", normal " << queue_bits_.Of(/*high=*/false) << "\n  board:";
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = board_.At(k);
    const RegionHandle handle = JoinBoard::Handle(entry);
    out << ' ' << entry;
    if (entry != 0 && !IsTaskSetHandle(handle) && RegionSlot::IsOpen(handle)) {
      out << " (open)";
    }
  }
  out << '\n';
  std::unique_lock<std::mutex> lock(threads_->mutex, std::try_to_lock);
  if (lock.owns_lock()) {
    out << std::dec << "  threads " << threads_->workers.size() << ", parked "
        << threads_->parked.size() << ", retired " << threads_->retired.size()
        << "; asleep until the end of:" << std::hex;
    for (const SleepingOwner* owner = threads_->oldest_sleeper;
         owner != nullptr; owner = owner->newer) {
      out << ' ' << owner->handle << (owner->roused ? " (roused)" : "");
    }
    out << std::dec << WorkersStringLocked();
  } else {
    out << "  the mutex of the threads is locked";
  }
  out << '\n' << std::dec << queues_->DebugString();
  return out.str();
}

}  // namespace ceres::parallel::detail
