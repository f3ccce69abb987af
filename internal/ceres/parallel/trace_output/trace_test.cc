// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace.h"

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_POSIX)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdint>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/trace/trace_log.h"
#include "ceres/parallel/trace_output/trace_json.h"
#include "ceres/parallel/trace_output/trace_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using detail::TraceEvent;
using detail::TraceTimeline;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Trace, RecordsNestedSpansOfItsThreads) {
  Trace trace;
  trace.Start();
  {
    const TraceSpan outer("outer");
    const TraceSpan inner("inner");
  }
  std::thread([] { const TraceSpan span("of another thread"); }).join();
  trace.Stop();
  const TraceTimeline timeline = TimelineOf(trace);
  ASSERT_EQ(timeline.events.size(), 3u);
  ASSERT_EQ(timeline.threads.size(), 2u);
  const TraceEvent& outer = timeline.events[0];
  const TraceEvent& inner = timeline.events[1];
  EXPECT_STREQ(timeline.NameOf(outer), "outer");
  EXPECT_STREQ(timeline.NameOf(inner), "inner");
  EXPECT_STREQ(timeline.NameOf(timeline.events[2]), "of another thread");
  EXPECT_EQ(outer.thread, 0);
  EXPECT_EQ(inner.thread, 0);
  EXPECT_EQ(timeline.events[2].thread, 1);
  EXPECT_LE(0, outer.begin);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.begin, inner.end);
  EXPECT_LE(inner.end, outer.end);
  EXPECT_LE(outer.end, timeline.duration);
}

TEST(Trace, OffRecordsNothing) {
  Trace trace;
  { const TraceSpan span("before"); }
  EXPECT_EQ(trace.NumEvents(), 0u);
  trace.Start();
  trace.Stop();
  { const TraceSpan span("after"); }
  EXPECT_EQ(trace.NumEvents(), 0u);
  EXPECT_FALSE(detail::IsTracing());
  EXPECT_EQ(detail::BeginTraceSlice(), 0);
}

TEST(Trace, SpansThatReachOverItsEdgesAreLeftOut) {
  Trace trace;
  {
    const TraceSpan begun_before("begun before");
    trace.Start();
    const TraceSpan ends_after("ends after");
    { const TraceSpan within("within"); }
    trace.Stop();
  }
  EXPECT_EQ(trace.NumEvents(), 1u);
  // Begun in one trace, ended in the next.
  trace.Start();
  {
    const TraceSpan span("between");
    trace.Stop();
    trace.Start();
  }
  trace.Stop();
  EXPECT_EQ(trace.NumEvents(), 0u);
}

TEST(Trace, OnlyOneRunsInTheProcess) {
  Trace first;
  Trace second;
  first.Start();
  EXPECT_TRUE(first.IsRunning());
  EXPECT_THROW(second.Start(), std::logic_error);
  EXPECT_THROW(first.Start(), std::logic_error);
  EXPECT_FALSE(second.IsRunning());
  second.Stop();  // Not its own.
  { const TraceSpan span("span"); }
  EXPECT_TRUE(first.IsRunning());
  first.Stop();
  first.Stop();
  second.Start();
  EXPECT_TRUE(second.IsRunning());
  EXPECT_FALSE(first.IsRunning());
  EXPECT_EQ(first.NumEvents(), 1u);
}

TEST(Trace, DestructionStops) {
  {
    Trace trace;
    trace.Start();
  }
  EXPECT_FALSE(detail::IsTracing());
  Trace next;
  next.Start();
}

TEST(Trace, CanBeStartedAgainAfresh) {
  Trace trace;
  for (int run = 0; run < 3; ++run) {
    trace.Start();
    for (int k = 0; k <= run; ++k) const TraceSpan span("span");
    trace.Stop();
    EXPECT_EQ(trace.NumEvents(), static_cast<std::size_t>(run + 1));
  }
}

TEST(Trace, AFullBufferCountsWhatItDrops) {
  constexpr std::size_t kMany = 5000;
  for (const std::size_t capacity :
       {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{2500}}) {
    TraceOptions options;
    options.max_events_per_thread = capacity;
    Trace trace(options);
    trace.Start();
    for (std::size_t k = 0; k < kMany; ++k) const TraceSpan span("span");
    trace.Stop();
    EXPECT_EQ(trace.NumEvents(), capacity);
    EXPECT_EQ(trace.NumDropped(), kMany - capacity);
    EXPECT_EQ(TimelineOf(trace).dropped, kMany - capacity);
    const internal::JsonValue json = ReadTrace(trace);
    EXPECT_EQ(json.Find("otherData")->Find("dropped")->number,
              kMany - capacity);
    EXPECT_EQ(EventsOfPhase(json, "X").size(), capacity);
  }
}

