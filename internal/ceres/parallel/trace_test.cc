// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace.h"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ceres/parallel/trace_log.h"
#include "ceres/parallel/trace_timeline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using detail::EventKind;
using detail::TraceEvent;
using detail::TraceTimeline;
using ::testing::HasSubstr;
using ::testing::Not;

// Whether the text is one JSON value: a checker that shares nothing with the
// reader.
class JsonChecker {
 public:
  static bool IsJson(std::string_view text) {
    JsonChecker checker{text};
    return checker.Value() && checker.Blank() && checker.text_.empty();
  }

 private:
  explicit JsonChecker(std::string_view text) : text_(text) {}

  bool Blank() {
    while (!text_.empty() && std::isspace(text_[0]) != 0) Skip(1);
    return true;
  }
  void Skip(std::size_t n) { text_.remove_prefix(n); }
  bool Take(std::string_view token) {
    Blank();
    if (text_.substr(0, token.size()) != token) return false;
    Skip(token.size());
    return true;
  }
  bool Value() {
    Blank();
    if (text_.empty()) return false;
    if (text_[0] == '{') return List("{", "}", true);
    if (text_[0] == '[') return List("[", "]", false);
    if (text_[0] == '"') return String();
    return Take("true") || Take("false") || Take("null") || Number();
  }
  bool List(std::string_view open, std::string_view close, bool is_object) {
    Take(open);
    if (Take(close)) return true;
    do {
      if (is_object && !(Blank() && String() && Take(":"))) return false;
      if (!Value()) return false;
    } while (Take(","));
    return Take(close);
  }
  bool String() {
    if (!Take("\"")) return false;
    while (!text_.empty() && text_[0] != '"') {
      if (static_cast<unsigned char>(text_[0]) < 0x20) return false;
      Skip(text_[0] == '\\' && text_.size() > 1 ? 2 : 1);
    }
    return Take("\"");
  }
  bool Number() {
    std::size_t digits = 0;
    if (text_[0] == '-') Skip(1);
    while (!text_.empty() && (std::isdigit(text_[0]) != 0 || text_[0] == '.')) {
      Skip(1);
      ++digits;
    }
    return digits > 0;
  }

  std::string_view text_;
};

std::string JsonOf(const Trace& trace) {
  std::ostringstream out;
  trace.WriteJson(out);
  return out.str();
}

TraceTimeline TimelineOf(const Trace& trace) {
  return MakeTimeline(*trace.session());
}

std::vector<TraceEvent> EventsOf(const Trace& trace, EventKind kind) {
  std::vector<TraceEvent> events;
  for (const TraceEvent& event : TimelineOf(trace).events) {
    if (event.kind == kind) events.push_back(event);
  }
  return events;
}

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
    EXPECT_THAT(JsonOf(trace),
                HasSubstr("\"dropped\":" + std::to_string(kMany - capacity)));
    EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
  }
}

TEST(Trace, WritesJson) {
  EXPECT_TRUE(JsonChecker::IsJson(R"( {"a":[1,-2.5,"x\"y",null],"b":{}} )"));
  EXPECT_FALSE(JsonChecker::IsJson(R"({"a":[1,]})"));
  EXPECT_FALSE(JsonChecker::IsJson(R"({"a":1}})"));
  EXPECT_FALSE(JsonChecker::IsJson("{\"a\":\"\n\"}"));
  Trace trace;
  EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
  trace.Start();
  { const TraceSpan span("a \"quoted\" \\ name\n with a line break"); }
  EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
  trace.Stop();
  const std::string json = JsonOf(trace);
  EXPECT_TRUE(JsonChecker::IsJson(json)) << json;
  EXPECT_THAT(json, HasSubstr(R"("name":"a \"quoted\" \\ name\u000a with)"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"M","name":"thread_name")"));
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

// What the runtime records, by hand.
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
  const std::string json = JsonOf(trace);
  EXPECT_THAT(json, HasSubstr(R"("ph":"s")"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"f")"));
  EXPECT_TRUE(JsonChecker::IsJson(json)) << json;
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
  EXPECT_EQ(timeline.events[0].group, timeline.events[1].group);
}

// Threads record without pause while traces start, are written, and stop; some
// threads end in between.
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
    EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (run % 2 == 0) trace.Stop();
    events += trace.NumEvents();
    EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
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
  EXPECT_THAT(JsonOf(trace), HasSubstr("\"span\""));
  EXPECT_TRUE(JsonChecker::IsJson(JsonOf(trace)));
}

#if defined(__unix__)

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
