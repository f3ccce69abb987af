// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/random_program.h"
#include "ceres/parallel/when.h"

// Pieces that are futures, task groups and task graphs.

namespace ceres::parallel {

void RandomProgram::Futures(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("futures", seed);
  struct Started {
    Future<int> future;
    bool bad;
    bool on_pool;
  };
  std::vector<Started> started;
  const int n = 1 + static_cast<int>((*random)() % 8);
  WithoutFailures([&] { started.reserve(static_cast<std::size_t>(n)); });
  const TaskOptions options{(*random)() % 4 == 0 ? Priority::kHigh
                                                 : Priority::kNormal};
  for (int i = 0; i < n; ++i) {
    const bool bad = (*random)() % 16 == 0;
    auto task = [this, counted = Counted(&num_closures_), seed, i, depth, bad] {
      const Operation inner("task of a future", seed);
      Check(!counted.was_moved(), "a failed call has taken a task", seed);
      Nest(seed, i, depth);
      if (bad) throw Thrown();
      return i;
    };
    started.push_back(OnSomeHost(random, [&](auto& host) {
      constexpr bool kOnPool = std::is_same_v<decltype(host), ThreadPool&>;
      return Started{
          Insist([&] { return Async(host, options, std::move(task)); }), bad,
          kOnPool};
    }));
  }
  std::shuffle(started.begin(), started.end(), *random);
  std::vector<Future<int>> futures;
  WithoutFailures([&] { futures.reserve(static_cast<std::size_t>(n)); });
  for (Started& one : started) futures.push_back(std::move(one.future));
  switch ((*random)() % 8) {
    case 0:
      futures = Insist([&] { return WhenAll(std::move(futures)); }).Get();
      break;
    case 1:
      futures =
          Insist([&] { return WhenAny(std::move(futures)); }).Get().futures;
      break;
    default:
      break;
  }
  for (int i = 0; i < n; ++i) started[i].future = std::move(futures[i]);
  for (Started& one : started) {
    const std::uint64_t use = (*random)() % 8;
    // Still runs: other hosts may forget it.
    if (use == 2 && one.on_pool) continue;
    if (use == 3) {
      auto same = [this, counted = Counted(&num_closures_), seed](int x) {
        Check(!counted.was_moved(), "a failed call has taken a task", seed);
        return x;
      };
      one.future = Insist([&] { return one.future.Then(std::move(same)); });
    }
    bool cancelled = false;
    if (use == 0 || (use == 3 && seed % 4 == 0)) {
      cancelled = one.future.Cancel();
    } else if (use == 1) {
      while (!one.future.WaitFor(Micros((*random)() % 100))) {
      }
    }
    int value = -1;
    bool threw = false;
    bool was_cancelled = false;
    try {
      value = one.future.Get();
    } catch (const Thrown&) {
      threw = true;
    } catch (const TaskCancelled&) {
      was_cancelled = true;
    }
    Check(was_cancelled == cancelled, "a future's cancellation is wrong", seed);
    Check(was_cancelled || threw == one.bad, "a future's end is wrong", seed);
    Check(was_cancelled || threw || (value >= 0 && value < n),
          "a future's value is wrong", seed);
  }
}

void RandomProgram::Group(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("group", seed);
  const int n = static_cast<int>((*random)() % 30);
  Brake brake(random);
  TaskGroupOptions options;
  options.max_threads = static_cast<int>((*random)() % 4);
  options.priority = (*random)() % 4 == 0 ? Priority::kHigh : Priority::kNormal;
  if (brake.can_stop) options.token = brake.source.token();
  // The status of a token's deadline looks like that of the wait.
  const bool asks_often =
      (*random)() % 4 == 0 && (!brake.can_stop || brake.cancel_at >= 0);
  OnSomeHost(random, [&](auto& host) {
    Ledger ledger(n);
    std::atomic<int> active{0};
    std::optional<TaskGroup> group;
    Insist([&] { group.emplace(host, options); });
    const auto run_piece = [&, max = options.max_threads](int i) {
      const Operation inner("task of a group", seed);
      Check(active.fetch_add(1) < max || max == 0,
            "too many threads in a group", seed);
      ledger.Visit(i);
      active.fetch_sub(1);
      brake.At(i);
      Nest(seed, i, depth);
    };
    // Tasks give the group others, two and two.
    for (int i = 0; i < n; i += 2) {
      Insist([&] {
        group->Run([&, counted = Counted(&num_closures_), i] {
          if (i + 1 < n) {
            Insist([&] {
              group->Run([&run_piece, more = Counted(&num_closures_), i] {
                run_piece(i + 1);
              });
            });
          }
          run_piece(i);
        });
      });
    }
    const Ending ending = EndingOf([&] {
      if (!asks_often) return group->Wait();
      Status status = Status::kCompleted;
      for (int k = 0; k < 20; ++k) {
        if (group->WaitFor(Micros(20), &status)) return status;
      }
      return group->Wait();
    });
    CheckEnding(ending, ledger, brake, seed);
    // As new, unless its token stops it.
    int calls = 0;
    Insist([&] { group->Run([&] { ++calls; }); });
    const Status status = group->Wait();
    Check(brake.can_stop || (calls == 1 && status == Status::kCompleted),
          "a group is not as new", seed);
    return 0;
  });
}

template <typename Host>
RandomProgram::Ending RandomProgram::RunGraph(TaskGraph* graph, Host& host,
                                              const CancellationToken& token,
                                              Random* random) {
  TaskGraphOptions options;
  options.token = token;
  options.max_threads = static_cast<int>((*random)() % 4);
  return EndingOf([&] {
    Insist([&] { graph->Submit(host, options); });
    const std::uint64_t manner = (*random)() % 6;
    if (manner == 0) graph->Cancel();
    if (manner == 1) {
      while (!graph->WaitFor(Micros(50))) {
      }
    }
    return graph->Wait();
  });
}

void RandomProgram::Graph(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("graph", seed);
  constexpr int kMostTasks = 60;
  using Predecessors = std::array<int, 3>;  // -1: none.
  const int n = 1 + static_cast<int>((*random)() % kMostTasks);
  Brake brake(random);
  std::array<int, kMostTasks> runs{};
  std::array<Predecessors, kMostTasks> before{};
  std::atomic<bool> in_order{true};
  TaskGraph graph;
  std::array<TaskGraph::Task, kMostTasks> tasks;
  for (int i = 0; i < n; ++i) {
    TaskGraph::Task& task = tasks[static_cast<std::size_t>(i)];
    task = Insist([&] {
      return graph.Add([&, counted = Counted(&num_closures_), i] {
        const Operation inner("task of a graph", seed);
        const int run = ++runs[static_cast<std::size_t>(i)];
        for (const int other : before[static_cast<std::size_t>(i)]) {
          if (other >= 0 && runs[static_cast<std::size_t>(other)] != run) {
            in_order = false;
          }
        }
        brake.At(i);
        Nest(seed, i, depth);
      });
    });
    Predecessors& predecessors = before[static_cast<std::size_t>(i)];
    const std::size_t count = i > 0 ? (*random)() % 4 : 0;
    for (std::size_t k = 0; k < predecessors.size(); ++k) {
      predecessors[k] =
          k < count ? static_cast<int>((*random)() % static_cast<unsigned>(i))
                    : -1;
      if (k >= count) continue;
      const TaskGraph::Task& other =
          tasks[static_cast<std::size_t>(predecessors[k])];
      Insist([&] { task.Succeed(other); });
    }
  }
  const bool bad = brake.throw_at >= 0 && brake.throw_at < n;
  const CancellationToken token =
      brake.can_stop ? brake.source.token() : CancellationToken();
  for (int run = 1; run <= 3; ++run) {
    const Ending ending = OnSomeHost(random, [&](auto& host) {
      return RunGraph(&graph, host, token, random);
    });
    Check(in_order, "a task of a graph ran too early", seed);
    const bool all = std::all_of(runs.begin(), runs.begin() + n,
                                 [run](int r) { return r == run; });
    Check(ending != Ending::kCompleted || all, "a task of a graph is lost",
          seed);
    Check(ending != Ending::kThrew || bad, "an exception from nowhere", seed);
    if (ending != Ending::kCompleted) break;
  }
}

}  // namespace ceres::parallel
