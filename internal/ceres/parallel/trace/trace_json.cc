// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace/trace_json.h"

#include <array>
#include <cmath>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "ceres/parallel/trace/json_reader.h"

namespace ceres::parallel::detail {
namespace {

// By EventKind.
constexpr std::array<std::string_view, 7> kCategories = {
    "task", "piece", "loop", "wait", "span", "waking", "spawn"};

std::string_view CategoryOf(EventKind kind) {
  return kCategories[static_cast<std::size_t>(kind)];
}

// Text on its way to a stream, untouched by the stream's locale and flags.
class TextBuffer {
 public:
  explicit TextBuffer(std::ostream& out) : out_(out) {}
  ~TextBuffer() { Flush(); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  TextBuffer& operator<<(std::string_view text) {
    text_.append(text);
    if (text_.size() > kFlushSize) Flush();
    return *this;
  }
  TextBuffer& operator<<(char c) { return *this << std::string_view(&c, 1); }
  template <typename Integer,
            typename = std::enable_if_t<std::is_integral_v<Integer>>>
  TextBuffer& operator<<(Integer value) {
    return *this << std::string_view(std::to_string(value));
  }

 private:
  static constexpr std::size_t kFlushSize = 1 << 16;

  void Flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
};

class TimelineWriter {
 public:
  TimelineWriter(const TraceTimeline& timeline, std::ostream& out)
      : timeline_(timeline), out_(out) {}

  void Write() {
    FindHeads();
    out_ << R"({"displayTimeUnit":"ns","otherData":{"duration":)";
    Microseconds(timeline_.duration);
    out_ << R"(,"dropped":)" << timeline_.dropped << R"(},"traceEvents":[)";
    for (std::size_t k = 0; k < timeline_.threads.size(); ++k) {
      out_ << (k == 0 ? "\n" : ",\n");
      out_ << R"({"ph":"M","name":"thread_name","pid":1,"tid":)" << k + 1
           << R"(,"args":{"name":)";
      Quoted(timeline_.threads[k]);
      out_ << "}}";
    }
    for (const TraceEvent& event : timeline_.events) {
      if (event.kind == EventKind::kSpawn) {
        WriteArrow(event);
      } else {
        WriteSlice(event);
      }
    }
    out_ << "\n]}\n";
  }

 private:
  using Heads = std::unordered_map<std::uint64_t, const TraceEvent*>;

  void FindHeads() {
    for (const TraceEvent& event : timeline_.events) {
      if (event.kind == EventKind::kTask) tasks_[event.id] = &event;
      if (event.kind == EventKind::kPiece) pieces_[event.group] = &event;
    }
  }

  void WriteSlice(const TraceEvent& event) {
    Begin("X", event.thread, event.begin);
    out_ << R"(,"dur":)";
    Microseconds(event.end - event.begin);
    out_ << R"(,"cat":")" << CategoryOf(event.kind) << R"(","name":)";
    Quoted(timeline_.NameOf(event));
    bool has_arguments = false;
    const auto argument = [&](const char* key, std::int64_t value) {
      out_ << (has_arguments ? "," : R"(,"args":{)");
      out_ << '"' << key << "\":" << value;
      has_arguments = true;
    };
    if (event.id != 0) argument("id", static_cast<std::int64_t>(event.id));
    if (event.group != 0) {
      argument("group", static_cast<std::int64_t>(event.group));
    }
    if (event.kind == EventKind::kPiece) argument("blocks", event.blocks);
    if (event.waker >= 0) argument("waker", event.waker + 1);
    out_ << (has_arguments ? "}}" : "}");
  }

  void WriteArrow(const TraceEvent& event) {
    Begin("s", event.thread, event.begin);
    out_ << R"(,"cat":"spawn","name":"spawn","id":)" << ++num_arrows_
         << R"(,"args":{"id":)" << event.id << R"(,"group":)" << event.group
         << "}}";
    const Heads& heads = event.id != 0 ? tasks_ : pieces_;
    const auto head = heads.find(event.id != 0 ? event.id : event.group);
    if (head == heads.end()) return;
    Begin("f", head->second->thread, head->second->begin);
    out_ << R"(,"bp":"e","cat":"spawn","name":"spawn","id":)" << num_arrows_
         << '}';
  }

  void Begin(const char* phase, int thread, std::int64_t time) {
    out_ << ",\n{\"ph\":\"" << phase << R"(","pid":1,"tid":)" << thread + 1
         << R"(,"ts":)";
    Microseconds(time);
  }

  void Microseconds(std::int64_t nanoseconds) {
    if (nanoseconds < 0) {
      out_ << '-';
      nanoseconds = -nanoseconds;
    }
    const std::int64_t fraction = nanoseconds % 1000;
    out_ << nanoseconds / 1000 << '.' << static_cast<char>('0' + fraction / 100)
         << static_cast<char>('0' + fraction / 10 % 10)
         << static_cast<char>('0' + fraction % 10);
  }

