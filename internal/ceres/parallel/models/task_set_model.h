// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_H_
#define CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_H_

#include <cstdint>
#include <string>
#include <utility>

// A model of a task set, its task queue, and the batches of the threads that
// run its tasks (task_set.cc, task_batch.h, task_queue.h), in every
// interleaving of three threads. An owner pushes three tasks, waits, and
// deletes the set. Two helpers search the queue. The first task pushes a fourth
// one. If a helper runs the second task, that task blocks until all others have
// run, so no task may be left in the batch of the helper. A thread may leave
// the set after any task, whether or not its batch is empty, and a helper may
// leave the pool whenever it searches. So the owner must be able to finish
// everything alone.
//
// The lock of the queue protects the list of tasks, whether the set is
// enqueued, and which batches are registered. What is done under the lock is
// one step, except that putting batches back takes one step for each batch: the
// thread of a batch takes tasks out of it under the lock of the batch alone.
// Everything else is changed by read-modify-writes, so the model is
// sequentially consistent. Reads of hints without a lock may have any result.
//
// wait_protocol_test.cc breaks the rules of the word of pending tasks, and runs
// their source. This model breaks the rules of batches, and of when a set is
// enqueued.

namespace ceres::parallel::testing_internal::task_set_model {

// The rules of the protocol that the model can break.
enum class Mutant {
  kNone,
  // Completion.
  kFinishBeforeNext,  // A helper discounts its task, then claims another.
  // The task queue.
  kEnqueueAgain,        // A set is enqueued although it is enqueued.
  kNoDequeue,           // The claim of the last task leaves the set enqueued.
  kDequeueWithBatches,  // A set whose tasks are all in batches is dequeued.
  // Batches.
  kLookSkipsBatches,    // The owner sleeps although there are batches.
  kLeaveRegistered,     // A thread leaves its batch where others find it.
  kPutBackWithoutLock,  // Putting back does not take the batch's lock.
  kTakeOutWithoutLock,  // Nor does the batch's thread.
  kLeaveTasks,          // A thread leaves, and does not put its tasks back.
};

inline constexpr int kOwner = 0;
inline constexpr int kNumThreads = 3;
inline constexpr int kNumTasks = 4;
inline constexpr int kNumPushedFirst = 3;
inline constexpr int kSleeper = 128;  // In the word of pending tasks.
inline constexpr int kNobody = 255;

enum Step : std::uint8_t {
  // Pushing tasks.
  kCount,
  kPutIn,
  kLookForSleeper,
  kChangeWord,
  kRouse,
  // Running tasks.
  kRun,
  kTakeOut,
  kTakeOutLate,  // For kTakeOutWithoutLock.
  kDecide,
  kClaimNext,
  kLeave,
  kFinish,
  kWake,
  // With the lock held.
  kPutBack,
  kPutBackLate,  // For kPutBackWithoutLock.
  kClaimLocked,
  kLookLocked,
  kLeaveLocked,
  // The owner.
  kIsQuiet,
  kClaimOwn,
  kSetBit,
  kLastLook,
  kFallAsleep,
  kAsleep,
  kDelete,
  // A helper.
  kSeek,
  kGone
};

struct Thread {
  Step step = kSeek;
  Step then = kGone;         // After kPutBack.
  std::uint8_t running = 0;  // The task; 0: none.
  std::uint8_t count = 0;    // Run since the last Finish.
  std::uint8_t expected = 0;
  std::uint8_t copy = 0;   // Read without a lock.
  std::uint8_t batch = 0;  // A bit for each task in its batch.
  std::uint8_t registered = 0;
  std::uint8_t registered_before = 0;
  std::uint8_t leaves = 0;
};
struct State {
  Thread threads[kNumThreads];
  std::uint8_t pending = 0;
  std::uint8_t queue = 0;  // A bit for each task in the set's list.
  std::uint8_t enqueued = 0;
  std::uint8_t lock = kNobody;
  // Data that no thread can see.
  std::uint8_t deleted = 0;
  std::uint8_t runs[kNumTasks + 1] = {};
};

class TaskSetModel {
 public:
  explicit TaskSetModel(Mutant mutant) : mutant_(mutant) {}

