// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/region_protocol.h"

#include <cstdint>
#include <string>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/regions/region_protocol_steps.h"
#include "ceres/parallel/testing/protocol_mutants.h"
#include "gtest/gtest.h"

// The protocol of region.h in every interleaving of an owner and two helpers:
// the owner opens a region, runs it, waits, leaves its frame, and opens another
// one in the same slot. Each helper tries the handle of the first region, some
// time, then that of the second. A block of a helper may throw.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BlockSpan;
using detail::BreaksRule;
using detail::NoMutation;
using detail::RegionHandle;
using detail::RegionRule;

constexpr int kMaxRegions = 2;
constexpr int kMaxBlocks = 4;

struct Shape {
  int blocks;
  int first_blocks;
  int participant_slots;
};

// The error that a frame keeps.
using Error = std::int32_t;

template <typename Mutation>
class ModelSlot
    : public detail::BasicRegionSlot<ModelAtomics, Error, Mutation> {
 public:
  using Base = detail::BasicRegionSlot<ModelAtomics, Error, Mutation>;
  RegionHandle Open(typename Base::Frame* frame) {
    return this->OpenEpoch(frame, 0);
  }
};

// kCountsEarly: the owner waits although blocks are left.
template <typename Mutation, bool kThrows, bool kCountsEarly = false>
struct RegionModel {
  static constexpr int kThreads = 3;
  static constexpr int kNumRegions = kThrows ? 1 : 2;
  static constexpr Shape kShapes[] = {{kThrows ? 4 : 3, 1, 2}, {2, 0, 1}};

  using Slot = ModelSlot<Mutation>;
  using Frame = typename Slot::Frame;

  void Run(int thread) {
    if (thread == 0) {
      for (int k = 0; k < kNumRegions; ++k) RunOwner(k);
    } else {
      for (int k = 0; k < kNumRegions; ++k) RunHelper(k);
    }
  }
  void Check() {}

  // The place of a thread in its program, and the data that it will still use.
  static void SetLocalState(int region, int position, int number = 0) {
    ModelLocalState({static_cast<std::uint64_t>(region),
                     static_cast<std::uint64_t>(position),
                     static_cast<std::uint64_t>(number)});
  }

  void RunBlocks(int region, BlockSpan span) {
    for (int block = span.begin; block < span.end; ++block) {
      ModelCheck(++seen->runs[region][block] == 1, "a block was run twice");
      results[region][block] = 1;
    }
  }

  void RunOwner(int region) {
    SetLocalState(region, 0);
    const Shape shape = kShapes[region];
    Frame frame;
    frame.blocks = frame.n = shape.blocks;
    frame.participant_slots = shape.participant_slots;
    frame.first_blocks = shape.first_blocks;
    frame.block_cost = static_cast<float>(region);
    frame.loop_depth = region;
    slot.Open(&frame);
    if (shape.first_blocks > 0) RunBlocks(region, {0, shape.first_blocks});
    for (BlockSpan span = slot.ClaimFirst(); !span.empty();
         span = slot.ClaimFirst()) {
      RunBlocks(region, span);
      SetLocalState(region, 1);
      if (kCountsEarly) break;
    }
    const auto spin = [&](int helpers) {
      SetLocalState(region, 2, helpers);
      return slot.HaveLeft(helpers);
    };
    slot.WaitForHelpers(spin,
                        [&](int helpers) { slot.SleepUntilLeft(helpers); });
    CheckAllDone(region, frame);
  }

  // Waiting is over: everything has been done, and can be seen.
  void CheckAllDone(int region, const Frame& frame) {
    if (frame.failed.load(std::memory_order_relaxed)) {
      ModelCheck(frame.error == region + 1, "the exception is lost");
      return;
    }
    ModelCheck(seen->thrown[region] == 0, "the exception is lost");
    for (int block = 0; block < kShapes[region].blocks; ++block) {
      ModelCheck(results[region][block] == 1, "a block was not run");
    }
  }

