// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/free_slots_protocol.h"

#include <cstdint>
#include <iostream>
#include <string>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "gtest/gtest.h"

// Two threads that take and put slots of three, in every interleaving. Each
// writes to what it holds.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksRule;
using detail::FreeSlotsRule;
using detail::NoMutation;

template <typename Mutation>
struct FreeSlotsModel {
  static constexpr int kThreads = 2;
  static constexpr std::uint32_t kSlots = 3;
  using Index = std::uint32_t;

  FreeSlotsModel() {
    for (Index index = 1; index <= kSlots; ++index) Put(index);
  }

  void Run(int thread) {
    const Index first = Take();
    const Index second = Take();
    if (thread == 0) {
      Put(first);
      Use(second);
      Put(second);
    } else {
      Put(second);
      Put(first);
    }
  }

  void Check() {
    bool seen[kSlots + 1] = {};
    for (Index k = 0; k < kSlots; ++k) {
      const Index index = Take();
      ModelCheck(index != 0 && !seen[index], "a slot is lost");
      seen[index] = true;
    }
  }

  Index Take() {
    const Index index =
        free_slots.Take([this](Index k) -> auto& { return next[k]; });
    if (index != 0) Use(index);
    return index;
  }
  void Put(Index index) {
    if (index == 0) return;
    free_slots.Put(
        index, [this](Index k) -> auto& { return next[k]; });
  }
  void Use(Index index) {
    if (index != 0) uses[index] = uses[index] + 1;
  }

  detail::BasicFreeSlots<ModelAtomics, Mutation> free_slots;
  ModelAtomic<Index> next[kSlots + 1];
  ModelPlain<std::int32_t> uses[kSlots + 1];
};

TEST(FreeSlotsProtocol, EachSlotHasOneOwnerInEveryExecution) {
  const auto result = ExploreProtocol<FreeSlotsModel<NoMutation>>();
  std::cout << result << "\n";
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.executions, 1000u);
}

template <FreeSlotsRule kRule>
std::string ViolationWithout() {
  const auto result = FindViolation<FreeSlotsModel<BreaksRule<kRule>>>();
  std::cout << result << "\n";
  return result.violation;
}

TEST(FreeSlotsProtocol, TheVersionMustChange) {
  EXPECT_EQ(ViolationWithout<FreeSlotsRule::kChangesVersion>(),
            "a slot is lost");
}
TEST(FreeSlotsProtocol, PuttingMustBeARelease) {
  EXPECT_EQ(ViolationWithout<FreeSlotsRule::kPutsWithRelease>(),
            "data race (read)");
}
TEST(FreeSlotsProtocol, TakingMustBeAnAcquire) {
  EXPECT_EQ(ViolationWithout<FreeSlotsRule::kTakesWithAcquire>(),
            "data race (read)");
}

}  // namespace
}  // namespace ceres::parallel::testing_internal
