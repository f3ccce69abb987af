// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <string>

#include "ceres/parallel/detail/pending_word.h"
#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/sync/protocol_atomics.h"
#include "ceres/parallel/testing/protocol_mutants.h"
#include "gtest/gtest.h"

// The words of a task set (detail/pending_word.h) in every interleaving of
// three threads. The queue of the model is a lock, a pointer to the set that is
// enqueued, and its unclaimed tasks.

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksRule;
using detail::WaitRule;
using NoMutation = detail::BreaksNoRule;

constexpr auto kForever = std::chrono::steady_clock::time_point::max();
constexpr auto kSomeTime = std::chrono::steady_clock::time_point::min();

// The unclaimed tasks of a set, which outlive the set.
template <typename Set>
struct Queue {
  ModelLock lock;
  ModelPlain<Set*> enqueued;
  ModelPlain<std::int32_t> tasks;  // A bit for each.

  // Returns the task, or 0.
  std::int32_t ClaimLocked() {
    const std::int32_t all = tasks;
    if (all == 0) return 0;
    const std::int32_t task = all & -all;
    tasks = all & ~task;
    if (tasks == 0) enqueued = nullptr;
    return task;
  }
};

template <typename Mutation>
struct Set {
  detail::BasicPendingWord<ModelAtomics, Mutation> pending;
  detail::BasicParentWord<ModelAtomics, Mutation> parent;

  void Push(Queue<Set>& queue, std::int32_t tasks, int count) {
    pending.Push(count, [&] {
      const ModelLock::Guard guard(queue.lock);
      queue.tasks = queue.tasks | tasks;
      queue.enqueued = this;
    });
  }
};

// An owner pushes two tasks, waits, and destroys the set. Two helpers claim
// a task each, or leave before; the first task pushes a third one.
template <typename Mutation>
struct CompletionModel {
  static constexpr int kThreads = 3;
  using ModelSet = Set<Mutation>;

  void Run(int thread) {
    if (thread == 0) {
      RunOwner();
    } else {
      RunHelper();
    }
  }
  void Check() {
    for (const std::int32_t task : {1, 2, 4}) {
      ModelCheck((*runs & task) != 0, "a task was not run");
    }
  }

  void RunTask(ModelSet& set, std::int32_t task) {
    ModelCheck((*runs & task) == 0, "a task was run twice");
    *runs |= task;
    results[task] = 1;
    if (task == 1) set.Push(queue, 4, 1);
  }

  // The waiter's claim, and its last look.
  bool RunOne(ModelSet& set) {
    std::int32_t task = 0;
    {
      const ModelLock::Guard guard(queue.lock);
      task = queue.ClaimLocked();
    }
    if (task == 0) return false;
    RunTask(set, task);
    set.pending.Discount(1);
    return true;
  }

  void RunOwner() {
    {
      ModelSet set;
      set.Push(queue, 3, 2);
      while (!set.pending.IsQuiet()) {
        ModelLocalState({1});
        if (RunOne(set)) continue;
        ModelLocalState({2});
        set.pending.Sleep(kForever, [&] {
          const ModelLock::Guard guard(queue.lock);
          return queue.tasks != 0;
        });
      }
      set.pending.TakeBackSleeperBit();
      for (const std::int32_t task : {1, 2, 4}) {
        ModelCheck(results[task] == 1, "a task is pending after the wait");
      }
    }
    ModelLocalState({3});
  }

  void RunHelper() {
    if (ModelChoose(2) == 1) return;
    ModelSet* set = nullptr;
    std::int32_t task = 0;
    {
      const ModelLock::Guard guard(queue.lock);
      set = queue.enqueued;
      task = queue.ClaimLocked();
    }
    if (task == 0) return;
    RunTask(*set, task);
    set->pending.Discount(1);
  }

  Queue<ModelSet> queue;
  ModelPlain<std::int32_t> results[5];
  Ghost<std::int32_t> runs;
};

// A thread that works for the group kAncestor waits for a set of one task,
// while a thread outside pushes another one and waits, too. A helper, which
// waits for kAncestor, runs tasks of the set only while that waits for them.
template <typename Mutation>
struct ParentModel {
  static constexpr int kThreads = 3;
  static constexpr std::uint64_t kAncestor = 7;
  using ModelSet = Set<Mutation>;

  ParentModel() { set.Push(queue, 1, 1); }

  void Run(int thread) {
    if (thread == 2) {
      RunOne(kAncestor);
      return;
    }
    if (thread == 1) set.Push(queue, 2, 1);
    Wait(thread == 0 ? kAncestor : 0);
    if (thread == 0) *has_returned = 1;
  }
  void Check() { ModelCheck(*runs == 3, "a task was not run"); }

