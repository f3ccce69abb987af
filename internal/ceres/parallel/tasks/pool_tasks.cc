// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What a pool does with tasks: finds them, calls workers for them, waits for
// all of them. How they are offered and claimed: task_queue.h; how workers are
// woken: pool_state.h.
//
// Sleeping until a condition holds (SleepAsConditionWaiter). The waiter counts
// itself, reads condition_events_, and then looks once more at its condition
// and at the offers; who offers a task sets its bit, and then looks at the
// count; who sees it changes condition_events_ and wakes. All of these are
// seq_cst. If the offer's look misses the count, the waiter's look comes after
// the bit was set, and finds the task. If it sees the count, the word changes:
// before the waiter has read it, and then the bit was set before its look, too;
// or after that, and then the futex does not let it sleep, or wakes it. The
// condition itself is foreign, and the end of a task is announced by a relaxed
// look: what is missed there costs kLongest, a millisecond.

#include <algorithm>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/graph/unshared_tasks.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/fork_handler.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/fresh_stack.h"

namespace ceres::parallel::detail {
namespace {

// What is known of the thread. A thread that ends, or calls exit(), destroys
// its thread-local objects first: then it has given its boxes back, and runs
// destructors of thread-local or static objects.
enum class ThreadPhase { kUnknown, kAlive, kEnding };
thread_local ThreadPhase thread_phase = ThreadPhase::kUnknown;

// The boxes that this thread has borrowed, one for each pool that it uses.
class BorrowedQueues {
 public:
  BorrowedQueues() { thread_phase = ThreadPhase::kAlive; }
  ~BorrowedQueues() {
    thread_phase = ThreadPhase::kEnding;
    for (const Entry& entry : entries_) {
      ReturnQueueIfAlive(entry.pool, entry.pool_id, entry.queue);
    }
  }

  TaskQueue* Find(std::uint64_t pool_id) const {
    for (const Entry& entry : entries_) {
      if (entry.pool_id == pool_id) return entry.queue;
    }
    return nullptr;
  }

  void Touch() const {}

  void Add(PoolState* pool, std::uint64_t pool_id, TaskQueue* queue) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [](const Entry& entry) {
                                    return !ReturnQueueIfAlive(
                                        entry.pool, entry.pool_id, nullptr);
                                  }),
                   entries_.end());
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
thread_local BorrowedQueues borrowed_queues;

}  // namespace

namespace {

void RunClaimed(const ClaimedTask& claimed) {
  if (claimed.task != nullptr) {
    claimed.set->RunTasks(claimed.task, TaskSet::Runner::kHelper);
  } else {
    claimed.set->RunSingle();
  }
}

// A worker that found so little that coming for it took longer stays away for a
// moment: who makes tasks that short makes them faster without it.
void LetTasksGather(Ticks begun) {
  constexpr float kLittle = 300.0f;  // Nanoseconds.
  constexpr float kMoment = 700.0f;
  const Ticks ended = Now();
  if (Nanoseconds(ended - begun) > kLittle) return;
  while (Nanoseconds(Now() - ended) < kMoment) Pause();
}

}  // namespace

OuterCaller::OuterCaller(PoolState& pool)
    : pool_(pool), is_outer_(!pool.HasThisThreadAtWork()) {
  if (is_outer_) pool_.CountOuterCaller(1);
}

void PoolState::NoteThread() {
  if (thread_phase == ThreadPhase::kUnknown) borrowed_queues.Touch();
}

// A thread that ends normally has left all tasks and loops before its
// thread-local objects are destroyed. One that is in a loop for the first time,
// and has made no pool, may be unknown: in work of the pool itself it is more
// likely to have called exit() than to have made that mistake.
PoolState::End PoolState::EndHere() const {
  if (IsWorkerThread() || HasThisThreadAtWork()) {
    return thread_phase == ThreadPhase::kAlive ? End::kForbidden
                                               : End::kOfProcess;
  }
  const bool has_left = thread_phase == ThreadPhase::kEnding;
  return has_left && current_participation != nullptr ? End::kOfProcess
                                                      : End::kOrderly;
}

TaskQueue& PoolState::FindQueue() {
  const bool is_ending = thread_phase == ThreadPhase::kEnding;
  TaskQueue* queue = is_ending ? nullptr : borrowed_queues.Find(id_);
  if (queue == nullptr) {
    queue = queues_->Borrow();
    // Else for good: nobody is left to return it.
    if (!is_ending) borrowed_queues.Add(this, id_, queue);
  }
  queue_of_thread = {id_, queue};
  return *queue;
}

int PoolState::MaxAwakeForTasks() const {
  return std::min(NumWorkers(), std::max(1, MaxAwake()));
}

// For a worker that has counted itself as busy, and one that has not.
bool PoolState::MayJoinForTask() const {
  return busy_.load(std::memory_order_relaxed) == 1 || MayJoin();
}

bool PoolState::CouldJoinForTask() const {
  const int busy = busy_.load(std::memory_order_relaxed);
  const int callers = NumCallers() - inactive_.load(std::memory_order_relaxed);
  return busy == 0 || busy + 1 + callers <= RunningLimit();
}

