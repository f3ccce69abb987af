// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace_output/trace_timeline.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "ceres/parallel/trace/trace_log.h"

// Records name tasks by their address, which later tasks may have again, and
// loops and sets by their handles. This pass through the records, in the order
// of time, gives tasks and regions numbers.

namespace ceres::parallel::detail {
namespace {

class TimelineMaker {
 public:
  explicit TimelineMaker(const TraceSession& session)
      : span_(session.span()), logs_(session.Logs()) {}

  TraceTimeline Make() {
    for (std::size_t k = 0; k < logs_.size(); ++k) AddLog(static_cast<int>(k));
    // Among records of one time, spawns come first, then outer slices before
    // inner ones, which are recorded earlier.
    std::reverse(records_.begin(), records_.end());
    std::stable_sort(
        records_.begin(), records_.end(),
        [](const Entry& a, const Entry& b) { return SortKey(a) < SortKey(b); });
    for (const Entry& entry : records_) NameLoop(entry);
    for (const Entry& entry : records_) AddEvent(entry);
    timeline_.duration = Nanoseconds(span_.stop - span_.start);
    timeline_.SortEvents();
    return std::move(timeline_);
  }

 private:
  struct Entry {
    TraceRecord record;
    int thread;
  };
  // A task that has not begun.
  struct Spawned {
    std::uint64_t number = 0;
    bool complete = false;  // All its predecessors have ended.
    int name = -1;
  };
  struct Wake {
    base::Ticks issued = 0;
    int thread = -1;
  };

  static TraceKind KindOf(const Entry& entry) { return entry.record.kind; }
  static bool IsMoment(const Entry& entry) {
    return KindOf(entry) >= TraceKind::kSpawn;
  }

  static std::tuple<base::Ticks, bool, base::Ticks> SortKey(
      const Entry& entry) {
    const auto duration = static_cast<base::Ticks>(entry.record.value);
    if (IsMoment(entry)) return {entry.record.begin, false, 0};
    return {entry.record.begin, true, -duration};
  }

  void AddLog(int thread) {
    const TraceLog& log = *logs_[thread];
    timeline_.threads.push_back(log.thread_name);
    timeline_.dropped += log.dropped();
    log.ForEach([&](const TraceRecord& record) {
      records_.push_back({record, thread});
    });
  }

  void NameLoop(const Entry& entry) {
    if (KindOf(entry) != TraceKind::kLoop) return;
    loop_names_[entry.record.id] = NameIndex(entry.record.other);
  }

  void AddEvent(const Entry& entry) {
    const TraceRecord& record = entry.record;
    TraceEvent event;
    event.thread = entry.thread;
    event.begin = Nanoseconds(record.begin - span_.start);
    event.end = event.begin;
    if (!IsMoment(entry)) {
      event.end = Nanoseconds(record.begin - span_.start +
                              static_cast<base::Ticks>(record.value));
    }
    switch (KindOf(entry)) {
      case TraceKind::kTask:
        BeginTask(record, &event);
        break;
      case TraceKind::kPiece:
        event.kind = EventKind::kPiece;
        event.region = RegionNumber(record.id);
        event.blocks = static_cast<std::int64_t>(record.other);
        event.name = LoopName(record.id);
        break;
      case TraceKind::kLoop:
        event.kind = EventKind::kLoop;
        event.region = RegionNumber(record.id);
        event.name = LoopName(record.id);
        break;
      case TraceKind::kWait:
        event.kind = EventKind::kWait;
        event.region = RegionNumber(record.id);
        break;
      case TraceKind::kSpan:
        event.kind = EventKind::kSpan;
        event.name = NameIndex(record.id);
        break;
      case TraceKind::kSpawn:
      case TraceKind::kEdge:
        Spawn(entry, &event);
        break;
      case TraceKind::kFork:
        event.kind = EventKind::kSpawn;
        event.region = RegionNumber(record.other);
        break;
      case TraceKind::kWakeIssued:
        wakes_[record.id] = {record.begin, entry.thread};
        return;
      case TraceKind::kWakeArrived:
        if (!Arrive(record, &event)) return;
        break;
    }
    timeline_.events.push_back(event);
  }

