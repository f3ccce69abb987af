// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/logging/logging.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "ceres/logging/log_back_end.h"

namespace ceres {
namespace internal {
namespace {

struct LogState {
  std::atomic<LogSeverity> min_severity{LogSeverity::kInfo};
  std::atomic<int> verbosity{0};
  std::mutex mutex;
  LogSink sink;  // Guarded by the mutex, and called with it held.
};

// Never destroyed: messages may come from destructors of static objects.
LogState& State() {
  static auto* const state = new LogState;
  return *state;
}

thread_local bool is_in_sink = false;

const char* WithoutFolders(const char* file) {
  const char* last_separator = std::strrchr(file, '/');
  return last_separator == nullptr ? file : last_separator + 1;
}

// Whether there is a sink, which has then received the entry. What a sink logs
// in spite of its contract is not for the sink.
bool GiveToSink(const LogEntry& entry) {
  if (is_in_sink) return false;
  LogState& state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.sink) return false;
  is_in_sink = true;
  state.sink(entry);
  is_in_sink = false;
  return true;
}

}  // namespace

LogMessage::~LogMessage() {
  if (severity_ < State().min_severity.load(std::memory_order_relaxed)) return;
  const std::string text = stream_.str();
  const LogEntry entry = {severity_, WithoutFolders(file_), line_, text};
  if (!GiveToSink(entry)) WriteToBackEnd(entry);
}

FatalMessage::~FatalMessage() {
  const std::string text = stream_.str();
  const LogEntry entry = {LogSeverity::kFatal, WithoutFolders(file_), line_,
                          text};
  GiveToSink(entry);
  AbortInBackEnd(entry);
}

bool IsLogVerbose(int level) {
  return level <= State().verbosity.load(std::memory_order_relaxed) ||
         BackEndIsVerbose(level);
}

}  // namespace internal

const char* LogSeverityToString(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kInfo:
      return "INFO";
    case LogSeverity::kWarning:
      return "WARNING";
    case LogSeverity::kError:
      return "ERROR";
    case LogSeverity::kFatal:
      return "FATAL";
  }
  return "UNKNOWN";
}

void SetLogSink(LogSink sink) {
  VESTA_CHECK(!internal::is_in_sink) << "A log sink must not call SetLogSink.";
  internal::LogState& state = internal::State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.sink = std::move(sink);
}

void SetMinLogSeverity(LogSeverity severity) {
  internal::State().min_severity.store(severity, std::memory_order_relaxed);
}

void SetLogVerbosity(int level) {
  internal::State().verbosity.store(level, std::memory_order_relaxed);
}

}  // namespace ceres
