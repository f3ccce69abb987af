// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace_summary.h"

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_output/trace_timeline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Timelines made by hand, whose work and span are known to the nanosecond.

namespace ceres::parallel::detail {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

class TimelineBuilder {
 public:
  explicit TimelineBuilder(int threads, std::int64_t duration) {
    timeline_.duration = duration;
    for (int k = 0; k < threads; ++k) {
      timeline_.threads.push_back("t" + std::to_string(k));
    }
  }

  TimelineBuilder& Task(int thread, std::int64_t begin, std::int64_t end,
                        std::uint64_t id, std::uint64_t region) {
    return Add(EventKind::kTask, thread, begin, end, id, region);
  }
  TimelineBuilder& Spawn(int thread, std::int64_t time, std::uint64_t id,
                         std::uint64_t region) {
    return Add(EventKind::kSpawn, thread, time, time, id, region);
  }
  TimelineBuilder& Wait(int thread, std::int64_t begin, std::int64_t end,
                        std::uint64_t region) {
    return Add(EventKind::kWait, thread, begin, end, 0, region);
  }
  TimelineBuilder& Loop(int thread, std::int64_t begin, std::int64_t end,
                        std::uint64_t region) {
    return Add(EventKind::kLoop, thread, begin, end, 0, region);
  }
  TimelineBuilder& Piece(int thread, std::int64_t begin, std::int64_t end,
                         std::uint64_t region, int blocks = 1) {
    Add(EventKind::kPiece, thread, begin, end, 0, region);
    timeline_.events.back().blocks = blocks;
    return *this;
  }
  TimelineBuilder& Waking(int thread, std::int64_t begin, std::int64_t end) {
    return Add(EventKind::kWaking, thread, begin, end, 0, 0);
  }
  TimelineBuilder& Span(int thread, std::int64_t begin, std::int64_t end) {
    return Add(EventKind::kSpan, thread, begin, end, 0, 0);
  }

  // Nanoseconds, as everything here.
  struct Figures {
    double work, span, waiting, waking;
  };
  Figures Summarize() {
    timeline_.SortEvents();
    const TraceSummary summary = SummarizeTimeline(timeline_);
    return {1e9 * summary.work, 1e9 * summary.span, 1e9 * summary.waiting,
            1e9 * summary.waking};
  }

  const TraceTimeline& timeline() const { return timeline_; }

 private:
  TimelineBuilder& Add(EventKind kind, int thread, std::int64_t begin,
                       std::int64_t end, std::uint64_t id,
                       std::uint64_t region) {
    TraceEvent event;
    event.kind = kind;
    event.thread = thread;
    event.begin = begin;
    event.end = end;
    event.id = id;
    event.region = region;
    timeline_.events.push_back(event);
    return *this;
  }