TEST(Trace, WritesJson) {
  Trace trace;
  EXPECT_EQ(ReadTrace(trace).Find("displayTimeUnit")->text, "ns");
  EXPECT_TRUE(EventsOfPhase(ReadTrace(trace), "X").empty());
  trace.Start();
  constexpr char kName[] = "a \"quoted\" \\ name\n with a line break";
  { const TraceSpan span(kName); }
  EXPECT_EQ(EventsOfPhase(ReadTrace(trace), "X").size(), 1u);
  trace.Stop();
  const internal::JsonValue json = ReadTrace(trace);
  const std::vector<internal::JsonValue> slices = EventsOfPhase(json, "X");
  ASSERT_EQ(slices.size(), 1u);
  const auto number = [&](const char* member) {
    return slices[0].Find(member)->number;
  };
  EXPECT_EQ(slices[0].Find("cat")->text, "span");
  EXPECT_EQ(slices[0].Find("name")->text, kName);
  EXPECT_EQ(number("tid"), 1);
  EXPECT_GE(number("ts"), 0.0);
  EXPECT_GE(number("dur"), 0.0);
  const std::vector<internal::JsonValue> threads = EventsOfPhase(json, "M");
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].Find("name")->text, "thread_name");
}

TEST(Trace, WritesMicrosecondsWithThreeDigits) {
  TraceTimeline timeline;
  timeline.threads = {"main"};
  timeline.names = {"span"};
  TraceEvent event;
  event.kind = detail::EventKind::kSpan;
  event.name = 0;
  event.begin = 1234567;
  event.end = 1235067;
  timeline.events.push_back(event);
  event.begin = -45;
  event.end = 5;
  timeline.events.push_back(event);
  std::ostringstream out;
  WriteTimeline(timeline, out);
  EXPECT_THAT(out.str(), HasSubstr(R"("ts":1234.567,"dur":0.500,)"));
  EXPECT_THAT(out.str(), HasSubstr(R"("ts":-0.045,"dur":0.050,)"));
}

TEST(Trace, AnEventStandsOnALineOfItsOwn) {
  Trace trace;
  trace.Start();
  for (int k = 0; k < 1000; ++k) const TraceSpan span("span");
  trace.Stop();
  std::istringstream text(JsonOf(trace));
  int num_slices = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind(R"({"ph":"X",)", 0) == 0) ++num_slices;
  }
  EXPECT_EQ(num_slices, 1000);
}

TEST(Trace, TheStreamsFormatDoesNotReachTheJson) {
  struct Grouping : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
    char do_decimal_point() const override { return ','; }
  };
  Trace trace;
  trace.Start();
  for (int k = 0; k < 100; ++k) const TraceSpan span("span");
  trace.Stop();
  const std::string plain = JsonOf(trace);
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Grouping));
  out << std::hex << std::showbase;
  trace.WriteJson(out);
  EXPECT_EQ(out.str(), plain);
}

TEST(Trace, StartsAndStopsWhileThreadsRecordAndEnd) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&stop] {
      while (!stop.load(std::memory_order_relaxed)) {
        const TraceSpan span("busy");
        detail::TraceMoment(detail::TraceKind::kSpawn, 1, 2, "task");
      }
    });
  }
  threads.emplace_back([&stop] {
    while (!stop.load(std::memory_order_relaxed)) {
      std::thread([] { const TraceSpan span("short life"); }).join();
    }
  });
  std::size_t events = 0;
  for (int run = 0; run < 30; ++run) {
    TraceOptions options;
    options.max_events_per_thread = 3000;
    Trace trace(options);
    trace.Start();
    ReadTrace(trace);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (run % 2 == 0) trace.Stop();
    events += trace.NumEvents();
    ReadTrace(trace);
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(events, 0u);
}

// An object whose destructor records, at the end of its thread.
struct RecordsAtTheEnd {
  ~RecordsAtTheEnd() { const TraceSpan span("at the end"); }
};

TEST(Trace, RecordsOfEndingThreadsAreKeptOrLeftOutButNeverLost) {
  Trace trace;
  trace.Start();
  std::thread([] {
    thread_local const RecordsAtTheEnd object;
    (void)&object;
    const TraceSpan span("span");
  }).join();
  trace.Stop();
  ReadTrace(trace);
  EXPECT_THAT(JsonOf(trace), HasSubstr("\"span\""));
}

#if defined(CERES_SYSTEM_POSIX)

TEST(Trace, TheChildOfAForkTracesOnItsOwn) {
  Trace trace;
  trace.Start();
  { const TraceSpan span("before the fork"); }
  const pid_t child = fork();
  if (child == 0) {
    bool ok = !trace.IsRunning() && !detail::IsTracing();
    { const TraceSpan span("nowhere"); }
    ok = ok && trace.NumEvents() == 1;
    Trace own;
    own.Start();
    { const TraceSpan span("in the child"); }
    own.Stop();
    ok = ok && own.NumEvents() == 1;
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(trace.IsRunning());
  { const TraceSpan span("after the fork"); }
  trace.Stop();
  EXPECT_EQ(trace.NumEvents(), 2u);
  EXPECT_THAT(JsonOf(trace), Not(HasSubstr("in the child")));
}

#endif

}  // namespace
}  // namespace ceres::parallel
