// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <iostream>
#include <string>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "ceres/parallel/models/queue_parking_model.h"
#include "gtest/gtest.h"

// A post on the board of a pool may be lost: another owner that posts at the
// same moment overwrites it. So an owner looks for its post between two blocks,
// posts again if the post is gone, and then looks for a worker to wake
// (Publication::InviteAgain). In every interleaving with at most one
// preemption, a worker then joins.

namespace ceres::parallel::testing_internal {
namespace {

using detail::NoMutation;

// Two owners post at the same position of the board. Nobody can join the loop
// of the second owner. The first owner is away after its second look, until a
// worker has joined.
template <bool kPostsAgain, int kMaxAwake>
struct LostPostModel {
  static constexpr int kThreads = kNumWorkers + 2;
  static constexpr RegionHandle kLoop = RegionHandle{1}
                                        << detail::kHandleEpochBits;
  static constexpr RegionHandle kOtherLoop = RegionHandle{9}
                                             << detail::kHandleEpochBits;

  void Run(int thread) {
    if (thread < kNumWorkers) {
      pool.RunWorker(thread);
    } else if (thread == kNumWorkers) {
      RunOwner();
    } else {
      pool.EnterPart(decltype(pool)::kPosts, 2);
      pool.board().Post(kOtherLoop);
      *has_other_posted = 1;
    }
  }
  void Check() {}

  void RunOwner() {
    const std::uint64_t entry = kLoop | decltype(pool)::Board::kLong;
    pool.EnterPart(decltype(pool)::kPosts, 1);
    const int position = pool.board().Post(entry);
    pool.WakeUnlessSearching(kLoop);
    // A block, which takes longer than any store.
    ModelAwait([this] { return *has_other_posted == 1; });
    ModelAtomics::Pause();
    if (kPostsAgain && !pool.board().IsPosted(position, entry)) {
      pool.board().Post(entry);
    }
    pool.WakeOneWorker();
    ModelAwait([this] { return *has_joined == 1; });
    pool.RetireAll();
  }

  bool Help(ModelSearcher* searcher) {
    for (const int position : {1, 2}) {
      const std::uint64_t entry = pool.board().At(position);
      if (decltype(pool)::Board::Handle(entry) != kLoop) continue;
      if (joined.exchange(1) != 0) continue;
      pool.TurnTo(searcher, kLoop, [this] { *has_joined = 1; });
      return true;
    }
    return false;
  }
  bool IsOpen(RegionHandle handle) const {
    return handle == kLoop && joined.load(std::memory_order_relaxed) == 0;
  }

  Ghost<int> has_other_posted;
  Ghost<int> has_joined;
  ModelAtomic<int> joined;
  ModelPool<LostPostModel, NoMutation> pool{this, /*are_busy=*/false,
                                            kMaxAwake};
};

template <typename Model>
void ExpectAllEndWell() {
  ExplorationLimits limits;
  limits.preemptions = 1;
  const auto result = ExploreProtocol<Model>(limits);
  std::cout << result << "\n";
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.executions, 1000u);
}

TEST(LostPostProtocol, ALoopFindsAWorkerWithAllAwake) {
  ExpectAllEndWell<LostPostModel<true, kNumWorkers>>();
}

TEST(LostPostProtocol, ALoopFindsAWorkerWithOneAwakeAtATime) {
  ExpectAllEndWell<LostPostModel<true, 1>>();
}

TEST(LostPostProtocol, AnOwnerMustPostAgain) {
  const auto result = FindViolation<LostPostModel<false, kNumWorkers>>();
  std::cout << result << "\n";
  EXPECT_EQ(result.violation, "stuck: no thread can go on");
}

}  // namespace
}  // namespace ceres::parallel::testing_internal
