// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace_output/trace_json.h"

#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

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
      if (event.kind == EventKind::kPiece) pieces_[event.region] = &event;
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
    if (event.region != 0) {
      argument("region", static_cast<std::int64_t>(event.region));
    }
    if (event.kind == EventKind::kPiece) argument("blocks", event.blocks);
    if (event.waker >= 0) argument("waker", event.waker + 1);
    out_ << (has_arguments ? "}}" : "}");
  }

  void WriteArrow(const TraceEvent& event) {
    Begin("s", event.thread, event.begin);
    out_ << R"(,"cat":"spawn","name":"spawn","id":)" << ++num_arrows_
         << R"(,"args":{"id":)" << event.id << R"(,"region":)" << event.region
         << "}}";
    const Heads& heads = event.id != 0 ? tasks_ : pieces_;
    const auto head = heads.find(event.id != 0 ? event.id : event.region);
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
  Heads pieces_;  // By region.
  std::uint64_t num_arrows_ = 0;
};

}  // namespace

void WriteTimeline(const TraceTimeline& timeline, std::ostream& out) {
  TimelineWriter(timeline, out).Write();
}

}  // namespace ceres::parallel::detail
