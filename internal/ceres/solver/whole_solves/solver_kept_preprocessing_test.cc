// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solving a problem again with what an earlier solve prepared: when it is used,
// and that it changes no bit.

#include <functional>
#include <string>
#include <vector>

#include "ceres/manifold.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

Solver::Options KeepingOptions(LinearSolverType type = DENSE_SCHUR) {
  Solver::Options options;
  options.linear_solver_type = type;
  options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  options.max_num_iterations = 6;
  options.keep_preprocessing = true;
  return options;
}

class KeptPreprocessingTest : public testing::TestWithParam<LinearSolverType> {
};

TEST_P(KeptPreprocessingTest, ChangesNoBit) {
  for (const int num_threads : {1, 4}) {
    SharingContext context(num_threads);
    Solver::Options options = KeepingOptions(GetParam());
    options.num_threads = num_threads;
    SmallBundle bundle(6, 60, 1e-3, context.problem_options);
    const Solver::Summary first = SolveWith(options, &bundle.problem);
    EXPECT_FALSE(first.preprocessing_was_kept);
    const std::vector<double> expected = bundle.Values();
    // From the same start, and from another one in between.
    for (const double offset : {0.0, 0.01, 0.0}) {
      bundle.Reset();
      for (double& x : bundle.points) x += offset;
      const Solver::Summary again = SolveWith(options, &bundle.problem);
      EXPECT_TRUE(again.preprocessing_was_kept);
      EXPECT_EQ(again.linear_solver_type_used, first.linear_solver_type_used);
      EXPECT_EQ(again.preconditioner_type_used, first.preconditioner_type_used);
      EXPECT_EQ(again.schur_structure_used, first.schur_structure_used);
      EXPECT_EQ(again.linear_solver_ordering_used,
                first.linear_solver_ordering_used);
      EXPECT_EQ(again.num_residuals_reduced, first.num_residuals_reduced);
      EXPECT_EQ(SameBits(bundle.Values(), expected), offset == 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LinearSolvers, KeptPreprocessingTest,
                         testing::Values(DENSE_QR, DENSE_NORMAL_CHOLESKY,
                                         SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
                                         SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR),
                         NameOfLinearSolver());

TEST(KeptPreprocessing, ServesAllKindsOfSolves) {
  std::vector<Solver::Options> kinds(7, KeepingOptions());
  kinds[0].minimizer_type = LINE_SEARCH;
  kinds[1].use_inner_iterations = true;
  kinds[2].linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  kinds[2].dynamic_sparsity = true;
  kinds[3].linear_solver_type = ITERATIVE_SCHUR;
  kinds[3].preconditioner_type = CLUSTER_TRIDIAGONAL;
  kinds[4].linear_solver_type = ITERATIVE_SCHUR;
  kinds[4].preconditioner_type = SCHUR_POWER_SERIES_EXPANSION;
  kinds[4].use_spse_initialization = true;
  kinds[5].use_mixed_precision_solves = true;
  kinds[6].trust_region_strategy_type = DOGLEG;
  for (const Solver::Options& options : kinds) {
    SmallBundle bundle(4, 24, 1e-3);
    const Solver::Summary first = SolveWith(options, &bundle.problem);
    EXPECT_TRUE(first.IsSolutionUsable()) << first.message;
    const std::vector<double> expected = bundle.Values();
    bundle.Reset();
    EXPECT_TRUE(SolveWith(options, &bundle.problem).preprocessing_was_kept);
    EXPECT_TRUE(SameBits(bundle.Values(), expected));
  }
}

// Whether a second solve uses what the first one left.
bool IsKept(const std::function<void(SmallBundle&, Solver::Options&)>& change) {
  Solver::Options options = KeepingOptions();
  SmallBundle bundle(4, 24, 1e-3);
  options.linear_solver_ordering = bundle.PointsFirst();
  SolveWith(options, &bundle.problem);
  bundle.Reset();
  change(bundle, options);
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  const std::vector<double> result = bundle.Values();
  // As without it.
  bundle.Reset();
  options.keep_preprocessing = false;
  const Solver::Summary fresh = SolveWith(options, &bundle.problem);
  EXPECT_FALSE(fresh.preprocessing_was_kept);
  EXPECT_EQ(summary.message, fresh.message);
  EXPECT_EQ(summary.final_cost, fresh.final_cost);
  EXPECT_TRUE(SameBits(bundle.Values(), result));
  return summary.preprocessing_was_kept;
}

TEST(KeptPreprocessing, IsUsedWhileOnlyTheMinimizersOptionsChange) {
  EXPECT_TRUE(IsKept([](auto&, auto&) {}));
  EXPECT_TRUE(IsKept([](auto&, Solver::Options& o) {
    o.max_num_iterations = 3;
    o.initial_trust_region_radius = 10.0;
    o.jacobi_scaling = false;
    o.function_tolerance = 1e-3;
    o.eta = 1e-3;
  }));
}

TEST(KeptPreprocessing, IsNotUsedWithOtherOptions) {
  EXPECT_FALSE(
      IsKept([](auto&, auto& o) { o.linear_solver_type = SPARSE_SCHUR; }));
  EXPECT_FALSE(IsKept([](auto&, auto& o) { o.minimizer_type = LINE_SEARCH; }));
  EXPECT_FALSE(
      IsKept([](auto&, auto& o) { o.use_mixed_precision_solves = true; }));
  EXPECT_FALSE(
      IsKept([](auto&, auto& o) { o.linear_solver_ordering = nullptr; }));
  EXPECT_FALSE(IsKept([](auto&, auto& o) { o.check_gradients = true; }));
  parallel::SerialExecutor serial;
  EXPECT_FALSE(IsKept([&](auto&, auto& o) { o.executor = &serial; }));
  EXPECT_FALSE(IsKept([](auto& bundle, auto& o) {
    // The same object, with other contents.
    o.linear_solver_ordering->AddElementToGroup(bundle.camera(1), 2);
  }));
}

TEST(KeptPreprocessing, IsNotUsedWithAnotherStructure) {
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.SetParameterBlockConstant(b.camera(2));
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.SetParameterBlockVariable(b.camera(0));
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.SetManifold(b.camera(2), new SubsetManifold(6, {1}));
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.SetParameterLowerBound(b.point(0), 0, -5.0);
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.SetParameterUpperBound(b.point(0), 0, 5.0);
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    std::vector<ResidualBlockId> blocks;
    b.problem.GetResidualBlocks(&blocks);
    b.problem.RemoveResidualBlock(blocks[5]);
  }));
  EXPECT_FALSE(IsKept([](auto& b, auto&) {
    b.problem.AddResidualBlock(NewSpring<3>(0.0), nullptr, b.point(3));
  }));
  EXPECT_FALSE(IsKept(
      [](auto& b, auto&) { b.problem.RemoveParameterBlock(b.point(3)); }));
}

