// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve on small problems whose answers are known: models, empty problems,
// nesting. Linear solvers, limits, bounds, callbacks and failures have files of
// their own.

#include "ceres/solver.h"

#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/context.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Powell's singular function: the Jacobian loses rank at the minimum, 0.
struct Powell {
  template <typename T>
  bool operator()(const T* x1, const T* x2, const T* x3, const T* x4,
                  T* residuals) const {
    residuals[0] = x1[0] + 10.0 * x2[0];
    residuals[1] = std::sqrt(5.0) * (x3[0] - x4[0]);
    residuals[2] = (x2[0] - 2.0 * x3[0]) * (x2[0] - 2.0 * x3[0]);
    residuals[3] = std::sqrt(10.0) * (x1[0] - x4[0]) * (x1[0] - x4[0]);
    return true;
  }
};

TEST(Solve, FindsPowellsSingularMinimum) {
  double x[4] = {3.0, -1.0, 0.0, 1.0};
  Problem problem;
  problem.AddResidualBlock(
      new AutoDiffCostFunction<Powell, 4, 1, 1, 1, 1>(new Powell), nullptr,
      &x[0], &x[1], &x[2], &x[3]);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_DOUBLE_EQ(summary.initial_cost, 107.5);
  EXPECT_LT(summary.final_cost, 1e-15);
  for (const double value : x) EXPECT_NEAR(value, 0.0, 1e-3);
}

TEST(Solve, FollowsRosenbrocksValley) {
  double x[2] = {-1.2, 1.0};
  Problem problem;
  problem.AddResidualBlock(NewRosenbrock(), nullptr, x);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_DOUBLE_EQ(summary.initial_cost, 12.1);
  EXPECT_NEAR(x[0], 1.0, 1e-8);
  EXPECT_NEAR(x[1], 1.0, 1e-8);
}

// A straight line through points, against the normal equations by hand.
struct Line {
  template <typename T>
  bool operator()(const T* slope, const T* offset, T* residual) const {
    residual[0] = slope[0] * x + offset[0] - y;
    return true;
  }
  double x;
  double y;
};

TEST(Solve, LinearProblemTakesOneStepWithoutDamping) {
  const double y[] = {1.0, 2.5, 2.0, 4.5, 5.0};
  double slope = 0.0;
  double offset = 0.0;
  Problem problem;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < 5; ++i) {
    problem.AddResidualBlock(new AutoDiffCostFunction<Line, 1, 1, 1>(
                                 new Line{static_cast<double>(i), y[i]}),
                             nullptr, &slope, &offset);
    n += 1, sx += i, sy += y[i], sxx += i * i, sxy += i * y[i];
  }
  Solver::Options options = TightDenseQrOptions();
  options.initial_trust_region_radius = 1e16;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_NEAR(slope, (n * sxy - sx * sy) / (n * sxx - sx * sx), 1e-13);
  EXPECT_NEAR(offset, (sxx * sy - sx * sxy) / (n * sxx - sx * sx), 1e-13);
  EXPECT_LE(summary.num_successful_steps, 3);  // with iteration 0
}

// The first step from x0 of 1/2 (x - t)^2 w^2 is (t - x0) / (1 + 1 / radius).
TEST(Solve, FirstStepIsTheDampedOne) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0, 2.0), nullptr, &x);
  for (const bool jacobi_scaling : {false, true}) {
    x = 3.0;
    Solver::Options options = DenseQrOptions();
    options.initial_trust_region_radius = 4.0;
    options.max_num_iterations = 1;
    options.jacobi_scaling = jacobi_scaling;
    SolveWith(options, &problem);
    EXPECT_DOUBLE_EQ(x, 3.0 - 2.0 / 1.25);
  }
}

// Distances of points from a circle whose center is sought: on a sphere
// rotation, a quaternion aligns two sets of directions.
struct Alignment {
  template <typename T>
  bool operator()(const T* q, T* residuals) const {
    const T from_t[3] = {T(from[0]), T(from[1]), T(from[2])};
    T rotated[3];
    QuaternionRotatePoint(q, from_t, rotated);
    for (int k = 0; k < 3; ++k) residuals[k] = rotated[k] - to[k];
    return true;
  }
  double from[3];
  double to[3];
};

