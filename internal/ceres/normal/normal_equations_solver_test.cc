// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations_solver.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/execution/stop_signal.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Method = SchurSolverOptions::Method;

struct NamedOptions {
  std::string name;
  SchurSolverOptions options;
};

// Every method, and every preconditioner with both kinds of product.
std::vector<NamedOptions> AllMethods() {
  std::vector<NamedOptions> all;
  SchurSolverOptions options;
  options.method = Method::kDense;
  all.push_back({"dense", options});
  options.max_num_refinement_iterations = 3;
  all.push_back({"dense, refined", options});
  options.mixed_precision = true;
  options.max_num_refinement_iterations = 12;
  all.push_back({"dense, mixed precision", options});
  options = {};
  options.sparse.library = NATIVE_SPARSE;
  all.push_back({"sparse", options});
  options = {};
  options.method = Method::kIterative;
  options.max_iterations = 1000;
  for (const bool explicit_schur : {false, true}) {
    options.explicit_schur_complement = explicit_schur;
    const std::string product = explicit_schur ? ", explicit" : ", by counting";
    options.preconditioner = IDENTITY;
    all.push_back({"iterative IDENTITY" + product, options});
    options.preconditioner = JACOBI;
    all.push_back({"iterative JACOBI" + product, options});
    options.preconditioner = SCHUR_JACOBI;
    all.push_back({"iterative SCHUR_JACOBI" + product, options});
    options.preconditioner = SCHUR_POWER_SERIES_EXPANSION;
    all.push_back({"iterative power series" + product, options});
  }
  options.explicit_schur_complement = false;
  options.sparse.library = EIGEN_SPARSE;
  options.preconditioner = CLUSTER_JACOBI;
  all.push_back({"iterative CLUSTER_JACOBI", options});
  options.preconditioner = CLUSTER_TRIDIAGONAL;
  all.push_back({"iterative CLUSTER_TRIDIAGONAL", options});
  options.visibility_clustering = SINGLE_LINKAGE;
  all.push_back({"iterative CLUSTER_TRIDIAGONAL, single linkage", options});
  options.use_spse_initialization = true;
  options.preconditioner = IDENTITY;
  all.push_back({"iterative IDENTITY from the power series", options});
  options.preconditioner = SCHUR_JACOBI;
  all.push_back({"iterative SCHUR_JACOBI from the power series", options});
  options.preconditioner = SCHUR_POWER_SERIES_EXPANSION;
  all.push_back({"iterative power series from itself", options});
  return all;
}

// A Schur solver, if something is eliminated or the method is iterative.
std::unique_ptr<LinearSolver> CreateSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure) {
  return options.method == Method::kIterative || structure.num_eliminated > 0
             ? CreateSchurSolver(options, execution, structure)
             : CreateNormalEquationsSolver(options, execution, structure);
}

LinearSolver::SolveOptions TightTolerances(const double* damping) {
  LinearSolver::SolveOptions options;
  options.damping = damping;
  options.r_tolerance = 1e-14;
  return options;
}

LinearSolverSummary Solve(const SchurSolverOptions& options,
                          const BlockJacobian& jacobian, const double* damping,
                          Eigen::VectorXd* step) {
  *step = Eigen::VectorXd::Constant(jacobian.structure->num_columns(),
                                    std::numeric_limits<double>::quiet_NaN());
  return CreateSolver(options, {}, *jacobian.structure)
      ->Solve(jacobian, TightTolerances(damping), step->data());
}

// Random values for a structure that is complete but for its row chunks.
std::unique_ptr<RandomJacobian> MakeProblem(BlockJacobianStructure structure) {
  auto result = std::make_unique<RandomJacobian>();
  result->structure = std::move(structure);
  CutEvenly(1, &result->structure);
  std::mt19937 random(1);
  FillJacobian(&random, result.get());
  return result;
}

