// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <string>

#include "ceres/parallel/interleaving_explorer.h"
#include "ceres/parallel/model_test_util.h"
#include "gtest/gtest.h"

// How offers of tasks call workers (offer_box.h, pool_state.h, pool_tasks.cc),
// in every interleaving of two workers and a thread that gives them two tasks,
// by two pushes or by one, and never looks at them again. The tasks wait for
// each other: both must find a worker, although each has begun. So no task may
// be left to sleepers, nor to a worker that is at work. As many threads may run
// as there are.
//
// The bit of the box and the counters of the pool are changed by
// read-modify-writes, all sequentially consistent, the rest under the lock of
// the box or the mutex of the pool: so is the model. A look at the counters
// without the mutex is a step of its own.

namespace ceres::parallel::testing_internal {
namespace {

enum class Mutant {
  kNone,
  // Who hangs an offer.
  kBitBeforeOffer,      // The bit is set, then the offer hung under the lock.
  kBitAfterLook,        // It looks for workers before the bit is seen.
  kOnlyLooksForAwake,   // Workers that are at work count as seeking.
  kCalledIsNotSeeking,  // Who is woken is not counted.
  // Who seeks.
  kClearsUnlocked,   // The bit is cleared when the lock has been given back.
  kNoLastLook,       // A worker sleeps without looking at the bits again.
  kLooksTooEarly,    // It looks before it takes itself off those who seek.
  kNoCallForMore,    // A worker that takes a task leaves the others there.
  kUncountedReturn,  // What it finds by the last look is not counted.
};

constexpr int kGiver = 2;
constexpr int kNumWorkers = 2;
constexpr int kNumTasks = 2;
constexpr int kNobody = 3;

enum Step : std::uint8_t {
  // The giver; the lock of the box is held from kPutIn to kSetBit.
  kPutIn,
  kSetBit,
  kGiven,
  // Calling a worker, for an offer.
  kLookForSeekers,
  kLookForAwake,
  kWakeWorker,
  // A worker that seeks; the lock is held from kClaim to kClearBit.
  kSeek,
  kClaim,
  kClearBit,
  kStopSeeking,  // It has a task.
  kLookForMore,
  kBegin,
  kRun,
  kSeekAgain,
  // A worker that parks.
  kGiveUp,
  kPark,
  kLastLook,
  kUnpark,
  kTakeToken,
  kFallAsleep,
  kAsleep
};

class OfferModel {
 public:
  OfferModel(Mutant mutant, int num_pushes)
      : mutant_(mutant), num_pushes_(num_pushes) {}

  struct Thread {
    Step step = kSeek;
    Step then = kBegin;  // After a call.
    std::uint8_t token = 0;
    std::uint8_t parked = 0;
  };
  struct State {
    Thread threads[kNumWorkers + 1];
    std::uint8_t pushes = 0;
    std::uint8_t queue = 0;  // Tasks that nobody has begun.
    std::uint8_t hung = 0;
    std::uint8_t bit = 0;
    std::uint8_t lock = kNobody;  // Of the box.
    std::int8_t seeking = kNumWorkers;
    std::int8_t awake = kNumWorkers;
    std::uint8_t begun = 0;
  };

  State Initial() const {
    State state;
    state.threads[kGiver].step = BeginGiving();
    return state;
  }

  // Steps, and steps in which a worker has sought for long enough.
  int NumActions() const { return 2 * kNumWorkers + 1; }
  std::string Name(int action) const {
    if (action == kGiver) return "giver";
    if (action < kGiver) return "worker " + std::to_string(action);
    return "worker " + std::to_string(action - kGiver - 1) + " gives up";
  }