  TraceTimeline timeline_;
};

void ExpectFigures(const TimelineBuilder::Figures& figures, double work,
                   double span, double waiting = 0.0, double waking = 0.0) {
  EXPECT_THAT(figures.work, DoubleNear(work, 1e-3));
  EXPECT_THAT(figures.span, DoubleNear(span, 1e-3));
  EXPECT_THAT(figures.waiting, DoubleNear(waiting, 1e-3));
  EXPECT_THAT(figures.waking, DoubleNear(waking, 1e-3));
}

TEST(TraceSummary, AThreadAloneIsAllSpan) {
  ExpectFigures(TimelineBuilder(1, 1000).Summarize(), 1000, 1000);
}

TEST(TraceSummary, SpawnedTaskRunsBesideItsSpawner) {
  // Main works for 100, spawns, works for 300 more, and waits until 600 for a
  // task that began late and took 450; then it works for 400.
  TimelineBuilder builder(2, 1000);
  builder.Spawn(0, 100, 1, 7).Wait(0, 400, 600, 7).Task(1, 150, 600, 1, 7);
  ExpectFigures(builder.Summarize(), 100 + 300 + 400 + 450, 100 + 450 + 400,
                200);
}

TEST(TraceSummary, AShortTaskIsNotOnTheSpan) {
  TimelineBuilder builder(2, 1000);
  builder.Spawn(0, 100, 1, 7).Wait(0, 400, 500, 7).Task(1, 450, 490, 1, 7);
  ExpectFigures(builder.Summarize(), 900 + 40, 900, 100);
}

TEST(TraceSummary, ATaskThatItsWaiterRunsIsStillParallelWork) {
  // Two tasks of 300, both run by the waiting thread, one after the other.
  TimelineBuilder builder(1, 1000);
  builder.Spawn(0, 100, 1, 7).Spawn(0, 100, 2, 7).Wait(0, 100, 700, 7);
  builder.Task(0, 100, 400, 1, 7).Task(0, 400, 700, 2, 7);
  ExpectFigures(builder.Summarize(), 1000, 100 + 300 + 300);
}

TEST(TraceSummary, FollowsChainsOfSpawns) {
  // 1 spawns 2 at its end, 2 spawns 3; nobody waits for 3.
  TimelineBuilder builder(2, 500);
  builder.Spawn(0, 0, 1, 7).Wait(0, 0, 500, 7);
  builder.Task(1, 10, 110, 1, 7).Spawn(1, 110, 2, 7);
  builder.Task(1, 200, 300, 2, 7).Spawn(1, 300, 3, 7);
  builder.Task(1, 350, 450, 3, 7);
  ExpectFigures(builder.Summarize(), 300, 300, 500);
}

TEST(TraceSummary, TheDeeperPredecessorOfAGraphNodeCounts) {
  // 1 (200 long) and 2 (50 long) precede 3 (100 long).
  TimelineBuilder builder(3, 400);
  builder.Spawn(0, 0, 1, 7).Spawn(0, 0, 2, 7).Wait(0, 0, 400, 7);
  builder.Task(1, 0, 200, 1, 7).Spawn(1, 200, 3, 7);
  // 2 begins so late that its end comes last.
  builder.Task(2, 160, 210, 2, 7).Spawn(2, 210, 3, 7);
  builder.Task(2, 220, 320, 3, 7);
  ExpectFigures(builder.Summarize(), 350, 300, 400);
}

TEST(TraceSummary, ALoopIsAsLongAsItsLongestPiece) {
  TimelineBuilder builder(2, 1000);
  builder.Loop(0, 100, 700, 7);
  builder.Piece(0, 100, 300, 7).Piece(0, 300, 600, 7);
  builder.Piece(1, 200, 700, 7).Wait(0, 600, 700, 7);
  ExpectFigures(builder.Summarize(), 100 + 200 + 300 + 500 + 300,
                100 + 500 + 300, 100);
}

TEST(TraceSummary, APieceOfManyBlocksCountsAsItsMeanBlock) {
  TimelineBuilder builder(1, 1000);
  builder.Loop(0, 100, 900, 7).Piece(0, 100, 900, 7, 8);
  ExpectFigures(builder.Summarize(), 1000, 100 + 100 + 100);
}

TEST(TraceSummary, NestedLoopsAddUpAlongTheLongestChain) {
  // One of two outer pieces holds a loop of two pieces.
  TimelineBuilder builder(2, 600);
  builder.Loop(0, 0, 600, 1).Piece(0, 0, 100, 1).Wait(0, 100, 600, 1);
  builder.Piece(1, 0, 600, 1).Loop(1, 100, 500, 2);
  builder.Piece(1, 100, 350, 2).Piece(0, 200, 350, 2).Wait(1, 350, 500, 2);
  // Outer piece: 100 alone, the longest inner piece (250), 100 alone.
  ExpectFigures(builder.Summarize(), 100 + 100 + 250 + 150 + 100,
                100 + 250 + 100, 500 - 150 + 150);
}

TEST(TraceSummary, AForkedClosureRunsBesideTheOtherOne) {
  // Published at 100 within a span that ends before the join.
  TimelineBuilder builder(2, 600);
  builder.Span(0, 50, 200).Spawn(0, 100, 0, 9).Piece(1, 150, 450, 9);
  builder.Wait(0, 300, 450, 9);
  ExpectFigures(builder.Summarize(), 300 + 300 + 150, 100 + 300 + 150, 150);
}

TEST(TraceSummary, WaitingForAConditionJoinsWhatEndedMeanwhile) {
  TimelineBuilder builder(2, 1000);
  builder.Spawn(0, 100, 1, 7).Wait(0, 200, 900, 0).Task(1, 150, 650, 1, 7);
  ExpectFigures(builder.Summarize(), 200 + 100 + 500, 100 + 500 + 100, 700);
}

TEST(TraceSummary, WakingIsNeitherWorkNorWaiting) {
  TimelineBuilder builder(2, 1000);
  builder.Loop(0, 0, 500, 7).Piece(0, 0, 400, 7).Wait(0, 400, 500, 7);
  builder.Waking(1, 10, 60).Piece(1, 60, 500, 7);
  ExpectFigures(builder.Summarize(), 400 + 440 + 500, 440 + 500, 100, 50);
}

TEST(TraceSummary, AForeignThreadWorksFromItsFirstLoopToItsLast) {
  TimelineBuilder builder(2, 1000);
  builder.Loop(1, 300, 400, 7).Piece(1, 300, 400, 7);
  builder.Loop(1, 600, 700, 8).Piece(1, 600, 700, 8);
  const auto figures = builder.Summarize();
  ExpectFigures(figures, 1000 + 400, 1000);
}

TEST(TraceSummary, ForecastsLieBetweenWorkAndSpanAndGrowWithThreads) {
  TimelineBuilder builder(2, 1000);
  builder.Loop(0, 100, 900, 7).Piece(0, 100, 900, 7, 8);
  builder.Piece(1, 100, 900, 7, 8);
  builder.Summarize();
  const TraceSummary summary = SummarizeTimeline(builder.timeline());
  ASSERT_THAT(summary.work, DoubleNear(1800e-9, 1e-12));
  ASSERT_THAT(summary.span, DoubleNear(300e-9, 1e-12));
  EXPECT_THAT(summary.parallelism(), DoubleNear(6.0, 1e-9));
  EXPECT_THAT(summary.Forecast(1).time_at_most, DoubleNear(1800e-9, 1e-12));
  EXPECT_THAT(summary.Forecast(1).speedup_at_least, DoubleNear(1.0, 1e-9));
  const TraceForecast four = summary.Forecast(4);
  EXPECT_THAT(four.time_at_least, DoubleNear(450e-9, 1e-12));
  EXPECT_THAT(four.time_at_most, DoubleNear(675e-9, 1e-12));
  EXPECT_THAT(summary.Forecast(64).time_at_least, DoubleNear(300e-9, 1e-12));
  TraceForecast last = summary.Forecast(1);
  for (int threads = 2; threads <= 100; ++threads) {
    const TraceForecast next = summary.Forecast(threads);
    EXPECT_LE(next.time_at_least, next.time_at_most);
    EXPECT_LE(next.time_at_least, last.time_at_least);
    EXPECT_LT(next.time_at_most, last.time_at_most);
    EXPECT_GE(next.time_at_least, summary.span);
    last = next;
  }
}

TEST(TraceSummary, ForecastForNoThreadsIsRefused) {
  EXPECT_THROW(TraceSummary().Forecast(0), std::invalid_argument);
  EXPECT_THROW(TraceSummary().Forecast(-4), std::invalid_argument);
}

TEST(TraceSummary, CountsAndPrints) {
  TimelineBuilder builder(2, 2'000'000);
  builder.Spawn(0, 100, 1, 7).Wait(0, 400, 600, 7).Task(1, 150, 600, 1, 7);
  builder.Loop(0, 700, 800, 8).Piece(0, 700, 800, 8).Waking(1, 650, 700);
  builder.Summarize();
  const TraceSummary summary = SummarizeTimeline(builder.timeline());
  EXPECT_EQ(summary.tasks, 1u);
  EXPECT_EQ(summary.loops, 1u);
  EXPECT_EQ(summary.pieces, 1u);
  EXPECT_EQ(summary.wakes, 1u);
  ASSERT_EQ(summary.threads.size(), 2u);
  EXPECT_EQ(summary.threads[1].name, "t1");
  for (const TraceThreadSummary& thread : summary.threads) {
    EXPECT_THAT(thread.busy + thread.waiting + thread.waking + thread.idle,
                DoubleNear(summary.duration, 1e-12));
  }
  std::ostringstream text;
  text << summary;
  EXPECT_THAT(text.str(), HasSubstr("duration        2.000 ms"));
  EXPECT_THAT(text.str(), HasSubstr("lost waiting    0.200 us\n"));
  EXPECT_THAT(text.str(), HasSubstr("lost waking     0.050 us  (1 wake-up)"));
  EXPECT_THAT(text.str(), HasSubstr("1 task, 1 loop or fork, 1 piece"));
}

TEST(TraceSummary, PrintsTheForecasts) {
  // A loop of blocks of 100 that takes two threads 800, with 100 before it
  // and 100 behind: W = 1800, S = 300.
  TimelineBuilder builder(2, 1000);
  builder.Loop(0, 100, 900, 7).Piece(0, 100, 900, 7, 8);
  builder.Piece(1, 100, 900, 7, 8);
  builder.Summarize();
  std::ostringstream text;
  text << SummarizeTimeline(builder.timeline());
  EXPECT_THAT(text.str(), HasSubstr("work            1.800 us  (90.0 % of"));
  EXPECT_THAT(text.str(), HasSubstr("span            0.300 us\n"));
  EXPECT_THAT(text.str(), HasSubstr("parallelism     6.00\n"));
  EXPECT_THAT(text.str(),
              HasSubstr("        1   1.800 us to 1.800 us             "
                        "1.00 to 1.00\n"));
  EXPECT_THAT(text.str(),
              HasSubstr("        4   0.450 us to 0.675 us             "
                        "2.67 to 4.00\n"));
  // 1500 / 16 + 300 = 393.75, 1500 / 64 + 300 = 323.4375.
  EXPECT_THAT(text.str(),
              HasSubstr("       16   0.300 us to 0.394 us             "
                        "4.57 to 6.00\n"));
  EXPECT_THAT(text.str(),
              HasSubstr("       64   0.300 us to 0.323 us             "
                        "5.57 to 6.00\n"));
}

TEST(TraceSummary, OfNoTraceIsEmpty) {
  const TraceSummary summary = ceres::parallel::Summarize(Trace());
  EXPECT_EQ(summary.work, 0.0);
  EXPECT_TRUE(summary.threads.empty());
  EXPECT_EQ(summary.Forecast(4).speedup_at_most, 1.0);
}

}  // namespace
}  // namespace ceres::parallel::detail
