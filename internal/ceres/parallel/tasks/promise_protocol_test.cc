// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A promise and its future in every interleaving (promise.cc). The words are
// those of the runtime; the steps around them repeat promise.cc,
// continuation.cc and single_task.cc.

#include <chrono>
#include <cstdint>
#include <string>

#include "ceres/parallel/detail/pending_word.h"
#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "ceres/parallel/testing/protocol_mutants.h"
#include "gtest/gtest.h"

namespace ceres::parallel::testing_internal {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

// The rules that a model breaks, one at a time.
enum class PromiseRule {
  kNone,
  kOwnerIsExpectedBeforeTheEnd,
  kSetterIsExpectedBeforeTheEnd,
  kResultBeforeTheEnd,
  kStageDecides,
  kContinuationIsCountedAgain,
  kWakesWaiters,
  kLooksInOneOrder,
};

enum class Stage : std::uint8_t { kNone, kWaiting, kDropped };
enum class Result : std::uint8_t { kNone, kValue, kBroken, kCancelled };

// Thread 0 owns the future: it awaits it, gives up at a deadline, cancels it,
// drops it, or gives it to a continuation. Then it destroys the pool. Thread 1
// sets the promise, or drops it. Thread 2 is a worker, which runs the
// continuation.
template <PromiseRule kBroken>
struct PromiseModel {
  static constexpr int kThreads = 3;
  static constexpr bool Breaks(PromiseRule rule) { return rule == kBroken; }

  PromiseModel() { word.StartSingle(/*abandoned=*/false); }

  void Run(int thread) {
    if (thread == 0) {
      // A pool outlives its promises, unless the result is there.
      const bool has_seen_end = RunOwner();
      while (!has_seen_end && is_set.load(std::memory_order_acquire) == 0) {
        ModelAtomics::Pause();
      }
      DestroyPool();
    } else if (thread == 1) {
      EndUnset(ModelChoose(2) == 0 ? Result::kValue : Result::kBroken);
      is_set.store(1, std::memory_order_release);
    } else if (ModelChoose(2) == 0) {
      RunContinuation();
    }
  }
  void Check() {
    ModelCheck(*num_deleted == 1, "the set is not deleted once");
    ModelCheck(*num_continued == (*is_continued != 0 ? 1 : 0),
               "the continuation does not run once");
  }

  void UsePool() { ModelCheck(*pool_is_gone == 0, "the pool is gone"); }
  void UseSet() { ModelCheck(*num_deleted == 0, "the set is gone"); }
  void Delete() {
    UseSet();
    ++*num_deleted;
  }
  void Expect(int threads) {
    UsePool();
    leaving.fetch_add(threads, std::memory_order_release);
  }
  void HaveLeft(int threads) {
    leaving.fetch_sub(threads, std::memory_order_release);
  }

  // TaskSet::EndUnset.
  void EndUnset(Result set_to) {
    constexpr bool kExpectsOwner =
        !Breaks(PromiseRule::kOwnerIsExpectedBeforeTheEnd);
    constexpr bool kExpectsSelf =
        !Breaks(PromiseRule::kSetterIsExpectedBeforeTheEnd);
    if (kExpectsSelf) Expect(kExpectsOwner ? 2 : 1);
    if (!Breaks(PromiseRule::kResultBeforeTheEnd)) SetResult(set_to);
    bool owner_leaves = false;
    const detail::SingleEnd end = word.EndSingle([&] {
      owner_leaves = true;
      if (!kExpectsOwner) Expect(1);
    });
    if (Breaks(PromiseRule::kResultBeforeTheEnd)) SetResult(set_to);
    if (!kExpectsSelf) Expect(2);
    if (end == detail::SingleEnd::kAbandoned) {
      Delete();
    } else if (end == detail::SingleEnd::kContinued) {
      UseSet();
      if (!Breaks(PromiseRule::kContinuationIsCountedAgain)) {
        spawned.fetch_add(1, std::memory_order_release);
      }
      const ModelLock::Guard guard(lock);
      enqueued = 1;
    }
    NoteTaskEnd();
    HaveLeft(owner_leaves || !kExpectsOwner ? 1 : 2);
  }
  void SetResult(Result set_to) {
    UseSet();
    const bool is_dropped =
        stage.exchange(Stage::kNone, std::memory_order_acq_rel) ==
        Stage::kDropped;
    result = is_dropped && !Breaks(PromiseRule::kStageDecides)
                 ? Result::kCancelled
                 : set_to;
  }
  void NoteTaskEnd() {
    UsePool();
    if (Breaks(PromiseRule::kWakesWaiters)) return;
    constexpr auto kOrder = Breaks(PromiseRule::kLooksInOneOrder)
                                ? std::memory_order_relaxed
                                : std::memory_order_seq_cst;
    if (waiters.load(kOrder) == 0) return;
    events.fetch_add(1, std::memory_order_seq_cst);
    ModelAtomics::Wake(&events);
  }

