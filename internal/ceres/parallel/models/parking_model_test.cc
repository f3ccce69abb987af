// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <string>

#include "ceres/parallel/models/interleaving_explorer.h"
#include "ceres/parallel/models/model_test_util.h"
#include "ceres/parallel/models/store_buffers.h"
#include "gtest/gtest.h"

// How workers park and are woken (pool_state.h), in every interleaving of two
// workers and an owner, who posts a loop on the board twice and then retires
// both workers.
//
// Parking itself is checked in its own source (queue_parking_protocol_test.cc).
// This model is about posts that get lost or are seen late, and about the owner
// who repeats them (Publication::InviteAgain). What it shows depends on blocks
// that last longer than any store, of which the source knows nothing.
//
// A post may be lost (another owner overwrites it), and it may be seen later
// than the owner's look at the number of workers awake. So what is checked is:
// the owner always finishes, tokens and counters agree, retired workers leave;
// and after the owner has seen its post on the board between two blocks, and
// looked for somebody to wake once more, no open loop is ever left to sleepers.

namespace ceres::parallel::testing_internal {
namespace {

enum class Mutant {
  kNone,
  kNoLastLook,        // Workers do not look again after they have parked.
  kNoRepeat,          // The owner invites once.
  kStaysInList,       // A worker that finds work after all stays in `parked`.
  kWokenStaysInList,  // The waker leaves the worker in `parked`.
  kNoToken,           // The waker wakes the thread without a token.
  kNoRetireToken,     // A parked worker is not told that it retires.
};

constexpr int kOwner = 2;
constexpr int kNumWorkers = 2;
constexpr int kNumLoops = 2;

enum Variable { kBoard, kNumVariables };

enum WorkerStep : std::uint8_t {
  kLook,
  kWork,
  kPark,
  kLastLook,
  kUnpark,
  kTakeToken,
  kFallAsleep,
  kAsleep,
  kGone
};

enum OwnerStep : std::uint8_t {
  kOpen,
  kPost,
  kLookForSleeper,
  kWakeWorker,
  kBlock,
  kLookAtPost,
  kClose,
  kWaitForHelpers,
  kRetire,
  kJoin,
  kEnd
};

class ParkingModel {
 public:
  ParkingModel(Mutant mutant, int max_awake)
      : mutant_(mutant), max_awake_(max_awake) {}

  struct Worker {
    WorkerStep step = kPark;
    std::uint8_t token = 0;
    std::uint8_t retire = 0;
    std::uint8_t parked = 0;
  };
  struct State {
    StoreBuffers<3, kNumVariables, 2> memory;
    Worker workers[kNumWorkers];
    OwnerStep owner = kOpen;
    std::uint8_t loop = 1;
    std::uint8_t open = 0;     // The group can be joined (its word).
    std::uint8_t helpers = 0;  // Have joined it.
    std::uint8_t left = 0;
    std::int8_t awake = kNumWorkers;
    std::uint8_t losses = 2;   // Posts that may still get lost.
    std::uint8_t rounds = 0;   // Blocks since the post.
    std::uint8_t seen = 0;     // The owner has found its post on the board,
    std::uint8_t assured = 0;  // and looked for somebody to wake.
  };

  State Initial() const { return {}; }

  // Steps, the loss of the owner's post, stores that become visible.
  int NumActions() const { return 4 + decltype(State::memory)::kNumActions; }

  std::string Name(int action) const {
    if (action < kOwner) return "worker " + std::to_string(action);
    if (action == kOwner) return "owner";
    if (action == 3) return "the owner's post is lost";
    return "store " + std::to_string(action - 4) + " is seen";
  }

  bool Take(int action, State* state, const char** violation) const {
    bool taken = false;
    if (action >= 4) {
      taken = state->memory.Flush(action - 4);
    } else if (action == 3) {
      taken = LosePost(state);
    } else if (action == kOwner) {
      taken = StepOwner(state, violation);
    } else {
      taken = StepWorker(action, state, violation);
    }
    if (taken && state->assured != 0 && IsLeftToSleepers(*state)) {
      *violation = "nobody comes to a loop that is open";
    }
    return taken;
  }

