// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solving a problem again with what an earlier solve prepared: when it is used,
// and that it changes no bit.

#include <functional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/execution/context_impl.h"
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

std::vector<double> Values(const SmallBundle& bundle) {
  std::vector<double> values = bundle.points;
  values.insert(values.end(), bundle.cameras.begin(), bundle.cameras.end());
  return values;
}

class KeptPreprocessingTest : public testing::TestWithParam<LinearSolverType> {
};

TEST_P(KeptPreprocessingTest, ChangesNoBit) {
  for (const int num_threads : {1, 4}) {
    ContextImpl context;
    context.thread_pool().SetRunningLimit(num_threads);
    context.thread_pool().SetSharing(parallel::Sharing::kAlways);
    Problem::Options problem_options;
    problem_options.context = &context;
    Solver::Options options = KeepingOptions(GetParam());
    options.num_threads = num_threads;
    SmallBundle bundle(6, 60, 1e-3, problem_options);
    const Solver::Summary first = SolveWith(options, &bundle.problem);
    EXPECT_FALSE(first.preprocessing_was_kept);
    const std::vector<double> expected = Values(bundle);
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
      EXPECT_EQ(SameBits(Values(bundle), expected), offset == 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LinearSolvers, KeptPreprocessingTest,
                         testing::Values(DENSE_QR, DENSE_NORMAL_CHOLESKY,
                                         SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
                                         SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR),
                         [](const auto& info) {
                           return std::string(
                               LinearSolverTypeToString(info.param));
                         });

TEST(KeptPreprocessing, ServesAllKindsOfSolves) {
  const std::vector<std::function<void(Solver::Options*)>> kinds = {
      [](Solver::Options* o) { o->minimizer_type = LINE_SEARCH; },
      [](Solver::Options* o) { o->use_inner_iterations = true; },
      [](Solver::Options* o) {
        o->linear_solver_type = SPARSE_NORMAL_CHOLESKY;
        o->dynamic_sparsity = true;
      },
      [](Solver::Options* o) {
        o->linear_solver_type = ITERATIVE_SCHUR;
        o->preconditioner_type = CLUSTER_TRIDIAGONAL;
      },
      [](Solver::Options* o) {
        o->linear_solver_type = ITERATIVE_SCHUR;
        o->preconditioner_type = SCHUR_POWER_SERIES_EXPANSION;
        o->use_spse_initialization = true;
      },
      [](Solver::Options* o) { o->use_mixed_precision_solves = true; },
      [](Solver::Options* o) { o->trust_region_strategy_type = DOGLEG; }};
  for (const auto& kind : kinds) {
    Solver::Options options = KeepingOptions();
    kind(&options);
    SmallBundle bundle(4, 24, 1e-3);
    const Solver::Summary first = SolveWith(options, &bundle.problem);
    EXPECT_TRUE(first.IsSolutionUsable()) << first.message;
    const std::vector<double> expected = Values(bundle);
    bundle.Reset();
    EXPECT_TRUE(SolveWith(options, &bundle.problem).preprocessing_was_kept);
    EXPECT_TRUE(SameBits(Values(bundle), expected));
  }
}

// Whether a second solve uses what the first one left.
bool IsKept(const std::function<void(SmallBundle*, Solver::Options*)>& change) {
  Solver::Options options = KeepingOptions();
  SmallBundle bundle(4, 24, 1e-3);
  options.linear_solver_ordering = bundle.PointsFirst();
  SolveWith(options, &bundle.problem);
  bundle.Reset();
  change(&bundle, &options);
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  const std::vector<double> result = Values(bundle);
  // As without it.
  bundle.Reset();
  options.keep_preprocessing = false;
  const Solver::Summary fresh = SolveWith(options, &bundle.problem);
  EXPECT_FALSE(fresh.preprocessing_was_kept);
  EXPECT_EQ(summary.message, fresh.message);
  EXPECT_EQ(summary.final_cost, fresh.final_cost);
  EXPECT_TRUE(SameBits(Values(bundle), result));
  return summary.preprocessing_was_kept;
}

TEST(KeptPreprocessing, IsUsedWhileOnlyTheMinimizersOptionsChange) {
  EXPECT_TRUE(IsKept([](SmallBundle*, Solver::Options*) {}));
  EXPECT_TRUE(IsKept([](SmallBundle*, Solver::Options* o) {
    o->max_num_iterations = 3;
    o->initial_trust_region_radius = 10.0;
    o->jacobi_scaling = false;
    o->function_tolerance = 1e-3;
    o->eta = 1e-3;
  }));
}

TEST(KeptPreprocessing, IsNotUsedWithOtherOptions) {
  const auto other = [](const std::function<void(Solver::Options*)>& set) {
    return IsKept([&set](SmallBundle*, Solver::Options* o) { set(o); });
  };
  EXPECT_FALSE(other([](auto* o) { o->linear_solver_type = SPARSE_SCHUR; }));
  EXPECT_FALSE(other([](auto* o) { o->minimizer_type = LINE_SEARCH; }));
  EXPECT_FALSE(other([](auto* o) { o->use_mixed_precision_solves = true; }));
  EXPECT_FALSE(other([](auto* o) { o->linear_solver_ordering = nullptr; }));
  EXPECT_FALSE(other([](auto* o) { o->check_gradients = true; }));
  parallel::SerialExecutor serial;
  EXPECT_FALSE(other([&](auto* o) { o->executor = &serial; }));
  EXPECT_FALSE(IsKept([](SmallBundle* bundle, Solver::Options* o) {
    // The same object, with other contents.
    o->linear_solver_ordering->AddElementToGroup(bundle->camera(1), 2);
  }));
}

TEST(KeptPreprocessing, IsNotUsedWithAnotherStructure) {
  const auto changed = [](const std::function<void(SmallBundle*)>& change) {
    return IsKept(
        [&change](SmallBundle* bundle, Solver::Options*) { change(bundle); });
  };
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.SetParameterBlockConstant(b->camera(2));
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.SetParameterBlockVariable(b->camera(0));
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.SetManifold(b->camera(2), new SubsetManifold(6, {1}));
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.SetParameterLowerBound(b->point(0), 0, -5.0);
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.SetParameterUpperBound(b->point(0), 0, 5.0);
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    std::vector<ResidualBlockId> blocks;
    b->problem.GetResidualBlocks(&blocks);
    b->problem.RemoveResidualBlock(blocks[5]);
  }));
  EXPECT_FALSE(changed([](SmallBundle* b) {
    b->problem.AddResidualBlock(
        new FunctionCost(1, {3},
                         [](auto* p, double* r, double** j) {
                           r[0] = p[0][0];
                           if (j != nullptr && j[0] != nullptr) {
                             j[0][0] = 1, j[0][1] = j[0][2] = 0;
                           }
                           return true;
                         }),
        nullptr, b->point(3));
  }));
  EXPECT_FALSE(changed(
      [](SmallBundle* b) { b->problem.RemoveParameterBlock(b->point(3)); }));
}

