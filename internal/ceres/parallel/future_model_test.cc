// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <string>

#include "ceres/parallel/interleaving_explorer.h"
#include "ceres/parallel/model_test_util.h"
#include "gtest/gtest.h"

// The single task of a future (single_task.cc), in every interleaving of the
// thread that owns the future, a worker, and the thread that destroys the pool.
//
// The owner launches the task, then awaits it, gives up at a deadline, cancels
// it, or drops the future, in every order that the API allows; in the end it
// always drops the future. The worker may leave instead of taking the task. The
// destructor runs the task if it is still there, waits until it has been
// counted as finished and nobody is still looking into the pool, then the pool
// is gone. All that is shared is changed under the box's lock or by
// read-modify-writes: the model is sequentially consistent.

namespace ceres::parallel::testing_internal {
namespace {

enum class Mutant {
  kNone,
  kClaimWithoutLock,    // Looking whether the task hangs and taking it are two
                        // steps.
  kDropByLoadAndStore,  // Dropping is a load and a store.
  kDropFrees,           // Dropping deletes whether or not the task has ended.
  kNoAwaitedBit,        // Who waits does not say that it uses the pool.
  kLeaveCountedLate,    // The one who leaves is counted after the end.
  kKeepsAwaitedBit,     // The bit stays when the wait ends at the deadline.
  kNoWake,              // Who ends the task does not look for sleepers.
  kSleepBlindly,        // The owner sleeps whatever the word is by then.
  kRunnerKeepsSet,      // Who ends a dropped task does not delete it.
};

constexpr int kOwner = 0;
constexpr int kWorker = 1;
constexpr int kDestructor = 2;

// The word: a count of one, and bits.
constexpr int kPending = 1;
constexpr int kSleeper = 2;
constexpr int kAwaited = 4;
constexpr int kAbandoned = 8;

enum Step : std::uint8_t {
  // Owner.
  kLaunch,
  kDecide,
  kAwait,
  kClaim,
  kTakeClaimed,
  kRunHere,
  kEndHere,
  kCountHere,
  kSetAwaited,
  kLookIntoPool,
  kSetSleeper,
  kFallAsleep,
  kAsleep,
  kTimeOut,
  kHaveLeft,
  kCancel,
  kDrop,
  kStoreDropped,
  kFree,
  // Worker and destructor.
  kSeek,
  kTakeFound,
  kRun,
  kEndTask,
  kFreeDropped,
  kExpectToLeave,
  kWake,
  kNoteEnd,
  kCountFinished,
  kExpectLate,
  kWaitForAll,
  kWaitForLeaving,
  kJoinWorker,
  kDone
};

class FutureModel {
 public:
  explicit FutureModel(Mutant mutant) : mutant_(mutant) {}

  struct Thread {
    Step step = kSeek;
    std::uint8_t word = 0;  // As read last.
  };
  struct State {
    Thread threads[3];
    std::uint8_t word = 0;
    std::uint8_t launched = 0;
    std::uint8_t hung = 0;
    std::uint8_t finished = 0;
    std::uint8_t leaving = 0;
    std::uint8_t cancels = 0;  // Then runs nothing.
    std::uint8_t patient = 0;  // Waits without a deadline.
    // What no thread can see.
    std::uint8_t runs = 0;
    std::uint8_t deleted = 0;
    std::uint8_t pool_gone = 0;
  };

  State Initial() const {
    State state;
    state.threads[kOwner].step = kLaunch;
    return state;
  }

  // Steps, and the other choice where there is one: to cancel instead of
  // waiting, to give up, to leave the pool.
  enum Choice { kGoOn, kOther, kThird, kFourth, kNumChoices };
  int NumActions() const { return 3 * kNumChoices; }
  std::string Name(int action) const {
    constexpr const char* kNames[] = {"owner", "worker", "destructor"};
    return std::string(kNames[action % 3]) + " step, choice " +
           std::to_string(action / 3);
  }

  bool Take(int action, State* state, const char** violation) const {
    const int id = action % 3;
    const auto choice = static_cast<Choice>(action / 3);
    Thread& thread = state->threads[id];
    const Step step = thread.step;
    const bool taken = id == kOwner ? StepOwner(choice, state, violation)
                                    : StepRunner(id, choice, state, violation);
    if (taken) CheckUse(id, step, *state, violation);
    return taken;
  }

  bool IsEnd(const State& state) const {
    return state.threads[0].step == kDone && state.threads[1].step == kDone &&
           state.threads[2].step == kDone && state.deleted == 1;
  }