// Structures of all kinds, named.
std::vector<std::pair<std::string, RandomSchurOptions>> AllStructures() {
  std::vector<std::pair<std::string, RandomSchurOptions>> all;
  RandomSchurOptions options;
  options.num_points = 40;
  all.emplace_back("2,3,9", options);
  options.camera_sizes = {6};
  all.emplace_back("2,3,6", options);
  options.camera_sizes = {10};
  all.emplace_back("2,3,10", options);
  options.camera_sizes = {9};
  options.repeat_cameras = true;
  all.emplace_back("repeated cameras among regular points", options);
  options.num_other_rows = 9;
  all.emplace_back("rows that touch no point", options);
  options.min_cells = 0;
  all.emplace_back("rows without remaining cells", options);
  options.min_cells = 1;
  options.max_cells = 3;
  all.emplace_back("several remaining cells", options);
  options.camera_sizes = {1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 15, 16, 17, 18};
  options.point_sizes = {1, 2, 3, 4, 5};
  options.row_sizes = {1, 2, 3, 5};
  options.num_cameras = 15;
  all.emplace_back("all sizes", options);
  options.max_rows_per_point = 40;
  all.emplace_back("many rows per point", options);
  options = {};
  options.num_points = 1;
  all.emplace_back("one point", options);
  options.num_points = 0;
  options.num_other_rows = 30;
  all.emplace_back("no eliminated block", options);
  options.num_points = 10;
  options.num_other_rows = 0;
  options.num_cameras = 0;
  options.min_cells = options.max_cells = 0;
  all.emplace_back("everything eliminated", options);
  options = {};
  options.num_points = 120;
  options.num_cameras = 25;
  options.num_row_chunks = 40;
  options.num_other_rows = 50;
  all.emplace_back("many row_chunks", options);
  return all;
}

TEST(NormalEquationsSolver, FindsTheStepOfADenseFactorizationForAllStructures) {
  if (parallel::kThreadSanitizer) {
    GTEST_SKIP() << "One thread: nothing for the thread sanitizer to see.";
  }
  for (const auto& [structure_name, structure_options] : AllStructures()) {
    for (int seed = 1; seed <= 3; ++seed) {
      RandomSchurOptions seeded = structure_options;
      seeded.seed = seed;
      const auto problem = MakeRandomSchurJacobian(seeded);
      const Eigen::VectorXd expected =
          DenseStep(problem->jacobian, problem->damping.data());
      for (const NamedOptions& method : AllMethods()) {
        SCOPED_TRACE(structure_name + ": " + method.name);
        Eigen::VectorXd step;
        const LinearSolverSummary summary = Solve(
            method.options, problem->jacobian, problem->damping.data(), &step);
        ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
            << summary.message;
        ASSERT_LT((step - expected).norm(), 1e-8 * expected.norm());
        const double decrease = DenseModelCostChange(problem->jacobian, step);
        ASSERT_NEAR(summary.model_cost_change, decrease,
                    1e-12 * DenseResiduals(problem->jacobian).squaredNorm());
      }
    }
  }
}

TEST(NormalEquationsSolver, SolvesAgainWithOtherValues) {
  if (parallel::kThreadSanitizer) {
    GTEST_SKIP() << "One thread: nothing for the thread sanitizer to see.";
  }
  RandomSchurOptions options;
  options.num_points = 60;
  options.num_other_rows = 10;
  const auto problem = MakeRandomSchurJacobian(options);
  const std::vector<NamedOptions> methods = AllMethods();
  std::vector<std::unique_ptr<LinearSolver>> solvers;
  for (const NamedOptions& method : methods) {
    solvers.push_back(CreateSolver(method.options, {}, problem->structure));
  }
  std::mt19937 random(7);
  for (int k = 0; k < 3; ++k) {
    FillWithRandomValues(&random, problem->jacobian.values.data(),
                         problem->structure.num_values());
    const Eigen::VectorXd expected =
        DenseStep(problem->jacobian, problem->damping.data());
    for (size_t i = 0; i < solvers.size(); ++i) {
      SCOPED_TRACE(methods[i].name);
      Eigen::VectorXd step(expected.size());
      const LinearSolverSummary summary = solvers[i]->Solve(
          problem->jacobian, TightTolerances(problem->damping.data()),
          step.data());
      ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
          << summary.message;
      ASSERT_LT((step - expected).norm(), 1e-8 * expected.norm());
    }
  }
}

