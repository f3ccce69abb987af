// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tasks that work for 0 to 100 microseconds: drawn evenly from that range,
// which is what the bars are for, and all of one length. Flat: all spawned by
// one thread. Shallow: 70 % of the tasks spawn one and await it. Deep: 49 %
// spawn two and await both. Efficiency is ideal time over time, the ideal being
// the time of the same tasks as plain calls divided by the threads.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bars.h"
#include "busy_work.h"
#include "ceres/parallel/available_concurrency.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

using Work = void (*)(double nanoseconds);

// Which tasks spawn others is drawn by a hash of the path to them: the same
// tree in every run.
struct Shape {
  const char* name;
  int percent_that_spawn;
  int children;
  double required_efficiency;
};

constexpr Shape kShapes[] = {{"flat", 0, 0, 0.97},
                             {"shallow_recursion", 70, 1, 0.95},
                             {"deep_recursion", 49, 2, 0.95}};

constexpr int kMicroseconds[] = {0, 1, 2, 5, 10, 50, 100};

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t Hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int NumChildren(const Shape& shape, std::uint64_t task) {
  const bool spawns = static_cast<int>(task % 100) < shape.percent_that_spawn;
  return spawns ? shape.children : 0;
}

std::uint64_t Child(std::uint64_t task, std::int64_t k) {
  return Hash(task + static_cast<std::uint64_t>(k) + 1);
}

std::uint64_t Root(std::int64_t k) {
  return Hash(static_cast<std::uint64_t>(k) * 0x10001);
}

std::int64_t CountTasks(const Shape& shape, std::uint64_t task) {
  std::int64_t count = 1;
  for (int k = 0; k < NumChildren(shape, task); ++k) {
    count += CountTasks(shape, Child(task, k));
  }
  return count;
}

// In the place of a length: each task draws its own, from 0 to 100 us.
constexpr int kDrawn = -1;
constexpr int kLongestDrawn = 100;

// A forest of some 20 ms of work, 500 tasks at least and 20000 at most.
struct Forest {
  Forest(const Shape& forest_shape, int task_length)
      : shape(forest_shape), microseconds(task_length) {
    const int mean =
        microseconds == kDrawn ? kLongestDrawn / 2 : std::max(microseconds, 1);
    const std::int64_t wanted =
        std::clamp<std::int64_t>(20000 / mean, 500, 20000);
    while (tasks < wanted) tasks += CountTasks(shape, Root(roots++));
  }

  // Of work in a task.
  double Nanoseconds(std::uint64_t task) const {
    if (microseconds != kDrawn) return 1e3 * microseconds;
    return static_cast<double>(Hash(task) % (1000 * kLongestDrawn + 1));
  }

  const Shape& shape;
  int microseconds;  // Of work in each task, or kDrawn.
  std::int64_t roots = 0;
  std::int64_t tasks = 0;
};

void RunSerially(const Forest& forest, Work work, std::uint64_t task) {
  work(forest.Nanoseconds(task));
  for (int k = 0; k < NumChildren(forest.shape, task); ++k) {
    RunSerially(forest, work, Child(task, k));
  }
}

template <typename R>
void RunAsTask(R& runtime, const Forest& forest, Work work,
               std::uint64_t task) {
  work(forest.Nanoseconds(task));
  const int children = NumChildren(forest.shape, task);
  if (children == 0) return;
  runtime.SpawnAndAwait(children, [&, task](std::int64_t k) {
    RunAsTask(runtime, forest, work, Child(task, k));
  });
}

template <typename R>
void RunForest(R& runtime, const Forest& forest, Work work) {
  runtime.SpawnAll(forest.roots, [&](std::int64_t k) {
    RunAsTask(runtime, forest, work, Root(k));
  });
}

Contestant SerialContestant(const Forest& forest, Work work) {
  return [&forest, work](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      for (std::int64_t k = 0; k < forest.roots; ++k) {
        RunSerially(forest, work, Root(k));
      }
    }
  };
}

template <typename R>
Contestant ContestantOf(R& runtime, const Forest& forest, Work work) {
  return [&runtime, &forest, work](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        RunForest(runtime, forest, work);
      }
    });
  };
}

std::string Label(const Forest& forest, int threads) {
  const std::string length = forest.microseconds == kDrawn
                                 ? "0 to " + std::to_string(kLongestDrawn)
                                 : std::to_string(forest.microseconds);
  return "tasks of " + length + " us, " + forest.shape.name + ", " +
         std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

TurnsOptions Turns() {
  TurnsOptions options;
  options.rounds = 7;
  return options;
}

double Efficiency(double serial, double time, int threads) {
  return 100.0 * serial / (threads * time);
}

void JudgeForest(BarTable& table, const Forest& forest, int threads) {
  Vesta vesta(threads);
  std::vector<Contestant> contestants = {
      SerialContestant(forest, WorkByClock),
      ContestantOf(vesta, forest, WorkByClock)};
#if defined(VESTA_HAVE_TBB)
  Tbb tbb(threads);
  contestants.push_back(ContestantOf(tbb, forest, WorkByClock));
#endif
  TurnsOptions options = Turns();
  options.is_judged = forest.microseconds == kDrawn;
  const std::vector<double> times = TimeInTurns(contestants, options);
  const auto per_task = [&](double time) {
    return time / static_cast<double>(forest.tasks);
  };
  if (forest.microseconds == 0) {
    table.Tell(Label(forest, threads) + ": vesta", per_task(times[1]), "ns");
    if (times.size() > 2) table.Tell("tbb", per_task(times[2]), "ns");
    return;
  }
  const std::string name = Label(forest, threads) + ": efficiency";
  const double efficiency = Efficiency(times[0], times[1], threads);
  if (options.is_judged) {
    table.AtLeast(name, efficiency, 100.0 * forest.shape.required_efficiency,
                  "%");
  } else {
    table.Tell(name, efficiency, "%");
  }
  if (times.size() > 2) {
    table.Tell("tbb", Efficiency(times[0], times[2], threads), "%");
  }
}

// Where there are more threads than cpus, the cpus are what can be used.
void TellOversubscribed(BarTable& table, const Forest& forest, int threads) {
  const int cpus = std::min(threads, ceres::parallel::AvailableConcurrency());
  ForEachRuntime([&](auto tag) {
    using R = typename decltype(tag)::Runtime;
    R runtime(threads);
    const std::vector<double> times =
        TimeInTurns({SerialContestant(forest, WorkBySteps),
                     ContestantOf(runtime, forest, WorkBySteps)},
                    Turns());
    table.Tell(Label(forest, threads) + ": " + R::kName,
               Efficiency(times[0], times[1], cpus), "%");
  });
}

void JudgeBusyTasks(BarTable& table) {
  for (const Shape& shape : kShapes) {
    std::vector<int> lengths = {kDrawn};
    lengths.insert(lengths.end(), std::begin(kMicroseconds),
                   std::end(kMicroseconds));
    for (const int length : lengths) {
      const Forest forest(shape, length);
      for (const int threads : {1, 2}) JudgeForest(table, forest, threads);
    }
    const Forest forest(shape, 10);
    for (const int threads : {4, 16}) {
      TellOversubscribed(table, forest, threads);
    }
  }
}

}  // namespace

const Case kBusyTasks = {"busy_tasks", JudgeBusyTasks};

}  // namespace vesta_benchmarks