 private:
  // Whether the step just taken used something that was gone before.
  static void CheckUse(int id, Step step, const State& state,
                       const char** violation) {
    const bool frees = step == kFree || step == kFreeDropped;
    const bool uses_set =
        step == kAwait || step == kClaim || step == kTakeClaimed ||
        step == kRunHere || step == kEndHere || step == kSetAwaited ||
        step == kSetSleeper || step == kFallAsleep || step == kTimeOut ||
        step == kDrop || step == kStoreDropped || step == kTakeFound ||
        step == kRun || step == kEndTask;
    if (state.deleted > (frees ? 1 : 0) && (uses_set || frees)) {
      *violation = "the set is used after its end";
    }
    const bool uses_pool = step == kRunHere || step == kCountHere ||
                           step == kLookIntoPool || step == kHaveLeft ||
                           step == kExpectToLeave || step == kNoteEnd ||
                           step == kExpectLate;
    if (state.pool_gone != 0 && uses_pool && id != kDestructor) {
      *violation = "the pool is used after its end";
    }
  }

  bool StepOwner(Choice choice, State* state, const char** violation) const {
    Thread& owner = state->threads[kOwner];
    if (owner.step == kDecide) {
      constexpr Step kChoices[] = {kAwait, kAwait, kCancel, kDrop};
      owner.step = kChoices[choice];
      state->patient = choice == kGoOn;
      return true;
    }
    if (owner.step == kAsleep && choice == kOther && state->patient == 0) {
      owner.step = kTimeOut;
      return true;
    }
    if (choice != kGoOn) return false;
    switch (owner.step) {
      case kLaunch:
        state->word = kPending;
        state->hung = state->launched = 1;
        owner.step = kDecide;
        return true;
      case kAwait:
        owner.step = (state->word & kPending) != 0 ? kClaim : kDrop;
        return true;
      case kCancel:
        state->cancels = 1;
        owner.step = kClaim;
        return true;
      case kClaim:
        return Claim(&owner, kTakeClaimed, AfterFailedClaim(*state), state);
      case kTakeClaimed:
        state->hung = 0;
        owner.step = kRunHere;
        return true;
      case kRunHere:
        RunOnce(state, violation);
        owner.step = kEndHere;
        return true;
      case kEndHere:
        state->word = 0;
        owner.step = kCountHere;
        return true;
      case kCountHere:
        ++state->finished;
        owner.step = kDrop;
        return true;
      default:
        return StepWait(state) || StepDrop(state);
    }
  }

  // A cancellation that comes too late leaves the task alone.
  static Step AfterFailedClaim(const State& state) {
    return state.cancels != 0 ? kDrop : kSetAwaited;
  }

  bool Claim(Thread* thread, Step claimed, Step failed, State* state) const {
    if (mutant_ == Mutant::kClaimWithoutLock) {
      thread->step = state->hung != 0 ? claimed : failed;
      return true;
    }
    thread->step = failed;
    if (state->hung != 0) {
      state->hung = 0;
      thread->step = claimed == kTakeClaimed ? kRunHere : kRun;
    }
    return true;
  }

  static void RunOnce(State* state, const char** violation) {
    if (++state->runs > 1) *violation = "the task was run twice";
  }

  bool StepWait(State* state) const {
    Thread& owner = state->threads[kOwner];
    switch (owner.step) {
      case kSetAwaited:
        if (mutant_ != Mutant::kNoAwaitedBit) {
          if ((state->word & kPending) != 0) state->word |= kAwaited;
        }
        owner.step = (state->word & kPending) != 0 ? kLookIntoPool : kDrop;
        return true;
      case kLookIntoPool:
        owner.step = (state->word & kPending) != 0 ? kSetSleeper : kHaveLeft;
        return true;
      case kSetSleeper:
        state->word |= kSleeper;
        owner.word = state->word;
        owner.step =
            (state->word & kPending) != 0 ? kFallAsleep : kLookIntoPool;
        return true;
      case kFallAsleep:
        // The kernel compares and queues in one step.
        owner.step =
            state->word == owner.word || mutant_ == Mutant::kSleepBlindly
                ? kAsleep
                : kLookIntoPool;
        owner.word = 0;
        return true;
      case kTimeOut:
        owner.step = (state->word & kPending) != 0 ? kDrop : kHaveLeft;
        if (mutant_ != Mutant::kKeepsAwaitedBit) state->word &= ~kAwaited;
        return true;
      case kHaveLeft:
        if (mutant_ != Mutant::kNoAwaitedBit) --state->leaving;
        owner.step = kDrop;
        return true;
      default:
        return false;
    }
  }

  bool StepDrop(State* state) const {
    Thread& owner = state->threads[kOwner];
    switch (owner.step) {
      case kDrop:
        owner.word = state->word;
        owner.step = (state->word & kPending) != 0 ? kDone : kFree;
        if (mutant_ == Mutant::kDropFrees) {
          owner.step = kFree;
        } else if (mutant_ == Mutant::kDropByLoadAndStore &&
                   owner.step == kDone) {
          owner.step = kStoreDropped;
        } else {
          state->word |= kAbandoned;
          owner.word = 0;
        }
        return true;
      case kStoreDropped:
        state->word = owner.word | kAbandoned;
        owner.word = 0;
        owner.step = kDone;
        return true;
      case kFree:
        ++state->deleted;
        owner.word = 0;
        owner.step = kDone;
        return true;
      default:
        return false;
    }
  }