TEST(Solve, QuaternionStaysOnItsManifold) {
  const double truth[4] = {0.5, 0.5, -0.1, std::sqrt(0.49)};
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  Problem problem;
  problem.AddParameterBlock(q, 4, new QuaternionManifold);
  for (int i = 0; i < 5; ++i) {
    auto* functor = new Alignment{
        {std::sin(1.0 + i), std::cos(2.0 * i), std::sin(3.0 * i)}, {}};
    QuaternionRotatePoint(truth, functor->from, functor->to);
    problem.AddResidualBlock(new AutoDiffCostFunction<Alignment, 3, 4>(functor),
                             nullptr, q);
  }
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(summary.num_parameters, 4);
  EXPECT_EQ(summary.num_effective_parameters, 3);
  EXPECT_EQ(summary.num_effective_parameters_reduced, 3);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(q[k], truth[k], 1e-12);
  EXPECT_NEAR(std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3])), 1.0,
              1e-14);
}

TEST(Solve, SubsetManifoldHoldsCoordinates) {
  double x[2] = {-1.0, 0.5};
  Problem problem;
  problem.AddResidualBlock(NewRosenbrock(), nullptr, x);
  problem.SetManifold(x, new SubsetManifold(2, {1}));
  SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(x[1], 0.5);
  // d/dx: 200 x (x^2 - 0.5) = 1 - x.
  EXPECT_NEAR(200.0 * x[0] * (x[0] * x[0] - 0.5), 1.0 - x[0], 1e-6);
}

// Nine values at 0, one at 1000, of one unknown: Huber's estimate has the
// outlier pull with the force 1, so that 9 x = 1.
TEST(Solve, RobustLossBoundsTheForceOfAnOutlier) {
  double x = 0.3;
  Problem problem;
  for (int i = 0; i < 10; ++i) {
    problem.AddResidualBlock(NewSpring(i == 9 ? 1000.0 : 0.0),
                             new HuberLoss(1.0), &x);
  }
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_NEAR(x, 1.0 / 9.0, 1e-7);
  EXPECT_NEAR(summary.final_cost,
              0.5 * 9.0 / 81.0 + 0.5 * (2.0 * (1000.0 - 1.0 / 9.0) - 1.0),
              1e-6);
}

TEST(Solve, ConstantBlocksStayAndFixedCostIsAdded) {
  double x[2] = {3.0, 4.0};
  double y = 7.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &y);
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x[0]);
  problem.SetParameterBlockConstant(&y);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_EQ(y, 7.0);
  EXPECT_NEAR(x[0], 1.0, 1e-10);
  EXPECT_DOUBLE_EQ(summary.fixed_cost, 18.0);
  EXPECT_DOUBLE_EQ(summary.initial_cost, 18.0 + 2.0);
  EXPECT_NEAR(summary.final_cost, 18.0, 1e-12);
  EXPECT_DOUBLE_EQ(summary.iterations[0].cost, summary.initial_cost);
  EXPECT_EQ(summary.num_parameter_blocks, 2);
  EXPECT_EQ(summary.num_parameter_blocks_reduced, 1);
  EXPECT_EQ(summary.num_residual_blocks_reduced, 1);
}

TEST(Solve, EmptyProblemConverges) {
  Problem problem;
  const Solver::Summary summary = SolveWith(Solver::Options(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_EQ(summary.initial_cost, 0.0);
  EXPECT_EQ(summary.final_cost, 0.0);
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_EQ(summary.num_residuals_reduced, 0);
}

TEST(Solve, ProblemOfConstantsConvergesAtItsFixedCost) {
  double x = 3.0;
  double unused = 5.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  problem.AddParameterBlock(&unused, 1);
  problem.SetParameterBlockConstant(&x);
  for (const auto type : {DENSE_QR, SPARSE_SCHUR, CGNR}) {
    Solver::Options options;
    options.linear_solver_type = type;
    const Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE);
    EXPECT_EQ(summary.initial_cost, 2.0);
    EXPECT_EQ(summary.final_cost, 2.0);
    EXPECT_EQ(summary.fixed_cost, 2.0);
    EXPECT_EQ(summary.num_parameter_blocks_reduced, 0);
  }
  EXPECT_EQ(unused, 5.0);
}

TEST(Solve, UnusedBlocksStay) {
  double x = 3.0;
  double unused[3] = {1.0, 2.0, 3.0};
  Problem problem;
  problem.AddParameterBlock(unused, 3);
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  const Solver::Summary summary = SolveWith(DenseQrOptions(), &problem);
  EXPECT_EQ(summary.num_parameters, 4);
  EXPECT_EQ(summary.num_parameters_reduced, 1);
  EXPECT_THAT(unused, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_NEAR(x, 1.0, 1e-3);
}

// A cost function may have no residuals: its parameters are then in the problem
// without any influence.
TEST(Solve, ResidualBlocksWithoutResidualsDoNothing) {
  double x = 3.0;
  double y = 4.0;
  const auto nothing = [](double const* const*, double*, double**) {
    return true;
  };
  for (const auto type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR,
        DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
    Problem problem;
    problem.AddResidualBlock(new FunctionCost(0, {1, 1}, nothing), nullptr, &x,
                             &y);
    Solver::Options options;
    options.linear_solver_type = type;
    Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_EQ(summary.final_cost, 0.0);

    x = 3.0;
    problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
    options.eta = 1e-6;
    options.function_tolerance = 0.0;
    summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_NEAR(x, 1.0, 1e-6) << LinearSolverTypeToString(type);
    EXPECT_EQ(y, 4.0);
    x = 3.0;
  }
}

TEST(SolveDeathTest, BlockGivenTwiceIsNamed) {
  double x = 1.0;
  Problem::Options problem_options;
  problem_options.disable_all_safety_checks = true;
  Problem problem(problem_options);
  problem.AddResidualBlock(new SineCost(1, {1, 1}, 1), nullptr, &x, &x);
  EXPECT_DEATH(SolveWith(DenseQrOptions(), &problem),
               "Residual block 0 has the parameter block at .* twice");
}

TEST(SolveDeathTest, NullIsRefused) {
  Problem problem;
  Solver::Summary summary;
  EXPECT_DEATH(Solve(Solver::Options(), nullptr, &summary), "problem");
  EXPECT_DEATH(Solve(Solver::Options(), &problem, nullptr), "summary");
}

TEST(Solve, InvalidOptionsSolveNothing) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  Solver::Options options;
  options.eta = -1.0;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("eta"));
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_EQ(x, 3.0);
}

