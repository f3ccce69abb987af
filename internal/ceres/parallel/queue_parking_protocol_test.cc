// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/queue_parking_protocol.h"

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <string>

#include "ceres/parallel/model_atomics.h"
#include "ceres/parallel/protocol_explorer.h"
#include "gtest/gtest.h"

// Two workers of a pool that give up and park as soon as they find nothing, in
// every interleaving, with two preemptions at most, with threads that have work
// for them.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksRule;
using detail::GroupHandle;
using detail::NoMutation;
using detail::ParkingRule;

constexpr int kNumWorkers = 2;

struct ModelSeeker {
  bool hungry = false;
  bool is_worker = true;
  void Watch(std::nullptr_t) {}
};

// The pool of a model, which has:
//   bool Help(ModelSeeker*);  // runs a task or a loop, if there is one
template <typename Model, typename Mutation>
class ModelPool : public detail::ParkingProtocol<ModelPool<Model, Mutation>,
                                                 ModelAtomics, Mutation> {
 public:
  using Base = detail::ParkingProtocol<ModelPool, ModelAtomics, Mutation>;
  friend Base;
  using Worker = detail::ParkedWorker<ModelAtomics>;
  using Board = detail::BasicInvitationBoard<ModelAtomics, Mutation>;
  static constexpr GroupHandle kTasks = 1;

  // Both workers have been started just now, or are at work for ever.
  ModelPool(Model* model, bool are_busy)
      : model_(model),
        merges_states_(!are_busy),
        hungry_(are_busy ? 0 : kNumWorkers * Base::kSeeking) {}

  void RunWorker(int index) {
    Worker* const worker = &workers_[index];
    do {
      EnterPart(kSeeks);
      ModelSeeker seeker;
      this->SeekWork(worker, &seeker, [&] {
        EnterPart(kSeeks);
        return model_->Help(&seeker);
      });
      EnterPart(kParks);
    } while (this->Park(worker));
    EnterPart(kEnds);
    this->CallIfMoreOffers();
  }

  void RetireAll() {
    EnterPart(kRetires);
    const std::lock_guard<ModelLock> lock(mutex_);
    for (Worker& worker : workers_) this->RetireLocked(&worker);
  }

  // What TaskSet::Push and OfferBox::HangLocked do. bit_first: as they must
  // not.
  void Enqueue(int tasks, bool bit_first = false) {
    EnterPart(kEnqueues, static_cast<std::uint64_t>(num_enqueued_++));
    if (bit_first) offer_bits_.Set(/*high=*/false, 1);
    box_lock_.Lock();
    const bool was_empty = queue_ == 0;
    queue_ = queue_ + tasks;
    if (was_empty && !bit_first) offer_bits_.Set(/*high=*/false, 1);
    box_lock_.Unlock();
    this->OfferHung(kTasks);
  }

  // What PoolState::HelpWithTask does.
  template <typename Run>
  bool HelpWithTask(ModelSeeker* seeker, const Run& run) {
    if (!offer_bits_.Any()) return false;
    const bool claimed =
        offer_bits_.Claim(box_lock_, /*high=*/false, 1, [this] {
          if (queue_ == 0) return false;
          queue_ = queue_ - 1;
          return true;
        });
    if (claimed) TurnTo(seeker, 0, run);
    return true;
  }

  template <typename TryAgain>
  void SleepUntil(const TryAgain& try_again) {
    this->SleepUnless(try_again, [this](std::uint32_t event) {
      ModelAtomics::Wait(&condition_events_, event);
    });
  }
  void Rouse() { this->RouseConditionWaiters(); }
  template <typename Run>
  void TurnTo(ModelSeeker* seeker, GroupHandle handle, const Run& run) {
    EnterPart(kTurnsToWork, handle);
    this->TurnToWork(seeker, handle, [&] {
      EnterPart(kWorks);
      run();
      EnterPart(kHasWorked);
    });
  }
  Board& board() { return board_; }

  // What a thread is about to do: with the step of the protocol at which it
  // stands, and what that step has been given, all that it still knows.
  enum Part : std::uint8_t {
    kSeeks,
    kTurnsToWork,
    kWorks,
    kHasWorked,
    kParks,
    kEnds,
    kEnqueues,
    kPosts,
    kRetires
  };
  void EnterPart(Part part, std::uint64_t number = 0) {
    const int thread = ModelExecution::Current()->thread();
    parts_[thread] = part;
    numbers_[thread] = number;
    StandAt(0);
  }

 private:
  void StandAt(int step, std::uint64_t number = 0) const {
    ModelCheck(hungry_.Newest() >= 0, "the count of those who seek is wrong");
    if (!merges_states_) return;
    const int thread = ModelExecution::Current()->thread();
    ModelLocalState({parts_[thread], numbers_[thread],
                     static_cast<std::uint64_t>(step), number});
  }
  std::uint64_t IndexOf(const Worker* worker) const {
    return static_cast<std::uint64_t>(worker - workers_);
  }

  ModelLock& ParkingMutex() { return mutex_; }
  void PushParked(Worker* worker) {
    StandAt(1, IndexOf(worker));
    for (int k = 0; k < num_parked_; ++k) {
      ModelCheck(parked_[k] != worker, "a worker is parked twice");
    }
    parked_[num_parked_] = worker;
    num_parked_ = num_parked_ + 1;
  }
  Worker* PopParked() {
    if (num_parked_ == 0) return nullptr;
    num_parked_ = num_parked_ - 1;
    Worker* const worker = parked_[num_parked_];
    StandAt(2, IndexOf(worker));
    return worker;
  }
  bool RemoveParked(Worker* worker) {
    for (int k = 0; k < num_parked_; ++k) {
      if (parked_[k] != worker) continue;
      num_parked_ = num_parked_ - 1;
      parked_[k] = static_cast<Worker*>(parked_[num_parked_]);
      StandAt(3, IndexOf(worker));
      return true;
    }
    return false;
  }
  static bool StartWorker() { return false; }
  // As the mask that PoolState writes.
  void BeforeWake(Worker* worker) {
    StandAt(4, IndexOf(worker));
    cpu_[worker - workers_] = 1;
  }
  void BeforeSleep(Worker*) const { StandAt(5); }
  static std::uint32_t SleepUntilToken(Worker* worker) {
    return Base::AwaitToken(worker);
  }
  void AfterSleep(Worker* worker, std::uint32_t token) {
    StandAt(6, token);
    if (token == Base::kWork) cpu_[worker - workers_] = 0;
  }
  static int MaxAwake() { return kNumWorkers; }
  static int MaxAwakeForTasks() { return kNumWorkers; }
  bool MayCall() const {
    StandAt(7);
    return awake_.load(std::memory_order_seq_cst) < kNumWorkers ||
           condition_waiters_.load(std::memory_order_seq_cst) > 0;
  }
  bool CouldJoinForTask() const {
    StandAt(8);
    return true;
  }
  bool IsAnyInvitationOpen() const { return FindLong(0) != 0; }
  GroupHandle FindLong(GroupHandle except) const {
    StandAt(9);
    return board_.FindLongIf(
        except, [this](GroupHandle handle) { return model_->IsOpen(handle); });
  }
  void WakeSomeone(GroupHandle) {
    StandAt(10);
    this->WakeOneOf(MaxAwake());
  }
  static void RouseSleepingOwner(GroupHandle) {}

  Model* const model_;
  const bool merges_states_;
  Part parts_[kMaxModelThreads] = {};
  std::uint64_t numbers_[kMaxModelThreads] = {};
  int num_enqueued_ = 0;
  ModelAtomic<int> awake_{kNumWorkers};
  ModelAtomic<int> hungry_;
  ModelAtomic<int> condition_waiters_{0};
  ModelAtomic<std::uint32_t> condition_events_{0};
  detail::BasicOfferBits<ModelAtomics, Mutation> offer_bits_;
  Board board_;
  ModelLock mutex_;
  Worker workers_[kNumWorkers];
  ModelPlain<Worker*> parked_[kNumWorkers + 1];
  ModelPlain<std::int32_t> num_parked_;
  ModelPlain<std::int32_t> cpu_[kNumWorkers];
  ModelLock box_lock_;
  ModelPlain<std::int32_t> queue_;
};

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

  bool Help(ModelSeeker* seeker) {
    return pool.HelpWithTask(seeker, [this] {
      ++*begun;
      ModelAwait([this] { return *begun == 2; });
    });
  }
  static bool IsOpen(GroupHandle) { return false; }

  Ghost<int> begun;
  ModelPool<TaskModel, Mutation> pool{this, /*are_busy=*/false};
};

