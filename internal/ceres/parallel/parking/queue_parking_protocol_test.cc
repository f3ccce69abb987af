// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/queue_parking_protocol.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/queue_parking_model.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/testing/protocol_mutants.h"
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
      searcher.is_last_look = true;
      pool.SleepUntil([&] { return Holds() || Help(&searcher); });
      searcher.is_last_look = false;
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
void ExpectAllEndWellWithin(std::size_t least_executions) {
  // More preemptions take minutes.
  ExplorationLimits limits;
  limits.preemptions = kIsSanitized ? 1 : 2;
  ExpectAllEndWell<Model>(least_executions, limits);
}

TEST(QueueParkingProtocol, TwoPushesFindBothWorkers) {
  ExpectAllEndWellWithin<TaskModel<NoMutation, 2>>(1000);
}
TEST(QueueParkingProtocol, OnePushFindsBothWorkers) {
  ExpectAllEndWellWithin<TaskModel<NoMutation, 1>>(1000);
}
TEST(QueueParkingProtocol, EachLongLoopFindsAWorker) {
  ExpectAllEndWellWithin<LoopModel<NoMutation>>(1000);
}
TEST(QueueParkingProtocol, AConditionWaiterFindsItsTask) {
  ExpectAllEndWellWithin<WaiterModel<NoMutation, false>>(10);
}
TEST(QueueParkingProtocol, AConditionWaiterIsWoken) {
  ExpectAllEndWellWithin<WaiterModel<NoMutation, true>>(10);
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

using Rule = ParkingRule;
constexpr char kMiscounted[] = "the count of searching threads is wrong";
constexpr char kWriteRace[] = "data race (write)";

constexpr ProtocolMutant kMutants[] = {
    {"TheBitMustBeSetBehindTheTaskUnderTheLock",
     ViolationOf<TaskModel<NoMutation, 2, true>>, kStuck},
    {"TheBitMustBeSetInOrder", OfTasks<Rule::kSetsBitInOrder>, kStuck},
    {"TheLookForSearchingWorkersMustBeInOrder",
     OfTasks<Rule::kLooksForSearchingInOrder>, kStuck},
    {"WorkersAtWorkMustNotCountAsSearching", OfTasks<Rule::kLooksForSearching>,
     kStuck},
    {"WorkersAtWorkMustNotCountAsSearchingInLoops",
     OfLoops<Rule::kLooksForSearching>, kStuck},
    {"APostOfALongLoopMustBeFollowedByAFence", OfLoops<Rule::kFencesPost>,
     kStuck},
    {"AWokenWorkerMustCountAsSearching", OfTasks<Rule::kCountsWokenAsSearching>,
     kMiscounted},
    {"AWokenWorkerMustLeaveTheList", OfTasks<Rule::kTakesWokenOffList>,
     nullptr},
    {"AWokenWorkerMustGetAToken", OfTasks<Rule::kGivesToken>, kStuck},
    {"ATokenMustBeGivenByARelease", OfTasks<Rule::kReleasesToken>, kWriteRace},
    {"ATokenMustBeTakenByAnAcquire", OfTasks<Rule::kAcquiresToken>, kWriteRace},
    {"ARetiredWorkerMustGetAToken", OfTasks<Rule::kGivesRetiredToken>, kStuck},
    {"TheBitMustBeClearedUnderTheLock", OfTasks<Rule::kClearsBitUnderLock>,
     kStuck},
    {"AWorkerMustEndItsSearchInOrder", OfTasks<Rule::kEndsSearchInOrder>,
     kStuck},
    {"AWorkerMustEndItsSearchBeforeItLooksForTheRest",
     OfLoops<Rule::kEndsSearchFirst>, kStuck},
    {"AWorkerMustWakeAnotherForTheRest", OfTasks<Rule::kCallsForRest>, kStuck},
    {"AWorkerMustWakeAnotherForTheRestInLoops", OfLoops<Rule::kCallsForRest>,
     kStuck},
    {"AWorkerMustLookAgainAfterGivingUp", OfTasks<Rule::kLooksAfterGivingUp>,
     kStuck},
    {"AWorkerMustLookAgainWhenItHasParked", OfTasks<Rule::kLooksAgain>, kStuck},
    {"AWorkerMustLookAgainWhenItHasParkedInLoops", OfLoops<Rule::kLooksAgain>,
     kStuck},
    {"AWorkerThatReturnsMustLeaveTheList", OfTasks<Rule::kTakesItselfOffList>,
     nullptr},
    {"AWorkerThatReturnsMustCountAsSearching",
     OfTasks<Rule::kCountsItselfAsSearching>, kMiscounted},
    {"AConditionWaiterMustBeCounted", OfWaiters<Rule::kCountsWaiter>, kStuck},
    {"AConditionWaiterMustReadTheEventFirst", OfWaiters<Rule::kReadsEventFirst>,
     kStuck},
    {"AConditionWaiterMustTryAgain", OfWaiters<Rule::kTriesAgain>, kStuck},
    {"AConditionWaiterMustTakeFreshTasksBeforeItSleeps",
     OfWaiters<Rule::kTakesFreshBeforeSleep>, kStuck},
    {"WakingMustChangeTheEvent", OfWaiters<Rule::kChangesEvent>, kStuck},
};
INSTANTIATE_TEST_SUITE_P(QueueParking, ProtocolMutants,
                         ::testing::ValuesIn(kMutants), MutantName);
TEST_P(ProtocolMutants, AreFound) { ExpectViolation(); }

}  // namespace
}  // namespace ceres::parallel::testing_internal
