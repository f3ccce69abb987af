// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <iostream>
#include <string>

#include "ceres/parallel/interleaving_explorer.h"
#include "gtest/gtest.h"

// A task set and the box that it hangs in (task_set.cc, offer_box.h), in every
// interleaving of three threads: an owner pushes two tasks, waits, and deletes
// the set; two helpers seek in the box. The first task pushes a third one. A
// helper may leave the set after any task, and the pool whenever it seeks: so
// the owner must be able to finish everything alone.
//
// All that is shared is under a lock or changed by read-modify-writes, so the
// model is sequentially consistent, and what is done under the set's lock is
// one step. (Nobody waits for another lock while holding that one.)

namespace ceres::parallel::testing_internal {
namespace {

enum class Mutant {
  kNone,
  kRouseLeavesWord,     // Who pushes wakes without changing the word.
  kNoRouse,             // Who pushes does not look for sleepers.
  kNoLookAfterBit,      // The owner sleeps without a last look for tasks.
  kHangAgain,           // A set is hung although it hangs.
  kCountAfterPush,      // A task is pending only after it can be claimed.
  kFinishBeforeNext,    // A helper discounts its task, then claims another.
  kDeleteWhileHanging,  // The offer is not taken down.
  kNoWakeAtEnd,         // The last to finish does not look at the bit.
};

constexpr int kOwner = 0;
constexpr int kNumThreads = 3;
constexpr int kNumTasks = 3;
constexpr int kSleeper = 128;  // In the word of pending tasks.
constexpr int kNobody = 255;

// What threads have in common: pushing a task and running tasks. They go on
// with `then`, where it matters.
enum Step : std::uint8_t {
  kCount,
  kPutIn,
  kHang,
  kCountLate,  // For kCountAfterPush.
  kLookForSleeper,
  kRouse,
  kRun,
  kClaimNext,
  kFinish,
  kWake,
  // Owner.
  kIsQuiet,
  kClaimOwn,
  kSetBit,
  kLastLook,
  kFallAsleep,
  kAsleep,
  kUnhang,
  kDelete,
  // Helper.
  kSeek,
  kClaimFromBox,
  kGone
};

class TaskSetModel {
 public:
  explicit TaskSetModel(Mutant mutant) : mutant_(mutant) {}

  struct Thread {
    Step step = kSeek;
    std::uint8_t task = 0;     // That it runs or pushes.
    std::uint8_t running = 0;  // The task that pushes; 0: the owner itself.
    std::uint8_t count = 0;    // Run since the last Finish.
    std::uint8_t expected = 0;
    std::uint8_t hang = 0;
  };
  struct State {
    Thread threads[kNumThreads];
    std::uint8_t pending = 0;
    std::uint8_t queue = 0;  // A bit for each task that nobody has begun.
    std::uint8_t hung = 0;
    std::uint8_t in_box = 0;
    std::uint8_t box_lock = kNobody;
    // What no thread can see.
    std::uint8_t deleted = 0;
    std::uint8_t runs[kNumTasks + 1] = {};
  };

  State Initial() const {
    State state;
    state.threads[kOwner].step = kCount;
    state.threads[kOwner].task = 1;
    return state;
  }

  // Steps; steps in which a helper leaves the set or the pool.
  int NumActions() const { return 2 * kNumThreads; }
  std::string Name(int action) const {
    return "thread " + std::to_string(action % kNumThreads) +
           (action < kNumThreads ? "" : " leaves");
  }

  bool Take(int action, State* state, const char** violation) const {
    const int id = action % kNumThreads;
    const bool leaves = action >= kNumThreads;
    Thread& thread = state->threads[id];
    if (leaves) return Leave(id, &thread);
    // Only the address of a set may be used once it is gone.
    if (state->deleted != 0 && TouchesSet(*state, thread.step)) {
      *violation = "the set is used after its end";
    }
    if (thread.step <= kRouse) return StepPush(id, state, violation);
    if (thread.step <= kWake) return StepRun(id, state, violation);
    return id == kOwner ? StepOwner(state, violation)
                        : StepHelper(id, state, violation);
  }