TEST(Solve, ThreadsAreCappedByTheCpus) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  Solver::Options options = DenseQrOptions();
  options.num_threads = 100000;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_EQ(summary.num_threads_given, 100000);
  EXPECT_EQ(summary.num_threads_used, parallel::AvailableConcurrency());
  EXPECT_TRUE(summary.IsSolutionUsable());
}

// sqrt(target), by a solve within the cost function.
bool SquareRootBySolve(Context* context, double target, double* root) {
  Problem::Options problem_options;
  problem_options.context = context;
  Problem problem(problem_options);
  *root = 1.0;
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [target](double const* const* x, double* residuals,
                                double** jacobians) {
                         residuals[0] = x[0][0] * x[0][0] - target;
                         if (jacobians != nullptr && jacobians[0] != nullptr) {
                           jacobians[0][0] = 2.0 * x[0][0];
                         }
                         return true;
                       }),
      nullptr, root);
  Solver::Options options = TightDenseQrOptions();
  options.num_threads = 2;
  return SolveWith(options, &problem).IsSolutionUsable();
}

TEST(Solve, SolvesMayRunInCostFunctions) {
  const std::unique_ptr<Context> context(Context::Create());
  Problem::Options problem_options;
  problem_options.context = context.get();
  Problem problem(problem_options);
  // sqrt(x_i) = i + 1.
  std::vector<double> x(20, 1.0);
  for (size_t i = 0; i < x.size(); ++i) {
    problem.AddResidualBlock(
        new FunctionCost(
            1, {1},
            [&context, i](double const* const* parameters, double* residuals,
                          double** jacobians) {
              double root;
              if (!SquareRootBySolve(context.get(), parameters[0][0], &root)) {
                return false;
              }
              residuals[0] = root - (i + 1.0);
              if (jacobians != nullptr && jacobians[0] != nullptr) {
                jacobians[0][0] = 0.5 / root;
              }
              return true;
            }),
        nullptr, &x[i]);
  }
  Solver::Options options = TightDenseQrOptions();
  options.num_threads = 2;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], (i + 1.0) * (i + 1.0), 1e-5);
  }
}

TEST(Solve, SolvesInSeveralThreadsMayShareAContext) {
  const std::unique_ptr<Context> context(Context::Create());
  Problem::Options problem_options;
  problem_options.context = context.get();
  constexpr int kNumThreads = 4;
  std::vector<std::vector<double>> points(kNumThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kNumThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int repetition = 0; repetition < 3; ++repetition) {
        SmallBundle bundle(4, 250, 0.01, problem_options);
        Solver::Options options;
        options.linear_solver_type = DENSE_SCHUR;
        options.num_threads = 2;
        options.max_num_iterations = 3;
        EXPECT_TRUE(SolveWith(options, &bundle.problem).IsSolutionUsable());
        points[t] = bundle.points;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kNumThreads; ++t) {
    EXPECT_TRUE(SameBits(points[t], points[0]));
  }
}

TEST(Solver, SolveIsTheFunction) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  Solver::Summary summary;
  Solver().Solve(TightDenseQrOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_NEAR(x, 1.0, 1e-12);
}

}  // namespace
}  // namespace ceres::internal