  void Quoted(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    out_ << '"';
    for (const char c : text) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ << '\\' << c;
      } else if (code < 0x20) {
        out_ << "\\u00" << kHex[code >> 4] << kHex[code & 15];
      } else {
        out_ << c;
      }
    }
    out_ << '"';
  }

  const TraceTimeline& timeline_;
  TextBuffer out_;
  Heads tasks_;   // By number.
  Heads pieces_;  // By group.
  std::uint64_t num_arrows_ = 0;
};

std::int64_t NanosecondsOf(double microseconds) {
  return std::llround(1e3 * microseconds);
}

class TimelineReader {
 public:
  explicit TimelineReader(JsonReader& json) : json_(json) {}

  TraceTimeline Read() {
    bool has_events = false;
    json_.ReadObject([&](const std::string& key) {
      if (key == "traceEvents") {
        has_events = true;
        json_.ReadArray([&] { ReadEvent(); });
      } else if (key == "otherData") {
        json_.ReadObject([&](const std::string& name) { ReadData(name); });
      } else {
        json_.Skip();
      }
    });
    if (!has_events) json_.Fail("an object with a member \"traceEvents\"");
    timeline_.SortEvents();
    return std::move(timeline_);
  }

 private:
  struct Members {
    std::string phase;
    std::string category;
    std::string name;
    std::string thread_name;
    double duration = 0.0;
  };

  void ReadData(const std::string& key) {
    if (key == "duration") {
      timeline_.duration = NanosecondsOf(json_.ReadNumber());
    } else if (key == "dropped") {
      timeline_.dropped = static_cast<std::size_t>(json_.ReadNumber());
    } else {
      json_.Skip();
    }
  }

  void ReadEvent() {
    TraceEvent event;
    Members members;
    json_.ReadObject([&](const std::string& key) {
      if (key == "ph") {
        members.phase = json_.ReadString();
      } else if (key == "cat") {
        members.category = json_.ReadString();
      } else if (key == "name") {
        members.name = json_.ReadString();
      } else if (key == "tid") {
        event.thread = ThreadIndex(json_.ReadNumber());
      } else if (key == "ts") {
        event.begin = NanosecondsOf(json_.ReadNumber());
      } else if (key == "dur") {
        members.duration = json_.ReadNumber();
      } else if (key == "args") {
        json_.ReadObject([&](const std::string& argument) {
          ReadArgument(argument, &event, &members);
        });
      } else {
        json_.Skip();
      }
    });
    AddEvent(members, event);
  }

  void ReadArgument(const std::string& key, TraceEvent* event,
                    Members* members) {
    if (key == "name") {
      members->thread_name = json_.ReadString();
    } else if (key == "id") {
      event->id = static_cast<std::uint64_t>(json_.ReadNumber());
    } else if (key == "group") {
      event->group = static_cast<std::uint64_t>(json_.ReadNumber());
    } else if (key == "blocks") {
      event->blocks = static_cast<std::int64_t>(json_.ReadNumber());
    } else {
      json_.Skip();
    }
  }

  void AddEvent(const Members& members, TraceEvent event) {
    if (members.phase == "M") {
      if (members.name == "thread_name") {
        timeline_.threads[event.thread] = members.thread_name;
      }
      return;
    }
    if (members.phase != "X" && members.phase != "s") return;
    for (std::size_t k = 0; k < kCategories.size(); ++k) {
      event.kind = static_cast<EventKind>(k);
      const bool is_moment = event.kind == EventKind::kSpawn;
      if (members.category != kCategories[k] ||
          is_moment != (members.phase == "s")) {
        continue;
      }
      event.end = event.begin + NanosecondsOf(members.duration);
      const auto [found, is_new] = names_.emplace(
          members.name, static_cast<int>(timeline_.names.size()));
      if (is_new) timeline_.names.push_back(members.name);
      event.name = found->second;
      timeline_.events.push_back(event);
      return;
    }
  }

  // In the order of appearance.
  int ThreadIndex(double id) {
    const auto [found, is_new] = threads_.emplace(
        std::llround(id), static_cast<int>(timeline_.threads.size()));
    if (is_new) timeline_.threads.emplace_back("thread");
    return found->second;
  }

  JsonReader& json_;
  TraceTimeline timeline_;
  std::unordered_map<long long, int> threads_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace

void WriteTimeline(const TraceTimeline& timeline, std::ostream& out) {
  TimelineWriter(timeline, out).Write();
}

TraceTimeline ReadTimeline(std::istream& in) {
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  JsonReader json(text);
  TraceTimeline timeline = TimelineReader(json).Read();
  json.ExpectEnd();
  return timeline;
}

}  // namespace ceres::parallel::detail