  bool Take(int action, State* state, const char** violation) const {
    bool taken = false;
    if (action > kGiver) {
      Thread& worker = state->threads[action - kGiver - 1];
      taken = worker.step == kSeek;
      if (taken) worker.step = kGiveUp;
    } else if (state->threads[action].step <= kWakeWorker) {
      taken = StepCall(action, state);
    } else {
      taken = StepWorker(action, state);
    }
    if (state->seeking < 0 || state->seeking > kNumWorkers) {
      *violation = "the count of those who seek is wrong";
    }
    if (state->awake < 0 || state->awake > kNumWorkers) {
      *violation = "the count of those awake is wrong";
    }
    return taken;
  }

  // Both tasks have run, and everybody sleeps.
  bool IsEnd(const State& state) const {
    return state.threads[kGiver].step == kGiven && state.begun == kNumTasks &&
           state.threads[0].step == kAsleep && state.threads[1].step == kAsleep;
  }

 private:
  Step BeginGiving() const {
    return mutant_ == Mutant::kBitBeforeOffer ? kSetBit : kPutIn;
  }

  static bool Lock(int id, State* state) {
    if (state->lock != kNobody && state->lock != id) return false;
    state->lock = id;
    return true;
  }

  // The giver, and a worker that calls another one.
  bool StepCall(int id, State* state) const {
    Thread& thread = state->threads[id];
    switch (thread.step) {
      case kPutIn: {
        if (!Lock(id, state)) return false;
        const bool needs_bit =
            state->hung == 0 && mutant_ != Mutant::kBitBeforeOffer;
        state->queue += kNumTasks / num_pushes_;
        state->hung = 1;
        thread.then = kGiven;
        if (needs_bit && mutant_ != Mutant::kBitAfterLook) {
          thread.step = kSetBit;
          return true;
        }
        state->lock = kNobody;
        thread.step = kLookForSeekers;
        if (needs_bit) thread.then = kSetBit;
        return true;
      }
      case kSetBit:
        state->bit = 1;
        if (state->lock == id) state->lock = kNobody;
        thread.step = kLookForSeekers;
        if (mutant_ == Mutant::kBitBeforeOffer) thread.step = kPutIn;
        if (mutant_ == Mutant::kBitAfterLook) EndCall(state, &thread, kGiven);
        return true;
      case kGiven:
        if (state->pushes == num_pushes_) return false;
        thread.step = BeginGiving();
        return true;
      case kLookForSeekers: {
        const int seeking = mutant_ == Mutant::kOnlyLooksForAwake
                                ? state->awake
                                : state->seeking;
        thread.step = kLookForAwake;
        if (seeking > 0) EndCall(state, &thread, thread.then);
        return true;
      }
      case kLookForAwake:
        thread.step = kWakeWorker;
        if (state->awake >= kNumWorkers) EndCall(state, &thread, thread.then);
        return true;
      case kWakeWorker:
        WakeOne(state);
        EndCall(state, &thread, thread.then);
        return true;
      default:
        return false;
    }
  }

  void EndCall(State* state, Thread* thread, Step then) const {
    if (then == kGiven) ++state->pushes;
    thread->step = then;
    thread->then = kBegin;
  }

  // With the mutex held.
  void WakeOne(State* state) const {
    for (Thread& worker : state->threads) {
      if (worker.parked == 0) continue;
      worker.parked = 0;
      ++state->awake;
      if (mutant_ != Mutant::kCalledIsNotSeeking) ++state->seeking;
      worker.token = 1;
      if (worker.step == kAsleep) worker.step = kTakeToken;
      return;
    }
  }

