// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GROUP_MODEL_H_
#define CERES_INTERNAL_PARALLEL_GROUP_MODEL_H_

#include <cstdint>
#include <string>

#include "ceres/parallel/store_buffers.h"

// The protocol of group.h, by which an owner and its helpers meet, in every
// interleaving of an owner and two helpers: the owner opens a group with two
// seats, runs it, waits, leaves its frame, and opens another one in the same
// slot. Helpers try the handle of the first group, some time, then that of the
// second. A block may throw.

namespace ceres::parallel::testing_internal::group_model {

// A rule of the protocol to break.
enum class Mutant {
  kNone,
  kOpenIsRelaxed,        // The word is not stored last.
  kResetAfterOpening,    // `finished` is cleared after the word is stored.
  kLeaveIsRelaxed,       // A helper's writes may come after it has left.
  kLeaveBeforeLastRun,   // The frame is used after leaving.
  kOwnerDoesNotWait,     // The frame dies with the last block claimed.
  kCountHelpersEarly,    // Seats are read while blocks are left.
  kClaimIsNotAtomic,     // Load and store instead of an exchange.
  kJoinWithoutExchange,  // The same, when joining.
  kSleepWithoutBit,      // The owner sleeps without saying so.
  kSleepBlindly,         // It sleeps whatever the word is by then.
  kEpochStays,           // Both groups have one epoch.
};

inline constexpr int kOwner = 0;
inline constexpr int kNumThreads = 3;
inline constexpr int kNumEpochs = 2;
inline constexpr int kSeats[] = {0, 2, 2};
inline constexpr int kBlocks[] = {0, 4, 3};
inline constexpr int kFirstBlock[] = {0, 0, 4};  // Of the results.
inline constexpr int kAllBlocks = 7;

// What is in memory.
enum Variable {
  kWord,      // epoch (2 bits) | seats (2) | first (3) | end (3)
  kFinished,  // helpers that left (3 bits) | 8: the owner sleeps
  kFields,    // The slot's plain fields: whose they are.
  kError,     // The exception kept in the frame.
  kResult,    // Of each block of both groups.
  kNumVariables = kResult + kAllBlocks
};
inline constexpr int kSleepBit = 8;

constexpr int MakeWord(int epoch, int seats, int first, int end) {
  return epoch << 8 | seats << 6 | first << 3 | end;
}
constexpr int EpochOf(int word) { return word >> 8; }
constexpr int SeatsOf(int word) { return word >> 6 & 3; }
constexpr int FirstOf(int word) { return word >> 3 & 7; }
constexpr int EndOf(int word) { return word & 7; }
constexpr int BlocksOf(int word) { return EndOf(word) - FirstOf(word); }

enum OwnerStep : std::uint8_t {
  kWriteFields,
  kClearFinished,
  kOpen,
  kOwnerRuns,
  kOwnerClaims,
  kOwnerStoresClaim,
  kCountHelpers,
  kHaveLeft,
  kSetSleepBit,
  kFallAsleep,
  kSleeping,
  kLeaveFrame,
  kOwnerEnd
};

enum HelperStep : std::uint8_t {
  kRead,
  kJoin,
  kHelperRuns,
  kHelperClaims,
  kHelperCancels,
  kLeave,
  kWake,
  kHelperEnd
};

class GroupModel {
 public:
  explicit GroupModel(Mutant mutant) : mutant_(mutant) {}

  struct Owner {
    OwnerStep step = kWriteFields;
    std::uint8_t epoch = 1;
    std::uint8_t block = 0;
    std::uint8_t helpers = 0;
    std::uint8_t finished = 0;  // As read last.
    std::uint8_t asleep = 0;
    std::uint16_t word = 0;
  };
  struct Helper {
    HelperStep step = kRead;
    std::uint8_t handle = 1;  // The epoch of the invitation.
    std::uint16_t word = 0;   // As read last.
    std::uint8_t epoch = 0;   // Of the group joined.
    std::uint8_t block = 0;
  };
  struct State {
    StoreBuffers<kNumThreads, kNumVariables, 3> memory;
    Owner owner;
    Helper helpers[kNumThreads - 1];
    // What no thread can see.
    std::uint8_t frame_alive[kNumEpochs + 1] = {};
    std::uint8_t failed[kNumEpochs + 1] = {};
    std::uint8_t ids_taken[kNumEpochs + 1] = {};
    std::uint8_t by_helper[kNumEpochs + 1] = {};  // Blocks run by helpers.
    std::uint8_t runs[kAllBlocks] = {};
    std::uint8_t unused = 0;
  };