  bool StepRunner(int id, Choice choice, State* state,
                  const char** violation) const {
    Thread& runner = state->threads[id];
    if (choice == kOther && id == kWorker && runner.step == kSeek) {
      runner.step = kDone;  // Leaves the pool.
      return true;
    }
    if (choice != kGoOn) return false;
    switch (runner.step) {
      case kSeek:
        if (state->launched == 0) return false;
        if (state->hung == 0 && id == kWorker) {
          // Until the pool ends.
          runner.step = kDone;
          return true;
        }
        return Claim(&runner, kTakeFound, kWaitForAll, state);
      case kTakeFound:
        state->hung = 0;
        runner.step = kRun;
        return true;
      case kRun:
        RunOnce(state, violation);
        runner.step = kEndTask;
        return true;
      case kWaitForAll:
        if (id == kWorker) {
          runner.step = kDone;
          return true;
        }
        if (state->finished != state->launched) return false;
        runner.step = kWaitForLeaving;
        return true;
      case kWaitForLeaving:
        if (state->leaving != 0) return false;
        runner.step = kJoinWorker;
        return true;
      case kJoinWorker:
        if (state->threads[kWorker].step != kDone) return false;
        state->pool_gone = 1;
        runner.step = kDone;
        return true;
      default:
        return StepEnd(id, state);
    }
  }

  bool StepEnd(int id, State* state) const {
    Thread& runner = state->threads[id];
    const bool counts_late = mutant_ == Mutant::kLeaveCountedLate;
    switch (runner.step) {
      case kEndTask:
        runner.word = state->word;
        state->word &= ~kPending;
        runner.step = (runner.word & kAbandoned) != 0 ? kFreeDropped
                      : counts_late                   ? kWake
                                                      : kExpectToLeave;
        return true;
      case kFreeDropped:
        if (mutant_ != Mutant::kRunnerKeepsSet) ++state->deleted;
        runner.step = kNoteEnd;
        return true;
      case kExpectToLeave:
        if ((runner.word & kAwaited) != 0) ++state->leaving;
        runner.step = kWake;
        return true;
      case kWake:
        if ((runner.word & kSleeper) != 0 && mutant_ != Mutant::kNoWake &&
            state->threads[kOwner].step == kAsleep) {
          state->threads[kOwner].step = kLookIntoPool;
        }
        runner.step = kNoteEnd;
        return true;
      case kNoteEnd:
        runner.step = kCountFinished;
        return true;
      case kCountFinished:
        ++state->finished;
        runner.step = counts_late ? kExpectLate : End(id, &runner);
        return true;
      case kExpectLate:
        if ((runner.word & kAwaited) != 0) ++state->leaving;
        runner.step = End(id, &runner);
        return true;
      default:
        return false;
    }
  }

  static Step End(int id, Thread* runner) {
    runner->word = 0;
    return id == kWorker ? kDone : kWaitForAll;
  }

  const Mutant mutant_;
};

Exploration ExploreMutant(Mutant mutant) {
  return ExploreAndPrint(FutureModel(mutant));
}

TEST(FutureModel, EveryInterleavingOfThreeThreadsEndsWell) {
  const Exploration result = ExploreMutant(Mutant::kNone);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 100u);
}

using Broken = BrokenRule<Mutant>;
using BrokenFutureModel = BrokenModelTest<Mutant>;

TEST_P(BrokenFutureModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant).violation, GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenFutureModel,
    ::testing::Values(
        Broken{Mutant::kClaimWithoutLock, "ClaimWithoutLock",
               "the task was run twice"},
        Broken{Mutant::kDropByLoadAndStore, "DropByLoadAndStore", kStuck},
        Broken{Mutant::kDropFrees, "DropFrees",
               "the set is used after its end"},
        Broken{Mutant::kNoAwaitedBit, "NoAwaitedBit",
               "the pool is used after its end"},
        Broken{Mutant::kLeaveCountedLate, "LeaveCountedLate",
               "the pool is used after its end"},
        Broken{Mutant::kKeepsAwaitedBit, "KeepsAwaitedBit", kStuck},
        Broken{Mutant::kNoWake, "NoWake", kStuck},
        Broken{Mutant::kSleepBlindly, "SleepBlindly", kStuck},
        Broken{Mutant::kRunnerKeepsSet, "RunnerKeepsSet", kStuck}),
    NameOf<Mutant>);

}  // namespace
}  // namespace ceres::parallel::testing_internal