  // TaskSet::AwaitOthers. The wait is that of ConditionWait.
  bool Await(TimePoint deadline) {
    if (!word.BeginToAwait()) return true;
    bool ended = false;
    for (int turn = 0; !(ended = word.IsQuiet()); ++turn) {
      ModelLocalState({1, deadline == kForever ? 1u : 0u});
      UsePool();
      if (deadline != kForever && turn > 0) break;
      Sleep(deadline);
    }
    UsePool();
    if (!ended && word.GiveUp()) return false;
    HaveLeft(1);
    return true;
  }
  void Sleep(TimePoint deadline) {
    waiters.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t event = events.load(std::memory_order_seq_cst);
    if (!word.IsQuiet()) ModelAtomics::Wait(&events, event, deadline);
    UsePool();
    waiters.fetch_sub(1, std::memory_order_relaxed);
  }

  // Returns whether it has seen the end of the task.
  bool RunOwner() {
    bool is_cancelled = false;
    switch (ModelChoose(5)) {
      case 0:
        Await(kForever);
        break;
      case 1:
        if (!Await(kSomeTime) && ModelChoose(2) == 0) Await(kForever);
        break;
      case 2: {
        Stage expected = Stage::kWaiting;
        is_cancelled = stage.compare_exchange_strong(expected, Stage::kDropped,
                                                     std::memory_order_acq_rel,
                                                     std::memory_order_relaxed);
        Await(kForever);
        break;
      }
      case 3:
        *is_continued = 1;
        if (word.Continue()) return false;
        ContinueHere();
        return true;
      default:
        break;
    }
    const bool has_ended = word.IsQuiet();
    if (has_ended) {
      ModelCheck(result != Result::kNone, "there is no result");
      ModelCheck(is_cancelled == (result == Result::kCancelled),
                 "the future is not what Cancel has said");
    }
    UseSet();
    if (word.Abandon()) Delete();
    return has_ended;
  }

  // The set belongs to the closure of the continuation.
  void ContinueHere() {
    ModelCheck(result != Result::kNone, "there is no result");
    ++*num_continued;
    Delete();
  }
  bool RunContinuation() {
    {
      const ModelLock::Guard guard(lock);
      if (enqueued == 0) return false;
      enqueued = 0;
    }
    ContinueHere();
    UsePool();
    finished.fetch_add(1, std::memory_order_release);
    return true;
  }

  // Runs what is left, then waits for all threads that use the pool.
  void DestroyPool() {
    while (true) {
      if (leaving.load(std::memory_order_acquire) == 0 &&
          spawned.load(std::memory_order_acquire) ==
              finished.load(std::memory_order_acquire)) {
        break;
      }
      if (!RunContinuation()) ModelAtomics::Pause();
    }
    *pool_is_gone = 1;
  }

  static constexpr TimePoint kForever = TimePoint::max();
  static constexpr TimePoint kSomeTime = TimePoint();

  ModelLock lock;
  ModelPlain<std::int32_t> enqueued;
  detail::BasicPendingWord<ModelAtomics> word;
  ModelAtomic<Stage> stage{Stage::kWaiting};
  ModelPlain<Result> result;
  ModelAtomic<std::uint32_t> events;
  ModelAtomic<std::int32_t> waiters;
  ModelAtomic<std::int32_t> leaving;
  ModelAtomic<std::int32_t> is_set;
  ModelAtomic<std::int32_t> spawned;
  ModelAtomic<std::int32_t> finished;
  Ghost<std::int32_t> is_continued;
  Ghost<std::int32_t> num_continued;
  Ghost<std::int32_t> num_deleted;
  Ghost<std::int32_t> pool_is_gone;
};

TEST(PromiseProtocol, EveryExecutionEndsWell) {
  ExpectAllEndWell<PromiseModel<PromiseRule::kNone>>(1000);
}

template <PromiseRule kRule>
std::string Without() {
  return ViolationOf<PromiseModel<kRule>>();
}
constexpr ProtocolMutant kMutants[] = {
    {"TheOwnerMustBeExpectedBeforeTheEnd",
     &Without<PromiseRule::kOwnerIsExpectedBeforeTheEnd>, "the pool is gone"},
    {"TheSetterMustBeExpectedBeforeTheEnd",
     &Without<PromiseRule::kSetterIsExpectedBeforeTheEnd>, "the pool is gone"},
    {"TheResultMustComeBeforeTheEnd",
     &Without<PromiseRule::kResultBeforeTheEnd>, nullptr},
    {"TheStageMustDecide", &Without<PromiseRule::kStageDecides>,
     "the future is not what Cancel has said"},
    {"TheContinuationMustBeCountedAgain",
     &Without<PromiseRule::kContinuationIsCountedAgain>, nullptr},
    {"TheSetterMustLookForWaitersInOneOrder",
     &Without<PromiseRule::kLooksInOneOrder>, kStuck},
    {"TheSetterMustWakeWaiters", &Without<PromiseRule::kWakesWaiters>, kStuck},
};
INSTANTIATE_TEST_SUITE_P(Promise, ProtocolMutants,
                         ::testing::ValuesIn(kMutants), MutantName);
TEST_P(ProtocolMutants, AreFound) { ExpectViolation(); }

}  // namespace
}  // namespace ceres::parallel::testing_internal
