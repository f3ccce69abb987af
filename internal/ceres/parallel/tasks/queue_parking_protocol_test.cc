// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/queue_parking_protocol.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

#include "ceres/parallel/loops/region_word.h"
#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "ceres/parallel/models/queue_parking_model.h"
#include "gtest/gtest.h"

// Two workers of a pool that give up and park as soon as they find nothing, in
// every interleaving, with two preemptions at most, with threads that have work
// for them.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksRule;
using detail::NoMutation;
using detail::ParkingRule;

// A thread enqueues two tasks, by two pushes or by one, and never looks at them
// again. The tasks wait for each other: each must find a worker, although the
// other one has begun.
template <typename Mutation, int kPushes, bool kBitFirst = false>
struct TaskModel {
  static constexpr int kThreads = kNumWorkers + 1;

  void Run(int thread) {
    if (thread < kNumWorkers) {
      pool.RunWorker(thread);
      return;
    }
    for (int k = 0; k < kPushes; ++k) {
      pool.Enqueue(2 / kPushes, kBitFirst);
    }
    ModelAwait([this] { return *begun == 2; });
    pool.RetireAll();
  }
  void Check() {}

  bool Help(ModelSearcher* searcher) {
    return pool.HelpWithTask(searcher, [this] {
      ++*begun;
      ModelAwait([this] { return *begun == 2; });
    });
  }
  static bool IsOpen(RegionHandle) { return false; }

  Ghost<int> begun;
  ModelPool<TaskModel, Mutation> pool{this, /*are_busy=*/false};
};

// Two owners post a long loop each, look once whether any worker searches, and
// are busy until a worker has joined. A worker that has joined is busy until
// both loops have been joined.
template <typename Mutation>
struct LoopModel {
  static constexpr int kThreads = kNumWorkers + 2;

  static RegionHandle HandleOf(int loop) {
    return (static_cast<RegionHandle>(loop) + 1) << detail::kHandleEpochBits;
  }
  static int LoopOf(RegionHandle handle) {
    return static_cast<int>(handle >> detail::kHandleEpochBits) - 1;
  }

  void Run(int thread) {
    if (thread < kNumWorkers) {
      pool.RunWorker(thread);
      return;
    }
    const RegionHandle handle = HandleOf(thread - kNumWorkers);
    pool.EnterPart(decltype(pool)::kPosts);
    pool.board().Post(handle | decltype(pool)::Board::kLong);
    pool.WakeUnlessSearching(handle);
    if (thread > kNumWorkers) return;
    ModelAwait([this] { return *num_joined == 2; });
    pool.RetireAll();
  }
  void Check() {}

  bool Help(ModelSearcher* searcher) {
    for (int loop = 0; loop < 2; ++loop) {
      const std::uint64_t entry = pool.board().At(loop + 1);
      if (entry == 0 || joined[loop].exchange(1) != 0) continue;
      pool.TurnTo(searcher, HandleOf(loop), [this] {
        ++*num_joined;
        ModelAwait([this] { return *num_joined == 2; });
      });
      return true;
    }
    return false;
  }
  bool IsOpen(RegionHandle handle) const {
    return joined[LoopOf(handle)].load(std::memory_order_relaxed) == 0;
  }

  Ghost<int> num_joined;
  ModelAtomic<int> joined[2];
  ModelPool<LoopModel, Mutation> pool{this, /*are_busy=*/false};
};

// A thread sleeps until its condition holds, or there is a task for it, while
// all workers are at work. Another one enqueues a task, on which the condition
// depends, or (kTells) makes it hold and says so.
template <typename Mutation, bool kTells>
struct WaiterModel {
  static constexpr int kThreads = 2;

  void Run(int thread) {
    if (thread == 0) {
      Wait();
    } else if (kTells) {
      done.store(1, std::memory_order_seq_cst);
      pool.Rouse();
    } else {
      pool.Enqueue(1);
    }
  }
  void Check() {}

  bool Holds() const { return done.load(std::memory_order_seq_cst) != 0; }
  void Wait() {
    ModelSearcher searcher;
    searcher.is_worker = false;
    while (!Holds()) {
      if (Help(&searcher)) continue;
      pool.SleepUntil([&] { return Holds() || Help(&searcher); });
    }
  }
  bool Help(ModelSearcher* searcher) {
    return pool.HelpWithTask(
        searcher, [this] { done.store(1, std::memory_order_seq_cst); });
  }
  static bool IsOpen(RegionHandle) { return false; }

  ModelAtomic<int> done;
  ModelPool<WaiterModel, Mutation> pool{this, /*are_busy=*/true};
};

template <typename Model>
void ExpectAllEndWell(std::size_t least_executions) {
  // More preemptions take minutes.
  ExplorationLimits limits;
  limits.preemptions = kIsSanitized ? 1 : 2;
  const auto result = ExploreProtocol<Model>(limits);
  std::cout << result << "\n";
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.executions, least_executions);
}

