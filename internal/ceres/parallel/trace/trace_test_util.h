// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_TRACE_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_TRACE_TRACE_TEST_UTIL_H_

#include <cctype>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace/trace_timeline.h"

// What tests read out of a trace.

namespace ceres::parallel {

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

inline std::string JsonOf(const Trace& trace) {
  std::ostringstream out;
  trace.WriteJson(out);
  return out.str();
}

inline detail::TraceTimeline TimelineOf(const Trace& trace) {
  return MakeTimeline(*trace.session());
}

inline std::vector<detail::TraceEvent> EventsOf(const Trace& trace,
                                                detail::EventKind kind) {
  std::vector<detail::TraceEvent> events;
  for (const detail::TraceEvent& event : TimelineOf(trace).events) {
    if (event.kind == kind) events.push_back(event);
  }
  return events;
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TRACE_TRACE_TEST_UTIL_H_