TEST(KeptPreprocessing, SeesNewValuesOfConstantParameters) {
  double x = 0.0;
  double held = 1.0;
  Problem problem;
  // r = x - held; r = held - 3.
  problem.AddResidualBlock(
      new FunctionCost(1, {1, 1},
                       [](auto* p, double* r, double** j) {
                         r[0] = p[0][0] - p[1][0];
                         if (j != nullptr && j[0] != nullptr) j[0][0] = 1.0;
                         if (j != nullptr && j[1] != nullptr) j[1][0] = -1.0;
                         return true;
                       }),
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

// What an interrupted solve leaves serves the next one.
TEST(KeptPreprocessing, SurvivesAnInterruption) {
  for (const int call : {150, 400, 700}) {
    parallel::CancellationSource source;
    int num_calls = 0;
    std::vector<double> x(101, 1.5);
    Problem problem;
    for (int i = 0; i < 100; ++i) {
      problem.AddResidualBlock(
          new FunctionCost(2, {1, 1},
                           [&, call](auto* p, double* r, double** j) {
                             if (++num_calls == call) source.Cancel();
                             const double a = p[0][0];
                             r[0] = a * a - p[1][0];
                             r[1] = 0.1 * (p[1][0] - 3.0);
                             if (j != nullptr && j[0] != nullptr) {
                               j[0][0] = 2.0 * a, j[0][1] = 0.0;
                             }
                             if (j != nullptr && j[1] != nullptr) {
                               j[1][0] = -1.0, j[1][1] = 0.1;
                             }
                             return true;
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
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [&](auto* p, double* r, double** j) {
                         if (throws) throw 7;
                         r[0] = p[0][0];
                         if (j != nullptr) j[0][0] = 1.0;
                         return true;
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