  using State = task_set_model::State;

  State Initial() const {
    State state;
    state.threads[kOwner].step = kCount;
    return state;
  }

  // Steps, and steps with the other outcome: a thread leaves the set or the
  // pool, a thread sets no tasks aside, the owner does not see the tasks.
  int NumActions() const { return 2 * kNumThreads; }
  std::string Name(int action) const {
    return "thread " + std::to_string(action % kNumThreads) +
           (action < kNumThreads ? "" : " in the other way");
  }

  bool Take(int action, State* state, const char** violation) const {
    const int id = action % kNumThreads;
    const bool otherwise = action >= kNumThreads;
    const Step step = state->threads[id].step;
    // Only the address of a set may be used once it is gone.
    if (state->deleted != 0 && TouchesSet(*state, step)) {
      *violation = "the set is used after its end";
    }
    const bool taken = TakeStep(id, otherwise, state, violation);
    if (taken && *violation == nullptr) *violation = Check(*state);
    return taken;
  }

  bool IsEnd(const State& state) const {
    return state.threads[0].step == kGone && state.threads[1].step == kGone &&
           state.threads[2].step == kGone;
  }

 private:
  static bool TouchesSet(const State& state, Step step) {
    if (step == kSeek) return state.enqueued != 0;
    return step != kGone && step != kWake && step != kRouse;
  }

  static bool AnyBatch(const State& state) {
    return state.threads[0].registered + state.threads[1].registered +
               state.threads[2].registered >
           0;
  }

  // The invariants while no thread holds the lock.
  static const char* Check(const State& state) {
    for (const Thread& thread : state.threads) {
      if (thread.registered != 0 && !IsWithinSet(thread)) {
        return "a batch is left behind";
      }
    }
    if (state.lock != kNobody) return nullptr;
    const bool has_tasks = state.queue != 0 || AnyBatch(state);
    if (has_tasks && state.enqueued == 0)
      return "tasks are left, but the set is not enqueued";
    if (!has_tasks && state.enqueued != 0) return "an empty set is enqueued";
    return nullptr;
  }
  // Whether the frame of the thread, in which its batch lies, exists.
  static bool IsWithinSet(const Thread& thread) {
    return thread.step < kFinish || thread.then == kLeaveLocked;
  }

  bool TakeStep(int id, bool otherwise, State* state,
                const char** violation) const {
    const Step step = state->threads[id].step;
    if (otherwise) return StepOtherwise(id, state);
    if (step <= kRouse) return StepPush(id, state, violation);
    if (step <= kWake) return StepRun(id, state, violation);
    if (step <= kLeaveLocked) return StepLocked(id, state);
    return id == kOwner ? StepOwner(state, violation) : StepHelper(id, state);
  }