// Two owners post a long loop each, look once whether anybody seeks work, and
// are away until a worker has joined. A worker that has joined is away until
// both loops have been joined.
template <typename Mutation>
struct LoopModel {
  static constexpr int kThreads = kNumWorkers + 2;

  static GroupHandle HandleOf(int loop) {
    return (static_cast<GroupHandle>(loop) + 1) << detail::kHandleEpochBits;
  }
  static int LoopOf(GroupHandle handle) {
    return static_cast<int>(handle >> detail::kHandleEpochBits) - 1;
  }

  void Run(int thread) {
    if (thread < kNumWorkers) {
      pool.RunWorker(thread);
      return;
    }
    const GroupHandle handle = HandleOf(thread - kNumWorkers);
    pool.EnterPart(decltype(pool)::kPosts);
    pool.board().Post(handle | decltype(pool)::Board::kLong);
    pool.CallIfNobodySeeks(handle);
    if (thread > kNumWorkers) return;
    ModelAwait([this] { return *num_joined == 2; });
    pool.RetireAll();
  }
  void Check() {}

  bool Help(ModelSeeker* seeker) {
    for (int loop = 0; loop < 2; ++loop) {
      const std::uint64_t entry = pool.board().At(loop + 1);
      if (entry == 0 || joined[loop].exchange(1) != 0) continue;
      pool.TurnTo(seeker, HandleOf(loop), [this] {
        ++*num_joined;
        ModelAwait([this] { return *num_joined == 2; });
      });
      return true;
    }
    return false;
  }
  bool IsOpen(GroupHandle handle) const {
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
    ModelSeeker seeker;
    seeker.is_worker = false;
    while (!Holds()) {
      if (Help(&seeker)) continue;
      pool.SleepUntil([&] { return Holds() || Help(&seeker); });
    }
  }
  bool Help(ModelSeeker* seeker) {
    return pool.HelpWithTask(
        seeker, [this] { done.store(1, std::memory_order_seq_cst); });
  }
  static bool IsOpen(GroupHandle) { return false; }