  void RunHelper(int region) {
    SetLocalState(region, 0);
    const auto joined = slot.TryJoin({RegionHandle{1} + region});
    if (joined.participant == 0) return;
    std::uint8_t& taken = seen->ids_taken[region];
    ModelCheck((taken >> joined.participant & 1) == 0,
               "two threads hold one id");
    taken = static_cast<std::uint8_t>(taken | 1 << joined.participant);
    const auto enter = [&] {
      ModelCheck(slot.frame().block_cost == static_cast<float>(region),
                 "another frame");
      ModelCheck(slot.loop_depth() == region, "the depth of another region");
      return 0;
    };
    slot.Help(joined, enter, [&](BlockSpan span, int blocks_left) {
      if (kThrows && ModelChoose(2) == 1) {
        seen->thrown[region] = 1;
        slot.frame().KeepError(region + 1);
        SetLocalState(region, 3);
        return false;
      }
      RunBlocks(region, span);
      SetLocalState(region, 4, blocks_left);
      return true;
    });
  }

  Slot slot;
  ModelPlain<std::int32_t> results[kMaxRegions][kMaxBlocks];
  // Hidden from the threads.
  struct Seen {
    std::uint8_t runs[kMaxRegions][kMaxBlocks];
    std::uint8_t ids_taken[kMaxRegions];
    std::uint8_t thrown[kMaxRegions];
  };
  Ghost<Seen> seen;
};

TEST(RegionProtocol, EveryExecutionOfTwoRegionsInOneSlotEndsWell) {
  ExpectAllEndWell<RegionModel<NoMutation, false>>(10'000);
}

TEST(RegionProtocol, EveryExecutionOfARegionWithExceptionsEndsWell) {
  ExpectAllEndWell<RegionModel<NoMutation, true>>(10'000);
}

template <RegionRule kRule>
std::string Without() {
  return ViolationOf<RegionModel<BreaksRule<kRule>, false>>();
}

using Rule = RegionRule;
constexpr char kRunTwice[] = "a block was run twice";

constexpr ProtocolMutant kMutants[] = {
    {"OpeningMustBeARelease", Without<Rule::kOpensWithRelease>, kReadRace},
    {"FinishedMustBeResetBeforeOpening", Without<Rule::kResetsBeforeOpening>,
     kStuck},
    {"EachRegionMustHaveAnEpochOfItsOwn", Without<Rule::kChangesEpoch>,
     "another frame"},
    {"JoiningMustBeOneStep", Without<Rule::kJoinsAtomically>,
     "an object is used after its end"},
    {"JoiningMustBeAnAcquire", Without<Rule::kJoinsWithAcquire>, kReadRace},
    {"ClaimsOfTheOwnerMustBeOneStep", Without<Rule::kClaimsFirstAtomically>,
     kRunTwice},
    {"ClaimsOfHelpersMustBeOneStep", Without<Rule::kClaimsLastAtomically>,
     kRunTwice},
    {"HelpersMustLeaveAfterTheirLastRun", Without<Rule::kLeavesAfterLastRun>,
     kReadRace},
    {"LeavingMustBeARelease", Without<Rule::kLeavesWithRelease>, kReadRace},
    {"AHelperMustWakeASleepingOwner", Without<Rule::kWakesOwner>, kStuck},
    {"TheOwnerMustWait", Without<Rule::kOwnerWaits>, kStuck},
    {"TheOwnersLookMustBeAnAcquire", Without<Rule::kLooksWithAcquire>,
     kReadRace},
    {"TheOwnerMustSayThatItSleeps", Without<Rule::kSetsSleepBit>, kStuck},
    {"TheOwnerMustSleepOnTheValueThatItHasRead",
     Without<Rule::kSleepsOnValueRead>, kStuck},
    {"HelpersMustBeCountedWhenNoBlocksAreLeft",
     ViolationOf<RegionModel<NoMutation, false, true>>, nullptr},
};
INSTANTIATE_TEST_SUITE_P(Region, ProtocolMutants, ::testing::ValuesIn(kMutants),
                         MutantName);
TEST_P(ProtocolMutants, AreFound) { ExpectViolation(); }

}  // namespace
}  // namespace ceres::parallel::testing_internal
