// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <string>

#include "ceres/parallel/interleaving_explorer.h"
#include "ceres/parallel/model_test_util.h"
#include "ceres/parallel/store_buffers.h"
#include "gtest/gtest.h"

// How invitations to long groups find workers (invitation_board.h,
// pool_state.h), in every interleaving of two workers and two owners. An owner
// posts its loop, looks once whether anybody seeks work, and is away until a
// worker has joined; a worker that has joined is away until both loops have
// been. So each loop must find a worker of its own, whatever the other owner
// has counted on and whenever workers give up.
//
// Posts are stores, which others may see late. The counter of those who seek
// is changed by read-modify-writes, which act at once, and so does what is done
// under the mutex of the pool.

namespace ceres::parallel::testing_internal {
namespace {

enum class Mutant {
  kNone,
  // Owners.
  kNoFence,     // It looks for who seeks before its post can be seen.
  kCountsBusy,  // Workers that are awake but at work count as seeking.
  // Workers.
  kNoCallForRest,  // One that joins a loop leaves the other to others.
  kLooksTooEarly,  // It looks for the rest before it stops seeking.
  kNoLastLook,     // It sleeps without looking at the board again.
};

constexpr int kNumWorkers = 2;
constexpr int kNumOwners = 2;

enum WorkerStep : std::uint8_t {
  kSeek,
  kJoin,
  kStopSeeking,
  kLookForRest,
  kLookForSeekers,
  kWakeForRest,
  kWork,
  kGiveUp,
  kPark,
  kLastLook,
  kUnpark,
  kTakeToken,
  kFallAsleep,
  kAsleep,
  kGone
};

enum OwnerStep : std::uint8_t {
  kPost,
  kFence,
  kLook,
  kWakeWorker,
  kBlock,
  kEnd
};

class LongGroupModel {
 public:
  explicit LongGroupModel(Mutant mutant) : mutant_(mutant) {}

  struct Worker {
    WorkerStep step = kSeek;
    std::uint8_t found = 0;  // The loop that it joins.
    std::uint8_t token = 0;
    std::uint8_t parked = 0;
  };
  struct State {
    // By owner: its entry on the board.
    StoreBuffers<kNumWorkers + kNumOwners, kNumOwners, 2> board;
    Worker workers[kNumWorkers];
    OwnerStep owners[kNumOwners] = {kPost, kPost};
    std::uint8_t joined[kNumOwners] = {};
    std::int8_t seeking = kNumWorkers;
    std::int8_t awake = kNumWorkers;
  };

  State Initial() const { return {}; }

  int NumActions() const {
    return kNumWorkers + kNumOwners + decltype(State::board)::kNumActions;
  }

  std::string Name(int action) const {
    if (action < kNumWorkers) return "worker " + std::to_string(action);
    action -= kNumWorkers;
    if (action < kNumOwners) return "owner " + std::to_string(action);
    return "store " + std::to_string(action - kNumOwners) + " is seen";
  }

  bool Take(int action, State* state, const char** /*violation*/) const {
    if (action < kNumWorkers) return StepWorker(action, state);
    if (action < kNumWorkers + kNumOwners) {
      return StepOwner(action - kNumWorkers, state);
    }
    return state->board.Flush(action - kNumWorkers - kNumOwners);
  }

  bool IsEnd(const State& state) const {
    return state.owners[0] == kEnd && state.owners[1] == kEnd;
  }

 private:
  static bool IsInviting(int thread, int owner, const State& state) {
    return state.board.Load(thread, owner) != 0 && state.joined[owner] == 0;
  }
  static int FindLoop(int thread, const State& state) {
    for (int owner = 0; owner < kNumOwners; ++owner) {
      if (IsInviting(thread, owner, state)) return owner;
    }
    return -1;
  }

  static void WakeOne(State* state) {
    for (Worker& worker : state->workers) {
      if (worker.parked == 0) continue;
      worker.parked = 0;
      ++state->awake;
      ++state->seeking;
      worker.token = 1;
      if (worker.step == kAsleep) worker.step = kTakeToken;
      return;
    }
  }

