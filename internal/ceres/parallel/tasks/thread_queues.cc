// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/thread_queues.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/pool/pool_registry.h"
#include "ceres/parallel/regions/region_handle.h"
#include "ceres/parallel/sync/thread_phase.h"

namespace ceres::parallel::detail {
namespace {

// All pools have this source.
ThreadQueues& QueuesOf(PoolState& pool) {
  return static_cast<ThreadQueues&>(pool.source());
}

// The queues that a thread has borrowed, one for each pool that it uses.
class BorrowedQueues : private ThreadEndHook {
 public:
  BorrowedQueues(const BorrowedQueues&) = delete;
  BorrowedQueues& operator=(const BorrowedQueues&) = delete;

  // The queues that the calling thread has borrowed. The thread is alive. May
  // throw std::bad_alloc.
  static BorrowedQueues& OfThisThread() {
    if (of_this_thread == nullptr) {
      of_this_thread = new BorrowedQueues;
      CallWhenThreadEnds(of_this_thread);
    }
    return *of_this_thread;
  }

  TaskQueue* Find(std::uint64_t pool_id) const {
    for (const Entry& entry : entries_) {
      if (entry.pool_id == pool_id) return entry.queue;
    }
    return nullptr;
  }

  // Makes room for one more entry, or throws std::bad_alloc. Entries of pools
  // that are gone are removed when there is no room. The capacity doubles if
  // half of it is still used: so most calls do not look at the entries.
  void Reserve() {
    if (entries_.size() < entries_.capacity()) return;
    const auto is_gone = [](const Entry& entry) {
      return !CallIfAlive(entry.pool, entry.pool_id, [](PoolState&) {});
    };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_gone),
                   entries_.end());
    if (2 * entries_.size() >= entries_.capacity()) {
      entries_.reserve(std::max<std::size_t>(4, 2 * entries_.capacity()));
    }
  }
  // After Reserve().
  void Add(PoolState* pool, TaskQueue* queue) {
    entries_.push_back({pool, pool->id(), queue});
  }

 private:
  struct Entry {
    PoolState* pool;
    std::uint64_t pool_id;
    TaskQueue* queue;
  };
  static thread_local BorrowedQueues* of_this_thread;

  BorrowedQueues() { function = &ReturnAll; }

  static void ReturnAll(ThreadEndHook* hook) {
    const std::unique_ptr<BorrowedQueues> self(
        static_cast<BorrowedQueues*>(hook));
    of_this_thread = nullptr;
    for (const Entry& entry : self->entries_) {
      CallIfAlive(entry.pool, entry.pool_id,
                  [&](PoolState& pool) { QueuesOf(pool).Return(entry.queue); });
    }
  }

  std::vector<Entry> entries_;
};

thread_local BorrowedQueues* BorrowedQueues::of_this_thread = nullptr;

}  // namespace

TaskQueue& ThreadQueues::Find(PoolState& pool) noexcept {
  NoteThisThread();
  TaskQueues& all = *QueuesOf(pool).all_.get();
  TaskQueue* queue = nullptr;
  try {
    if (PhaseOfThisThread() == ThreadPhase::kEnding) {
      queue = all.Borrow();
    } else {
      BorrowedQueues& borrowed = BorrowedQueues::OfThisThread();
      queue = borrowed.Find(pool.id());
      if (queue == nullptr) {
        borrowed.Reserve();
        queue = all.Borrow();
        borrowed.Add(&pool, queue);
      }
    }
  } catch (const std::bad_alloc&) {
    queue = all.First();
  }
  last_used = {pool.id(), queue};
  return *queue;
}

ClaimedTask ThreadQueues::Claim(SourceSearch* search) {
  return all_->Claim(&OfThisThread(pool_), search);
}

ClaimedTask ThreadQueues::ClaimWithin(RegionHandle ancestor,
                                      SourceSearch* search) {
  return all_->ClaimWithin(ancestor, search);
}

void ThreadQueues::Run(const ClaimedTask& claimed) {
  if (claimed.task != nullptr) {
    claimed.set->RunTasks(claimed.task, TaskSet::Runner::kHelper);
  } else {
    claimed.set->RunSingle();
  }
}

bool ThreadQueues::RunAroundThisThread() {
  RegionHandle handle = RegionOfThisThread();
  for (int depth = 0; handle != 0 && depth < kMaxParents; ++depth) {
    if (IsTaskSetHandle(handle) && TaskSet::RunBeyondLimit(handle, &pool_)) {
      return true;
    }
    handle = ParentOf(handle);
  }
  return false;
}

void ThreadQueues::ResetAfterFork() {
  all_->AbandonAll();
  all_.Replace(&pool_.queue_bits(), /*in_child=*/true);
}

}  // namespace ceres::parallel::detail
