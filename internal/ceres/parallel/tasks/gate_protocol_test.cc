// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A gate with two inputs in every interleaving (gate.cc). The state of the gate
// is that of the runtime; the steps around it repeat gate.cc, held_task.h and
// single_task.cc.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "ceres/parallel/detail/gate_state.h"
#include "ceres/parallel/models/model_atomics.h"
#include "ceres/parallel/models/protocol_explorer.h"
#include "ceres/parallel/sync/protocol_atomics.h"
#include "ceres/parallel/testing/protocol_mutants.h"
#include "gtest/gtest.h"

namespace ceres::parallel::testing_internal {
namespace {

using detail::BreaksNoGateRule;
using detail::BreaksRule;
using detail::GateHelp;
using detail::GateRule;

// The rules of the steps around the state that a model breaks, one at a time.
enum class StepRule {
  kNone,
  kSignalsAfterEnd,
  kInputsOwnReferences,
  kSetOwnsReference,
  kIsExpectedBeforeOpening,
};

enum class Wait { kAll, kAny };

constexpr int kInputs = 2;

struct HeldTask {
  ModelLock lock;
  ModelPlain<bool> is_enqueued{false};
};

// Thread 0 owns the future of the held task: it awaits it, gives up, cancels
// it, or drops it. Then it destroys the pool. Threads 1 and 2 end an input
// each. Any thread may run the held task when it has been launched; here thread
// 0 does, as the destructor of the pool.
template <Wait kWait, typename Mutation, StepRule kBroken>
struct GateModel {
  static constexpr int kThreads = 1 + kInputs;
  static constexpr bool Breaks(StepRule rule) { return rule == kBroken; }
  using State = detail::BasicGateState<HeldTask, ModelAtomics, Mutation>;

  GateModel() {
    gate.emplace();
    if (!Breaks(StepRule::kInputsOwnReferences)) {
      for (int k = 0; k < kInputs; ++k) gate->Ref();
    }
    if (Breaks(StepRule::kSetOwnsReference)) Unref();
    gate->Hold(&held, kWait == Wait::kAll ? kInputs : 1);
  }

  void Run(int thread) {
    if (thread == 0) {
      RunOwner();
      DestroyPool();
    } else {
      EndInput(thread - 1);
    }
  }
  void Check() {
    ModelCheck(*num_ends == 1, "the held task does not end once");
    ModelCheck(!gate.has_value(), "the gate is left");
  }

  void Unref() {
    if (gate->Unref()) gate.reset();
  }

  // --- In the threads of the inputs. ---

  void EndInput(int index) {
    results[index] = 1;
    if (Breaks(StepRule::kSignalsAfterEnd)) Signal(index);
    has_ended[index].store(1, std::memory_order_release);
    if (!Breaks(StepRule::kSignalsAfterEnd)) Signal(index);
  }

  // Gate::Signal.
  void Signal(int index) {
    bool has_opened = false;
    gate->Signal(static_cast<std::uint32_t>(index), [&](HeldTask* task) {
      Open(task);
      has_opened = true;
    });
    if (has_opened) Launch();
    if (!Breaks(StepRule::kInputsOwnReferences)) Unref();
  }
  void Open(HeldTask* task) {
    if (!Breaks(StepRule::kIsExpectedBeforeOpening)) {
      leaving.fetch_add(1, std::memory_order_release);
    }
    const ModelLock::Guard guard(task->lock);
    task->is_enqueued = true;
  }
  // Gate::Launch.
  void Launch() {
    events.fetch_add(1, std::memory_order_seq_cst);  // NotifyEnqueued.
    ModelCheck(*pool_is_gone == 0, "the pool is gone");
    leaving.fetch_sub(Breaks(StepRule::kIsExpectedBeforeOpening) ? 0 : 1,
                      std::memory_order_release);
  }

  // --- In the thread of the owner. ---

  // The held task, which collects the results of its inputs.
  void RunHeld() {
    int num_ended = 0;
    for (int k = 0; k < kInputs; ++k) {
      if (has_ended[k].load(std::memory_order_acquire) == 0) continue;
      ++num_ended;
      ModelCheck(results[k] == 1, "an input has no result");
    }
    if (kWait == Wait::kAll) {
      ModelCheck(num_ended == kInputs, "the held task runs too early");
    } else if (num_ended == 0) {
      ModelCheck(results[FirstIndex()] == 1, "no input has a result");
    }
    EndHeld();
  }
  int FirstIndex() { return static_cast<int>(gate->First()) - 1; }
  void EndHeld() { ++*num_ends; }

  bool RunLaunched() {
    {
      const ModelLock::Guard guard(held.lock);
      if (!held.is_enqueued) return false;
      held.is_enqueued = false;
    }
    RunHeld();
    return true;
  }

  // AllCall::Await and AnyCall::Await.
  bool AwaitInputs(bool has_deadline) {
    if (kWait == Wait::kAll) {
      for (auto& has_ended_one : has_ended) {
        while (has_ended_one.load(std::memory_order_acquire) == 0) {
          if (has_deadline) return false;
          ModelAtomics::Pause();
        }
      }
      return true;
    }
    for (int turn = 0;; ++turn) {
      for (auto& has_ended_one : has_ended) {
        if (has_ended_one.load(std::memory_order_acquire) != 0) return true;
      }
      if (has_deadline && turn > 0) return false;
      SleepUntilFirst(has_deadline);
    }
  }
  // Gate::AwaitSignal. With a deadline, a sleep may end at any time.
  void SleepUntilFirst(bool has_deadline) {
    do {
      if (gate->First() != 0) return;
      gate->SleepUntilFirst(has_deadline ? kSomeTime : kForever);
    } while (!has_deadline);
  }

