// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Gates, which hold back the task of WhenAll or WhenAny until its inputs have
// ended. The task takes no time: it collects the inputs.
//
// The held task is a single task that is counted as pending, but neither
// enqueued nor claimed. Under the lock, BasicGateState::held_ says that it is
// still held, and exactly one of these takes it from there:
//  - The last signal makes the task claimable, if nobody helps, and then tells
//    the host. From then on the task is like any other.
//  - The owner of the future claims the task when it helps.
//  - The owner of the future drops the task when it cancels.
// Only one thread at a time owns the future, or the future of the last
// continuation of the task, so at most one helps.
//
// Helping. The owner waits for the inputs, one after the other, as if it had
// their futures, and so runs exactly what it waits for (task_wait.cc). While it
// helps, the closure with the inputs is its own: a last signal leaves the task
// to it. When it gives up, it looks at the number of signals under the lock.
//
// No signal is lost. An input is observed before it is launched, and signals
// after it has ended: so when the gate opens, all inputs that it has waited for
// are quiet. The lock orders the signals.
//
// gate_protocol_test.cc runs the shared state (gate_state.h) in every
// interleaving of two inputs and the owner.
//
// Memory. The set of the held task and each input that has not signalled own a
// reference. The set keeps it until its deletion, because the owner of the last
// continuation may look at the gate after the task has ended.
//
// The pool of the held task counts it as spawned, so it exists until the task
// has ended. A thread that has made the task claimable may use the pool after
// that: it counts as leaving (leaving_threads.h).

#include "ceres/parallel/detail/gate.h"

#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/invite_executor.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/tasks/thread_queues.h"

namespace ceres::parallel::detail {

Gate* Gate::New(AwaitInputs await_inputs) { return new Gate(await_inputs); }

void Gate::Unref() noexcept {
  if (state_.Unref()) delete this;
}

void Gate::NoteInput(TaskSet* set) {
  TaskSet* const head = set->Head();
  needs_any_work_ |= head->is_unset_;
  has_executor_ |= set->has_executor_;
  if (head->is_held_) {
    needs_any_work_ |= head->gate_->needs_any_work_;
    has_executor_ |= head->gate_->has_executor_;
  }
}

void Gate::Hold(TaskSet* held, PoolState* pool) {
  pool_ = pool;
  state_.Hold(held, missing_);
}

void TaskSet::LaunchHeld(Gate* gate) {
  pending_.StartSingle(/*abandoned=*/false);
  is_refused_ = false;
  is_held_ = true;
  gate_ = gate;
  if (IsTracing()) {
    RecordTraceMoment(TraceKind::kSpawn, TraceId(this), handle(), name(),
                      TraceTicks());
  }
  PoolState* const pool = this->pool();
  if (pool != nullptr) QueueOf(*pool).CountSpawned(1);
  gate->Hold(this, pool);
}

// Makes the task claimable.
void TaskSet::EnqueueHeld() {
  const SpinLock::Guard guard(lock());
  if (queue_ != nullptr) {
    queue_->EnqueueLocked(this);
  } else {
    enqueued_.store(true, std::memory_order_relaxed);
  }
}

// Makes the held task claimable. Pass the result to Launch, without the lock.
Gate::Opened Gate::Open(TaskSet* held) noexcept {
  if (pool_ != nullptr) pool_->ExpectToLeave();
  const Opened opened{held->handle(), held->executor()};
  held->EnqueueHeld();
  return opened;
}

// The set may be in use or deleted already.
void Gate::Launch(const Opened& opened) noexcept {
  if (opened.handle == 0) return;
  if (pool_ != nullptr) {
    PoolState* const pool = pool_;
    pool->NotifyEnqueued(opened.handle);
    pool->HaveLeft();
  } else if (!InviteExecutor(opened.executor, opened.handle)) {
    TaskSet::RunRefused(opened.handle);
  }
}

void Gate::Signal(std::uint32_t index) noexcept {
  Opened opened;
  state_.Signal(index, [&](TaskSet* held) { opened = Open(held); });
  Launch(opened);
  Unref();
}

Gate::Help Gate::HelpInputs(TimePoint deadline) {
  if (!state_.BeginToHelp()) return Help::kOpened;
  bool may_run = false;
  try {
    may_run = await_inputs_(*this, inputs_, deadline);
  } catch (...) {
    Opened opened;
    state_.StopHelping([&](TaskSet* held) { opened = Open(held); });
    Launch(opened);
    throw;
  }
  return state_.EndHelp(may_run);
}

bool Gate::Take() noexcept { return state_.Take(); }

bool Gate::BeginInputs() noexcept {
  if (!has_executor_) return false;
  try {
    return HelpInputs(TimePoint::min()) == Help::kTaken;
  } catch (...) {
    return false;
  }
}

void Gate::AwaitSignal(TimePoint deadline) {
  const auto has_signal = [](void* gate) {
    return static_cast<Gate*>(gate)->state_.First() != 0;
  };
  if (needs_any_work_ && pool_ != nullptr) {
    pool_->HelpUntil(has_signal, this, deadline);
    return;
  }
  const auto sleep = [&] {
    while (!has_signal(this) &&
           (deadline == TimePoint::max() || SteadyNow() < deadline)) {
      state_.SleepUntilFirst(deadline);
    }
  };
  if (pool_ == nullptr) {
    sleep();
    return;
  }
  const OuterCaller caller(*pool_);
  PoolState::SleepingOwner self;
  pool_->BeginOwnerSleep(&self);
  pool_->BecomeInactive(&self);
  sleep();
  pool_->EndOwnerSleep(&self);
}

}  // namespace ceres::parallel::detail