bool PoolState::HelpWithTask(Searcher* searcher) {
  TaskQueue& own = Queue();
  if (searcher->is_worker) {
    busy_.fetch_add(1, std::memory_order_relaxed);
    if (!MayJoinForTask()) {
      busy_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
  }
  const ClaimedTask claimed = queues_->Claim(&own, &searcher->queues);
  if (claimed) {
    Ticks begun = 0;
    TurnToWork(searcher, 0, [&] {
      if (searcher->is_worker) begun = Now();
      RunClaimed(claimed);
    });
    if (searcher->is_worker) LetTasksGather(begun);
  }
  if (searcher->is_worker) busy_.fetch_sub(1, std::memory_order_relaxed);
  return static_cast<bool>(claimed);
}

bool PoolState::HelpWithAnything(Searcher* searcher) {
  const bool tasks_first = ++searcher->turn % 8 == 0;
  if (tasks_first && HelpWithTask(searcher)) return true;
  if (board_.HasNews(searcher->seen) && HelpOnce(searcher)) return true;
  return !tasks_first && HelpWithTask(searcher);
}

bool PoolState::HelpWithin(Searcher* searcher) {
  if (board_.HasNews(searcher->seen) && HelpOnce(searcher)) return true;
  if (!queue_bits_.Any()) return false;
  const ClaimedTask claimed =
      queues_->ClaimWithin(searcher->ancestor, &searcher->queues);
  if (!claimed) return false;
  const bool was_searching = searcher->is_searching;
  EndSearch(searcher);
  RunClaimed(claimed);
  if (was_searching) BeginSearch(searcher);
  return true;
}

// For a thread that may lie upon many others of its kind.
bool PoolState::HelpOnAnyStack(Searcher* searcher) {
  if (!IsStackLow()) return HelpWithAnything(searcher);
  return (queue_bits_.Any() || board_.HasNews(searcher->seen)) &&
         OnFreshStack([&] { return HelpWithAnything(searcher); });
}

bool PoolState::HelpUntil(bool (*holds)(void* context), void* context,
                          std::chrono::steady_clock::time_point deadline,
                          const PoolState* tasks_of) {
  using SteadyClock = std::chrono::steady_clock;
  const auto has_passed = [deadline] {
    return deadline != SteadyClock::time_point::max() &&
           SteadyNow() >= deadline;
  };
  if (holds(context)) return true;
  UnsharedTasks::ShareAllOfThread();
  const OuterCaller caller(*this);
  Searcher searcher;
  searcher.tasks_of = tasks_of;
  Ticks start = Now();
  const std::int64_t begin = BeginTraceSlice();
  bool done = false;
  while (!(done = holds(context)) && !has_passed()) {
    if (HelpOnAnyStack(&searcher)) {
      start = Now();
    } else if (Nanoseconds(Now() - start) < SpinTime()) {
      Pause();
    } else {
      SleepAsConditionWaiter(holds, context, deadline, &searcher);
    }
  }
  EndTraceSlice(TraceKind::kWait, begin, 0);
  return done || holds(context);
}

bool HelpPool(PoolState& pool, bool (*holds)(void* context), void* context,
              std::chrono::steady_clock::time_point deadline) {
  return pool.HelpUntil(holds, context, deadline);
}

void PoolState::SleepAsConditionWaiter(
    bool (*holds)(void* context), void* context,
    std::chrono::steady_clock::time_point deadline, Searcher* searcher) {
  constexpr auto kLongest = std::chrono::milliseconds(1);
  SleepUnless([&] { return holds(context) || HelpOnAnyStack(searcher); },
              [&](std::uint32_t event) {
                SleepingOwner self;
                BeginOwnerSleep(&self);
                BecomeInactive(&self);
                WaitOnAddress(&condition_events_, event,
                              std::min(deadline, SteadyNow() + kLongest));
                EndOwnerSleep(&self);
              });
}

void PoolState::WaitForAll() {
  if (HasThisThreadAtWork()) {
    throw std::logic_error(
        "ThreadPool::WaitForAll called inside a task or loop of the pool");
  }
  HelpUntil(
      [](void* boxes) {
        return static_cast<const TaskQueues*>(boxes)->AllFinished();
      },
      queues_.get(), std::chrono::steady_clock::time_point::max(),
      /*tasks_of=*/this);
}

void PoolState::SetExceptionHandler(
    std::function<void(std::exception_ptr)> handler) {
  const std::lock_guard<std::mutex> lock(handler_mutex_);
  handler_ = std::move(handler);
}

void PoolState::HandleException(std::exception_ptr error) noexcept {
  std::function<void(std::exception_ptr)> handler;
  {
    const std::lock_guard<std::mutex> lock(handler_mutex_);
    handler = handler_;
  }
  if (handler) {
    handler(std::move(error));
  } else {
    TerminateFor(error);
  }
}

void HandleDetachedException(PoolState* pool,
                             std::exception_ptr error) noexcept {
  if (pool != nullptr) {
    pool->HandleException(std::move(error));
  } else {
    TerminateFor(error);
  }
}

void TerminateFor(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    std::cerr << "An exception that nobody waits for, thrown by a task: "
              << exception.what() << std::endl;
  } catch (...) {
    std::cerr << "An exception that nobody waits for, thrown by a task"
              << std::endl;
  }
  std::terminate();
}

}  // namespace ceres::parallel::detail