  void Wait(std::uint64_t parent) {
    if (set.pending.IsQuiet()) return;
    set.parent.WaitUnder(parent, set.pending, [&] {
      do {
        ModelLocalState({1, parent});
        if (RunOne(0)) continue;
        ModelLocalState({2, parent});
        set.pending.Sleep(kForever, [&] {
          const ModelLock::Guard guard(queue.lock);
          return queue.tasks != 0;
        });
      } while (!set.pending.IsQuiet());
      return true;
    });
    set.pending.TakeBackSleeperBit();
  }

  // ancestor: the set must be within that group.
  bool RunOne(std::uint64_t ancestor) {
    std::int32_t task = 0;
    {
      const ModelLock::Guard guard(queue.lock);
      if (queue.tasks != 0 && (ancestor == 0 || set.parent.Get() == ancestor)) {
        task = queue.ClaimLocked();
      }
    }
    if (task == 0) return false;
    ModelLocalState({3, static_cast<std::uint64_t>(task)});
    *runs |= task;
    // Takes a while.
    ModelAtomics::Fence(std::memory_order_relaxed);
    ModelCheck(ancestor == 0 || *has_returned == 0,
               "a task that nobody waits for runs in a thread that waits");
    set.pending.Discount(1);
    return true;
  }

  Queue<ModelSet> queue;
  ModelSet set;
  Ghost<std::int32_t> runs;
  Ghost<std::int32_t> has_returned;
};

// The single task of a future. Its owner awaits it, gives up at a deadline,
// cancels it, or drops the future, in any order, and drops it in the end. A
// worker claims the task, or leaves. The third thread destroys the pool: it
// runs the task if it is still there, waits for its end, and for the owner to
// leave.
template <typename Mutation>
struct FutureModel {
  static constexpr int kThreads = 3;
  using Word = detail::BasicPendingWord<ModelAtomics, Mutation>;

  FutureModel() {
    word.StartSingle(/*abandoned=*/false);
    enqueued = 1;
  }

  void Run(int thread) {
    if (thread == 0) {
      RunOwner();
    } else if (thread == 1) {
      if (ModelChoose(2) == 0 && Claim()) RunTask();
    } else {
      if (Claim()) RunTask();
      while (finished.load(std::memory_order_acquire) == 0) {
        ModelAtomics::Pause();
      }
      while (leaving.load(std::memory_order_acquire) != 0) {
        ModelAtomics::Pause();
      }
      *pool_is_gone = 1;
    }
  }
  void Check() {
    ModelCheck(*num_deleted == 1, "the set is not deleted once");
    ModelCheck(leaving.Newest() == 0, "the pool waits for nobody");
  }

  void UsePool() { ModelCheck(*pool_is_gone == 0, "the pool is gone"); }
  void UseSet() { ModelCheck(*num_deleted == 0, "the set is gone"); }
  void Delete() {
    UseSet();
    ++*num_deleted;
  }

  bool Claim() {
    const ModelLock::Guard guard(lock);
    if (enqueued == 0) return false;
    enqueued = 0;
    return true;
  }

  // RunSingle.
  void RunTask() {
    UseSet();
    result = 1;
    constexpr bool kIsLate =
        Mutation::Breaks(WaitRule::kLeavingIsCountedBeforeEnd);
    bool expects = false;
    const detail::SingleEnd end = word.EndSingle([&] {
      expects = true;
      if (!kIsLate) leaving.fetch_add(1, std::memory_order_release);
    });
    if (end == detail::SingleEnd::kAbandoned) Delete();
    UsePool();
    finished.fetch_add(1, std::memory_order_release);
    if (kIsLate && expects) leaving.fetch_add(1, std::memory_order_release);
  }

  // AwaitEnd.
  bool Await(std::chrono::steady_clock::time_point deadline) {
    if (Claim()) {
      result = 1;
      EndHere();
      return true;
    }
    if (!word.BeginToAwait()) return true;
    bool ended = false;
    for (int turn = 0; !(ended = word.IsQuiet()); ++turn) {
      ModelLocalState({1, deadline == kForever ? 1u : 0u});
      UsePool();
      if (deadline != kForever && turn > 0) break;
      word.Sleep(deadline, [] { return false; });
    }
    UsePool();
    if (!ended && word.GiveUp()) return false;
    leaving.fetch_sub(1, std::memory_order_release);
    return true;
  }
  void EndHere() {
    UsePool();
    word.Reset();
    finished.fetch_add(1, std::memory_order_release);
  }