TEST(NormalEquationsSolver, SolvesWithoutDampingWhereTheProblemIsDetermined) {
  RandomSchurOptions options;
  options.num_points = 80;
  options.num_cameras = 4;
  options.max_rows_per_point = 12;
  options.repeat_cameras = true;
  options.num_other_rows = 100;
  options.row_sizes = {4};
  const auto problem = MakeRandomSchurJacobian(options);
  const Eigen::VectorXd expected = DenseStep(problem->jacobian, nullptr);
  for (const NamedOptions& method : AllMethods()) {
    SCOPED_TRACE(method.name);
    Eigen::VectorXd step;
    const LinearSolverSummary summary =
        Solve(method.options, problem->jacobian, nullptr, &step);
    ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
        << summary.message;
    EXPECT_LT((step - expected).norm(), 1e-7 * expected.norm());
  }
}

TEST(NormalEquationsSolver, BitsDoNotDependOnTheNumberOfThreads) {
  // The thread sanitizer, for which this is about races, takes ten times as
  // long.
  constexpr bool kFewer = parallel::kThreadSanitizer;
  const std::vector<int> thread_counts =
      kFewer ? std::vector<int>{1, 3} : std::vector<int>{1, 2, 3, 4, 8};
  RandomSchurOptions regular;
  regular.num_points = kFewer ? 1000 : 3000;
  regular.num_cameras = 40;
  regular.num_row_chunks = 24;
  RandomSchurOptions mixed = regular;
  mixed.num_points = 600;
  mixed.camera_sizes = {3, 6, 9};
  mixed.max_cells = 2;
  mixed.repeat_cameras = true;
  mixed.num_other_rows = 200;
  // Counting chooses the implicit product here.
  RandomSchurOptions implicit = regular;
  implicit.num_points = 300;
  implicit.num_cameras = 80;
  // A structure for which SchurPlan gathers S by row; one method shows it.
  RandomSchurOptions unordered = regular;
  unordered.num_cameras = 120;
  unordered.max_rows_per_point = 12;
  unordered.num_row_chunks = 64;
  for (const RandomSchurOptions& options :
       {regular, mixed, implicit, unordered}) {
    const auto problem = MakeRandomSchurJacobian(options);
    // A sum in another order changes bits after a few iterations.
    LinearSolver::SolveOptions solve_options;
    solve_options.damping = problem->damping.data();
    solve_options.r_tolerance = 1e-3;
    for (const NamedOptions& method : AllMethods()) {
      if (options.num_cameras == unordered.num_cameras &&
          method.options.method != Method::kSparse) {
        continue;
      }
      SCOPED_TRACE(method.name);
      Eigen::VectorXd first;
      double first_change = 0.0;
      for (const int num_threads : thread_counts) {
        TestThreads threads(num_threads);
        const auto solver = CreateSolver(method.options, threads.execution(),
                                         problem->structure);
        for (int repetition = 0; repetition < 2; ++repetition) {
          Eigen::VectorXd step(problem->structure.num_columns());
          const LinearSolverSummary summary =
              solver->Solve(problem->jacobian, solve_options, step.data());
          ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
              << summary.message;
          if (first.size() == 0) {
            first = step;
            first_change = summary.model_cost_change;
          }
          ASSERT_TRUE((step.array() == first.array()).all()) << num_threads;
          ASSERT_EQ(summary.model_cost_change, first_change) << num_threads;
        }
      }
    }
  }
}