TEST(QueueParkingProtocol, TwoPushesFindBothWorkers) {
  ExpectAllEndWell<TaskModel<NoMutation, 2>>(1000);
}
TEST(QueueParkingProtocol, OnePushFindsBothWorkers) {
  ExpectAllEndWell<TaskModel<NoMutation, 1>>(1000);
}
TEST(QueueParkingProtocol, EachLongLoopFindsAWorker) {
  ExpectAllEndWell<LoopModel<NoMutation>>(1000);
}
TEST(QueueParkingProtocol, AConditionWaiterFindsItsTask) {
  ExpectAllEndWell<WaiterModel<NoMutation, false>>(10);
}
TEST(QueueParkingProtocol, AConditionWaiterIsWoken) {
  ExpectAllEndWell<WaiterModel<NoMutation, true>>(10);
}

constexpr char kStuck[] = "stuck: no thread can go on";
constexpr char kMiscounted[] = "the count of searching threads is wrong";

template <typename Model>
std::string ViolationOf() {
  const auto result = FindViolation<Model>();
  std::cout << result << "\n";
  return result.violation;
}

template <ParkingRule kRule>
std::string OfTasks() {
  return ViolationOf<TaskModel<BreaksRule<kRule>, 2>>();
}
template <ParkingRule kRule>
std::string OfLoops() {
  return ViolationOf<LoopModel<BreaksRule<kRule>>>();
}
template <ParkingRule kRule>
std::string OfWaiters() {
  return ViolationOf<WaiterModel<BreaksRule<kRule>, false>>();
}

TEST(QueueParkingProtocol, TheBitMustBeSetBehindTheTaskUnderTheLock) {
  EXPECT_EQ((ViolationOf<TaskModel<NoMutation, 2, true>>()), kStuck);
}
TEST(QueueParkingProtocol, TheBitMustBeSetInOrder) {
  EXPECT_EQ(OfTasks<ParkingRule::kSetsBitInOrder>(), kStuck);
}
TEST(QueueParkingProtocol, TheLookForSearchingWorkersMustBeInOrder) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksForSearchingInOrder>(), kStuck);
}
TEST(QueueParkingProtocol, WorkersAtWorkMustNotCountAsSearching) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksForSearching>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kLooksForSearching>(), kStuck);
}
TEST(QueueParkingProtocol, APostOfALongLoopMustBeFollowedByAFence) {
  EXPECT_EQ(OfLoops<ParkingRule::kFencesPost>(), kStuck);
}
TEST(QueueParkingProtocol, AWokenWorkerMustCountAsSearching) {
  EXPECT_EQ(OfTasks<ParkingRule::kCountsWokenAsSearching>(), kMiscounted);
}
TEST(QueueParkingProtocol, AWokenWorkerMustLeaveTheList) {
  EXPECT_NE(OfTasks<ParkingRule::kTakesWokenOffList>(), "");
}
TEST(QueueParkingProtocol, AWokenWorkerMustGetAToken) {
  EXPECT_EQ(OfTasks<ParkingRule::kGivesToken>(), kStuck);
}
TEST(QueueParkingProtocol, ATokenMustBeGivenByARelease) {
  EXPECT_EQ(OfTasks<ParkingRule::kReleasesToken>(), "data race (write)");
}
TEST(QueueParkingProtocol, ATokenMustBeTakenByAnAcquire) {
  EXPECT_EQ(OfTasks<ParkingRule::kAcquiresToken>(), "data race (write)");
}
TEST(QueueParkingProtocol, ARetiredWorkerMustGetAToken) {
  EXPECT_EQ(OfTasks<ParkingRule::kGivesRetiredToken>(), kStuck);
}
TEST(QueueParkingProtocol, TheBitMustBeClearedUnderTheLock) {
  EXPECT_EQ(OfTasks<ParkingRule::kClearsBitUnderLock>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustEndItsSearchInOrder) {
  EXPECT_EQ(OfTasks<ParkingRule::kEndsSearchInOrder>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustEndItsSearchBeforeItLooksForTheRest) {
  EXPECT_EQ(OfLoops<ParkingRule::kEndsSearchFirst>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustWakeAnotherForTheRest) {
  EXPECT_EQ(OfTasks<ParkingRule::kCallsForRest>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kCallsForRest>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustLookAgainAfterGivingUp) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksAfterGivingUp>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustLookAgainWhenItHasParked) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksAgain>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kLooksAgain>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerThatReturnsMustLeaveTheList) {
  EXPECT_NE(OfTasks<ParkingRule::kTakesItselfOffList>(), "");
}
TEST(QueueParkingProtocol, AWorkerThatReturnsMustCountAsSearching) {
  EXPECT_EQ(OfTasks<ParkingRule::kCountsItselfAsSearching>(), kMiscounted);
}
TEST(QueueParkingProtocol, AConditionWaiterMustBeCounted) {
  EXPECT_EQ(OfWaiters<ParkingRule::kCountsWaiter>(), kStuck);
}
TEST(QueueParkingProtocol, AConditionWaiterMustReadTheEventFirst) {
  EXPECT_EQ(OfWaiters<ParkingRule::kReadsEventFirst>(), kStuck);
}
TEST(QueueParkingProtocol, AConditionWaiterMustTryAgain) {
  EXPECT_EQ(OfWaiters<ParkingRule::kTriesAgain>(), kStuck);
}
TEST(QueueParkingProtocol, WakingMustChangeTheEvent) {
  EXPECT_EQ(OfWaiters<ParkingRule::kChangesEvent>(), kStuck);
}

}  // namespace
}  // namespace ceres::parallel::testing_internal