  bool IsEnd(const State& state) const {
    return state.owner == kEnd && state.workers[0].step == kGone &&
           state.workers[1].step == kGone;
  }

 private:
  static bool LosePost(State* state) {
    if (state->losses == 0 || state->memory.Memory(kBoard) == 0) return false;
    --state->losses;
    state->seen = state->assured = 0;
    state->memory.Modify(kBoard) = 0;
    return true;
  }

  static bool IsLeftToSleepers(const State& state) {
    if (state.open == 0 || state.helpers > 0) return false;
    for (const Worker& worker : state.workers) {
      const bool waits = worker.step == kTakeToken ||
                         worker.step == kFallAsleep || worker.step == kAsleep;
      if (!waits || worker.token != 0) return false;
    }
    return true;
  }

  // An invitation is there, and the group has a seat left.
  static bool IsInviting(int thread, const State& state) {
    return state.memory.Load(thread, kBoard) == state.loop && state.open != 0 &&
           state.helpers < kNumWorkers;
  }

  // What is true whenever nobody holds the mutex.
  static void CheckCounters(const State& state, const char** violation) {
    int awake = 0;
    for (const Worker& worker : state.workers) {
      awake += worker.parked == 0 && worker.retire == 0 ? 1 : 0;
    }
    if (awake != state.awake) *violation = "the count of those awake is wrong";
  }

  // A step that takes and gives back the mutex acts on the memory at once.
  bool StepWorker(int thread, State* state, const char** violation) const {
    Worker& worker = state->workers[thread];
    switch (worker.step) {
      case kLook:
        if (worker.retire != 0) {
          worker.step = kGone;
        } else if (IsInviting(thread, *state)) {
          ++state->helpers;
          worker.step = kWork;
        } else {
          worker.step = kPark;
        }
        return true;
      case kWork:
        ++state->left;
        worker.step = kLook;
        return true;
      case kPark:
        worker.step = worker.retire != 0 ? kLook : kLastLook;
        if (worker.retire == 0) {
          if (worker.parked != 0) *violation = "a worker has parked twice";
          worker.parked = 1;
          --state->awake;
          CheckCounters(*state, violation);
        }
        return true;
      case kLastLook:
        worker.step = kTakeToken;
        if (mutant_ != Mutant::kNoLastLook && IsInviting(thread, *state)) {
          worker.step = kUnpark;
        }
        return true;
      case kUnpark:
        worker.step = kTakeToken;
        if (worker.parked != 0 && state->awake < max_awake_) {
          if (mutant_ != Mutant::kStaysInList) worker.parked = 0;
          ++state->awake;
          worker.step = kLook;
          CheckCounters(*state, violation);
        }
        return true;
      case kTakeToken:
        worker.step = worker.token != 0 ? kLook : kFallAsleep;
        worker.token = 0;
        return true;
      case kFallAsleep:
        // The kernel compares and queues in one step.
        worker.step = worker.token == 0 ? kAsleep : kTakeToken;
        return true;
      case kAsleep:  // Goes on when somebody wakes it.
      case kGone:
        break;
    }
    return false;
  }

  static void Wake(Worker* worker) {
    if (worker->step == kAsleep) worker->step = kTakeToken;
  }