TEST(NormalEquationsSolver, NamesAnEliminatedBlockThatIsNotDetermined) {
  // One row of two residuals cannot determine three columns.
  BlockJacobianStructure structure;
  structure.column_offset = {0, 3, 6, 15};
  structure.num_eliminated = 2;
  for (const int point : {0, 0, 0, 1})
    AppendRowBlock(2, {point, 2}, &structure);
  structure.eliminated_first_row = {0, 3, 4};
  // The three rows of point 0 touch one camera; see the test of repeated ones.
  const auto problem = MakeProblem(std::move(structure));
  for (const NamedOptions& method : AllMethods()) {
    SCOPED_TRACE(method.name);
    Eigen::VectorXd step;
    const LinearSolverSummary summary =
        Solve(method.options, problem->jacobian, nullptr, &step);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
    EXPECT_THAT(summary.message, testing::HasSubstr("eliminated block 1"));
  }
}

TEST(NormalEquationsSolver, FailsWhereTheRemainingBlocksAreNotDetermined) {
  // Camera 1 of two is touched by no row.
  BlockJacobianStructure structure;
  structure.column_offset = {0, 1, 3, 5};
  structure.num_eliminated = 1;
  for (int row = 0; row < 4; ++row) AppendRowBlock(2, {0, 1}, &structure);
  structure.eliminated_first_row = {0, 4};
  const auto problem = MakeProblem(std::move(structure));
  for (const NamedOptions& method : AllMethods()) {
    if (method.options.method == Method::kIterative &&
        method.options.preconditioner == IDENTITY &&
        !method.options.use_spse_initialization) {
      continue;  // converges to the solution of least norm
    }
    SCOPED_TRACE(method.name);
    Eigen::VectorXd step;
    const LinearSolverSummary summary =
        Solve(method.options, problem->jacobian, nullptr, &step);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
    EXPECT_FALSE(summary.message.empty());
  }
}

TEST(NormalEquationsSolver, NanInTheJacobianIsAFailure) {
  RandomSchurOptions options;
  const auto problem = MakeRandomSchurJacobian(options);
  // In the cell of point 5's first row.
  const int row = problem->structure.eliminated_first_row[5];
  problem->jacobian.row_block(row)[3] =
      std::numeric_limits<double>::quiet_NaN();
  for (const NamedOptions& method : AllMethods()) {
    Eigen::VectorXd step;
    const LinearSolverSummary summary = Solve(method.options, problem->jacobian,
                                              problem->damping.data(), &step);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
    EXPECT_THAT(summary.message, testing::HasSubstr("eliminated block 5"));
  }
}

TEST(NormalEquationsSolver, APointWithoutRowsStaysWhereItIs) {
  BlockJacobianStructure structure;
  structure.column_offset = {0, 3, 6, 12};
  structure.num_eliminated = 2;
  for (int row = 0; row < 5; ++row) AppendRowBlock(2, {0, 2}, &structure);
  structure.eliminated_first_row = {0, 5, 5};
  const auto problem = MakeProblem(std::move(structure));
  const std::vector<double> damping(problem->structure.num_columns(), 0.5);
  for (const NamedOptions& method : AllMethods()) {
    SCOPED_TRACE(method.name);
    Eigen::VectorXd step;
    const LinearSolverSummary summary =
        Solve(method.options, problem->jacobian, damping.data(), &step);
    ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess);
    EXPECT_EQ(step.segment(3, 3).norm(), 0.0);
    EXPECT_LT((step - DenseStep(problem->jacobian, damping.data())).norm(),
              1e-9);
  }
}

