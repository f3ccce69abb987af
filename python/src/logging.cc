// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Messages of the library go to the logger "vesta" of Python's logging.
//
// Messages come from any thread, with or without the GIL. The sink queues them,
// and the thread that called the library logs them when it has the GIL again.

#include <nanobind/stl/string.h>

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "common.h"
#include "python_text.h"

#if __has_include("ceres/log_sink.h")
#include "ceres/log_sink.h"
#define VESTA_HAVE_LOG_SINK
#endif

namespace vesta::python {
namespace {

// The levels of Python's logging.
enum Level { kInfo = 20, kWarning = 30, kError = 40, kCritical = 50 };

struct Message {
  Level level;
  std::string text;
};

std::mutex& QueueMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::deque<Message>& Queue() {
  static auto* const queue = new std::deque<Message>;
  return *queue;
}

#ifdef VESTA_HAVE_LOG_SINK
Level ToLevel(ceres::LogSeverity severity) {
  switch (severity) {
    case ceres::LogSeverity::kInfo:
      return kInfo;
    case ceres::LogSeverity::kWarning:
      return kWarning;
    case ceres::LogSeverity::kError:
      return kError;
    case ceres::LogSeverity::kFatal:
      return kCritical;
  }
  return kCritical;
}
#endif

}  // namespace

void FlushLog() {
  std::deque<Message> messages;
  {
    const std::lock_guard<std::mutex> lock(QueueMutex());
    messages.swap(Queue());
  }
  if (messages.empty()) return;
  const nb::object logger =
      nb::module_::import_("logging").attr("getLogger")("vesta");
  for (const Message& message : messages) {
    logger.attr("log")(static_cast<int>(message.level), "%s",
                       PythonText(message.text));
  }
}

void BindLogging(nb::module_& module) {
#ifdef VESTA_HAVE_LOG_SINK
  ceres::SetLogSink([](const ceres::LogEntry& entry) {
    const std::lock_guard<std::mutex> lock(QueueMutex());
    Queue().push_back({ToLevel(entry.severity), std::string(entry.text)});
  });
#endif
  module.def("_flush_log", &FlushLog);
  module.def("_python_text", &PythonText, nb::arg("message"),
             "A message of the library with the names that Python has.");
}

}  // namespace vesta::python
