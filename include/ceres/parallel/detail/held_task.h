// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_HELD_TASK_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_HELD_TASK_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/detail/gate.h"
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/promise.h"
#include "ceres/parallel/task_options.h"

// How WhenAll and WhenAny are made of their inputs:
//
//   given future  ->  pass-on  --signal-->  gate  ->  held task -> Future
//
// Each input that has not ended gets a continuation, which passes its result on
// and whose end the gate hears of. The closure of the held task has the futures
// of these continuations, which become the futures of the result.

namespace ceres::parallel {

template <typename Futures>
struct WhenAnyResult;

namespace detail {

// The closure of a continuation that returns what its first task returned.
template <typename T>
struct PassOn {
  using Result = T;
  explicit PassOn(std::in_place_t) {}
  Result operator()() { return first.Get(); }

  Future<T> first;  // Given before the launch.
};
template <typename T>
using PassOnTask = FutureTask<PassOn<T>, /*kNamed=*/false>;

// Futures in a vector or a tuple, which may hold references.
template <typename T, typename Visit>
void ForEachFuture(std::vector<Future<T>>& futures, const Visit& visit) {
  std::uint32_t index = 0;
  for (Future<T>& future : futures) visit(index++, future);
}
template <typename... Futures, typename Visit>
void ForEachFuture(std::tuple<Futures...>& futures, const Visit& visit) {
  std::uint32_t index = 0;
  std::apply([&](auto&... future) { (visit(index++, future), ...); }, futures);
}
template <typename T, typename Visit>
void ForEachPair(std::vector<Future<T>>& given, std::vector<Future<T>>& kept,
                 const Visit& visit) {
  for (std::size_t k = 0; k < given.size(); ++k) {
    visit(static_cast<std::uint32_t>(k), given[k], kept[k]);
  }
}
template <typename... Given, typename... Kept, typename Visit>
void ForEachPair(std::tuple<Given...>& given, std::tuple<Kept...>& kept,
                 const Visit& visit) {
  std::uint32_t index = 0;
  std::apply(
      [&](auto&... one) {
        std::apply([&](auto&... other) { (visit(index++, one, other), ...); },
                   kept);
      },
      given);
}

// The futures as the result holds them, not valid yet.
template <typename T>
std::vector<Future<T>> EmptyLike(const std::vector<Future<T>>& futures) {
  return std::vector<Future<T>>(futures.size());
}
template <typename... Futures>
auto EmptyLike(const std::tuple<Futures...>&) {
  return std::tuple<std::decay_t<Futures>...>();
}

// The two held tasks. Each runs when its gate is open.
template <typename Futures>
struct AllCall {
  using Result = Futures;
  AllCall(std::in_place_t, Futures&& empty, Gate*)
      : futures(std::move(empty)) {}
  Result operator()() { return std::move(futures); }

  // The function that a Gate calls to wait for its inputs. A deadline of min()
  // begins all inputs that no thread has begun.
  static bool Await(Gate&, void* inputs, Gate::TimePoint deadline) {
    const bool begin_all = deadline == Gate::TimePoint::min();
    bool have_ended = true;
    ForEachFuture(*static_cast<Futures*>(inputs), [&](auto, auto& future) {
      if (have_ended || begin_all) have_ended &= future.WaitUntil(deadline);
    });
    return have_ended;
  }