TEST(NormalEquationsSolver, IdentityPreconditionerWorksInScaledVariables) {
  // With the scaling that makes S the identity, one iteration is enough.
  BlockJacobianStructure structure;
  structure.column_offset = {0, 4, 8};
  for (const int column : {0, 1}) AppendRowBlock(4, {column}, &structure);
  CutEvenly(1, &structure);
  BlockJacobian jacobian;
  jacobian.structure = &structure;
  jacobian.values.Resize(structure.num_values());
  std::vector<double> scale(8);
  for (int row = 0; row < 2; ++row) {
    double* row_block = jacobian.row_block(row);
    std::fill_n(row_block, 20, 0.0);
    for (int k = 0; k < 4; ++k) {
      const double diagonal = std::pow(10.0, k - 2 * row);
      row_block[k] = 1.0 + k;
      row_block[4 + 5 * k] = diagonal;
      scale[4 * row + k] = 1.0 / diagonal;
    }
  }
  SchurSolverOptions options;
  options.method = Method::kIterative;
  options.preconditioner = IDENTITY;
  const auto solver = CreateSolver(options, {}, structure);
  LinearSolver::SolveOptions solve_options = TightTolerances(nullptr);
  Eigen::VectorXd step(8);
  solve_options.r_tolerance = 1e-10;
  const LinearSolverSummary unscaled =
      solver->Solve(jacobian, solve_options, step.data());
  EXPECT_GT(unscaled.num_iterations, 2);
  solve_options.column_scale = scale.data();
  const LinearSolverSummary scaled =
      solver->Solve(jacobian, solve_options, step.data());
  EXPECT_EQ(scaled.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(scaled.num_iterations, 1);
  EXPECT_LT((step - DenseStep(jacobian, nullptr)).norm(), 1e-8 * step.norm());
}

TEST(NormalEquationsSolver, RunningOutOfIterationsLeavesAUsableStep) {
  RandomSchurOptions options;
  options.num_points = 100;
  options.num_cameras = 12;
  const auto problem = MakeRandomSchurJacobian(options);
  SchurSolverOptions solver_options;
  solver_options.method = Method::kIterative;
  solver_options.max_iterations = 2;
  Eigen::VectorXd step;
  const LinearSolverSummary summary =
      Solve(solver_options, problem->jacobian, problem->damping.data(), &step);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
  EXPECT_EQ(summary.num_iterations, 2);
  EXPECT_GT(summary.model_cost_change, 0.0);
  EXPECT_NEAR(summary.model_cost_change,
              DenseModelCostChange(problem->jacobian, step), 1e-9);
}

TEST(SchurStructureName, NamesTheSizesThatAllRowsShare) {
  RandomSchurOptions options;
  EXPECT_EQ(SchurStructureName(MakeRandomSchurJacobian(options)->structure),
            "2,3,9");
  options.num_points = 100;
  options.row_sizes = {2, 3};
  options.camera_sizes = {6};
  EXPECT_EQ(SchurStructureName(MakeRandomSchurJacobian(options)->structure),
            "d,3,6");
  options.point_sizes = {1, 4};
  options.camera_sizes = {6, 7};
  EXPECT_EQ(SchurStructureName(MakeRandomSchurJacobian(options)->structure),
            "d,d,d");
}

// Also in the elimination, which is where exact solvers spend their time.
TEST(NormalEquationsSolver, StopsWhenTheExecutionSaysSo) {
  for (const auto& [name, options] : AllMethods()) {
    const auto problem = MakeRandomSchurJacobian(RandomSchurOptions());
    parallel::CancellationSource source;
    StopSignal stop;
    stop.Set(source.token(), StopSignal::Clock::time_point::max());
    Execution execution;
    execution.stop = &stop;
    const std::unique_ptr<LinearSolver> solver =
        CreateSolver(options, execution, *problem->jacobian.structure);
    const int n = problem->jacobian.structure->num_columns();
    const std::vector<double> damping(n, 1e-2);
    std::vector<double> step(n);
    const auto solve = [&] {
      return solver->Solve(problem->jacobian, TightTolerances(damping.data()),
                           step.data());
    };
    EXPECT_EQ(solve().termination, LinearSolverTermination::kSuccess) << name;
    source.Cancel();
    EXPECT_THROW((void)solve(), Stopped) << name;
  }
}

}  // namespace
}  // namespace ceres::internal
