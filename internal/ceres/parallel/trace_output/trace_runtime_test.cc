// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace/trace_log.h"
#include "ceres/parallel/trace_output/trace_test_util.h"
#include "ceres/parallel/trace_output/trace_timeline.h"
#include "ceres/parallel/trace_summary.h"
#include "gtest/gtest.h"

// The events that the runtime puts into a trace.

namespace ceres::parallel {
namespace {

using detail::EventKind;
using detail::TraceEvent;
using detail::TraceTimeline;

// Busy for at least so long, and for how long really: what a trace is compared
// with, so that a thread that loses its cpu does not fail a test.
double Work(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double elapsed = 0.0;
  while (elapsed < seconds) {
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return elapsed;
}

// The sum and the longest of some pieces of work.
class Tally {
 public:
  void Add(double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sum_ += seconds;
    longest_ = std::max(longest_, seconds);
  }
  double sum() const { return sum_; }
  double longest() const { return longest_; }

 private:
  std::mutex mutex_;
  double sum_ = 0.0;
  double longest_ = 0.0;
};

int Count(const Trace& trace, EventKind kind) {
  return static_cast<int>(EventsOf(trace, kind).size());
}

// Traces the program until a trace has the work and the span that it must
// have, to within a tenth; other programs may disturb it at any time. Of equal
// pieces the span knows means only: it lies between bounds.
struct Expected {
  double work;
  double span_at_least;
  double span_at_most;
};
void ExpectWorkAndSpan(const std::function<Expected()>& program) {
  constexpr double kTolerance = 0.1;
  TraceSummary summary;
  Expected expected = {0.0, 0.0, 0.0};
  const bool found = Eventually([&] {
    Trace trace;
    trace.Start();
    expected = program();
    trace.Stop();
    summary = Summarize(trace);
    // These hold whatever happens.
    EXPECT_GE(summary.work, 0.99 * expected.work);
    EXPECT_GE(summary.span, 0.99 * expected.span_at_least);
    EXPECT_LE(summary.span, 1.001 * summary.work);
    EXPECT_LE(summary.span, 1.001 * summary.duration);
    return summary.work < (1.0 + kTolerance) * expected.work &&
           summary.span < (1.0 + kTolerance) * expected.span_at_most;
  });
  EXPECT_TRUE(found) << summary << "expected work " << expected.work
                     << " and a span of " << expected.span_at_least << " to "
                     << expected.span_at_most;
}

TEST(TraceRuntime, ALoopHasTheWorkOfItsBodiesAndTheSpanOfOne) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally tally;
    ParallelFor(*pool, 0, 8, [&](int) { tally.Add(Work(1e-3)); });
    return Expected{tally.sum(), tally.sum() / 8, tally.longest()};
  });
}

TEST(TraceRuntime, WhatRunsInTheCallerIsSpan) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally tally;
    const double serial = Work(4e-3);
    ParallelFor(*pool, 0, 8, [&](int) { tally.Add(Work(1e-3)); });
    return Expected{serial + tally.sum(), serial + tally.sum() / 8,
                    serial + tally.longest()};
  });
}

TEST(TraceRuntime, LoopsWithinLoopsAddUpAlongTheLongestChain) {
  const auto pool = MakeEagerPool(3);
  ExpectWorkAndSpan([&] {
    Tally serial;
    Tally tally;
    ParallelFor(*pool, 0, 4, [&](int) {
      serial.Add(Work(2e-3));
      ParallelFor(*pool, 0, 4, [&](int) { tally.Add(Work(1e-3)); });
    });
    return Expected{serial.sum() + tally.sum(),
                    serial.sum() / 4 + tally.sum() / 16,
                    serial.longest() + tally.longest()};
  });
}

TEST(TraceRuntime, ForkedClosuresAreAsLongAsTheLongerOne) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally tally;
    ParallelInvoke(
        *pool, [&] { tally.Add(Work(2e-3)); }, [&] { tally.Add(Work(4e-3)); });
    return Expected{tally.sum(), tally.longest(), tally.longest()};
  });
}

