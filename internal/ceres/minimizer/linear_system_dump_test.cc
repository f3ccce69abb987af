// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/linear_system_dump.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>

#include "Eigen/Core"
#include "ceres/base/testing/temporary_directory.h"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/linear/random_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::StrEq;

// A solver that cannot.
class FailingSolver final : public LinearSolver {
 public:
  LinearSolverSummary Solve(const BlockJacobian&, const SolveOptions&,
                            double*) override {
    LinearSolverSummary summary;
    summary.termination = LinearSolverTermination::kFailure;
    summary.message = "as always";
    return summary;
  }
};

// A = [1 2; 4 8], b = (3, 5), D = (0, 0.5): small enough to be read.
class LinearSystemDumpTest : public testing::Test {
 protected:
  LinearSystemDumpTest() {
    structure_.column_offset = {0, 1, 2};
    AppendRowBlock(1, {0, 1}, &structure_);
    AppendRowBlock(1, {1, 0}, &structure_);
    CutIntoRowChunks(&structure_);
    jacobian_.structure = &structure_;
    jacobian_.values.Resize(structure_.num_values());
    const double row_blocks[] = {-3.0, 1.0, 2.0, -5.0, 8.0, 4.0};
    std::copy(std::begin(row_blocks), std::end(row_blocks),
              jacobian_.values.data());
    options_.trust_region_minimizer_iterations_to_dump = {2, 7};
    options_.trust_region_problem_dump_directory = directory_.path();
  }

  LinearSolverSummary SolveIteration(int iteration, LinearSolver* solver) {
    LinearSystemDump dump(options_, solver);
    dump.set_iteration(iteration);
    LinearSolver::SolveOptions options;
    options.damping = damping_;
    return dump.Solve(jacobian_, options, step_);
  }

  // Reads a file of iteration 2 or 7.
  std::string Read(const std::string& name) const {
    return directory_.Read("ceres_solver_iteration_00" + name);
  }

  const TemporaryDirectory directory_;
  BlockJacobianStructure structure_;
  BlockJacobian jacobian_;
  double damping_[2] = {0.0, 0.5};
  double step_[2] = {};
  MinimizerOptions options_;
};

TEST_F(LinearSystemDumpTest, WritesTheSystemAndALoader) {
  const auto solver = CreateDenseQrSolver(EIGEN, {}, structure_);
  const LinearSolverSummary summary = SolveIteration(7, solver.get());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_THAT(Read("7_A.txt"), StrEq("0 0 1\n0 1 2\n1 1 8\n1 0 4\n"));
  EXPECT_THAT(Read("7_b.txt"), StrEq("3\n5\n"));
  EXPECT_THAT(Read("7_D.txt"), StrEq("0\n0.5\n"));
  double x[2] = {};
  std::istringstream file(Read("7_x.txt"));
  file >> x[0] >> x[1];
  EXPECT_EQ(x[0], step_[0]);
  EXPECT_EQ(x[1], step_[1]);
  EXPECT_THAT(Read("7.m"),
              HasSubstr("function system = ceres_solver_iteration_007()"));
}

TEST_F(LinearSystemDumpTest, OtherIterationsAreNotDumped) {
  const auto solver = CreateDenseQrSolver(EIGEN, {}, structure_);
  SolveIteration(3, solver.get());
  EXPECT_EQ(directory_.CountFiles(), 0);
}

TEST_F(LinearSystemDumpTest, WhatCannotBeSolvedIsDumpedWithoutSolution) {
  FailingSolver solver;
  const LinearSolverSummary summary = SolveIteration(2, &solver);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
  EXPECT_EQ(summary.message, "as always");
  EXPECT_THAT(Read("2_b.txt"), StrEq("3\n5\n"));
  EXPECT_THAT(Read("2_x.txt"), StrEq("nan\nnan\n"));
}

TEST_F(LinearSystemDumpTest, PrintsDenseMatrices) {
  options_.trust_region_problem_dump_format_type = CONSOLE;
  const auto solver = CreateDenseQrSolver(EIGEN, {}, structure_);
  testing::internal::CaptureStderr();
  SolveIteration(2, solver.get());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("iteration 2"));
  EXPECT_THAT(text, HasSubstr("             1             2\n"
                              "             4             8\n"));
  EXPECT_THAT(text, HasSubstr("b, 2 values:\n             3             5\n"));
  EXPECT_EQ(directory_.CountFiles(), 0);
}

TEST_F(LinearSystemDumpTest, FilesThatCannotBeWrittenEndTheSolve) {
  options_.trust_region_problem_dump_directory = directory_.File("missing");
  const auto solver = CreateDenseQrSolver(EIGEN, {}, structure_);
  const LinearSolverSummary summary = SolveIteration(2, solver.get());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFatalError);
  EXPECT_THAT(summary.message, HasSubstr("iteration 2"));
  EXPECT_THAT(summary.message, HasSubstr(directory_.File("missing")));
  EXPECT_THAT(summary.message, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace ceres::internal
