// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/logging/log_back_end.h"

#include "ceres/internal/config.h"

#ifdef VESTA_LOG_WITH_GLOG

#include "glog/logging.h"

namespace ceres::internal {

void WriteToBackEnd(const LogEntry& entry) {
  google::LogSeverity severity = google::GLOG_INFO;
  if (entry.severity == LogSeverity::kWarning) severity = google::GLOG_WARNING;
  if (entry.severity == LogSeverity::kError) severity = google::GLOG_ERROR;
  google::LogMessage(entry.file, entry.line, severity).stream() << entry.text;
}

void AbortInBackEnd(const LogEntry& entry) {
  google::LogMessageFatal(entry.file, entry.line).stream() << entry.text;
}

bool BackEndIsVerbose(int level) { return VLOG_IS_ON(level); }

}  // namespace ceres::internal

#else

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ceres::internal {

// One call writes the line, so that lines of several threads stay whole.
void WriteToBackEnd(const LogEntry& entry) {
  std::string line = LogSeverityToString(entry.severity);
  line.append(" ").append(entry.file);
  line.append(":").append(std::to_string(entry.line));
  line.append(": ").append(entry.text).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void AbortInBackEnd(const LogEntry& entry) {
  WriteToBackEnd(entry);
  std::abort();
}

bool BackEndIsVerbose(int /*level*/) { return false; }

}  // namespace ceres::internal

#endif