  State Initial() const { return {}; }

  // Steps, steps in which a body throws, stores that become visible.
  int NumActions() const {
    return 2 * kNumThreads + decltype(State::memory)::kNumActions;
  }

  std::string Name(int action) const {
    if (action < kNumThreads) return "thread " + std::to_string(action);
    if (action < 2 * kNumThreads) {
      return "thread " + std::to_string(action - kNumThreads) + " throws";
    }
    return "store " + std::to_string(action - 2 * kNumThreads) + " is seen";
  }

  bool Take(int action, State* state, const char** violation) const {
    if (action >= 2 * kNumThreads) {
      return state->memory.Flush(action - 2 * kNumThreads);
    }
    const bool throws = action >= kNumThreads;
    const int thread = action % kNumThreads;
    if (thread == kOwner) return !throws && StepOwner(state, violation);
    Helper& helper = state->helpers[thread - 1];
    if (throws && (helper.step != kHelperRuns ||
                   mutant_ == Mutant::kLeaveBeforeLastRun)) {
      return false;
    }
    return StepHelper(thread, throws, state, &helper, violation);
  }

  bool IsEnd(const State& state) const {
    return state.owner.step == kOwnerEnd &&
           state.helpers[0].step == kHelperEnd &&
           state.helpers[1].step == kHelperEnd;
  }

 private:
  int WordEpoch(int epoch) const {
    return mutant_ == Mutant::kEpochStays ? 1 : epoch;
  }

  static void Run(int epoch, int block, State* state, const char** violation) {
    if (state->frame_alive[epoch] == 0) *violation = "frame used after free";
    if (++state->runs[kFirstBlock[epoch] + block] > 1) {
      *violation = "a block was run twice";
    }
  }

  bool StepOwner(State* state, const char** violation) const {
    auto& memory = state->memory;
    Owner& owner = state->owner;
    const int epoch = owner.epoch;
    switch (owner.step) {
      case kWriteFields:
        if (!memory.HasRoom(kOwner)) return false;
        state->frame_alive[epoch] = 1;
        memory.Store(kOwner, kFields, epoch, Order::kRelaxed);
        owner.step = kClearFinished;
        return true;
      case kClearFinished:
      case kOpen:
        return StepOpening(state);
      case kOwnerRuns:
        Run(epoch, owner.block, state, violation);
        owner.step = kOwnerClaims;
        return true;
      case kOwnerClaims:
        return ClaimFirst(state);
      case kOwnerStoresClaim:
        memory.Modify(kWord) = owner.word;
        owner.step = kOwnerRuns;
        return true;
      case kLeaveFrame:
        LeaveFrame(state, violation);
        return true;
      default:
        return StepWait(state);
    }
  }

  bool StepOpening(State* state) const {
    Owner& owner = state->owner;
    auto& memory = state->memory;
    if (!memory.HasRoom(kOwner)) return false;
    const bool opens =
        (owner.step == kOpen) != (mutant_ == Mutant::kResetAfterOpening);
    if (opens) {
      const int epoch = owner.epoch;
      memory.Store(kOwner, kWord,
                   MakeWord(WordEpoch(epoch), kSeats[epoch], 1, kBlocks[epoch]),
                   mutant_ == Mutant::kOpenIsRelaxed ? Order::kRelaxed
                                                     : Order::kRelease);
      owner.block = 0;
    } else {
      memory.Store(kOwner, kFinished, 0, Order::kRelaxed);
    }
    owner.step = owner.step == kOpen ? kOwnerRuns : kOpen;
    return true;
  }

