// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/time_section.h"

#include <string>
#include <utility>

#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/report/convergence_section.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

Solver::Summary SummaryWithTimes() {
  Solver::Summary summary;
  summary.total_time_in_seconds = 10.0;
  summary.preprocessor_time_in_seconds = 1.0;
  summary.residual_evaluation_time_in_seconds = 2.0;
  summary.jacobian_evaluation_time_in_seconds = 3.0;
  summary.linear_solver_time_in_seconds = 2.5;
  summary.postprocessor_time_in_seconds = 0.5;
  return summary;
}

TEST(CollectTime, StagesAddUpToTheTotal) {
  const TimeSection section = CollectTime(SummaryWithTimes(), nullptr);
  double sum = 0.0;
  for (const TimeStage& stage : section.stages) sum += stage.seconds;
  EXPECT_DOUBLE_EQ(sum, 10.0);
  EXPECT_EQ(section.stages.back().name, "Other");
  EXPECT_EQ(section.stages.back().seconds, 1.0);
}

TEST(CollectTime, LeavesOutStagesThatWereNotMeasured) {
  // -1 stands for "not measured".
  const TimeSection section = CollectTime(Solver::Summary(), nullptr);
  EXPECT_TRUE(section.stages.empty());
  EXPECT_EQ(section.total, 0.0);
}

TEST(CollectTime, TraceGivesATimelinePerThread) {
  parallel::ThreadPool pool(1);
  parallel::Trace trace;
  trace.Start();
  parallel::TaskGroup group(pool);
  for (int i = 0; i < 8; ++i) group.Run([] {});
  group.Wait();
  trace.Stop();
  const TimeSection section = CollectTime(SummaryWithTimes(), &trace);
  ASSERT_FALSE(section.threads.empty());
  EXPECT_GT(section.trace_duration, 0.0);
  for (const TimelineThread& thread : section.threads) {
    EXPECT_EQ(thread.activity.size(), kTimelineIntervals);
    EXPECT_EQ(thread.activity.find_first_not_of("0123456789"),
              std::string::npos);
  }
  // The first thread started the trace and works unless it waits.
  EXPECT_NE(section.threads[0].activity.find('9'), std::string::npos);
}

TEST(CollectTime, TraceThatNeverRanGivesNoTimeline) {
  const parallel::Trace trace;
  EXPECT_TRUE(CollectTime(SummaryWithTimes(), &trace).threads.empty());
}

TEST(CollectConvergence, SamplesLongSolves) {
  Solver::Summary summary;
  summary.iterations.resize(5000);
  for (int i = 0; i < 5000; ++i) summary.iterations[i].iteration = i;
  const ConvergenceSection section = CollectConvergence(summary);
  EXPECT_EQ(section.iterations.size(), kMaxReportIterations);
  EXPECT_EQ(section.iterations.front().iteration, 0);
  EXPECT_EQ(section.iterations.back().iteration, 4999);
}

TEST(CollectConvergence, CountsIterationsAsTheBriefReport) {
  Solver::Summary summary;
  EXPECT_EQ(CollectConvergence(summary).num_iterations, 0);
  for (const auto& [accepted, rejected] :
       {std::pair(1, 0), std::pair(24, 12), std::pair(0, 3)}) {
    summary.num_successful_steps = accepted;
    summary.num_unsuccessful_steps = rejected;
    const std::string count =
        std::to_string(CollectConvergence(summary).num_iterations);
    EXPECT_EQ(count, std::to_string(accepted + rejected));
    EXPECT_NE(summary.BriefReport().find("Iterations: " + count + ","),
              std::string::npos);
    EXPECT_NE(summary.FullReport().find(" " + count + "\nSuccessful steps"),
              std::string::npos);
  }
}

TEST(CollectConvergence, KnowsIterativeLinearSolvers) {
  Solver::Summary summary;
  summary.linear_solver_type_used = CGNR;
  EXPECT_TRUE(CollectConvergence(summary).is_iterative);
  summary.linear_solver_type_used = DENSE_QR;
  EXPECT_FALSE(CollectConvergence(summary).is_iterative);
  summary.linear_solver_type_used = CGNR;
  summary.minimizer_type = LINE_SEARCH;
  EXPECT_FALSE(CollectConvergence(summary).is_iterative);
}

}  // namespace
}  // namespace ceres::internal