  bool IsEnd(const State& state) const {
    return state.threads[0].step == kGone && state.threads[1].step == kGone &&
           state.threads[2].step == kGone;
  }

 private:
  static bool TouchesSet(const State& state, Step step) {
    if (step == kSeek) return state.in_box != 0;
    return step != kGone && step != kWake && step != kRouse;
  }

  bool Leave(int id, Thread* thread) const {
    if (id == kOwner) return false;
    if (thread->step == kSeek) {
      thread->step = kGone;
      return true;
    }
    if (thread->step != kClaimNext) return false;
    thread->step = kFinish;
    return true;
  }

  static bool Lock(std::uint8_t* lock, int id) {
    if (*lock != kNobody) return false;
    *lock = id;
    return true;
  }

  bool StepPush(int id, State* state, const char** violation) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kCount:
        if (mutant_ != Mutant::kCountAfterPush) ++state->pending;
        thread.step = kPutIn;
        return true;
      case kPutIn:
        state->queue |= 1 << thread.task;
        thread.hang = state->hung == 0 || mutant_ == Mutant::kHangAgain;
        state->hung = 1;
        thread.step = thread.hang != 0 ? kHang : kLookForSleeper;
        if (mutant_ == Mutant::kCountAfterPush) thread.step = kCountLate;
        return true;
      case kCountLate:
        ++state->pending;
        thread.step = thread.hang != 0 ? kHang : kLookForSleeper;
        return true;
      case kHang:
        if (state->box_lock != kNobody) return false;
        if (state->in_box != 0) *violation = "the set hangs twice";
        state->in_box = 1;
        thread.step = kLookForSleeper;
        return true;
      case kLookForSleeper:
        EndPush(&thread);
        if (mutant_ == Mutant::kNoRouse || (state->pending & kSleeper) == 0) {
          return true;
        }
        if (mutant_ != Mutant::kRouseLeavesWord) state->pending &= ~kSleeper;
        WakeOwner(state);
        return true;
      default:
        return false;
    }
  }

  // The owner pushes the next task or begins to wait; a task ends.
  static void EndPush(Thread* thread) {
    if (thread->running != 0) {
      thread->step = kClaimNext;
      ++thread->count;
    } else if (thread->task == 1) {
      thread->task = 2;
      thread->step = kCount;
    } else {
      thread->step = kIsQuiet;
    }
  }

  static void WakeOwner(State* state) {
    Thread& owner = state->threads[kOwner];
    if (owner.step == kAsleep) owner.step = kIsQuiet;
  }

  static int PopLocked(State* state) {
    for (int task = 1; task <= kNumTasks; ++task) {
      if ((state->queue >> task & 1) == 0) continue;
      state->queue &= ~(1 << task);
      return task;
    }
    return 0;
  }