TEST(TraceRuntime, AForkThatNobodyTakesIsNoWait) {
  const auto pool = MakeEagerPool(1);
  // Shares every fork, but its only worker is at work elsewhere.
  std::atomic<bool> worker_is_busy{false};
  std::atomic<bool> may_end{false};
  Future<void> elsewhere = Async(*pool, [&] {
    worker_is_busy = true;
    EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
  });
  ASSERT_TRUE(Eventually([&] { return worker_is_busy.load(); }));
  Trace trace;
  trace.Start();
  int calls = 0;
  ParallelInvoke(
      *pool, [&] { ++calls; }, [&] { ++calls; });
  trace.Stop();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Count(trace, EventKind::kSpawn), 1);
  EXPECT_EQ(Count(trace, EventKind::kPiece), 1);
  EXPECT_EQ(Count(trace, EventKind::kWait), 0);
  // Still its two halves could have run side by side.
  ExpectWorkAndSpan([&] {
    Tally tally;
    ParallelInvoke(
        *pool, [&] { tally.Add(Work(2e-3)); }, [&] { tally.Add(Work(4e-3)); });
    const double after = Work(2e-3);
    const double span = tally.longest() + after;
    return Expected{tally.sum() + after, span, span};
  });
  may_end = true;
  elsewhere.Get();
}

TEST(TraceRuntime, DynamicLoopsAreCountedBlockByBlock) {
  const auto pool = MakeEagerPool(1);
  LoopOptions options;
  options.schedule = Schedule::kDynamic;
  ExpectWorkAndSpan([&] {
    Tally tally;
    ParallelFor(
        *pool, 0, 10, [&](int) { tally.Add(Work(1e-3)); }, options);
    return Expected{tally.sum(), tally.longest(), tally.longest()};
  });
}

TEST(TraceRuntime, TasksOfAGroupRunSideBySide) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally tally;
    TaskGroup group(*pool);
    for (int k = 0; k < 6; ++k) group.Run([&] { tally.Add(Work(1e-3)); });
    group.Wait();
    return Expected{tally.sum(), tally.longest(), tally.longest()};
  });
}

TEST(TraceRuntime, FuturesWithinFuturesFollowEachOther) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally inner;
    Tally outer;
    std::vector<Future<void>> futures;
    futures.reserve(3);
    for (int k = 0; k < 3; ++k) {
      futures.push_back(Async(*pool, [&] {
        Future<void> future = Async(*pool, [&] { inner.Add(Work(1e-3)); });
        future.Get();
        outer.Add(Work(2e-3));
      }));
    }
    for (Future<void>& future : futures) future.Get();
    return Expected{inner.sum() + outer.sum(),
                    inner.sum() / 3 + outer.sum() / 3,
                    inner.longest() + outer.longest()};
  });
}

TEST(TraceRuntime, TasksHaveTheirNamesAndArrows) {
  ThreadPool pool(1);
  Trace trace;
  trace.Start();
  Async(pool, TaskOptions{Priority::kNormal, "resize"}, [] {}).Get();
  TaskGroupOptions options;
  options.name = "rows";
  TaskGroup group(pool, options);
  group.Run([] {});
  group.Run([] {});
  group.Wait();
  Async(pool, [] {}).Get();
  trace.Stop();
  const TraceTimeline timeline = TimelineOf(trace);
  std::map<std::string, int> tasks;
  std::set<std::uint64_t> spawned;
  std::set<std::uint64_t> run;
  for (const TraceEvent& event : timeline.events) {
    if (event.kind == EventKind::kTask) {
      ++tasks[timeline.NameOf(event)];
      run.insert(event.id);
    }
    if (event.kind == EventKind::kSpawn) spawned.insert(event.id);
  }
  const std::map<std::string, int> expected = {
      {"resize", 1}, {"rows", 2}, {"task", 1}};
  EXPECT_EQ(tasks, expected);
  EXPECT_EQ(run.size(), 4u);
  EXPECT_EQ(run, spawned);
}

TEST(TraceRuntime, AGraphIsAsLongAsItsLongestPath) {
  const auto pool = MakeEagerPool(2);
  TaskGraph graph;
  Tally tally;
  // 1 -> {2, 1, 1} -> 1, each in milliseconds, and one task beside them.
  const auto first = graph.Add([&] { tally.Add(Work(1e-3)); }, "first");
  const auto last = graph.Add([&] { tally.Add(Work(1e-3)); }, "last");
  for (const double time : {2e-3, 1e-3, 1e-3}) {
    auto middle = graph.Add([&tally, time] { tally.Add(Work(time)); });
    middle.Succeed(first);
    middle.Precede(last);
  }
  graph.Add([&] { tally.Add(Work(1e-3)); });
  ExpectWorkAndSpan([&] {
    const double before = tally.sum();
    graph.Run(*pool);
    return Expected{tally.sum() - before, 4e-3, 4e-3};
  });
}

