// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/region.h"

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/regions/region_handle.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

// A region that counts how often each index is visited.
class GroupTest : public ::testing::Test {
 protected:
  GroupTest() : slot_(RegionSlot::Acquire()) {}
  ~GroupTest() override { RegionSlot::Release(slot_); }

  RegionHandle Open(int n, int blocks, int participant_slots, int share = 1,
                    int first_blocks = 0) {
    calls_.assign(n, 0);
    frame_.body = {&Count, this};
    frame_.n = n;
    frame_.blocks = blocks;
    frame_.participant_slots = participant_slots;
    frame_.share = share;
    frame_.first_blocks = first_blocks;
    return slot_->Open(&frame_, 0);
  }

  // As the owner; returns the number of claims.
  int RunRest() {
    int count = 0;
    for (BlockSpan span = slot_->ClaimFirst(); !span.empty();
         span = slot_->ClaimFirst()) {
      slot_->Run(0, span);
      ++count;
    }
    return count;
  }

  static void Count(void* closure, int, std::int64_t begin, std::int64_t end) {
    auto& calls = static_cast<GroupTest*>(closure)->calls_;
    for (std::int64_t i = begin; i < end; ++i) ++calls[i];
  }

  void ExpectEachOnce() const {
    for (const int count : calls_) EXPECT_EQ(count, 1);
  }

  RegionSlot* slot_;
  RegionFrame frame_;
  std::vector<int> calls_;
};

TEST_F(GroupTest, BlocksCoverTheIndicesWithSizesThatDifferByAtMostOne) {
  for (const int n : {5, 16, 17, 100}) {
    for (int blocks = 1; blocks <= 5; ++blocks) {
      Open(n, blocks, 1);
      EXPECT_EQ(RunRest(), blocks);
      ExpectEachOnce();
      Open(n, blocks, 1, kWholeShare);
      EXPECT_EQ(RunRest(), 1);
      ExpectEachOnce();
    }
  }
}

TEST_F(GroupTest, AThreadThatJoinsGetsAnIdAndTheLastBlock) {
  const RegionHandle handle = Open(10, 5, 2);
  const RegionSlot::JoinResult first = slot_->TryJoin({handle});
  EXPECT_EQ(first.participant, 1);
  EXPECT_EQ(first.blocks.begin, 4);
  EXPECT_EQ(first.blocks.end, 5);
  EXPECT_EQ(first.slots_left, 1);
  EXPECT_EQ(first.blocks_left, 4);
  const RegionSlot::JoinResult second = slot_->TryJoin({handle});
  EXPECT_EQ(second.participant, 2);
  EXPECT_EQ(second.blocks.begin, 3);
  EXPECT_EQ(slot_->NumJoined(), 2);
  EXPECT_EQ(slot_->NumLeft(), 3);
  EXPECT_EQ(slot_->TryJoin({handle}).participant, 0)
      << "no participant_slots are left";
}

TEST_F(GroupTest, OwnerAndHelpersMeetInTheMiddle) {
  const RegionHandle handle = Open(40, 16, 1, kWholeShare / 2, 4);
  slot_->Run(0, {0, 4});
  const RegionSlot::JoinResult joined = slot_->TryJoin({handle});
  EXPECT_EQ(joined.blocks.begin, 10);
  EXPECT_EQ(joined.blocks.end, 16);
  slot_->Run(1, joined.blocks);
  const BlockSpan owners = slot_->ClaimFirst();
  EXPECT_EQ(owners.begin, 4);
  EXPECT_EQ(owners.end, 7);
  slot_->Run(0, owners);
  int blocks_left = joined.blocks_left;
  const BlockSpan helpers = slot_->ClaimLast(&blocks_left);
  EXPECT_EQ(helpers.begin, 9);
  EXPECT_EQ(helpers.end, 10);
  slot_->Run(1, helpers);
  RunRest();
  EXPECT_TRUE(slot_->ClaimLast(&blocks_left).empty());
  ExpectEachOnce();
}

TEST_F(GroupTest, NobodyJoinsAGroupWithoutBlocks) {
  const RegionHandle handle = Open(10, 5, 2);
  RunRest();
  EXPECT_FALSE(RegionSlot::IsOpen(handle));
  EXPECT_EQ(slot_->TryJoin({handle}).participant, 0);
  EXPECT_TRUE(slot_->HaveLeft(0));
}