  bool ClaimFirst(State* state) const {
    auto& memory = state->memory;
    Owner& owner = state->owner;
    const int word = memory.Load(kOwner, kWord);
    if (BlocksOf(word) == 0) {
      owner.step =
          mutant_ == Mutant::kCountHelpersEarly ? kHaveLeft : kCountHelpers;
      return true;
    }
    owner.helpers = kSeats[owner.epoch] - SeatsOf(word);
    // A compare-exchange that repeats until it succeeds is one step.
    if (!memory.CanModify(kOwner, kWord, Order::kRelaxed)) return false;
    owner.block = FirstOf(word);
    owner.word = word + (1 << 3);
    if (mutant_ == Mutant::kClaimIsNotAtomic) {
      owner.step = kOwnerStoresClaim;
    } else {
      memory.Modify(kWord) = owner.word;
      owner.step = kOwnerRuns;
    }
    return true;
  }

  bool StepWait(State* state) const {
    auto& memory = state->memory;
    Owner& owner = state->owner;
    switch (owner.step) {
      case kCountHelpers:
        // Final, because no blocks are left.
        owner.helpers =
            kSeats[owner.epoch] - SeatsOf(memory.Load(kOwner, kWord));
        owner.step =
            mutant_ == Mutant::kOwnerDoesNotWait ? kLeaveFrame : kHaveLeft;
        return true;
      case kHaveLeft: {
        const int finished = memory.Load(kOwner, kFinished);
        owner.finished = finished;
        owner.step = kSetSleepBit;
        if ((finished & ~kSleepBit) == owner.helpers) owner.step = kLeaveFrame;
        if (owner.step == kSetSleepBit && mutant_ == Mutant::kSleepWithoutBit) {
          owner.step = kFallAsleep;
        }
        return true;
      }
      case kSetSleepBit:
        if (!memory.CanModify(kOwner, kFinished, Order::kRelaxed)) return false;
        memory.Modify(kFinished) |= kSleepBit;
        owner.finished = memory.Memory(kFinished);
        owner.step = kFallAsleep;
        if ((owner.finished & ~kSleepBit) == owner.helpers) {
          owner.step = kHaveLeft;
        }
        return true;
      case kFallAsleep:
        // The kernel compares and queues in one step.
        if (!memory.CanModify(kOwner, kFinished, Order::kRelaxed)) return false;
        owner.asleep = memory.Memory(kFinished) == owner.finished ||
                       mutant_ == Mutant::kSleepBlindly;
        owner.step = kSleeping;
        return true;
      default:  // kSleeping
        if (owner.step != kSleeping || owner.asleep != 0) return false;
        owner.step = kHaveLeft;
        return true;
    }
  }

  // Waiting is over: everything must have been done, and be visible.
  void LeaveFrame(State* state, const char** violation) const {
    Owner& owner = state->owner;
    const int epoch = owner.epoch;
    state->frame_alive[epoch] = 0;
    if (mutant_ != Mutant::kOwnerDoesNotWait) CheckAllDone(*state, violation);
    owner = {};
    owner.epoch = epoch + 1;
    if (epoch == kNumEpochs) owner.step = kOwnerEnd;
  }

  static void CheckAllDone(const State& state, const char** violation) {
    const int epoch = state.owner.epoch;
    const auto& memory = state.memory;
    if (state.failed[epoch] != 0) {
      if (memory.Load(kOwner, kError) != epoch) {
        *violation = "the exception is lost";
      }
    } else {
      for (int block = 1; block < kBlocks[epoch]; ++block) {
        const int k = kFirstBlock[epoch] + block;
        if (state.runs[k] != 1) *violation = "a block was not run";
      }
    }
    // Results of helpers, as far as there are any.
    for (int block = 0; block < kBlocks[epoch]; ++block) {
      const int k = kFirstBlock[epoch] + block;
      if (state.by_helper[epoch] >> block & 1 &&
          memory.Load(kOwner, kResult + k) != 1) {
        *violation = "a result is not visible";
      }
    }
  }

