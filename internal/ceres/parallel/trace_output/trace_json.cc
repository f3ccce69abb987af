// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace_output/trace_json.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <ostream>
#include <string_view>
#include <unordered_map>

#include "ceres/base/json_writer.h"

namespace ceres::parallel::detail {
namespace {

// The member of a slice that names its kind, by EventKind.
constexpr std::array<std::string_view, 6> kCategories = {
    R"("cat":"task")", R"("cat":"piece")", R"("cat":"loop")",
    R"("cat":"wait")", R"("cat":"span")",  R"("cat":"waking")"};

std::string_view CategoryOf(EventKind kind) {
  return kCategories[static_cast<std::size_t>(kind)];
}

class TimelineWriter {
 public:
  TimelineWriter(const TraceTimeline& timeline, std::ostream* out)
      : timeline_(timeline), out_(out) {}

  void Write() {
    FindHeads();
    json_.BeginObject().Member("displayTimeUnit", "ns");
    json_.Key("otherData").BeginObject();
    AddTime("duration", timeline_.duration);
    json_.Member("dropped", static_cast<std::int64_t>(timeline_.dropped));
    json_.EndObject();
    json_.Key("traceEvents").BeginArray();
    for (std::size_t k = 0; k < timeline_.threads.size(); ++k) {
      AddNameOfThread(static_cast<int>(k));
    }
    for (const TraceEvent& event : timeline_.events) {
      if (event.kind == EventKind::kSpawn) {
        AddArrow(event);
      } else {
        AddSlice(event);
      }
      if (json_.text().size() > kFlushSize) json_.FlushTo(out_);
    }
    json_.EndArray().EndObject();
    json_.FlushTo(out_);
    *out_ << '\n';
  }

 private:
  using Heads = std::unordered_map<std::uint64_t, const TraceEvent*>;
  static constexpr std::size_t kFlushSize = 1 << 16;

  void FindHeads() {
    for (const TraceEvent& event : timeline_.events) {
      if (event.kind == EventKind::kTask) tasks_[event.id] = &event;
      if (event.kind == EventKind::kPiece) pieces_[event.region] = &event;
    }
  }

  void AddNameOfThread(int thread) {
    json_.BeginObject().Json(R"("ph":"M","name":"thread_name","pid":1)");
    json_.Member("tid", thread + 1);
    json_.Key("args").BeginObject();
    json_.Member("name", timeline_.threads[thread]);
    json_.EndObject().EndObject();
  }

  void AddSlice(const TraceEvent& event) {
    Begin(R"("ph":"X","pid":1)", event.thread, event.begin);
    AddTime("dur", event.end - event.begin);
    json_.Json(CategoryOf(event.kind));
    json_.Member("name", timeline_.NameOf(event));
    json_.Key("args").BeginObject();
    if (event.id != 0) AddNumber("id", event.id);
    if (event.region != 0) AddNumber("region", event.region);
    if (event.kind == EventKind::kPiece) json_.Member("blocks", event.blocks);
    if (event.waker >= 0) json_.Member("waker", event.waker + 1);
    json_.EndObject().EndObject();
  }

  void AddArrow(const TraceEvent& event) {
    Begin(R"("ph":"s","pid":1,"cat":"spawn","name":"spawn")", event.thread,
          event.begin);
    AddNumber("id", ++num_arrows_);
    json_.Key("args").BeginObject();
    AddNumber("id", event.id);
    AddNumber("region", event.region);
    json_.EndObject().EndObject();
    const Heads& heads = event.id != 0 ? tasks_ : pieces_;
    const auto head = heads.find(event.id != 0 ? event.id : event.region);
    if (head == heads.end()) return;
    Begin(R"("ph":"f","bp":"e","pid":1,"cat":"spawn","name":"spawn")",
          head->second->thread, head->second->begin);
    AddNumber("id", num_arrows_);
    json_.EndObject();
  }

  // members: those that all such events have.
  void Begin(std::string_view members, int thread, std::int64_t time) {
    json_.BeginObject().Json(members);
    json_.Member("tid", thread + 1);
    AddTime("ts", time);
  }

  void AddNumber(const char* key, std::uint64_t value) {
    json_.Member(key, static_cast<std::int64_t>(value));
  }

  // In microseconds, exactly.
  void AddTime(const char* key, std::int64_t nanoseconds) {
    char digits[32];
    char* end = std::begin(digits);
    if (nanoseconds < 0) *end++ = '-';
    const std::int64_t time = std::abs(nanoseconds);
    end = std::to_chars(end, std::end(digits), time / 1000).ptr;
    *end++ = '.';
    for (const int unit : {100, 10, 1}) {
      *end++ = static_cast<char>('0' + time / unit % 10);
    }
    json_.Key(key).Json({digits, static_cast<std::size_t>(end - digits)});
  }

  const TraceTimeline& timeline_;
  std::ostream* const out_;
  // An event per line.
  internal::JsonWriter json_{internal::JsonStyle{2, 0, true}};
  Heads tasks_;   // By number.
  Heads pieces_;  // By region.
  std::uint64_t num_arrows_ = 0;
};

}  // namespace

void WriteTimeline(const TraceTimeline& timeline, std::ostream& out) {
  TimelineWriter(timeline, &out).Write();
}

}  // namespace ceres::parallel::detail
