// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/trace_hooks.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace/trace_log.h"
#include "ceres/parallel/trace_output/trace_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using detail::EventKind;
using detail::TraceEvent;
using detail::TraceTimeline;

// Records by hand the events that the runtime records.
class TraceHooks : public ::testing::Test {
 protected:
  static void Spawn(int* task, const char* name = nullptr) {
    TraceMoment(detail::TraceKind::kSpawn, detail::TraceId(task), kSet, name);
  }
  static void Edge(int* task) {
    TraceMoment(detail::TraceKind::kEdge, detail::TraceId(task), kSet);
  }
  static void Run(int* task) {
    const std::int64_t begin = detail::BeginTraceSlice();
    EndTraceSlice(detail::TraceKind::kTask, begin, detail::TraceId(task), kSet);
  }

  static constexpr std::uint64_t kSet = 77;
  int a_ = 0;
  int b_ = 0;
};

TEST_F(TraceHooks, TasksAreToldApartThoughTheyHaveOneAddress) {
  Trace trace;
  trace.Start();
  Spawn(&a_, "first");
  Spawn(&b_);
  Run(&a_);
  Spawn(&a_);
  Run(&b_);
  Run(&a_);
  Spawn(&a_);  // Is dropped.
  Spawn(&a_, "last");
  Run(&a_);
  trace.Stop();
  std::vector<std::uint64_t> spawns;
  for (const TraceEvent& event : EventsOf(trace, EventKind::kSpawn)) {
    spawns.push_back(event.id);
  }
  EXPECT_THAT(spawns, ::testing::ElementsAre(1, 2, 3, 4, 5));
  const TraceTimeline timeline = TimelineOf(trace);
  std::vector<std::uint64_t> tasks;
  std::vector<std::string> names;
  for (const TraceEvent& event : EventsOf(trace, EventKind::kTask)) {
    tasks.push_back(event.id);
    names.emplace_back(timeline.NameOf(event));
  }
  EXPECT_THAT(tasks, ::testing::ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(names, ::testing::ElementsAre("first", "task", "task", "last"));
  // Arrows for all, heads for those that ran.
  const internal::JsonValue json = ReadTrace(trace);
  EXPECT_EQ(EventsOfPhase(json, "s").size(), 5u);
  EXPECT_EQ(EventsOfPhase(json, "f").size(), 4u);
}

TEST_F(TraceHooks, EdgesLeadToOneTask) {
  Trace trace;
  trace.Start();
  Edge(&a_);
  Edge(&a_);
  Spawn(&a_);
  Run(&a_);
  Edge(&a_);
  Run(&a_);
  trace.Stop();
  std::vector<std::uint64_t> spawns;
  for (const TraceEvent& event : EventsOf(trace, EventKind::kSpawn)) {
    spawns.push_back(event.id);
  }
  EXPECT_THAT(spawns, ::testing::ElementsAre(1, 1, 1, 2));
}

TEST_F(TraceHooks, AWakeUpReachesFromTheCallToTheArrival) {
  Trace trace;
  trace.Start();
  detail::TraceMoment(detail::TraceKind::kWakeIssued, 5);
  std::thread([] {
    detail::TraceMoment(detail::TraceKind::kWakeArrived, 5);
    // Nobody has called this one.
    detail::TraceMoment(detail::TraceKind::kWakeArrived, 6);
  }).join();
  trace.Stop();
  const auto wakes = EventsOf(trace, EventKind::kWaking);
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].thread, 1);
  EXPECT_EQ(wakes[0].waker, 0);
  EXPECT_LT(wakes[0].begin, wakes[0].end);
}

TEST_F(TraceHooks, LoopsGiveTheirPiecesTheirName) {
  Trace trace;
  trace.Start();
  const std::int64_t loop = detail::BeginTraceSlice();
  const std::int64_t piece = detail::BeginTraceSlice();
  EndTraceSlice(detail::TraceKind::kPiece, piece, 99, 12);
  EndTraceSlice(detail::TraceKind::kLoop, loop, 99, detail::TraceId("rows"));
  trace.Stop();
  const TraceTimeline timeline = TimelineOf(trace);
  ASSERT_EQ(timeline.events.size(), 2u);
  EXPECT_EQ(timeline.events[0].kind, EventKind::kLoop);
  EXPECT_STREQ(timeline.NameOf(timeline.events[0]), "rows");
  EXPECT_STREQ(timeline.NameOf(timeline.events[1]), "rows");
  EXPECT_EQ(timeline.events[1].blocks, 12);
  EXPECT_EQ(timeline.events[0].region, timeline.events[1].region);
}

// Threads record without pause while traces start, are written, and stop; some
// threads end in between.
}  // namespace
}  // namespace ceres::parallel
