// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with bounds on parameters, against closed forms.

#include <utility>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// residual = A x - b for two unknowns in one block.
void AddLinear(double a, double b, double c, double d, double e, double f,
               double* x, Problem* problem) {
  problem->AddResidualBlock(NewCost<2, 2>([=](const auto* x, auto* r) {
                              r[0] = a * x[0] + b * x[1] - e;
                              r[1] = c * x[0] + d * x[1] - f;
                            }),
                            nullptr, x);
}

void SetBounds(Problem* problem, double* x, int i, double lower, double upper) {
  problem->SetParameterLowerBound(x, i, lower);
  problem->SetParameterUpperBound(x, i, upper);
}

// A spring per unknown, from 0, with targets and weights.
struct Springs {
  explicit Springs(const std::vector<std::pair<double, double>>& springs)
      : x(springs.size(), 0.0) {
    for (size_t i = 0; i < x.size(); ++i) {
      const auto [target, weight] = springs[i];
      problem.AddResidualBlock(NewSpring(target, weight), nullptr, &x[i]);
    }
  }
  std::vector<double> x;
  Problem problem;
};

TEST(SolveWithBounds, InactiveBoundsDoNotMatter) {
  Valley valley;
  SetBounds(&valley.problem, valley.x, 0, -10.0, 10.0);
  SetBounds(&valley.problem, valley.x, 1, -10.0, 10.0);
  const Solver::Summary summary =
      SolveWith(TightDenseQrOptions(), &valley.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_TRUE(summary.is_constrained);
  EXPECT_NEAR(valley.x[0], 1.0, 1e-7);
  EXPECT_NEAR(valley.x[1], 1.0, 1e-7);
}

TEST(SolveWithBounds, OneUnknownEndsAtItsBound) {
  for (const double start : {0.0, 2.0, 5.0, -100.0, 1e6}) {
    Springs spring({{10.0, 1.0}});
    spring.x[0] = start;
    SetBounds(&spring.problem, &spring.x[0], 0, -1.0, 2.0);
    const Solver::Summary summary =
        SolveWith(TightDenseQrOptions(), &spring.problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_EQ(spring.x[0], 2.0);
    EXPECT_DOUBLE_EQ(summary.final_cost, 32.0);
  }
}

// With x0 held at its bound u the other unknown minimizes
// (b x1 - (e - a u))^2 + (d x1 - (f - c u))^2.
TEST(SolveWithBounds, FreeUnknownsMinimizeGivenTheActiveOnes) {
  for (const double start : {0.0, 0.5, -3.0}) {
    double x[2] = {start, 7.0};
    Problem problem;
    AddLinear(2.0, 1.0, 1.0, 3.0, 20.0, 5.0, x, &problem);
    SetBounds(&problem, x, 0, -5.0, 0.5);
    SetBounds(&problem, x, 1, -100.0, 100.0);
    const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_EQ(x[0], 0.5);
    const double expected =
        (1.0 * (20.0 - 2.0 * 0.5) + 3.0 * (5.0 - 0.5)) / (1.0 + 9.0);
    EXPECT_NEAR(x[1], expected, 1e-6) << summary.FullReport();
  }
}

// The pull on the blocked unknown is far stronger than that on the free one.
TEST(SolveWithBounds, WeakUnknownsMoveBesideAStrongBlockedOne) {
  Springs springs({{100.0, 1000.0}, {3.0, 0.01}});
  SetBounds(&springs.problem, &springs.x[0], 0, -1.0, 0.0);
  const Solver::Summary summary =
      SolveWith(TightDenseQrOptions(), &springs.problem);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_EQ(springs.x[0], 0.0);
  EXPECT_NEAR(springs.x[1], 3.0, 1e-3) << summary.FullReport();
}

TEST(SolveWithBounds, EveryLinearSolverHoldsBlockedUnknowns) {
  for (const auto type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR}) {
    for (const auto preconditioner : {IDENTITY, JACOBI}) {
      double x[2] = {0.0, 7.0};
      double y = 2.0;
      Problem problem;
      AddLinear(2.0, 1.0, 1.0, 3.0, 20.0, 5.0, x, &problem);
      problem.AddResidualBlock(NewSpring(100.0, 1000.0), nullptr, &y);
      SetBounds(&problem, x, 0, -5.0, 0.5);
      SetBounds(&problem, &y, 0, 1.0, 2.0);
      Solver::Options options = TightDenseQrOptions();
      options.linear_solver_type = type;
      options.preconditioner_type = preconditioner;
      options.eta = 1e-8;
      const Solver::Summary summary = SolveWith(options, &problem);
      EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
      EXPECT_EQ(x[0], 0.5);
      EXPECT_EQ(y, 2.0);
      EXPECT_NEAR(x[1], 3.25, 1e-4) << summary.FullReport();
    }
  }
}

// From (0, 0) the gradient of x0 pushes out of its bound until x1 has moved.
// The first step takes both unknowns nearly to the minimum.
TEST(SolveWithBounds, HeldUnknownsLeaveTheBoundWhenTheGradientTurns) {
  double x[2] = {0.0, 0.0};
  Problem problem;
  AddLinear(1.0, -2.0, 0.0, 1.0, -1.0, 3.0, x, &problem);
  problem.SetParameterLowerBound(x, 0, 0.0);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_NEAR(x[0], 5.0, 1e-7);
  EXPECT_NEAR(x[1], 3.0, 1e-7);
  ASSERT_GE(summary.iterations.size(), 2u);
  EXPECT_LT(summary.iterations[1].cost, 1e-4) << summary.FullReport();
}

TEST(SolveWithBounds, EveryEvaluatedPointIsInside) {
  double x[2] = {5.0, -5.0};  // outside
  Problem problem;
  int num_outside = 0;
  problem.AddResidualBlock(NewCost<2, 2>([&](const auto* x, auto* r) {
                             num_outside +=
                                 !(x[0] >= -1.0 && x[0] <= 0.5 && x[1] >= 0.0);
                             r[0] = 10.0 * (x[1] - x[0] * x[0]);
                             r[1] = 1.0 - x[0];
                           }),
                           nullptr, x);
  SetBounds(&problem, x, 0, -1.0, 0.5);
  problem.SetParameterLowerBound(x, 1, 0.0);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(num_outside, 0);
  EXPECT_NEAR(x[0], 0.5, 1e-9) << summary.FullReport();
  EXPECT_NEAR(x[1], 0.25, 1e-6);
  // The initial cost is that of the start's projection, (0.5, 0).
  EXPECT_DOUBLE_EQ(summary.initial_cost, 0.5 * (2.5 * 2.5 + 0.5 * 0.5));
}

TEST(SolveWithBounds, ProjectedGradientIsWhatConverges) {
  Springs spring({{10.0, 1.0}});
  spring.x[0] = 2.0;
  SetBounds(&spring.problem, &spring.x[0], 0, 0.0, 2.0);
  const Solver::Summary summary = SolveWith(DenseQrOptions(), &spring.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("gradient_tolerance"));
  EXPECT_EQ(summary.iterations.size(), 1u);
  EXPECT_EQ(summary.iterations[0].gradient_max_norm, 0.0);
  EXPECT_EQ(summary.iterations[0].gradient_norm, 8.0);
}

TEST(SolveWithBounds, LineSearchMayBeSwitchedOff) {
  Springs springs({{10.0, 1.0}, {3.0, 1.0}});
  SetBounds(&springs.problem, &springs.x[0], 0, 0.0, 2.0);
  Solver::Options options = TightDenseQrOptions();
  options.max_num_line_search_step_size_iterations = 0;
  const Solver::Summary summary = SolveWith(options, &springs.problem);
  EXPECT_EQ(summary.num_line_search_steps, 0);
  EXPECT_EQ(summary.iterations[1].line_search_function_evaluations, 0);
  EXPECT_EQ(springs.x[0], 2.0);
  EXPECT_NEAR(springs.x[1], 3.0, 1e-6);
}

// The first step of the valley is much too long.
TEST(SolveWithBounds, LineSearchStepsAreCountedAndTimed) {
  Valley valley;
  SetBounds(&valley.problem, valley.x, 0, -10.0, 10.0);
  const Solver::Summary summary =
      SolveWith(TightDenseQrOptions(), &valley.problem);
  int steps = 0;
  int evaluations = 0;
  for (const IterationSummary& i : summary.iterations) {
    steps += i.line_search_iterations;
    evaluations += i.line_search_function_evaluations;
    if (i.iteration > 0) {
      EXPECT_EQ(i.line_search_function_evaluations,
                i.line_search_iterations + 1);
      EXPECT_GT(i.step_size, 0.0);
    }
  }
  EXPECT_GT(steps, 0) << "the first step jumps out of the valley";
  EXPECT_EQ(summary.num_line_search_steps, steps);
  EXPECT_EQ(summary.num_residual_evaluations, evaluations)
      << "what the line search found is not evaluated again";
  EXPECT_GT(summary.line_search_cost_evaluation_time_in_seconds, 0.0);
  EXPECT_GT(summary.line_search_polynomial_minimization_time_in_seconds, 0.0);
  EXPECT_NEAR(summary.line_search_total_time_in_seconds,
              summary.line_search_cost_evaluation_time_in_seconds +
                  summary.line_search_polynomial_minimization_time_in_seconds,
              1e-9);
}

TEST(SolveWithBounds, BoundsAndManifoldsMayMeet) {
  double x[3] = {0.0, 5.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(NewCost<3, 3>([](const auto* x, auto* r) {
                             for (int i = 0; i < 3; ++i) r[i] = x[i] - 4.0;
                           }),
                           nullptr, x);
  problem.SetManifold(x, new SubsetManifold(3, {1}));
  problem.SetParameterUpperBound(x, 0, 1.5);
  SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(x[0], 1.5);
  EXPECT_EQ(x[1], 5.0);
  EXPECT_NEAR(x[2], 4.0, 1e-7);
}

// (w (x - y - 1))^2 / 2 + (s (y - 3))^2 / 2 with x <= 0 from (0, 0). The
// unconstrained step, (4, 3), leaves x where it is, and y alone must not follow
// it.
void AddCoupledPair(double w, double s, double* x, double* y,
                    Problem* problem) {
  problem->AddResidualBlock(
      NewCost<2, 1, 1>([=](const auto* x, const auto* y, auto* r) {
        r[0] = w * (x[0] - y[0] - 1.0);
        r[1] = s * (y[0] - 3.0);
      }),
      nullptr, x, y);
  problem->SetParameterUpperBound(x, 0, 0.0);
}

TEST(SolveWithBounds, StepsThatTheBoundsTurnUphillAreNotSearched) {
  for (const auto strategy : {LEVENBERG_MARQUARDT, DOGLEG}) {
    double x = 0.0;
    double y = 0.0;
    Problem problem;
    AddCoupledPair(1000.0, 1.0, &x, &y, &problem);
    Solver::Options options = TightDenseQrOptions();
    options.trust_region_strategy_type = strategy;
    const Solver::Summary summary = SolveWith(options, &problem);
    ASSERT_GE(summary.iterations.size(), 2u);
    EXPECT_EQ(summary.iterations[1].line_search_function_evaluations, 1);
    EXPECT_TRUE(summary.iterations[1].step_is_successful);
    EXPECT_EQ(x, 0.0);
    EXPECT_NEAR(y, (3.0 - 1e6) / (1.0 + 1e6), 1e-6) << summary.FullReport();
  }
}

// The projected step decreases the cost for a tiny way only, and takes z along
// no farther. The cost changes by less than the tolerance then.
TEST(SolveWithBounds, TinyStepsOfAnUnknownActiveSetDoNotConverge) {
  for (const auto strategy : {LEVENBERG_MARQUARDT, DOGLEG}) {
    double x = 0.0;
    double y = 0.0;
    double z = 0.0;
    Problem problem;
    AddCoupledPair(1e4, 6e3, &x, &y, &problem);
    problem.AddResidualBlock(NewSpring(1.0, 10.0), nullptr, &z);
    Solver::Options options = DenseQrOptions();
    options.trust_region_strategy_type = strategy;
    options.function_tolerance = 1e-3;
    const Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(x, 0.0);
    EXPECT_NEAR(y, (3.0 * 36e6 - 1e8) / (1e8 + 36e6), 1e-3)
        << summary.FullReport();
    EXPECT_NEAR(z, 1.0, 1e-2) << summary.FullReport();
  }
}

TEST(SolveWithBounds, InfeasibleBoundsFail) {
  Springs spring({{1.0, 1.0}});
  SetBounds(&spring.problem, &spring.x[0], 0, 2.0, 1.0);
  const Solver::Summary summary = SolveWith(DenseQrOptions(), &spring.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("ParameterBlock 0"));
  EXPECT_THAT(summary.message, HasSubstr("infeasible"));
  EXPECT_EQ(spring.x[0], 0.0);
}

TEST(SolveWithBounds, ConstantBlockOutsideFails) {
  Springs springs({{1.0, 1.0}, {1.0, 1.0}});
  springs.x[1] = 3.0;
  springs.problem.SetParameterUpperBound(&springs.x[1], 0, 2.0);
  springs.problem.SetParameterBlockConstant(&springs.x[1]);
  Solver::Summary summary = SolveWith(DenseQrOptions(), &springs.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("ParameterBlock 1"));
  EXPECT_EQ(springs.x[0], 0.0);
  springs.x[1] = 1.5;
  summary = SolveWith(DenseQrOptions(), &springs.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_FALSE(summary.is_constrained) << "no varying block has bounds";
}

}  // namespace
}  // namespace ceres::internal