  bool StepWorker(int id, State* state) const {
    Thread& worker = state->threads[id];
    switch (worker.step) {
      case kSeek:
        if (state->bit == 0) return false;
        worker.step = kClaim;
        return true;
      case kClaim:
        if (!Lock(id, state)) return false;
        worker.step = state->queue != 0 ? kStopSeeking : kClearBit;
        if (state->queue != 0 && --state->queue == 0) state->hung = 0;
        if (worker.step == kStopSeeking || mutant_ == Mutant::kClearsUnlocked) {
          state->lock = kNobody;
        }
        return true;
      case kClearBit:
        state->bit = 0;
        if (state->lock == id) state->lock = kNobody;
        worker.step = kSeek;
        return true;
      case kStopSeeking:
        --state->seeking;
        worker.step = mutant_ == Mutant::kNoCallForMore ? kBegin : kLookForMore;
        return true;
      case kLookForMore:
        worker.step = state->bit != 0 ? kLookForSeekers : kBegin;
        worker.then = kBegin;
        return true;
      case kBegin:
        ++state->begun;
        worker.step = kRun;
        return true;
      case kRun:
        if (state->begun < kNumTasks) return false;
        worker.step = kSeekAgain;
        return true;
      case kSeekAgain:
        ++state->seeking;
        worker.step = kSeek;
        return true;
      default:
        return StepParking(&worker, state);
    }
  }

  bool StepParking(Thread* worker, State* state) const {
    const bool looks_early = mutant_ == Mutant::kLooksTooEarly;
    switch (worker->step) {
      case kGiveUp:
        if (looks_early && state->bit != 0) {
          worker->step = kSeek;
          return true;
        }
        if (!looks_early) --state->seeking;
        worker->step = kPark;
        return true;
      case kPark:
        worker->parked = 1;
        --state->awake;
        worker->step = kLastLook;
        if (looks_early) --state->seeking;
        if (looks_early || mutant_ == Mutant::kNoLastLook) {
          worker->step = kTakeToken;
        }
        return true;
      case kLastLook:
        worker->step = state->bit != 0 ? kUnpark : kTakeToken;
        return true;
      case kUnpark:
        worker->step = kTakeToken;
        if (worker->parked == 0) return true;
        worker->parked = 0;
        ++state->awake;
        if (mutant_ != Mutant::kUncountedReturn) ++state->seeking;
        worker->step = kSeek;
        return true;
      case kTakeToken:
        worker->step = worker->token != 0 ? kSeek : kFallAsleep;
        worker->token = 0;
        return true;
      case kFallAsleep:
        // The kernel compares and queues in one step.
        worker->step = worker->token == 0 ? kAsleep : kTakeToken;
        return true;
      default:  // Goes on when somebody wakes it.
        return false;
    }
  }

  const Mutant mutant_;
  const int num_pushes_;
};

Exploration ExploreMutant(Mutant mutant, int num_pushes) {
  return ExploreAndPrint(OfferModel(mutant, num_pushes));
}

TEST(OfferModel, EveryInterleavingOfTwoPushesFindsBothWorkers) {
  const Exploration result = ExploreMutant(Mutant::kNone, 2);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

TEST(OfferModel, EveryInterleavingOfOnePushFindsBothWorkers) {
  const Exploration result = ExploreMutant(Mutant::kNone, 1);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

using Broken = BrokenRule<Mutant>;
using BrokenOfferModel = BrokenModelTest<Mutant>;

TEST_P(BrokenOfferModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant, 2).violation,
            GetParam().violation);
}

constexpr char kMiscounted[] = "the count of those who seek is wrong";

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenOfferModel,
    ::testing::Values(
        Broken{Mutant::kBitBeforeOffer, "BitBeforeOffer", kStuck},
        Broken{Mutant::kBitAfterLook, "BitAfterLook", kStuck},
        Broken{Mutant::kOnlyLooksForAwake, "OnlyLooksForAwake", kStuck},
        Broken{Mutant::kCalledIsNotSeeking, "CalledIsNotSeeking", kMiscounted},
        Broken{Mutant::kClearsUnlocked, "ClearsUnlocked", kStuck},
        Broken{Mutant::kNoLastLook, "NoLastLook", kStuck},
        Broken{Mutant::kLooksTooEarly, "LooksTooEarly", kStuck},
        Broken{Mutant::kNoCallForMore, "NoCallForMore", kStuck},
        Broken{Mutant::kUncountedReturn, "UncountedReturn", kMiscounted}),
    NameOf<Mutant>);

}  // namespace
}  // namespace ceres::parallel::testing_internal
