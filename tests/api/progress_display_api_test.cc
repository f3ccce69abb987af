// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdio>

#include "ceres/progress_display.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

TEST(ProgressDisplayH, IsACallbackThatContinues) {
  std::FILE* stream = std::tmpfile();
  {
    ProgressDisplay progress(Solver::Options(), stream,
                             ProgressDisplay::Output::kAlways);
    EXPECT_TRUE(progress.is_active());
    IterationCallback& callback = progress;
    EXPECT_EQ(callback(IterationSummary()), SOLVER_CONTINUE);
    progress.Finish();
  }
  EXPECT_GT(std::ftell(stream), 0);
  std::fclose(stream);
}

TEST(ProgressDisplayH, IsSilentIfTheStreamIsNoTerminal) {
  std::FILE* stream = std::tmpfile();
  {
    ProgressDisplay progress(Solver::Options(), stream,
                             ProgressDisplay::Output::kIfTerminal);
    EXPECT_FALSE(progress.is_active());
    EXPECT_EQ(progress(IterationSummary()), SOLVER_CONTINUE);
  }
  EXPECT_EQ(std::ftell(stream), 0);
  std::fclose(stream);
}

}  // namespace
}  // namespace ceres
