// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LOGGING_LOG_BACK_END_H_
#define CERES_INTERNAL_LOGGING_LOG_BACK_END_H_

// Writes messages with glog, or to stderr: the build option VESTA_LOGGING. glog
// belongs to the program. The library neither initializes glog nor sets its
// flags.

#include "ceres/log_sink.h"

namespace ceres::internal {

// Writes a message that is not fatal.
void WriteToBackEnd(const LogEntry& entry);

// Writes a fatal message and aborts.
[[noreturn]] void AbortInBackEnd(const LogEntry& entry);

// Whether the back end has a verbosity of its own, which includes `level`.
bool BackEndIsVerbose(int level);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LOGGING_LOG_BACK_END_H_
