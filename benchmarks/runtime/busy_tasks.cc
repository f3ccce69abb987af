// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tasks that work for 0 to 100 microseconds, drawn evenly from that range.
// Flat: all spawned by one thread. Shallow: 70 % of the tasks spawn one and
// await it. Deep: 49 % spawn two and await both. Efficiency is ideal time over
// time, the ideal being the time of the same tasks as plain calls divided by
// the threads.

#include <cstdint>
#include <string>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

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

constexpr int kLongestMicroseconds = 100;

// The work of a task.
double Nanoseconds(std::uint64_t task) {
  return static_cast<double>(Hash(task) % (1000 * kLongestMicroseconds + 1));
}

// A forest of some 25 ms of work.
struct Forest {
  explicit Forest(const Shape& forest_shape) : shape(forest_shape) {
    constexpr int kFewestTasks = 500;
    for (std::int64_t tasks = 0; tasks < kFewestTasks;) {
      tasks += CountTasks(shape, Root(roots++));
    }
  }

  const Shape& shape;
  std::int64_t roots = 0;
};

void RunSerially(const Forest& forest, std::uint64_t task) {
  WorkByClock(Nanoseconds(task));
  for (int k = 0; k < NumChildren(forest.shape, task); ++k) {
    RunSerially(forest, Child(task, k));
  }
}

template <typename R>
void RunAsTask(R& runtime, const Forest& forest, std::uint64_t task) {
  WorkByClock(Nanoseconds(task));
  const int children = NumChildren(forest.shape, task);
  if (children == 0) return;
  runtime.SpawnAndAwait(children, [&, task](std::int64_t k) {
    RunAsTask(runtime, forest, Child(task, k));
  });
}

template <typename R>
void RunForest(R& runtime, const Forest& forest) {
  runtime.SpawnAll(forest.roots, [&](std::int64_t k) {
    RunAsTask(runtime, forest, Root(k));
  });
}

Contestant SerialContestant(const Forest& forest) {
  return [&forest](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      for (std::int64_t k = 0; k < forest.roots; ++k) {
        RunSerially(forest, Root(k));
      }
    }
  };
}

template <typename R>
Contestant ContestantOf(R& runtime, const Forest& forest) {
  return [&runtime, &forest](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        RunForest(runtime, forest);
      }
    });
  };
}

double Efficiency(double serial, double time, int threads) {
  return 100.0 * serial / (threads * time);
}

void JudgeForest(BarTable& table, const Forest& forest, int threads) {
  Vesta vesta(threads);
  std::vector<Contestant> contestants = {SerialContestant(forest),
                                         ContestantOf(vesta, forest)};
#if defined(VESTA_HAVE_TBB)
  Tbb tbb(threads);
  contestants.push_back(ContestantOf(tbb, forest));
#endif
  TurnsOptions options;
  options.rounds = 7;
  options.is_judged = true;
  const std::vector<double> times = TimeInTurns(contestants, options);
  table.AtLeast("tasks of 0 to " + std::to_string(kLongestMicroseconds) +
                    " us, " + forest.shape.name + ", " +
                    std::to_string(threads) +
                    (threads == 1 ? " thread" : " threads") + ": efficiency",
                Efficiency(times[0], times[1], threads),
                100.0 * forest.shape.required_efficiency, "%");
  if (times.size() > 2) {
    table.Tell("tbb", Efficiency(times[0], times[2], threads), "%");
  }
}

void JudgeBusyTasks(BarTable& table) {
  for (const Shape& shape : kShapes) {
    const Forest forest(shape);
    for (const int threads : {1, 2}) JudgeForest(table, forest, threads);
  }
}

}  // namespace

const Case kBusyTasks = {"busy_tasks", JudgeBusyTasks};

}  // namespace vesta_benchmarks