TEST(KeptPreprocessing, SeesNewValuesOfConstantParameters) {
  double x = 0.0;
  double held = 1.0;
  Problem problem;
  // r = x - held; r = held - 3.
  problem.AddResidualBlock(
      NewCost<1, 1, 1>(
          [](const auto* x, const auto* y, auto* r) { r[0] = x[0] - y[0]; }),
      nullptr, &x, &held);
  problem.AddResidualBlock(NewSpring(3.0), nullptr, &held);
  problem.SetParameterBlockConstant(&held);
  const Solver::Options options = KeepingOptions(DENSE_QR);
  EXPECT_EQ(SolveWith(options, &problem).fixed_cost, 2.0);
  EXPECT_NEAR(x, 1.0, 1e-6);
  held = 7.0;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_TRUE(summary.preprocessing_was_kept);
  EXPECT_EQ(summary.fixed_cost, 8.0);
  EXPECT_NEAR(x, 7.0, 1e-6);
}

TEST(KeptPreprocessing, IsReleasedOnRequest) {
  SmallBundle bundle;
  SolveWith(KeepingOptions(), &bundle.problem);
  bundle.problem.ReleasePreprocessing();
  bundle.Reset();
  EXPECT_FALSE(
      SolveWith(KeepingOptions(), &bundle.problem).preprocessing_was_kept);
}

// The preparation of an interrupted solve serves the next one.
TEST(KeptPreprocessing, SurvivesAnInterruption) {
  for (const int call : {150, 400, 700}) {
    parallel::CancellationSource source;
    int num_calls = 0;
    std::vector<double> x(101, 1.5);
    Problem problem;
    for (int i = 0; i < 100; ++i) {
      problem.AddResidualBlock(
          NewCost<2, 1, 1>([&, call](const auto* a, const auto* b, auto* r) {
            if (++num_calls == call) source.Cancel();
            r[0] = a[0] * a[0] - b[0];
            r[1] = 0.1 * (b[0] - 3.0);
          }),
          nullptr, &x[i], &x[i + 1]);
    }
    Solver::Options options = KeepingOptions(SPARSE_NORMAL_CHOLESKY);
    options.cancellation_token = source.token();
    SolveWith(options, &problem);
    options.cancellation_token = {};
    x.assign(101, 1.5);
    EXPECT_TRUE(SolveWith(options, &problem).preprocessing_was_kept);
    const std::vector<double> result = x;
    x.assign(101, 1.5);
    options.keep_preprocessing = false;
    SolveWith(options, &problem);
    EXPECT_TRUE(SameBits(result, x));
  }
}

TEST(KeptPreprocessing, IsNotLeftByASolveThatThrew) {
  double x = 3.0;
  bool throws = true;
  Problem problem;
  problem.AddResidualBlock(NewCost<1, 1>([&](const auto* x, auto* r) {
                             if (throws) throw 7;
                             r[0] = x[0];
                           }),
                           nullptr, &x);
  Solver::Summary summary;
  EXPECT_THROW(Solve(KeepingOptions(DENSE_QR), &problem, &summary), int);
  throws = false;
  Solve(KeepingOptions(DENSE_QR), &problem, &summary);
  EXPECT_FALSE(summary.preprocessing_was_kept);
  EXPECT_NEAR(x, 0.0, 1e-6);
}

}  // namespace
}  // namespace ceres::internal
