// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/task_queue.h"

#include <algorithm>
#include <new>

#include "ceres/base/clock.h"
#include "ceres/base/intrinsics.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/pool_registry.h"
#include "ceres/parallel/regions/region_handle.h"

namespace ceres::parallel::detail {
namespace {

// Queues without a pool. Never destroyed: threads may use their futures while
// the process exits.
struct QueueStore {
  SpinLock lock;
  TaskQueue* first = nullptr;
  int size = 0;
  int num_reserved = 0;  // Only the child of a fork may take the last ones.
};
QueueStore store;

// The bits of queues that were abandoned. No thread reads them.
QueueBits unused_bits;

std::uint64_t BitOf(int index) { return std::uint64_t{1} << index; }

// Calls visit(index) for the bits of the word, in circular order from `first`,
// until a call returns true. Returns whether one did.
template <typename Visit>
bool VisitBits(std::uint64_t word, int first, const Visit& visit) {
  const std::uint64_t before = BitOf(first) - 1;
  for (std::uint64_t part : {word & ~before, word & before}) {
    for (; part != 0; part &= part - 1) {
      if (visit(base::CountTrailingZeros(part))) return true;
    }
  }
  return false;
}

}  // namespace

TaskQueue* TaskQueue::New(QueueBits* bits, int index, bool exclusive,
                          bool in_child) {
  TaskQueue* queue = nullptr;
  {
    const SpinLock::Guard guard(store.lock);
    if (store.size > (in_child ? 0 : store.num_reserved)) {
      queue = store.first;
      store.first = queue->next_stored_;
      --store.size;
    }
  }
  if (queue == nullptr) queue = new TaskQueue;
  const SpinLock::Guard guard(queue->lock_);
  queue->bits_ = bits;
  queue->index_ = index;
  queue->exclusive_ = exclusive;
  queue->spawned_.store(0, std::memory_order_relaxed);
  queue->finished_.store(0, std::memory_order_relaxed);
  return queue;
}

void TaskQueue::Store(TaskQueue* queue) {
  const SpinLock::Guard guard(store.lock);
  queue->next_stored_ = store.first;
  store.first = queue;
  ++store.size;
}

void TaskQueue::ReserveForChildren(int num_queues) {
  int missing = 0;
  {
    const SpinLock::Guard guard(store.lock);
    store.num_reserved = num_queues;
    missing = num_queues - store.size;
  }
  for (; missing > 0; --missing) Store(new TaskQueue);
}

namespace {

// The store is consistent in the child of a fork. There, the locks of queues
// without a pool are freed, into which owners of old futures look.
ForkSteps fork_steps = {
    [] { store.lock.Lock(); },
    [] { store.lock.Unlock(); },
    [] {
      for (TaskQueue* queue = store.first; queue != nullptr;
           queue = queue->next_stored()) {
        queue->lock().FreeInChild();
      }
      store.lock.Unlock();
    },
    &TaskQueue::ReserveForChildren,
};
[[maybe_unused]] const bool are_steps_added = (AddForkSteps(&fork_steps), true);

}  // namespace

void TaskQueue::EnqueueLocked(TaskSet* set) {
  const bool high = set->is_high_;
  List& list = lists_[high ? 1 : 0];
  set->newer_ = nullptr;
  set->older_ = list.newest;
  if (list.newest != nullptr) {
    list.newest->newer_ = set;
  } else {
    list.oldest = set;
    list.period.store(list.period.load(std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
  }
  list.newest = set;
  set->enqueued_.store(true, std::memory_order_relaxed);
  bits_->Set(high, BitOf(index_));
}

void TaskQueue::DequeueLocked(TaskSet* set) {
  List& list = lists_[set->is_high_ ? 1 : 0];
  if (set->newer_ != nullptr) {
    set->newer_->older_ = set->older_;
  } else {
    list.newest = set->older_;
  }
  if (set->older_ != nullptr) {
    set->older_->newer_ = set->newer_;
  } else {
    list.oldest = set->newer_;
  }
  set->enqueued_.store(false, std::memory_order_relaxed);
}

// Removes the set from the queue if it has no task any more.
ClaimedTask TaskQueue::ClaimFromLocked(TaskSet* set, End end) {
  if (set->is_single()) {
    DequeueLocked(set);
    return {set, nullptr};
  }
  const bool has_any = set->HasAnyLocked();
  Task* const task = has_any ? set->PopLocked(end == End::kNewest) : nullptr;
  if (task != nullptr) set->ChangeActiveLocked(1);
  set->DequeueIfDoneLocked();
  return task != nullptr ? ClaimedTask{set, task} : ClaimedTask{};
}

ClaimedTask TaskQueue::Claim(bool high, End end) {
  return bits_->Claim(lock_, high, BitOf(index_), [this, high, end] {
    const List& list = lists_[high ? 1 : 0];
    while (list.oldest != nullptr) {
      const ClaimedTask claimed =
          ClaimFromLocked(end == End::kNewest ? list.newest : list.oldest, end);
      if (claimed) return claimed;
    }
    return ClaimedTask{};
  });
}

ClaimedTask TaskQueue::ClaimWithin(bool high, RegionHandle ancestor,
                                   bool waits_for_lock) {
  if (waits_for_lock) {
    lock_.Lock();
  } else if (!lock_.TryLock()) {
    return {};
  }
  ClaimedTask claimed;
  TaskSet* set = lists_[high ? 1 : 0].oldest;
  for (int look = 0; set != nullptr && look < kMaxSetsInQueue && !claimed;
       ++look) {
    TaskSet* const newer = set->newer_;
    if (IsWithin(set->handle(), ancestor)) {
      claimed = ClaimFromLocked(set, End::kOldest);
    }
    set = newer;
  }
  lock_.Unlock();
  return claimed;
}

// If two threads write first_seen_ at the same moment, a period seems to have
// begun later than it did.
bool TaskQueue::IsSettled(bool high) {
  constexpr std::uint64_t kTime = (std::uint64_t{1} << 48) - 1;
  const std::size_t list = high ? 1 : 0;
  const std::uint64_t period =
      lists_[list].period.load(std::memory_order_relaxed);
  const auto now = static_cast<std::uint64_t>(base::Now());
  const std::uint64_t seen = first_seen_[list].load(std::memory_order_relaxed);
  if (((seen >> 48) ^ period) << 48 == 0) {
    return base::Nanoseconds(static_cast<base::Ticks>((now - seen) & kTime)) >=
           kFreshTime;
  }
  first_seen_[list].store(period << 48 | (now & kTime),
                          std::memory_order_relaxed);
  return false;
}

void TaskQueue::Abandon() {
  new (&lock_) SpinLock;
  bits_ = &unused_bits;
}

TaskQueues::TaskQueues(QueueBits* bits, bool in_child)
    : bits_(bits), num_queues_(1) {
  queues_[0].store(TaskQueue::New(bits_, 0, /*exclusive=*/false, in_child),
                   std::memory_order_relaxed);
}

TaskQueues::~TaskQueues() {
  for (int k = 0; k < num_queues_; ++k) TaskQueue::Store(At(k));
}

TaskQueue* TaskQueues::Borrow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (num_returned_ > 0) return returned_[--num_returned_];
  if (num_queues_ < kMaxQueues) {
    TaskQueue* const queue =
        TaskQueue::New(bits_, num_queues_, num_queues_ < kNumExclusive);
    queues_[num_queues_++].store(queue, std::memory_order_release);
    return queue;
  }
  TaskQueue* const queue = At(next_shared_);
  if (++next_shared_ == kMaxQueues) next_shared_ = kNumExclusive;
  return queue;
}

void TaskQueues::Return(TaskQueue* queue) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue->exclusive()) returned_[num_returned_++] = queue;
}

