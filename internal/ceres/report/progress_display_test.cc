// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/progress_display.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ceres/autodiff_cost_function.h"
#include "ceres/base/platform.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_POSIX)
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace ceres {
namespace {

class ProgressDisplayTest : public testing::Test {
 protected:
  ProgressDisplayTest() : stream_(std::tmpfile()) {}
  ~ProgressDisplayTest() override { std::fclose(stream_); }

  static IterationSummary Iteration(int number, double seconds) {
    IterationSummary summary;
    summary.iteration = number;
    summary.cost = 1234.5;
    summary.cumulative_time_in_seconds = seconds;
    return summary;
  }
  std::string Written() {
    std::fflush(stream_);
    std::rewind(stream_);
    std::string text;
    for (int c = std::fgetc(stream_); c != EOF; c = std::fgetc(stream_)) {
      text += static_cast<char>(c);
    }
    return text;
  }

  std::FILE* stream_;
  Solver::Options options_;
};

TEST_F(ProgressDisplayTest, WritesNothingToAFile) {
  {
    ProgressDisplay progress(options_, stream_);
    EXPECT_FALSE(progress.is_active());
    EXPECT_EQ(progress(Iteration(0, 0.0)), SOLVER_CONTINUE);
    progress(Iteration(1, 10.0));
  }
  EXPECT_EQ(Written(), "");
}

TEST_F(ProgressDisplayTest, EstimatesTheTimeToTheLimitOfIterations) {
  options_.max_num_iterations = 50;
  ProgressDisplay progress(options_, stream_, ProgressDisplay::Output::kAlways);
  progress(Iteration(0, 0.1));
  progress(Iteration(10, 2.0));
  EXPECT_EQ(Written(),
            "\riteration 0 of at most 50, cost 1.234500e+03, 0.1 s\x1b[K"
            "\riteration 10 of at most 50, cost 1.234500e+03, 2.0 s, at most "
            "8.0 s left\x1b[K");
}

TEST_F(ProgressDisplayTest, TimeLimitBoundsTheEstimate) {
  options_.max_num_iterations = 50;
  options_.max_solver_time_in_seconds = 5.0;
  ProgressDisplay progress(options_, stream_, ProgressDisplay::Output::kAlways);
  progress(Iteration(0, 1.0));
  progress(Iteration(10, 2.0));
  const std::string text = Written();
  EXPECT_NE(text.find("1.0 s, at most 4.0 s left"), std::string::npos) << text;
  EXPECT_NE(text.find("2.0 s, at most 3.0 s left"), std::string::npos) << text;
}

TEST_F(ProgressDisplayTest, LongTimesAreInMinutesAndHours) {
  options_.max_num_iterations = 101;
  ProgressDisplay progress(options_, stream_, ProgressDisplay::Output::kAlways);
  progress(Iteration(1, 600.0));
  const std::string text = Written();
  EXPECT_NE(text.find("10 min, at most 16.7 h left"), std::string::npos)
      << text;
}

TEST_F(ProgressDisplayTest, SkipsIterationsThatFollowSoon) {
  ProgressDisplay progress(options_, stream_, ProgressDisplay::Output::kAlways);
  progress(Iteration(0, 0.0));
  progress(Iteration(1, 0.01));
  progress(Iteration(2, 0.02));
  progress(Iteration(3, 0.2));
  const std::string text = Written();
  EXPECT_EQ(text.find("iteration 1 "), std::string::npos);
  EXPECT_EQ(text.find("iteration 2 "), std::string::npos);
  EXPECT_NE(text.find("iteration 3 "), std::string::npos);
}

TEST_F(ProgressDisplayTest, FinishShowsTheLastIterationOnce) {
  {
    ProgressDisplay progress(options_, stream_,
                             ProgressDisplay::Output::kAlways);
    progress(Iteration(0, 0.0));
    progress(Iteration(1, 0.01));
    progress.Finish();
    progress.Finish();
  }
  const std::string text = Written();
  EXPECT_NE(text.find("iteration 1 "), std::string::npos);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST_F(ProgressDisplayTest, FinishWithoutIterationsWritesNothing) {
  {
    ProgressDisplay progress(options_, stream_,
                             ProgressDisplay::Output::kAlways);
  }
  EXPECT_EQ(Written(), "");
}

struct Square {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] * x[0] - 2.0;
    return true;
  }
};

TEST_F(ProgressDisplayTest, ShowsASolve) {
  double x = 1.0;
  Problem problem;
  problem.AddResidualBlock(new AutoDiffCostFunction<Square, 1, 1>(new Square),
                           nullptr, &x);
  ProgressDisplay progress(options_, stream_, ProgressDisplay::Output::kAlways);
  options_.callbacks.push_back(&progress);
  Solver::Summary summary;
  Solve(options_, &problem, &summary);
  progress.Finish();
  const std::string last =
      "iteration " + std::to_string(summary.iterations.back().iteration) + " ";
  EXPECT_NE(Written().find(last), std::string::npos);
}

#if defined(CERES_SYSTEM_POSIX)

// A pseudo-terminal of 30 columns.
class TerminalTest : public ProgressDisplayTest {
 protected:
  void SetUp() override {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) {
      GTEST_SKIP() << "This machine has no pseudo-terminals.";
    }
    terminal_ = std::fopen(ptsname(master_), "r+");
    ASSERT_NE(terminal_, nullptr);
    winsize size = {};
    size.ws_row = 10;
    size.ws_col = 30;
    ASSERT_EQ(ioctl(master_, TIOCSWINSZ, &size), 0);
  }
  void TearDown() override {
    if (terminal_ != nullptr) std::fclose(terminal_);
    if (master_ >= 0) close(master_);
  }

  int master_ = -1;
  std::FILE* terminal_ = nullptr;
};

TEST_F(TerminalTest, LineIsCutToTheWidth) {
  ProgressDisplay progress(options_, terminal_);
  EXPECT_TRUE(progress.is_active());
  progress(Iteration(0, 0.0));
  char text[256];
  const ssize_t length = read(master_, text, sizeof(text));
  ASSERT_GT(length, 0);
  EXPECT_EQ(std::string(text, length), "\riteration 0 of at most 50, co\x1b[K");
}

#endif

}  // namespace
}  // namespace ceres