  bool StepOwner(State* state, const char** violation) const {
    auto& memory = state->memory;
    switch (state->owner) {
      case kOpen:
        state->open = 1;
        state->helpers = state->left = 0;
        state->rounds = state->seen = state->assured = 0;
        state->owner = kPost;
        return true;
      case kPost:
        if (!memory.HasRoom(kOwner)) return false;
        memory.Store(kOwner, kBoard, state->loop, Order::kRelease);
        state->owner = kLookForSleeper;
        return true;
      case kLookForSleeper:
        state->owner = state->awake >= max_awake_ ? kBlock : kWakeWorker;
        if (state->owner == kBlock) state->assured = state->seen;
        return true;
      case kWakeWorker:
        // Locking waits for the stores of this thread.
        if (!memory.IsDrained(kOwner)) return false;
        WakeOne(state, violation);
        state->assured = state->seen;
        state->owner = kBlock;
        return true;
      case kBlock:
        // Takes longer than any store.
        if (!memory.IsDrained(kOwner)) return false;
        state->owner = ++state->rounds > 5 ? kClose : kLookAtPost;
        return true;
      case kLookAtPost:
        state->seen = memory.Load(kOwner, kBoard) == state->loop;
        if (mutant_ == Mutant::kNoRepeat) {
          state->assured = state->seen;
          state->owner = kBlock;
        } else {
          state->owner = state->seen != 0 ? kLookForSleeper : kPost;
        }
        return true;
      default:
        return StepClosing(state, violation);
    }
  }

  void WakeOne(State* state, const char** violation) const {
    if (state->awake >= max_awake_) return;
    for (Worker& worker : state->workers) {
      if (worker.parked == 0) continue;
      if (mutant_ != Mutant::kWokenStaysInList) worker.parked = 0;
      ++state->awake;
      if (mutant_ != Mutant::kNoToken) worker.token = 1;
      Wake(&worker);
      CheckCounters(*state, violation);
      return;
    }
  }

  bool StepClosing(State* state, const char** violation) const {
    auto& memory = state->memory;
    switch (state->owner) {
      case kClose:
        state->open = 0;
        state->owner = kWaitForHelpers;
        return true;
      case kWaitForHelpers:
        if (state->left != state->helpers || !memory.HasRoom(kOwner)) {
          return false;
        }
        if (memory.Load(kOwner, kBoard) == state->loop) {
          memory.Store(kOwner, kBoard, 0, Order::kRelaxed);
        }
        state->owner = ++state->loop > kNumLoops ? kRetire : kOpen;
        return true;
      case kRetire:
        if (!memory.IsDrained(kOwner)) return false;
        for (Worker& worker : state->workers) Retire(state, &worker);
        CheckCounters(*state, violation);
        state->owner = kJoin;
        return true;
      case kJoin:
        for (const Worker& worker : state->workers) {
          if (worker.step != kGone) return false;
        }
        state->owner = kEnd;
        return true;
      default:
        return false;
    }
  }

  void Retire(State* state, Worker* worker) const {
    worker->retire = 1;
    if (worker->parked == 0) {
      --state->awake;
      return;
    }
    worker->parked = 0;
    if (mutant_ == Mutant::kNoRetireToken) return;
    worker->token = 1;
    Wake(worker);
  }

  const Mutant mutant_;
  const int max_awake_;
};

Exploration ExploreMutant(Mutant mutant, int max_awake) {
  return ExploreAndPrint(ParkingModel(mutant, max_awake));
}

TEST(ParkingModel, EveryInterleavingEndsWellWithAllAwake) {
  const Exploration result = ExploreMutant(Mutant::kNone, 2);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

TEST(ParkingModel, EveryInterleavingEndsWellWithOneAwakeAtATime) {
  const Exploration result = ExploreMutant(Mutant::kNone, 1);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

using Broken = BrokenRule<Mutant>;
using BrokenParkingModel = BrokenModelTest<Mutant>;

TEST_P(BrokenParkingModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant, 2).violation,
            GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenParkingModel,
    ::testing::Values(Broken{Mutant::kNoLastLook, "NoLastLook",
                             "nobody comes to a loop that is open"},
                      Broken{Mutant::kNoRepeat, "NoRepeat",
                             "nobody comes to a loop that is open"},
                      Broken{Mutant::kStaysInList, "StaysInList",
                             "the count of those awake is wrong"},
                      Broken{Mutant::kWokenStaysInList, "WokenStaysInList",
                             "the count of those awake is wrong"},
                      Broken{Mutant::kNoToken, "NoToken",
                             "nobody comes to a loop that is open"},
                      Broken{Mutant::kNoRetireToken, "NoRetireToken", kStuck}),
    NameOf<Mutant>);

}  // namespace
}  // namespace ceres::parallel::testing_internal