  bool StepOtherwise(int id, State* state) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kSeek:
        thread.step = kGone;
        return true;
      case kTakeOut:
        if (thread.registered_before == 0) return false;
        thread.step = kLeave;
        return true;
      case kDecide:
        thread.leaves = 1;
        thread.step = thread.registered_before != 0 ? kClaimNext : kFinish;
        return true;
      case kClaimNext:
        return ClaimNext(&thread, 0, state);
      case kClaimOwn:
        thread.step = kSetBit;
        return true;
      default:
        return false;
    }
  }

  bool StepPush(int id, State* state, const char** violation) const {
    Thread& thread = state->threads[id];
    const bool first = thread.running == 0;
    const int count = first ? kNumPushedFirst : 1;
    switch (thread.step) {
      case kCount:
        state->pending += count;
        thread.step = kPutIn;
        return true;
      case kPutIn:
        if (state->lock != kNobody) return false;
        if (state->enqueued != 0 && mutant_ == Mutant::kEnqueueAgain) {
          *violation = "the set is enqueued twice";
        }
        state->queue |= first ? (2 << kNumPushedFirst) - 2 : 1 << kNumTasks;
        state->enqueued = 1;
        thread.step = kLookForSleeper;
        return true;
      case kLookForSleeper:
        thread.step = kChangeWord;
        if ((state->pending & kSleeper) == 0) EndPush(&thread);
        return true;
      case kChangeWord:
        state->pending &= ~kSleeper;
        thread.step = kRouse;
        return true;
      case kRouse:
        WakeOwner(state);
        EndPush(&thread);
        return true;
      default:
        return false;
    }
  }

  // The owner begins to wait; a task ends.
  static void EndPush(Thread* thread) {
    if (thread->running == 0) {
      thread->step = thread->count != 0 ? kTakeOut : kIsQuiet;
      return;
    }
    EndTask(thread);
  }
  static void EndTask(Thread* thread) {
    thread->running = 0;
    ++thread->count;
    thread->step = kTakeOut;
  }

  static void WakeOwner(State* state) {
    Thread& owner = state->threads[kOwner];
    if (owner.step == kAsleep) owner.step = kIsQuiet;
  }

  static int Lowest(int tasks) {
    for (int task = 1; task <= kNumTasks; ++task) {
      if ((tasks >> task & 1) != 0) return task;
    }
    return 0;
  }
  static int Pop(std::uint8_t* tasks) {
    const int task = Lowest(*tasks);
    if (task != 0) *tasks &= ~(1 << task);
    return task;
  }

  // DequeueIfDoneLocked.
  void DequeueIfDone(State* state) const {
    const bool batches =
        AnyBatch(*state) && mutant_ != Mutant::kDequeueWithBatches;
    if (mutant_ != Mutant::kNoDequeue && state->queue == 0 && !batches) {
      state->enqueued = 0;
    }
  }

  static bool OthersHaveRun(const State& state) {
    for (int task = 1; task <= kNumTasks; ++task) {
      if (task != 2 && state.runs[task] == 0) return false;
    }
    return true;
  }

  // A thread that runs tasks. It takes tasks of its batch first.
  bool StepRun(int id, State* state, const char** violation) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kRun:
        if (thread.running == 2 && id != kOwner && !OthersHaveRun(*state)) {
          return false;
        }
        if (++state->runs[thread.running] > 1) {
          *violation = "a task was run twice";
        }
        if (thread.running == 1) {
          thread.step = kCount;
        } else {
          EndTask(&thread);
        }
        return true;
      case kTakeOut:
        if (mutant_ == Mutant::kTakeOutWithoutLock && thread.batch != 0) {
          thread.copy = thread.batch;
          thread.step = kTakeOutLate;
          return true;
        }
        thread.running = Pop(&thread.batch);
        thread.step = thread.running != 0 ? kRun : kDecide;
        return true;
      case kTakeOutLate:
        thread.running = Pop(&thread.copy);
        thread.batch = std::exchange(thread.copy, 0);
        thread.step = kRun;
        return true;
      case kDecide:
        thread.step = kClaimNext;
        if (mutant_ == Mutant::kFinishBeforeNext) {
          state->pending -= std::exchange(thread.count, 0);
        }
        return true;
      case kClaimNext:
        return ClaimNext(&thread, 1, state);
      case kLeave:
        return Leave(id, state);
      default:
        return StepFinish(id, state);
    }
  }

  // Sets at most num_aside tasks aside.
  bool ClaimNext(Thread* thread, int num_aside, State* state) const {
    if (state->lock != kNobody) return false;
    if (mutant_ != Mutant::kLeaveRegistered) thread->registered = 0;
    thread->registered_before = 0;
    if (thread->leaves == 0) {
      thread->running = Pop(&state->queue);
      if (num_aside > 0 && state->queue != 0) {
        thread->batch = 1 << Pop(&state->queue);
        thread->registered = thread->registered_before = 1;
      }
    }
    DequeueIfDone(state);
    thread->step = thread->running != 0 ? kRun : kFinish;
    return true;
  }

  bool Leave(int id, State* state) const {
    if (state->lock != kNobody) return false;
    state->lock = id;
    Thread& thread = state->threads[id];
    thread.step = mutant_ == Mutant::kLeaveTasks ? kLeaveLocked : kPutBack;
    thread.then = kLeaveLocked;
    return true;
  }

  bool StepFinish(int id, State* state) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kFinish: {
        const int before = state->pending;
        state->pending -= thread.count;
        const bool is_last = (state->pending & ~kSleeper) == 0;
        Rest(id, &thread);
        if (is_last && (before & kSleeper) != 0) thread.step = kWake;
        return true;
      }
      case kWake:
        WakeOwner(state);
        Rest(id, &thread);
        return true;
      default:
        return false;
    }
  }

  // The thread has no task any more. A registered batch stays registered.
  static void Rest(int id, Thread* thread) {
    const std::uint8_t registered = thread->registered;
    *thread = {};
    thread->registered = registered;
    thread->step = id == kOwner ? kIsQuiet : kSeek;
  }

  // Takes the lock; puts batches back first if there is nothing else.
  bool Lock(int id, Step then, bool skip_batches, State* state) const {
    if (state->lock != kNobody) return false;
    state->lock = id;
    Thread& thread = state->threads[id];
    const bool puts_back = state->queue == 0 && AnyBatch(*state);
    thread.step = puts_back && !skip_batches ? kPutBack : then;
    thread.then = then;
    return true;
  }

  bool StepLocked(int id, State* state) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kPutBack:
      case kPutBackLate:
        PutBack(&thread, state);
        return true;
      case kClaimLocked:
        thread.running = Pop(&state->queue);
        DequeueIfDone(state);
        state->lock = kNobody;
        thread.step = kRun;
        if (thread.running == 0) thread.step = id == kOwner ? kSetBit : kSeek;
        thread.then = kGone;
        return true;
      case kLookLocked:
        thread.step = state->queue != 0 ? kIsQuiet : kFallAsleep;
        DequeueIfDone(state);
        state->lock = kNobody;
        thread.then = kGone;
        return true;
      case kLeaveLocked:
        thread.registered = thread.registered_before = 0;
        DequeueIfDone(state);
        state->lock = kNobody;
        thread.then = kGone;
        thread.step = kFinish;
        return true;
      default:
        return false;
    }
  }

  void PutBack(Thread* thread, State* state) const {
    Thread* of_batch = state->threads;
    while (of_batch < state->threads + kNumThreads &&
           of_batch->registered == 0) {
      ++of_batch;
    }
    if (of_batch == state->threads + kNumThreads) {
      thread->step = thread->then;
      return;
    }
    state->queue |= of_batch->batch;
    if (mutant_ == Mutant::kPutBackWithoutLock && thread->step == kPutBack) {
      thread->step = kPutBackLate;
      return;
    }
    thread->step = kPutBack;
    of_batch->batch = 0;
    of_batch->registered = 0;
  }

  bool StepOwner(State* state, const char** violation) const {
    Thread& owner = state->threads[kOwner];
    switch (owner.step) {
      case kIsQuiet:
        owner.step = (state->pending & ~kSleeper) == 0 ? kDelete : kClaimOwn;
        return true;
      case kClaimOwn:
        return Lock(kOwner, kClaimLocked, /*skip_batches=*/false, state);
      case kSetBit:
        state->pending |= kSleeper;
        owner.expected = state->pending;
        owner.step = state->pending == kSleeper ? kIsQuiet : kLastLook;
        return true;
      case kLastLook:
        return Lock(kOwner, kLookLocked, mutant_ == Mutant::kLookSkipsBatches,
                    state);
      case kFallAsleep:
        // The kernel compares and queues in one step.
        owner.step = state->pending == owner.expected ? kAsleep : kIsQuiet;
        owner.expected = 0;
        return true;
      case kDelete:
        for (int task = 1; task <= kNumTasks; ++task) {
          if (state->runs[task] != 1) *violation = "a task was not run";
        }
        if (state->enqueued != 0)
          *violation = "the set ends while it is enqueued";
        state->deleted = 1;
        owner.step = kGone;
        return true;
      default:
        return false;
    }
  }

  bool StepHelper(int id, State* state) const {
    return state->threads[id].step == kSeek && state->enqueued != 0 &&
           Lock(id, kClaimLocked, /*skip_batches=*/false, state);
  }

  const Mutant mutant_;
};

}  // namespace ceres::parallel::testing_internal::task_set_model

#endif  // CERES_INTERNAL_PARALLEL_MODELS_TASK_SET_MODEL_H_