  bool StepRun(int id, State* state, const char** violation) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kRun:
        if (++state->runs[thread.running] > 1) {
          *violation = "a task was run twice";
        }
        if (thread.running == 1) {
          thread.task = 3;
          thread.step = kCount;
        } else {
          ++thread.count;
          thread.step = kClaimNext;
        }
        if (mutant_ == Mutant::kFinishBeforeNext && thread.running != 1) {
          thread.step = kFinish;
        }
        return true;
      case kClaimNext: {
        const int task = PopLocked(state);
        thread.running = task;
        thread.step = task != 0 ? kRun : kFinish;
        if (thread.step == kFinish && thread.count == 0) Rest(id, &thread);
        return true;
      }
      case kFinish: {
        const int before = state->pending;
        state->pending -= thread.count;
        thread.count = 0;
        thread.running = 0;
        Rest(id, &thread);
        if (mutant_ == Mutant::kFinishBeforeNext) thread.step = kClaimNext;
        if ((state->pending & ~kSleeper) == 0 && (before & kSleeper) != 0 &&
            mutant_ != Mutant::kNoWakeAtEnd) {
          thread.step = kWake;
        }
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

  // Has no task any more.
  static void Rest(int id, Thread* thread) {
    *thread = {};
    thread->step = id == kOwner ? kIsQuiet : kSeek;
  }

  bool StepOwner(State* state, const char** violation) const {
    Thread& owner = state->threads[kOwner];
    switch (owner.step) {
      case kIsQuiet:
        owner.step = kClaimOwn;
        if ((state->pending & ~kSleeper) == 0) owner.step = kUnhang;
        return true;
      case kClaimOwn:
        owner.running = PopLocked(state);
        owner.step = owner.running != 0 ? kRun : kSetBit;
        return true;
      case kSetBit:
        state->pending |= kSleeper;
        owner.expected = state->pending;
        owner.step = state->pending == kSleeper ? kIsQuiet : kLastLook;
        if (mutant_ == Mutant::kNoLookAfterBit && owner.step == kLastLook) {
          owner.step = kFallAsleep;
        }
        return true;
      case kLastLook:
        owner.step = state->queue != 0 ? kIsQuiet : kFallAsleep;
        return true;
      case kFallAsleep:
        // The kernel compares and queues in one step.
        owner.step = state->pending == owner.expected ? kAsleep : kIsQuiet;
        owner.expected = 0;
        return true;
      case kUnhang:
        if (state->box_lock != kNobody) return false;
        if (mutant_ != Mutant::kDeleteWhileHanging && state->hung != 0) {
          state->hung = state->in_box = 0;
        }
        owner.step = kDelete;
        return true;
      case kDelete:
        for (int task = 1; task <= kNumTasks; ++task) {
          if (state->runs[task] != 1) *violation = "a task was not run";
        }
        state->deleted = 1;
        owner.step = kGone;
        return true;
      default:
        return false;
    }
  }

  bool StepHelper(int id, State* state, const char** violation) const {
    Thread& helper = state->threads[id];
    switch (helper.step) {
      case kSeek:
        if (state->in_box == 0 || !Lock(&state->box_lock, id)) return false;
        helper.step = kClaimFromBox;
        return true;
      case kClaimFromBox:
        // Holds the box's lock.
        if (state->hung == 0) *violation = "an offer is there but not hung";
        helper.running = PopLocked(state);
        if (state->queue == 0) state->hung = state->in_box = 0;
        state->box_lock = kNobody;
        helper.step = helper.running != 0 ? kRun : kSeek;
        return true;
      default:
        return false;
    }
  }

  const Mutant mutant_;
};

Exploration ExploreMutant(Mutant mutant) {
  const Exploration result = Explore(TaskSetModel(mutant));
  std::cout << result << "\n";
  return result;
}

TEST(TaskSetModel, EveryInterleavingOfThreeThreadsEndsWell) {
  const Exploration result = ExploreMutant(Mutant::kNone);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

struct Broken {
  Mutant mutant;
  const char* name;
  const char* violation;
};

class BrokenTaskSetModel : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenTaskSetModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant).violation, GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenTaskSetModel,
    ::testing::Values(
        Broken{Mutant::kRouseLeavesWord, "RouseLeavesWord",
               "stuck: no thread can go on"},
        Broken{Mutant::kNoRouse, "NoRouse", "stuck: no thread can go on"},
        Broken{Mutant::kNoLookAfterBit, "NoLookAfterBit",
               "stuck: no thread can go on"},
        Broken{Mutant::kHangAgain, "HangAgain", "the set hangs twice"},
        Broken{Mutant::kCountAfterPush, "CountAfterPush",
               "the set is used after its end"},
        Broken{Mutant::kFinishBeforeNext, "FinishBeforeNext",
               "the set is used after its end"},
        Broken{Mutant::kDeleteWhileHanging, "DeleteWhileHanging",
               "the set is used after its end"},
        Broken{Mutant::kNoWakeAtEnd, "NoWakeAtEnd",
               "stuck: no thread can go on"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ceres::parallel::testing_internal
