// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/thread_queues.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/pool/fork_handler.h"

namespace ceres::parallel::detail {
namespace {

std::atomic<std::uint64_t> next_pool_id{1};

std::uint64_t NextPoolId() {
  return next_pool_id.fetch_add(1, std::memory_order_relaxed);
}

thread_local ThreadPhase thread_phase = ThreadPhase::kUnknown;

// The queues that this thread has borrowed, one for each pool that it uses.
class BorrowedQueues {
 public:
  BorrowedQueues() { thread_phase = ThreadPhase::kAlive; }
  ~BorrowedQueues() {
    thread_phase = ThreadPhase::kEnding;
    for (const Entry& entry : entries_) {
      ReturnQueueIfAlive(entry.pool, entry.pool_id, entry.queue);
    }
  }
  BorrowedQueues(const BorrowedQueues&) = delete;
  BorrowedQueues& operator=(const BorrowedQueues&) = delete;

  TaskQueue* Find(std::uint64_t pool_id) const {
    for (const Entry& entry : entries_) {
      if (entry.pool_id == pool_id) return entry.queue;
    }
    return nullptr;
  }

  void Touch() const {}

  // Makes room for one more entry, or throws std::bad_alloc. Entries of pools
  // that are gone are removed when there is no room. The capacity doubles if
  // half of it is still used: so most calls do not look at the entries.
  void Reserve() {
    if (entries_.size() < entries_.capacity()) return;
    const auto is_gone = [](const Entry& entry) {
      return !ReturnQueueIfAlive(entry.pool, entry.pool_id, nullptr);
    };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_gone),
                   entries_.end());
    if (2 * entries_.size() >= entries_.capacity()) {
      entries_.reserve(std::max<std::size_t>(4, 2 * entries_.capacity()));
    }
  }
  // After Reserve().
  void Add(PoolState* pool, std::uint64_t pool_id, TaskQueue* queue) {
    entries_.push_back({pool, pool_id, queue});
  }

 private:
  struct Entry {
    PoolState* pool;
    std::uint64_t pool_id;
    TaskQueue* queue;
  };
  std::vector<Entry> entries_;
};
BorrowedQueues& QueuesOfThisThread() {
  return platform::ObjectOfThisThread<BorrowedQueues>();
}

}  // namespace

ThreadPhase PhaseOfThisThread() { return thread_phase; }

void NoteThisThread() {
  if (thread_phase != ThreadPhase::kUnknown) return;
  if (platform::IsInExit()) {
    thread_phase = ThreadPhase::kEnding;
  } else {
    QueuesOfThisThread().Touch();
  }
}

ThreadQueues::ThreadQueues(PoolState* pool, QueueBits* bits)
    : pool_(pool), bits_(bits), id_(NextPoolId()), all_(bits) {}

TaskQueue& ThreadQueues::Find() noexcept {
  NoteThisThread();
  const bool is_ending = thread_phase == ThreadPhase::kEnding;
  TaskQueue* queue = is_ending ? nullptr : QueuesOfThisThread().Find(id_);
  if (queue == nullptr) {
    try {
      if (!is_ending) QueuesOfThisThread().Reserve();
      queue = all_->Borrow();
      if (!is_ending) QueuesOfThisThread().Add(pool_, id_, queue);
    } catch (const std::bad_alloc&) {
      queue = all_->First();
    }
  }
  last_used = {id_, queue};
  return *queue;
}

void ThreadQueues::ResetAfterFork() {
  all_->AbandonAll();
  all_.Replace(bits_);
  id_ = NextPoolId();
}

}  // namespace ceres::parallel::detail
