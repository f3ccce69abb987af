// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve fails because its linear systems are singular: the message names the
// first direction that the residuals leave undetermined.

#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The damping is lost in rounding errors, and no step is tried twice.
Solver::Options UndampedOptions(LinearSolverType type) {
  Solver::Options options;
  options.linear_solver_type = type;
  options.initial_trust_region_radius = 1e30;
  options.max_trust_region_radius = 1e32;
  options.max_num_consecutive_invalid_steps = 1;
  options.jacobi_scaling = false;
  return options;
}

// r = x0 + x1.
CostFunction* NewSum() {
  return new FunctionCost(1, {2}, [](auto* p, double* r, double** jacobians) {
    r[0] = p[0][0] + p[0][1];
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = jacobians[0][1] = 1.0;
    }
    return true;
  });
}

class SingularSystemTest : public testing::TestWithParam<LinearSolverType> {
 protected:
  Solver::Summary Fail(Problem* problem) {
    const Solver::Summary summary =
        SolveWith(UndampedOptions(GetParam()), problem);
    EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
    EXPECT_THAT(summary.message, HasSubstr("No valid step was found"));
    // Each part of the message ends with one period.
    EXPECT_THAT(summary.message, Not(HasSubstr("..")));
    EXPECT_EQ(summary.message.back(), '.');
    return summary;
  }

  std::vector<double> x_ = {3.0, 4.0};
};

TEST_P(SingularSystemTest, MessageNamesTheDirection) {
  Problem problem;
  problem.AddResidualBlock(NewSum(), nullptr, x_.data());
  problem.AddResidualBlock(NewSum(), nullptr, x_.data());
  EXPECT_THAT(
      Fail(&problem).message,
      AllOf(HasSubstr("The residuals leave 1 direction undetermined. (1) "),
            HasSubstr("2 coordinates of parameter block 0")));
  EXPECT_EQ(x_, (std::vector<double>{3.0, 4.0}));
}

TEST_P(SingularSystemTest, OnlyTheFirstOfSeveralIsNamed) {
  std::vector<double> y = {1.0, 2.0};
  Problem problem;
  problem.AddResidualBlock(NewSum(), nullptr, x_.data());
  problem.AddResidualBlock(NewSum(), nullptr, y.data());
  EXPECT_THAT(Fail(&problem).message,
              AllOf(HasSubstr("leave 2 directions undetermined."),
                    HasSubstr("(1) "), Not(HasSubstr("(2) "))));
}

TEST_P(SingularSystemTest, ABlockWithoutResidualsIsNotTheReason) {
  std::vector<double> unused = {1.0};
  Problem problem;
  problem.AddParameterBlock(unused.data(), 1);
  problem.AddResidualBlock(NewSum(), nullptr, x_.data());
  EXPECT_THAT(Fail(&problem).message,
              AllOf(HasSubstr("leave 1 direction undetermined."),
                    HasSubstr("parameter block 1"),
                    Not(HasSubstr("parameter block 0"))));
}

// J has full rank at the start. The first step leads to c = 0, where a - b is
// free.
TEST_P(SingularSystemTest, DirectionsAreThoseOfTheLastPoint) {
  std::vector<double> x = {1.0, 1.0, 1.0};
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(3, {3},
                       [](auto* p, double* r, double** jacobians) {
                         const double a = p[0][0], b = p[0][1], c = p[0][2];
                         const double sum = a + b;
                         r[0] = sum + 0.125 * sum * sum;
                         r[1] = c * (a - b);
                         r[2] = c;
                         if (jacobians == nullptr || jacobians[0] == nullptr) {
                           return true;
                         }
                         double* j = jacobians[0];
                         j[0] = j[1] = 1.0 + 0.25 * sum;
                         j[2] = 0.0;
                         j[3] = c, j[4] = -c, j[5] = a - b;
                         j[6] = j[7] = 0.0, j[8] = 1.0;
                         return true;
                       }),
      nullptr, x.data());
  const Solver::Summary summary = Fail(&problem);
  EXPECT_EQ(summary.num_successful_steps, 2) << summary.FullReport();
  EXPECT_THAT(summary.message, HasSubstr("leave 1 direction undetermined."));
  EXPECT_EQ(x, (std::vector<double>{1.0, 1.0, 1.0}));
}

TEST_P(SingularSystemTest, UserCodeThatThrowsDuringTheDiagnosisIsNotHeard) {
  int num_jacobians = 0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {2},
                       [&](auto* p, double* r, double** jacobians) {
                         r[0] = p[0][0] + p[0][1];
                         if (jacobians == nullptr || jacobians[0] == nullptr) {
                           return true;
                         }
                         if (++num_jacobians > 1) throw std::range_error("");
                         jacobians[0][0] = jacobians[0][1] = 1.0;
                         return true;
                       }),
      nullptr, x_.data());
  EXPECT_THAT(Fail(&problem).message, Not(HasSubstr("undetermined")));
  EXPECT_EQ(num_jacobians, 2);
  EXPECT_EQ(x_, (std::vector<double>{3.0, 4.0}));
}

// The callback is told of the point of the solve, then of that of the
// diagnosis.
class CancelAtSecondCall : public EvaluationCallback {
 public:
  void PrepareForEvaluation(bool, bool) override {
    if (++num_calls_ == 2) source_.Cancel();
  }
  parallel::CancellationToken token() const { return source_.token(); }
  int num_calls() const { return num_calls_; }

 private:
  parallel::CancellationSource source_;
  int num_calls_ = 0;
};

TEST_P(SingularSystemTest, CancellationOfTheSolveEndsTheDiagnosis) {
  CancelAtSecondCall callback;
  Problem::Options problem_options;
  problem_options.evaluation_callback = &callback;
  Problem problem(problem_options);
  problem.AddResidualBlock(NewSum(), nullptr, x_.data());
  Solver::Options options = UndampedOptions(GetParam());
  options.cancellation_token = callback.token();
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
  EXPECT_THAT(summary.message, Not(HasSubstr("undetermined")));
  EXPECT_EQ(callback.num_calls(), 2);
  EXPECT_EQ(x_, (std::vector<double>{3.0, 4.0}));
}

INSTANTIATE_TEST_SUITE_P(Solvers, SingularSystemTest,
                         testing::Values(DENSE_NORMAL_CHOLESKY,
                                         SPARSE_NORMAL_CHOLESKY));

}  // namespace
}  // namespace ceres::internal
