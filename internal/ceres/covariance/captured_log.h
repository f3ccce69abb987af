// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_CAPTURED_LOG_H_
#define CERES_INTERNAL_COVARIANCE_CAPTURED_LOG_H_

#include <string>

#include "ceres/log_sink.h"

namespace ceres::internal {

// The messages while it lives.
class CapturedLog {
 public:
  CapturedLog() {
    SetLogSink([this](const LogEntry& entry) {
      text_ += LogSeverityToString(entry.severity);
      text_ += ": " + std::string(entry.text) + '\n';
    });
  }
  ~CapturedLog() { SetLogSink({}); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_CAPTURED_LOG_H_
