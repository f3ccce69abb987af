// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve on small problems whose answers are known: models, empty problems,
// nesting. Linear solvers, limits, bounds, callbacks and failures have files of
// their own.

#include "ceres/solver.h"

#include <array>
#include <cmath>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "ceres/context.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/local_parameterization.h"
#include "ceres/loss_function.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A straight line through points, against the normal equations by hand.
TEST(Solve, LinearProblemTakesOneStepWithoutDamping) {
  const double y[] = {1.0, 2.5, 2.0, 4.5, 5.0};
  double slope = 0.0;
  double offset = 0.0;
  Problem problem;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < 5; ++i) {
    problem.AddResidualBlock(
        NewCost<1, 1, 1>([i, y = y[i]](const auto* a, const auto* b, auto* r) {
          r[0] = a[0] * static_cast<double>(i) + b[0] - y;
        }),
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

// A unit quaternion, whose rotation aligns two sets of directions.
class RotationTest : public testing::Test {
 protected:
  RotationTest() {
    for (int i = 0; i < 5; ++i) {
      const std::array<double, 3> from = {std::sin(1.0 + i), std::cos(2.0 * i),
                                          std::sin(3.0 * i)};
      std::array<double, 3> to;
      QuaternionRotatePoint(truth_, from.data(), to.data());
      problem_.AddResidualBlock(
          NewCost<3, 4>([=](const auto* q, auto* r) {
            using T = std::decay_t<decltype(*r)>;
            const T from_t[3] = {T(from[0]), T(from[1]), T(from[2])};
            QuaternionRotatePoint(q, from_t, r);
            for (int k = 0; k < 3; ++k) r[k] -= to[k];
          }),
          nullptr, q_.data());
    }
  }

  const double truth_[4] = {0.5, 0.5, -0.1, std::sqrt(0.49)};
  std::vector<double> q_ = {1.0, 0.0, 0.0, 0.0};
  Problem problem_;
};

TEST_F(RotationTest, QuaternionStaysOnItsManifold) {
  problem_.SetManifold(q_.data(), new QuaternionManifold);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem_);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(summary.num_parameters, 4);
  EXPECT_EQ(summary.num_effective_parameters, 3);
  EXPECT_EQ(summary.num_effective_parameters_reduced, 3);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(q_[k], truth_[k], 1e-12);
  EXPECT_NEAR(std::hypot(std::hypot(q_[0], q_[1]), std::hypot(q_[2], q_[3])),
              1.0, 1e-14);
}

TEST_F(RotationTest, LocalParameterizationHasTheBitsOfTheManifold) {
  problem_.SetManifold(q_.data(), new QuaternionManifold);
  SolveWith(TightDenseQrOptions(), &problem_);
  const std::vector<double> expected = q_;
  q_ = {1.0, 0.0, 0.0, 0.0};
  problem_.SetParameterization(q_.data(), new QuaternionParameterization);
  Solver::Options options = TightDenseQrOptions();
  const Solver::Summary summary = SolveWith(options, &problem_);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_EQ(summary.num_effective_parameters, 3);
  EXPECT_TRUE(SameBits(q_, expected));
  options.check_gradients = true;
  EXPECT_EQ(SolveWith(options, &problem_).termination_type, CONVERGENCE);
}

TEST(Solve, SubsetManifoldHoldsCoordinates) {
  Valley valley;
  valley.x[1] = 0.5;
  valley.problem.SetManifold(valley.x, new SubsetManifold(2, {1}));
  SolveWith(TightDenseQrOptions(), &valley.problem);
  EXPECT_EQ(valley.x[1], 0.5);
  // d/dx: 200 x (x^2 - 0.5) = 1 - x.
  const double x = valley.x[0];
  EXPECT_NEAR(200.0 * x * (x * x - 0.5), 1.0 - x, 1e-6);
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
  problem.AddResidualBlock(NewCost<1, 1>([target](const auto* x, auto* r) {
                             r[0] = x[0] * x[0] - target;
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
