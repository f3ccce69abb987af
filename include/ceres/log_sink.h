// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_LOG_SINK_H_
#define CERES_PUBLIC_LOG_SINK_H_

// Chooses where the log of the library goes, and how much is logged. Ceres does
// not have these functions.
//
// A build writes the log with glog or with a back end of its own, which writes
// lines to stderr: see docs/building.md. These functions work in both. All of
// them may be called by any thread at any time, except by a sink.

#include <functional>
#include <string_view>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

// How serious a message is, in ascending order.
enum class LogSeverity {
  // Progress. The library writes such messages only if they are asked for.
  kInfo,
  // The library continues, but the result may not be what was expected.
  kWarning,
  // A function failed.
  kError,
  // A programmer's mistake. The process is aborted after the message.
  kFatal
};

// "INFO", "WARNING", "ERROR" or "FATAL".
CERES_EXPORT const char* LogSeverityToString(LogSeverity severity);

// One message of the library.
struct LogEntry {
  LogSeverity severity = LogSeverity::kInfo;  // How serious it is.
  // The source file of the library, without folders.
  const char* file = "";
  int line = 0;
  // Without a newline at the end. Only valid during the call of the sink.
  std::string_view text;
};

// Receives messages. Calls are serialized, and may come from any thread. A sink
// must not throw, and must not call functions of the library.
using LogSink = std::function<void(const LogEntry&)>;

// From now on, messages go to `sink` instead of glog or stderr. An empty sink
// restores glog or stderr. When this function returns, no thread is in the
// earlier sink. A fatal message goes to the sink and to glog or stderr.
CERES_EXPORT void SetLogSink(LogSink sink);

// Messages below `severity` are dropped. Fatal messages never are. The default
// is kInfo: nothing is dropped.
CERES_EXPORT void SetMinLogSeverity(LogSeverity severity);

// With level 1 or more, a solve writes its progress table to the log if it does
// not write it to stdout. The default is 0. In a build with glog, glog's flag
// --v has the same effect.
CERES_EXPORT void SetLogVerbosity(int level);

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_LOG_SINK_H_