  void Spawn(const Entry& entry, TraceEvent* event) {
    Spawned& task = spawned_[entry.record.id];
    // A complete task that never began was dropped; this is another one at its
    // address.
    if (task.number == 0 || task.complete) task = {++num_tasks_, false, -1};
    task.complete = KindOf(entry) == TraceKind::kSpawn;
    if (entry.record.value != 0) task.name = NameIndex(entry.record.value);
    event->kind = EventKind::kSpawn;
    event->id = task.number;
    event->region = RegionNumber(entry.record.other);
  }

  void BeginTask(const TraceRecord& record, TraceEvent* event) {
    Spawned& task = spawned_[record.id];
    if (task.number == 0) task.number = ++num_tasks_;
    event->kind = EventKind::kTask;
    event->id = task.number;
    event->region = RegionNumber(record.other);
    event->name = task.name;
    task = {};
  }

  bool Arrive(const TraceRecord& record, TraceEvent* event) {
    const auto wake = wakes_.find(record.id);
    if (wake == wakes_.end()) return false;
    event->kind = EventKind::kWaking;
    event->begin = Nanoseconds(wake->second.issued - span_.start);
    event->waker = wake->second.thread;
    wakes_.erase(wake);
    return true;
  }

  std::uint64_t RegionNumber(std::uint64_t handle) {
    if (handle == 0) return 0;
    return regions_.emplace(handle, regions_.size() + 1).first->second;
  }

  int LoopName(std::uint64_t handle) const {
    const auto found = loop_names_.find(handle);
    return found == loop_names_.end() ? -1 : found->second;
  }

  int NameIndex(std::uint64_t address) {
    if (address == 0) return -1;
    const auto [found, is_new] =
        names_.emplace(address, static_cast<int>(timeline_.names.size()));
    if (is_new) {
      timeline_.names.emplace_back(
          reinterpret_cast<const char*>(static_cast<std::uintptr_t>(address)));
    }
    return found->second;
  }

  std::int64_t Nanoseconds(base::Ticks ticks) const {
    return std::llround(static_cast<double>(ticks) *
                        span_.nanoseconds_per_tick);
  }

  const TraceSession::Span span_;
  const std::vector<const TraceLog*> logs_;
  std::vector<Entry> records_;
  std::unordered_map<std::uint64_t, Spawned> spawned_;  // By address.
  std::unordered_map<std::uint64_t, Wake> wakes_;
  std::unordered_map<std::uint64_t, std::uint64_t> regions_;  // By handle.
  std::unordered_map<std::uint64_t, int> loop_names_;
  std::unordered_map<std::uint64_t, int> names_;  // By address.
  std::uint64_t num_tasks_ = 0;
  TraceTimeline timeline_;
};

}  // namespace

namespace {

// Spawns first, then outer slices before inner ones.
auto SortKey(const TraceEvent& event) {
  return std::make_tuple(event.thread, event.begin,
                         event.kind != EventKind::kSpawn, -event.end);
}

}  // namespace

const char* TraceTimeline::NameOf(const TraceEvent& event) const {
  if (event.name >= 0) return names[event.name].c_str();
  switch (event.kind) {
    case EventKind::kTask:
      return "task";
    case EventKind::kPiece:
      return "piece";
    case EventKind::kLoop:
      return "loop";
    case EventKind::kWait:
      return "wait";
    case EventKind::kSpan:
      return "span";
    case EventKind::kWaking:
      return "waking";
    case EventKind::kSpawn:
      return "spawn";
  }
  return "";
}

void TraceTimeline::SortEvents() {
  std::stable_sort(events.begin(), events.end(),
                   [](const TraceEvent& a, const TraceEvent& b) {
                     return SortKey(a) < SortKey(b);
                   });
}

TraceTimeline MakeTimeline(const TraceSession& session) {
  return TimelineMaker(session).Make();
}

}  // namespace ceres::parallel::detail
