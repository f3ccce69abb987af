// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LOGGING_LOGGING_H_
#define CERES_INTERNAL_LOGGING_LOGGING_H_

// Log messages and checks of the library. The macros have names of their own,
// so that a source may also include a header that brings glog's.
//
// clang-format off
//   VESTA_LOG(kWarning) << text;      kInfo, kWarning or kError
//   VESTA_FATAL() << text;            logs and aborts
//   VESTA_CHECK(condition) << text;   logs and aborts unless it holds
//   VESTA_CHECK_EQ(a, b) << text;     the message has both values; also _NE, _LT, _LE, _GT, _GE
// clang-format on

#include <functional>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>

#include "ceres/log_sink.h"

namespace ceres::internal {

// Collects the text of one message and logs it when it ends.
class LogMessage {
 public:
  LogMessage(const char* file, int line, LogSeverity severity)
      : file_(file), line_(line), severity_(severity) {}
  ~LogMessage();
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;

  std::ostream& stream() { return stream_; }

 private:
  const char* file_;
  int line_;
  LogSeverity severity_;
  std::ostringstream stream_;
};

// Collects the text of a fatal message, logs it when it ends, and aborts.
class FatalMessage {
 public:
  FatalMessage(const char* file, int line) : file_(file), line_(line) {}
  [[noreturn]] ~FatalMessage();
  FatalMessage(const FatalMessage&) = delete;
  FatalMessage& operator=(const FatalMessage&) = delete;

  std::ostream& stream() { return stream_; }

 private:
  const char* file_;
  int line_;
  std::ostringstream stream_;
};

// Whether messages of verbosity `level` are wanted; see SetLogVerbosity.
bool IsLogVerbose(int level);

// Null if compare(a, b) holds; otherwise both values, for a message.
template <typename Compare, typename A, typename B>
std::optional<std::string> FailedComparison(Compare compare, const A& a,
                                            const B& b) {
  if (compare(a, b)) return std::nullopt;
  std::ostringstream values;
  values << "(" << a << " and " << b << ")";
  return values.str();
}

}  // namespace ceres::internal

#define VESTA_LOG(severity)                                     \
  ::ceres::internal::LogMessage(__FILE__, __LINE__,             \
                                ::ceres::LogSeverity::severity) \
      .stream()

#define VESTA_FATAL() \
  ::ceres::internal::FatalMessage(__FILE__, __LINE__).stream()

#define VESTA_CHECK(condition) \
  if (condition) {             \
  } else                       \
    VESTA_FATAL() << "Check failed: " #condition ". "

#define VESTA_CHECK_COMPARISON(Compare, symbol, a, b)           \
  if (const auto vesta_failure =                                \
          ::ceres::internal::FailedComparison(Compare(), a, b); \
      !vesta_failure) {                                         \
  } else                                                        \
    VESTA_FATAL() << "Check failed: " #a " " symbol " " #b " "  \
                  << *vesta_failure << ". "

#define VESTA_CHECK_EQ(a, b) VESTA_CHECK_COMPARISON(std::equal_to<>, "==", a, b)
#define VESTA_CHECK_NE(a, b) \
  VESTA_CHECK_COMPARISON(std::not_equal_to<>, "!=", a, b)
#define VESTA_CHECK_LT(a, b) VESTA_CHECK_COMPARISON(std::less<>, "<", a, b)
#define VESTA_CHECK_LE(a, b) \
  VESTA_CHECK_COMPARISON(std::less_equal<>, "<=", a, b)
#define VESTA_CHECK_GT(a, b) VESTA_CHECK_COMPARISON(std::greater<>, ">", a, b)
#define VESTA_CHECK_GE(a, b) \
  VESTA_CHECK_COMPARISON(std::greater_equal<>, ">=", a, b)

#endif  // CERES_INTERNAL_LOGGING_LOGGING_H_