  bool StepWorker(int thread, State* state) const {
    Worker& worker = state->workers[thread];
    switch (worker.step) {
      case kSeek: {
        const int loop = FindLoop(thread, *state);
        worker.step = loop < 0 ? kGiveUp : kJoin;
        worker.found = loop < 0 ? 0 : static_cast<std::uint8_t>(loop);
        return true;
      }
      case kJoin:
        worker.step = kSeek;
        if (state->joined[worker.found] == 0) {
          state->joined[worker.found] = 1;
          worker.step = mutant_ == Mutant::kNoCallForRest   ? kWork
                        : mutant_ == Mutant::kLooksTooEarly ? kLookForRest
                                                            : kStopSeeking;
          if (mutant_ == Mutant::kNoCallForRest) --state->seeking;
        }
        return true;
      case kStopSeeking:
        --state->seeking;
        worker.step = mutant_ == Mutant::kLooksTooEarly ? kWork : kLookForRest;
        return true;
      case kLookForRest: {
        const bool is_rest = FindLoop(thread, *state) >= 0;
        worker.step = is_rest                             ? kLookForSeekers
                      : mutant_ == Mutant::kLooksTooEarly ? kStopSeeking
                                                          : kWork;
        return true;
      }
      case kLookForSeekers: {
        const int itself = mutant_ == Mutant::kLooksTooEarly ? 1 : 0;
        worker.step = state->seeking <= itself ? kWakeForRest : kWork;
        if (worker.step == kWork && itself != 0) worker.step = kStopSeeking;
        return true;
      }
      case kWakeForRest:
        WakeOne(state);
        worker.step = mutant_ == Mutant::kLooksTooEarly ? kStopSeeking : kWork;
        return true;
      case kWork:
        if (state->joined[0] == 0 || state->joined[1] == 0) return false;
        worker.step = kGone;
        return true;
      default:
        return StepParking(thread, state);
    }
  }

  bool StepParking(int thread, State* state) const {
    Worker& worker = state->workers[thread];
    switch (worker.step) {
      case kGiveUp:
        --state->seeking;
        worker.step = kPark;
        return true;
      case kPark:
        worker.parked = 1;
        --state->awake;
        worker.step = mutant_ == Mutant::kNoLastLook ? kTakeToken : kLastLook;
        return true;
      case kLastLook:
        worker.step = FindLoop(thread, *state) >= 0 ? kUnpark : kTakeToken;
        return true;
      case kUnpark:
        worker.step = kTakeToken;
        if (worker.parked != 0) {
          worker.parked = 0;
          ++state->awake;
          ++state->seeking;
          worker.step = kSeek;
        }
        return true;
      case kTakeToken:
        worker.step = worker.token != 0 ? kSeek : kFallAsleep;
        worker.token = 0;
        return true;
      case kFallAsleep:
        worker.step = worker.token == 0 ? kAsleep : kTakeToken;
        return true;
      default:  // Asleep until woken, or gone.
        return false;
    }
  }

  bool StepOwner(int owner, State* state) const {
    const int thread = kNumWorkers + owner;
    OwnerStep& step = state->owners[owner];
    switch (step) {
      case kPost:
        state->board.Store(thread, owner, 1, Order::kRelease);
        step = mutant_ == Mutant::kNoFence ? kLook : kFence;
        return true;
      case kFence:
        if (!state->board.IsDrained(thread)) return false;
        step = kLook;
        return true;
      case kLook: {
        const int expected =
            mutant_ == Mutant::kCountsBusy ? state->awake : state->seeking;
        step = expected > 0 ? kBlock : kWakeWorker;
        return true;
      }
      case kWakeWorker:
        // Locking waits for the stores of this thread.
        if (!state->board.IsDrained(thread)) return false;
        WakeOne(state);
        step = kBlock;
        return true;
      case kBlock:
        if (state->joined[owner] == 0) return false;
        step = kEnd;
        return true;
      case kEnd:
        break;
    }
    return false;
  }

  const Mutant mutant_;
};

TEST(LongGroupModel, EachLoopFindsAWorkerInEveryInterleaving) {
  const Exploration result = ExploreAndPrint(LongGroupModel(Mutant::kNone));
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 1000u);
}

using Broken = BrokenRule<Mutant>;
using BrokenLongGroupModel = BrokenModelTest<Mutant>;

TEST_P(BrokenLongGroupModel, IsFound) {
  EXPECT_EQ(ExploreAndPrint(LongGroupModel(GetParam().mutant)).violation,
            GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenLongGroupModel,
    ::testing::Values(Broken{Mutant::kNoFence, "NoFence", kStuck},
                      Broken{Mutant::kCountsBusy, "CountsBusy", kStuck},
                      Broken{Mutant::kNoCallForRest, "NoCallForRest", kStuck},
                      Broken{Mutant::kLooksTooEarly, "LooksTooEarly", kStuck},
                      Broken{Mutant::kNoLastLook, "NoLastLook", kStuck}),
    NameOf<Mutant>);

}  // namespace
}  // namespace ceres::parallel::testing_internal