  void RunOwner() {
    bool is_cancelled = false;
    switch (ModelChoose(4)) {
      case 0:
        break;
      case 1:
        Await(kForever);
        break;
      case 2:
        if (!Await(kSomeTime) && ModelChoose(2) == 0) Await(kForever);
        break;
      default:
        is_cancelled = !word.IsQuiet() && Claim();
        if (is_cancelled) EndHere();
    }
    if (word.IsQuiet() && !is_cancelled) {
      ModelCheck(result == 1, "there is no result");
    }
    UseSet();
    if (word.Abandon()) Delete();
  }

  ModelLock lock;
  ModelPlain<std::int32_t> enqueued;
  Word word;
  ModelPlain<std::int32_t> result;
  ModelAtomic<std::int32_t> finished;
  ModelAtomic<std::int32_t> leaving;
  Ghost<std::int32_t> num_deleted;
  Ghost<std::int32_t> pool_is_gone;
};

TEST(WaitProtocol, EveryExecutionOfASetThatEndsWithItsTasksEndsWell) {
  ExpectAllEndWell<CompletionModel<NoMutation>>(100);
}
TEST(WaitProtocol, EveryExecutionOfASetWithAParentEndsWell) {
  ExpectAllEndWell<ParentModel<NoMutation>>(100);
}
TEST(WaitProtocol, EveryExecutionOfAFutureEndsWell) {
  ExpectAllEndWell<FutureModel<NoMutation>>(100);
}

template <WaitRule kRule>
std::string OfSet() {
  return ViolationOf<CompletionModel<BreaksRule<kRule>>>();
}
template <WaitRule kRule>
std::string OfParent() {
  return ViolationOf<ParentModel<BreaksRule<kRule>>>();
}
template <WaitRule kRule>
std::string OfFuture() {
  return ViolationOf<FutureModel<BreaksRule<kRule>>>();
}

using Rule = WaitRule;
constexpr char kNotAwaited[] =
    "a task that nobody waits for runs in a thread that waits";

constexpr ProtocolMutant kMutants[] = {
    {"TasksMustBeCountedBeforeTheyAreKnown",
     OfSet<Rule::kCountsBeforePuttingIn>, nullptr},
    {"APushMustRouseSleepers", OfSet<Rule::kRousesSleepers>, kStuck},
    {"RousingMustChangeTheWord", OfSet<Rule::kRousingChangesWord>, kStuck},
    {"RousingMustChangeTheWordFirst", OfSet<Rule::kChangesWordBeforeWaking>,
     kStuck},
    {"TheLastLookMustComeAfterTheBit", OfSet<Rule::kLooksAfterSettingBit>,
     kStuck},
    {"ASleeperMustSleepOnTheValueThatItHasRead",
     OfSet<Rule::kSleepsOnValueRead>, kStuck},
    {"TheLastTaskMustWakeSleepers", OfSet<Rule::kWakesAtEnd>, kStuck},
    {"TheLastTaskMustReadTheBitWithItsCount", OfSet<Rule::kReadsBitWithCount>,
     "an object is used after its end"},
    {"TheEndOfATaskMustBeARelease", OfSet<Rule::kEndIsRelease>, kReadRace},
    {"AWaitMustLookAgainWhenTheParentIsGone", OfParent<Rule::kLooksAgain>,
     kNotAwaited},
    {"TakingTheParentAwayMustBeOrderedBeforeTheLook",
     OfParent<Rule::kRemovesInOneOrder>, kNotAwaited},
    {"DroppingAFutureMustBeOneStep", OfFuture<Rule::kDropsInOneStep>, nullptr},
    {"AnOwnerMustSayThatItUsesThePool", OfFuture<Rule::kSaysThatItAwaits>,
     nullptr},
    {"AnOwnerThatLeavesMustBeCountedBeforeTheEnd",
     OfFuture<Rule::kLeavingIsCountedBeforeEnd>, "the pool is gone"},
    {"AnOwnerThatGivesUpMustSaySo", OfFuture<Rule::kTakesAwaitedBack>, nullptr},
    {"TheEndOfAFutureMustWakeItsOwner", OfFuture<Rule::kSingleWakesAtEnd>,
     kStuck},
};
INSTANTIATE_TEST_SUITE_P(Wait, ProtocolMutants, ::testing::ValuesIn(kMutants),
                         MutantName);
TEST_P(ProtocolMutants, AreFound) { ExpectViolation(); }

}  // namespace
}  // namespace ceres::parallel::testing_internal