TEST(TraceRuntime, DetachedTasksAreJoinedByTheConditionWaitedFor) {
  const auto pool = MakeEagerPool(2);
  ExpectWorkAndSpan([&] {
    Tally tally;
    std::atomic<int> left{4};
    for (int k = 0; k < 4; ++k) {
      Detach(*pool, [&] {
        tally.Add(Work(2e-3));
        --left;
      });
    }
    HelpUntil(*pool, [&] { return left == 0; });
    const double serial = Work(1e-3);
    pool->WaitForAll();
    return Expected{tally.sum() + serial, tally.longest(),
                    tally.longest() + serial};
  });
}

TEST(TraceRuntime, LoopsHaveTheirNames) {
  const auto pool = MakeEagerPool(1);
  LoopOptions options;
  options.name = "rows";
  Trace trace;
  trace.Start();
  ParallelFor(
      *pool, 0, 16, [](int) {}, options);
  trace.Stop();
  const TraceTimeline timeline = TimelineOf(trace);
  int pieces = 0;
  for (const TraceEvent& event : timeline.events) {
    if (event.kind != EventKind::kPiece && event.kind != EventKind::kLoop) {
      continue;
    }
    EXPECT_STREQ(timeline.NameOf(event), "rows");
    ++pieces;
  }
  EXPECT_GE(pieces, 2);
}

TEST(TraceRuntime, PiecesCoverTheLoop) {
  constexpr int kIndices = 16;  // Each a block.
  const auto pool = MakeEagerPool(3);
  Trace trace;
  trace.Start();
  for (int run = 0; run < 50; ++run) {
    ParallelFor(*pool, 0, kIndices, [](int) {});
  }
  trace.Stop();
  std::map<std::uint64_t, std::int64_t> blocks;
  for (const TraceEvent& event : TimelineOf(trace).events) {
    if (event.kind == EventKind::kPiece) blocks[event.region] += event.blocks;
  }
  EXPECT_EQ(Count(trace, EventKind::kLoop), 50);
  EXPECT_EQ(blocks.size(), 50u);
  for (const auto& [region, count] : blocks) EXPECT_EQ(count, kIndices);
}

TEST(TraceRuntime, UnsharedLoopsAndUntracedOnesLeaveNothing) {
  ThreadPool alone(0);
  const auto pool = MakeEagerPool(2);
  ParallelFor(*pool, 0, 16, [](int) {});
  Trace trace;
  trace.Start();
  ParallelFor(alone, 0, 16, [](int) {});
  trace.Stop();
  ParallelFor(*pool, 0, 16, [](int) {});
  EXPECT_EQ(Count(trace, EventKind::kLoop), 0);
  EXPECT_EQ(Count(trace, EventKind::kPiece), 0);
  EXPECT_EQ(Count(trace, EventKind::kWait), 0);
}

TEST(TraceRuntime, AWokenWorkerIsSeenToArrive) {
  const auto pool = MakeEagerPool(1);
  Trace trace;
  trace.Start();
  std::atomic<bool> helped{false};
  ParallelFor(*pool, 0, 2, [&](Participant participant, int) {
    if (participant != 0) helped = true;
    // Until the worker has come.
    EXPECT_TRUE(Eventually([&] { return helped.load(); }));
  });
  trace.Stop();
  // More than once, if it slept again before the caller was at its block.
  const auto wakes = Count(trace, EventKind::kWaking);
  EXPECT_GE(wakes, 1);
  EXPECT_EQ(Summarize(trace).wakes, static_cast<std::size_t>(wakes));
}

TEST(TraceRuntime, TracesStartAndStopWhileLoopsRun) {
  const auto pool = MakeEagerPool(3);
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  callers.reserve(2);
  for (int k = 0; k < 2; ++k) {
    callers.emplace_back([&] {
      while (!stop.load()) {
        ParallelFor(*pool, 0, 50, [&](int) {
          ParallelInvoke(
              *pool, [] {}, [] {});
        });
      }
    });
  }
  for (int run = 0; run < 20; ++run) {
    Trace trace;
    trace.Start();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    trace.Stop();
    const TraceSummary summary = Summarize(trace);
    EXPECT_LE(summary.span, 1.001 * summary.work);
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace ceres::parallel
