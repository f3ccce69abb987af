// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <vector>

#include "ceres/c_api.h"
#include "ceres/ceres.h"
#include "ceres/log_sink.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#ifdef VESTA_LOG_WITH_GLOG
#include "glog/logging.h"
#endif

namespace {

struct TenMinusX {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

void SolveSmallProblem() {
  double x = 0.5;
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<TenMinusX, 1, 1>(new TenMinusX), nullptr,
      &x);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, ceres::CONVERGENCE);
}

TEST(LogSinkH, SinkReceivesTheProgressTableAtVerbosityOne) {
  std::vector<std::string> lines;
  const ceres::LogSink sink = [&lines](const ceres::LogEntry& entry) {
    EXPECT_EQ(entry.severity, ceres::LogSeverity::kInfo);
    EXPECT_STRNE(entry.file, "");
    EXPECT_GT(entry.line, 0);
    lines.emplace_back(entry.text);
  };
  ceres::SetLogSink(sink);
  SolveSmallProblem();
  EXPECT_THAT(lines, testing::IsEmpty());

  ceres::SetLogVerbosity(1);
  SolveSmallProblem();
  ASSERT_THAT(lines, testing::Not(testing::IsEmpty()));
  EXPECT_THAT(lines[0], testing::StartsWith("iter"));

  lines.clear();
  ceres::SetMinLogSeverity(ceres::LogSeverity::kWarning);
  SolveSmallProblem();
  EXPECT_THAT(lines, testing::IsEmpty());

  ceres::SetMinLogSeverity(ceres::LogSeverity::kInfo);
  ceres::SetLogVerbosity(0);
  ceres::SetLogSink(nullptr);
}

TEST(LogSinkH, SeveritiesHaveNames) {
  EXPECT_STREQ(ceres::LogSeverityToString(ceres::LogSeverity::kInfo), "INFO");
  EXPECT_STREQ(ceres::LogSeverityToString(ceres::LogSeverity::kWarning),
               "WARNING");
  EXPECT_STREQ(ceres::LogSeverityToString(ceres::LogSeverity::kError), "ERROR");
  EXPECT_STREQ(ceres::LogSeverityToString(ceres::LogSeverity::kFatal), "FATAL");
}

#ifdef VESTA_LOG_WITH_GLOG
TEST(LogSinkH, TheLibraryNeverInitializesGlog) {
  ceres_init();
  ceres::SetLogVerbosity(1);
  SolveSmallProblem();
  ceres::SetLogVerbosity(0);
  EXPECT_FALSE(google::IsGoogleLoggingInitialized());
}
#endif

}  // namespace