ClaimedTask TaskQueues::ClaimOf(bool high, TaskQueue* own,
                                SourceSearch* search) {
  std::uint64_t bits = bits_->Of(high);
  if (bits == 0) return {};
  ClaimedTask claimed;
  // One in kFairTurn claims uses the opposite order. So neither the thread's
  // own tasks, nor the tasks of one queue or of one set, delay others for ever.
  const bool fair = search->claims % kFairTurn == kFairTurn / 2;
  const std::uint64_t own_bit = BitOf(own->index());
  if (!fair && (bits & own_bit) != 0) {
    claimed = own->Claim(high, End::kNewest);
    if (claimed) return claimed;
    bits &= ~own_bit;
  }
  if (fair) search->last_queue = (search->last_queue + 1) % kMaxQueues;
  VisitBits(bits, search->last_queue, [&](int index) {
    if (index != own->index() && MustDefer(index, high, search)) return false;
    claimed = At(index)->Claim(high, fair ? End::kNewest : End::kOldest);
    if (claimed) search->last_queue = index;
    return static_cast<bool>(claimed);
  });
  return claimed;
}

bool TaskQueues::MustDefer(int index, bool high, SourceSearch* search) const {
  if (search->is_last_look || At(index)->IsSettled(high)) return false;
  search->has_deferred = true;
  return true;
}

ClaimedTask TaskQueues::Claim(TaskQueue* own, SourceSearch* search) {
  const bool high_first = ++search->claims % kFairTurn != 0;
  const ClaimedTask claimed = ClaimOf(high_first, own, search);
  return claimed ? claimed : ClaimOf(!high_first, own, search);
}

ClaimedTask TaskQueues::ClaimWithin(RegionHandle ancestor,
                                    SourceSearch* search) {
  ClaimedTask claimed;
  for (const bool high : {true, false}) {
    VisitBits(bits_->Of(high), search->last_queue, [&](int index) {
      if (MustDefer(index, high, search)) return false;
      claimed = At(index)->ClaimWithin(high, ancestor, search->is_last_look);
      if (claimed) search->last_queue = index;
      return static_cast<bool>(claimed);
    });
    if (claimed) break;
  }
  return claimed;
}

// Counting termination (Mattern, Distributed Computing 1987): ends are counted
// before beginnings. For every end that is counted, its beginning is counted
// too. If the sums agree, no task was pending between the two rounds.
bool TaskQueues::AllFinished() const {
  std::uint64_t finished = 0;
  std::uint64_t spawned = 0;
  for (int k = 0; k < kMaxQueues && At(k) != nullptr; ++k) {
    finished += At(k)->NumFinished();
  }
  for (int k = 0; k < kMaxQueues && At(k) != nullptr; ++k) {
    spawned += At(k)->NumSpawned();
  }
  return finished == spawned;
}

void TaskQueues::AbandonAll() {
  for (int k = 0; k < kMaxQueues && At(k) != nullptr; ++k) At(k)->Abandon();
}

}  // namespace ceres::parallel::detail