TEST_F(GroupTest, AnOldHandleDoesNotJoinTheNextGroupOfItsSlot) {
  const RegionHandle old_handle = Open(10, 5, 2);
  RunRest();
  const RegionHandle handle = Open(10, 5, 2);
  EXPECT_NE(handle, old_handle);
  EXPECT_EQ(slot_->TryJoin({old_handle}).participant, 0);
  EXPECT_EQ(slot_->TryJoin({handle}).participant, 1);
}

TEST_F(GroupTest, CancellingDropsTheBlocksThatNobodyClaimed) {
  const RegionHandle handle = Open(10, 5, 2);
  slot_->TryJoin({handle});
  slot_->Cancel();
  EXPECT_TRUE(slot_->ClaimFirst().empty());
  EXPECT_EQ(slot_->NumJoined(), 1);
  EXPECT_FALSE(slot_->HaveLeft(1));
  slot_->Leave();
  EXPECT_TRUE(slot_->HaveLeft(1));
}

TEST_F(GroupTest, AGroupLiesWithinItselfAndTheGroupsAroundIt) {
  const RegionHandle outer = Open(10, 5, 2);
  RegionSlot* const inner_slot = RegionSlot::Acquire();
  RegionFrame inner_frame = {};
  inner_frame.n = inner_frame.blocks = 2;
  inner_frame.participant_slots = 1;
  const RegionHandle inner = inner_slot->Open(&inner_frame, outer);
  EXPECT_TRUE(IsWithin(outer, outer));
  EXPECT_TRUE(IsWithin(inner, outer));
  EXPECT_FALSE(IsWithin(outer, inner));
  inner_slot->Cancel();
  RegionSlot::Release(inner_slot);
}

TEST_F(GroupTest, TheFirstErrorIsKept) {
  RegionFrame frame;
  frame.KeepError(std::make_exception_ptr(std::runtime_error("first")));
  frame.KeepError(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_THAT([&] { std::rethrow_exception(frame.error); },
              ::testing::ThrowsMessage<std::runtime_error>("first"));
}

// The slot's whole life under contention: thousands of short regions in one
// slot, while others join with handles that are current, or old.
TEST(GroupRace, HelpersOfAllAgesNeverTouchAGroupThatHasEnded) {
  constexpr int kBlocks = 8;
  std::atomic<RegionHandle> current{0};
  std::atomic<bool> stop{false};
  std::atomic<int> helped{0};
  std::vector<std::thread> helpers;
  for (int helper = 0; helper < 3; ++helper) {
    helpers.emplace_back([&] {
      RegionHandle old = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const RegionHandle handle = current.load(std::memory_order_acquire);
        for (const RegionHandle tried : {old, handle}) {
          if (Invitation(tried).Accept()) {
            helped.fetch_add(1, std::memory_order_relaxed);
          }
        }
        old = handle;
      }
    });
  }
  const int rounds = kThreadSanitizer ? 5000 : 20000;
  for (int round = 0; round < rounds || helped < 10; ++round) {
    std::vector<int> calls(kBlocks, 0);
    RegionFrame frame;
    frame.body = {[](void* closure, int, std::int64_t begin, std::int64_t end) {
                    auto& calls = *static_cast<std::vector<int>*>(closure);
                    for (; begin < end; ++begin) ++calls[begin];
                  },
                  &calls};
    frame.n = frame.blocks = kBlocks;
    frame.participant_slots = 2;
    RegionSlot* const slot = RegionSlot::Acquire();
    current.store(slot->Open(&frame, 0), std::memory_order_release);
    if (round % 64 == 0) std::this_thread::yield();
    for (BlockSpan span = slot->ClaimFirst(); !span.empty();
         span = slot->ClaimFirst()) {
      slot->Run(0, span);
    }
    const int joined = slot->NumJoined();
    while (!slot->HaveLeft(joined)) slot->SleepUntilLeft(joined);
    RegionSlot::Release(slot);
    for (const int count : calls) ASSERT_EQ(count, 1);
  }
  stop = true;
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace
}  // namespace ceres::parallel::detail