  // Gate::HelpInputs, and what its caller does.
  GateHelp Help(bool has_deadline) {
    if (!gate->BeginToHelp()) return GateHelp::kOpened;
    const GateHelp help = gate->EndHelp(AwaitInputs(has_deadline));
    if (help == GateHelp::kTaken) RunHeld();
    return help;
  }
  void HelpAndThrow() {
    if (!gate->BeginToHelp()) return;
    AwaitInputs(/*has_deadline=*/true);
    bool has_opened = false;
    gate->StopHelping([&](HeldTask* task) {
      Open(task);
      has_opened = true;
    });
    if (has_opened) Launch();
  }

  void RunOwner() {
    switch (ModelChoose(5)) {
      case 0:
        Help(/*has_deadline=*/false);
        break;
      case 1:
        if (Help(/*has_deadline=*/true) == GateHelp::kTimedOut &&
            ModelChoose(2) == 0) {
          Help(/*has_deadline=*/false);
        }
        break;
      case 2:
        if (gate->Take()) EndHeld();
        break;
      case 3:
        HelpAndThrow();
        break;
      default:
        break;
    }
  }

  // Runs the held task if that is left, and deletes its set. Then waits for all
  // threads that use the pool.
  void DestroyPool() {
    while (*num_ends == 0) {
      if (!RunLaunched()) ModelAtomics::Pause();
    }
    if (!Breaks(StepRule::kSetOwnsReference)) Unref();
    while (leaving.load(std::memory_order_acquire) != 0) ModelAtomics::Pause();
    *pool_is_gone = 1;
    RunLaunched();
  }

  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr TimePoint kForever = TimePoint::max();
  static constexpr TimePoint kSomeTime = TimePoint();

  HeldTask held;
  ModelPlain<std::int32_t> results[kInputs];
  ModelAtomic<std::int32_t> has_ended[kInputs];
  ModelAtomic<std::int32_t> leaving;
  ModelAtomic<std::uint32_t> events;
  Ghost<std::int32_t> num_ends;
  Ghost<std::int32_t> pool_is_gone;
  std::optional<State> gate;
};

TEST(GateProtocol, EveryExecutionOfWhenAllEndsWell) {
  ExpectAllEndWell<GateModel<Wait::kAll, BreaksNoGateRule, StepRule::kNone>>(
      1000);
}
TEST(GateProtocol, EveryExecutionOfWhenAnyEndsWell) {
  ExpectAllEndWell<GateModel<Wait::kAny, BreaksNoGateRule, StepRule::kNone>>(
      1000);
}

template <Wait kWait, GateRule kRule>
std::string Without() {
  return ViolationOf<GateModel<kWait, BreaksRule<kRule>, StepRule::kNone>>();
}
template <Wait kWait, StepRule kRule>
std::string WithoutStep() {
  return ViolationOf<GateModel<kWait, BreaksNoGateRule, kRule>>();
}

constexpr char kTwice[] = "the held task does not end once";
constexpr char kAfterEnd[] = "an object is used after its end";

constexpr ProtocolMutant kMutants[] = {
    {"AHelperMustSayThatItHelps",
     &Without<Wait::kAll, GateRule::kSaysThatItHelps>, kTwice},
    {"ASignalMustLeaveTheTaskToTheHelper",
     &Without<Wait::kAll, GateRule::kLeavesTaskToHelper>, kTwice},
    {"AHelperThatGivesUpMustLookAtTheSignals",
     &Without<Wait::kAll, GateRule::kLooksAtSignals>, nullptr},
    {"AHelperThatThrowsMustOpen",
     &Without<Wait::kAll, GateRule::kStoppingOpens>, nullptr},
    {"CancellingMustTakeTheTask", &Without<Wait::kAll, GateRule::kTakesTask>,
     nullptr},
    {"TheFirstSignalMustBeNoted", &Without<Wait::kAny, GateRule::kNotesFirst>,
     nullptr},
    {"ASignalMustWakeTheHelper", &Without<Wait::kAny, GateRule::kWakesHelper>,
     kStuck},
    {"TheLastReferenceMustAcquire",
     &Without<Wait::kAll, GateRule::kLastReferenceAcquires>, nullptr},
    {"AnInputMustEndBeforeItSignals",
     &WithoutStep<Wait::kAll, StepRule::kSignalsAfterEnd>,
     "the held task runs too early"},
    {"InputsMustOwnReferences",
     &WithoutStep<Wait::kAll, StepRule::kInputsOwnReferences>, kAfterEnd},
    {"TheSetMustOwnAReference",
     &WithoutStep<Wait::kAll, StepRule::kSetOwnsReference>, kAfterEnd},
    {"TheOpenerMustBeExpectedBefore",
     &WithoutStep<Wait::kAll, StepRule::kIsExpectedBeforeOpening>,
     "the pool is gone"},
};
INSTANTIATE_TEST_SUITE_P(Gate, ProtocolMutants, ::testing::ValuesIn(kMutants),
                         MutantName);
TEST_P(ProtocolMutants, AreFound) { ExpectViolation(); }

}  // namespace
}  // namespace ceres::parallel::testing_internal