  Futures futures;
};

template <typename Futures>
struct AnyCall {
  using Result = WhenAnyResult<Futures>;
  AnyCall(std::in_place_t, Futures&& empty, Gate* signals)
      : futures(std::move(empty)), gate(signals) {}
  Result operator()() {
    std::size_t index = FindReady(futures);
    if (index == kNone) index = gate->FirstIndex();
    return {index, std::move(futures)};
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static std::size_t FindReady(Futures& futures) {
    std::size_t found = kNone;
    ForEachFuture(futures, [&](std::uint32_t index, auto& future) {
      if (found == kNone && future.IsReady()) found = index;
    });
    return found;
  }

  static bool Await(Gate& signals, void* inputs, Gate::TimePoint deadline) {
    Futures& futures = *static_cast<Futures*>(inputs);
    while (FindReady(futures) == kNone) {
      const bool begin_all = deadline == Gate::TimePoint::min();
      bool has_ended = false;
      ForEachFuture(futures, [&](auto, auto& future) {
        // Begins the task if no thread has.
        if (!has_ended || begin_all) {
          has_ended |= future.WaitFor(std::chrono::seconds(0));
        }
      });
      if (has_ended) return true;
      if (deadline != Gate::TimePoint::max() && SteadyNow() >= deadline) {
        return false;
      }
      signals.AwaitSignal(deadline);
    }
    return true;
  }

  Futures futures;
  Gate* gate;  // Of the set of this task.
};

struct UnlaunchedDeleter {
  void operator()(TaskSet* set) const { set->DropUnlaunched(); }
};
using UnlaunchedSet = std::unique_ptr<TaskSet, UnlaunchedDeleter>;
struct GateUnref {
  void operator()(Gate* gate) const { gate->Unref(); }
};

// A given future that has not ended, and the task that will pass it on.
struct GateInput {
  std::uint32_t index = 0;
  TaskSet* given = nullptr;
  UnlaunchedSet task;
};

// Throws if a future is not valid.
template <typename Given>
std::vector<GateInput> MakePassOnTasks(Given& given, Gate& gate) {
  std::vector<GateInput> inputs;
  ForEachFuture(given, [&](std::uint32_t index, auto& future) {
    using T = decltype(future.Get());
    if (future.IsReady()) return;
    TaskSet* const set = FutureAccess::SetOf(future);
    gate.NoteInput(set);
    TaskOptions options;
    options.priority = set->priority();
    UnlaunchedSet task(
        MakeSingle<PassOnTask<T>>(set->pool(), set->executor(), options));
    inputs.push_back({index, set, std::move(task)});
  });
  return inputs;
}

// Moves the given futures to `kept`, or the futures of what passes them on.
// Nothing is launched yet, and nothing throws.
template <typename Given, typename Futures>
void TakeFutures(Given& given, std::vector<GateInput>& inputs, Gate* gate,
                 Futures& kept) {
  auto input = inputs.begin();
  ForEachPair(given, kept, [&](std::uint32_t index, auto& one, auto& other) {
    if (input == inputs.end() || input->index != index) {
      other = std::move(one);
      return;
    }
    using T = decltype(one.Get());
    TaskSet* const task = input->task.get();
    ++input;
    gate->Ref();
    task->Observe(gate, index);
    PassOn<T>& call = *PassOnTask<T>::ClosureIn(task);
    call.first = std::move(one);
    other = FutureAccess::Make<T>(task);
  });
}

// The host and priority of the first future.
struct FirstOf {
  Host host;
  TaskOptions options;
};
template <typename Given>
FirstOf HostAndPriorityOf(Given& given) {
  FirstOf first;
  ForEachFuture(given, [&](std::uint32_t index, auto& future) {
    if (index != 0) return;
    TaskSet* const set = FutureAccess::SetOf(future);
    first.host = {set->pool(), set->executor()};
    first.options.priority = set->priority();
  });
  if (first.host.pool == nullptr && first.host.executor == nullptr) {
    first.host = CurrentHost();
  }
  return first;
}

// Some futures have not ended. The gate opens after `missing` ends.
template <typename Call, typename Given>
auto MakeHeld(Given& given, std::vector<GateInput> inputs,
              std::unique_ptr<Gate, GateUnref> gate, int missing) {
  using Held = FutureTask<Call, /*kNamed=*/false>;
  const FirstOf first = HostAndPriorityOf(given);
  TaskSet* const held =
      MakeSingle<Held>(first.host.pool, first.host.executor, first.options,
                       EmptyLike(given), gate.get());
  // Nothing throws from here on. All futures are in place before the first
  // launch, after which the gate may open.
  Call& call = *Held::ClosureIn(held);
  TakeFutures(given, inputs, gate.get(), call.futures);
  gate->SetInputs(&call.futures, missing);
  held->LaunchHeld(gate.release());
  for (GateInput& input : inputs) {
    input.task.release()->LaunchAfter(input.given);
  }
  return FutureAccess::Make<typename Call::Result>(held);
}

// Enough futures have ended.
template <typename Result, typename Given, typename FuturesOf>
Future<Result> MakeReadyResult(Given& given, Result empty,
                               const FuturesOf& futures_of) {
  Future<Result> ready =
      MakeReadyOf<Result>(HostAndPriorityOf(given).host, std::move(empty));
  std::vector<GateInput> none;
  TakeFutures(given, none, nullptr,
              futures_of(ResultIn<Result>::Of(FutureAccess::SetOf(ready))));
  return ready;
}

template <typename Given>
auto WhenAllOf(Given&& given) {
  using Call = AllCall<decltype(EmptyLike(given))>;
  std::unique_ptr<Gate, GateUnref> gate(Gate::New(&Call::Await));
  std::vector<GateInput> inputs = MakePassOnTasks(given, *gate);
  const int missing = static_cast<int>(inputs.size());
  if (missing == 0) {
    return MakeReadyResult(
        given, EmptyLike(given), [](auto& result) -> auto& { return result; });
  }
  return MakeHeld<Call>(given, std::move(inputs), std::move(gate), missing);
}

template <typename Given>
auto WhenAnyOf(Given&& given) {
  using Call = AnyCall<decltype(EmptyLike(given))>;
  using Result = typename Call::Result;
  std::unique_ptr<Gate, GateUnref> gate(Gate::New(&Call::Await));
  std::vector<GateInput> inputs = MakePassOnTasks(given, *gate);
  std::size_t count = 0;
  std::size_t ready = Call::kNone;
  ForEachFuture(given, [&](std::uint32_t index, auto& future) {
    ++count;
    if (ready == Call::kNone && future.IsReady()) ready = index;
  });
  if (count == 0) {
    throw std::invalid_argument(
        "ceres::parallel: WhenAny of no futures never ends; give at least one");
  }
  if (ready != Call::kNone) {
    return MakeReadyResult(
        given, Result{ready, EmptyLike(given)},
        [](Result & result) -> auto& { return result.futures; });
  }
  return MakeHeld<Call>(given, std::move(inputs), std::move(gate), 1);
}

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_HELD_TASK_H_