  bool StepHelper(int thread, bool throws, State* state, Helper* helper,
                  const char** violation) const {
    auto& memory = state->memory;
    switch (helper->step) {
      case kRead:
        helper->word = memory.Load(thread, kWord);
        if (IsJoinable(*helper)) {
          helper->step = kJoin;
        } else {
          NextInvitation(helper);
        }
        return true;
      case kJoin:
        return Join(thread, state, helper, violation);
      case kHelperRuns:
        return RunAsHelper(thread, throws, state, helper, violation);
      case kHelperClaims:
        return ClaimLast(thread, state, helper);
      case kHelperCancels: {
        if (!memory.CanModify(thread, kWord, Order::kRelaxed)) return false;
        std::uint16_t& word = memory.Modify(kWord);
        word = static_cast<std::uint16_t>(word & ~63);
        helper->step = kLeave;
        return true;
      }
      case kLeave:
        return Leave(thread, state, helper);
      case kWake:
        state->owner.asleep = 0;
        NextInvitation(helper);
        return true;
      case kHelperEnd:
        break;
    }
    return false;
  }

  bool IsJoinable(const Helper& helper) const {
    return EpochOf(helper.word) == WordEpoch(helper.handle) &&
           BlocksOf(helper.word) > 0 && SeatsOf(helper.word) > 0;
  }

  static void NextInvitation(Helper* helper) {
    const int next = helper->handle + 1;
    *helper = {};
    helper->handle = next;
    if (next > kNumEpochs) helper->step = kHelperEnd;
  }

  bool Join(int thread, State* state, Helper* helper,
            const char** violation) const {
    auto& memory = state->memory;
    if (!memory.CanModify(thread, kWord, Order::kRelaxed)) return false;
    std::uint16_t& word = memory.Modify(kWord);
    if (word != helper->word && mutant_ != Mutant::kJoinWithoutExchange) {
      helper->step = kRead;
      return true;
    }
    word = helper->word - (1 << 6) - 1;
    helper->block = EndOf(helper->word) - 1;
    // The owner's fields: they must be those of the handle's group.
    helper->epoch = memory.Load(thread, kFields);
    if (helper->epoch != helper->handle) {
      *violation = "joined another group than the invitation's";
      return true;
    }
    const int id = kSeats[helper->epoch] - SeatsOf(helper->word);
    std::uint8_t& taken = state->ids_taken[helper->epoch];
    if (taken >> id & 1) *violation = "two threads hold one id";
    taken |= 1 << id;
    helper->step =
        mutant_ == Mutant::kLeaveBeforeLastRun ? kLeave : kHelperRuns;
    return true;
  }

  bool RunAsHelper(int thread, bool throws, State* state, Helper* helper,
                   const char** violation) const {
    auto& memory = state->memory;
    if (!memory.HasRoom(thread)) return false;
    const int epoch = helper->epoch;
    Run(epoch, helper->block, state, violation);
    if (throws) {
      if (state->failed[epoch] == 0) {
        memory.Store(thread, kError, epoch, Order::kRelaxed);
      }
      state->failed[epoch] = 1;
      helper->step = kHelperCancels;
      return true;
    }
    memory.Store(thread, kResult + kFirstBlock[epoch] + helper->block, 1,
                 Order::kRelaxed);
    state->by_helper[epoch] |= 1 << helper->block;
    helper->step =
        mutant_ == Mutant::kLeaveBeforeLastRun ? kHelperEnd : kHelperClaims;
    return true;
  }

  bool ClaimLast(int thread, State* state, Helper* helper) const {
    auto& memory = state->memory;
    if (!memory.CanModify(thread, kWord, Order::kRelaxed)) return false;
    std::uint16_t& word = memory.Modify(kWord);
    helper->step = kLeave;
    if (BlocksOf(word) > 0) {
      helper->block = EndOf(word) - 1;
      --word;
      helper->step = kHelperRuns;
    }
    return true;
  }

  bool Leave(int thread, State* state, Helper* helper) const {
    auto& memory = state->memory;
    const Order order =
        mutant_ == Mutant::kLeaveIsRelaxed ? Order::kRelaxed : Order::kRelease;
    if (!memory.CanModify(thread, kFinished, order)) return false;
    const int before = memory.Modify(kFinished)++;
    if (mutant_ == Mutant::kLeaveBeforeLastRun) {
      helper->step = kHelperRuns;
    } else if (before & kSleepBit) {
      helper->step = kWake;
    } else {
      NextInvitation(helper);
    }
    return true;
  }

  const Mutant mutant_;
};

}  // namespace ceres::parallel::testing_internal::group_model

#endif  // CERES_INTERNAL_PARALLEL_GROUP_MODEL_H_