  ModelAtomic<int> done;
  ModelPool<WaiterModel, Mutation> pool{this, /*are_busy=*/true};
};

template <typename Model>
void ExpectAllEndWell(std::size_t least_executions) {
  // More preemptions take minutes.
  ExplorationLimits limits;
  limits.preemptions = 2;
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
TEST(QueueParkingProtocol, AConditionWaiterIsRoused) {
  ExpectAllEndWell<WaiterModel<NoMutation, true>>(10);
}

constexpr char kStuck[] = "stuck: no thread can go on";
constexpr char kMiscounted[] = "the count of those who seek is wrong";

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
TEST(QueueParkingProtocol, TheLookForSeekingWorkersMustBeInOrder) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksForSeekingInOrder>(), kStuck);
}
TEST(QueueParkingProtocol, WorkersAtWorkMustNotCountAsSeeking) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksForSeeking>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kLooksForSeeking>(), kStuck);
}
TEST(QueueParkingProtocol, APostOfALongLoopMustBeFollowedByAFence) {
  EXPECT_EQ(OfLoops<ParkingRule::kFencesPost>(), kStuck);
}
TEST(QueueParkingProtocol, AWokenWorkerMustCountAsSeeking) {
  EXPECT_EQ(OfTasks<ParkingRule::kCountsWokenAsSeeking>(), kMiscounted);
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
TEST(QueueParkingProtocol, AWorkerMustStopSeekingInOrder) {
  EXPECT_EQ(OfTasks<ParkingRule::kStopsSeekingInOrder>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustStopSeekingBeforeItLooksForTheRest) {
  EXPECT_EQ(OfLoops<ParkingRule::kStopsSeekingFirst>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustCallAnotherForTheRest) {
  EXPECT_EQ(OfTasks<ParkingRule::kCallsForRest>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kCallsForRest>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustLookAgainBehindGivingUp) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksAfterGivingUp>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerMustLookAgainWhenItHasParked) {
  EXPECT_EQ(OfTasks<ParkingRule::kLooksAgain>(), kStuck);
  EXPECT_EQ(OfLoops<ParkingRule::kLooksAgain>(), kStuck);
}
TEST(QueueParkingProtocol, AWorkerThatReturnsMustLeaveTheList) {
  EXPECT_NE(OfTasks<ParkingRule::kTakesItselfOffList>(), "");
}
TEST(QueueParkingProtocol, AWorkerThatReturnsMustCountAsSeeking) {
  EXPECT_EQ(OfTasks<ParkingRule::kCountsItselfAsSeeking>(), kMiscounted);
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
TEST(QueueParkingProtocol, RousingMustChangeTheEvent) {
  EXPECT_EQ(OfWaiters<ParkingRule::kChangesEvent>(), kStuck);
}

}  // namespace
}  // namespace ceres::parallel::testing_internal
