// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Reduced systems that PETSc solves, compared with a solve in one process.

#include <cstdint>
#include <ostream>
#include <string>

#include "ceres/distributed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

using distributed::ReducedSolver;

struct Case {
  const char* name;
  ReducedSolver solver;
  const char* description;
};

void PrintTo(const Case& value, std::ostream* stream) { *stream << value.name; }

class PetscOverRanks : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!distributed::HasPetsc()) GTEST_SKIP() << "built without PETSc";
  }
  static distributed::Options MakeOptions() {
    distributed::Options options;
    options.linear_solver_type = SPARSE_SCHUR;
    options.reduced_solver = GetParam().solver;
    options.logging_type = SILENT;
    options.max_num_iterations = 3;
    options.function_tolerance = 1e-12;
    return options;
  }
};

TEST_P(PetscOverRanks, TakesTheStepsOfOneProcess) {
  const BalProblem scene = SmallScene(8, 200);
  const distributed::Options options = MakeOptions();
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  const distributed::Summary summary = on_ranks.Solve(options);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
  ASSERT_EQ(one.iterations.size(), summary.iterations.size());
  for (std::size_t i = 0; i < one.iterations.size(); ++i) {
    EXPECT_NEAR(one.iterations[i].cost, summary.iterations[i].cost,
                1e-8 * one.iterations[i].cost)
        << "iteration " << i;
  }
  EXPECT_THAT(summary.reduced_system,
              testing::HasSubstr(GetParam().description));
}

TEST_P(PetscOverRanks, RepeatsBitForBit) {
  const BalProblem scene = SmallScene(8, 200);
  std::uint64_t hash = 0;
  for (int repetition = 0; repetition < 2; ++repetition) {
    SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
    const distributed::Summary summary = on_ranks.Solve(MakeOptions());
    ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
    const std::uint64_t of_result = on_ranks.HashOfResult();
    if (repetition > 0) {
      EXPECT_EQ(hash, of_result);
    }
    hash = of_result;
  }
}

// Conjugate gradients of PETSc stop at the relative residual eta.
TEST_P(PetscOverRanks, ReachesTheMinimumWithInexactSteps) {
  if (GetParam().solver == ReducedSolver::PETSC_MUMPS) {
    GTEST_SKIP() << "MUMPS computes exact steps";
  }
  const BalProblem scene = SmallScene(8, 200);
  distributed::Options options = MakeOptions();
  options.max_num_iterations = 25;
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  options.linear_solver_type = ITERATIVE_SCHUR;
  options.eta = 1e-2;
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  const distributed::Summary summary = on_ranks.Solve(options);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_NEAR(one.final_cost, summary.final_cost, 1e-4 * one.final_cost);
}

INSTANTIATE_TEST_SUITE_P(
    , PetscOverRanks,
    testing::Values(
        Case{"CgBlockJacobi", ReducedSolver::PETSC_CG_BLOCK_JACOBI,
             "PETSc's conjugate gradients with diagonal blocks"},
        Case{"CgGamg", ReducedSolver::PETSC_CG_GAMG, "algebraic multigrid"},
        Case{"CgShell", ReducedSolver::PETSC_CG_SHELL,
             "products that do not form the matrix"},
        Case{"Mumps", ReducedSolver::PETSC_MUMPS, "factored by MUMPS"}),
    [](const auto& info) { return std::string(info.param.name); });

// S of 8 cameras has 45 blocks at most: 29 kB.
TEST(ReducedSolverOption, OfALargeMatrixIsTheImplicitProduct) {
  const BalProblem scene = SmallScene(8, 200);
  distributed::Options options;
  options.logging_type = SILENT;
  options.max_num_iterations = 3;
  SceneOnRanks formed(scene, MPI_COMM_WORLD, {});
  const distributed::Summary expected = formed.Solve(options);
  EXPECT_THAT(expected.reduced_system, testing::HasSubstr("gathered"));
  options.max_reduced_matrix_gigabytes = 1e-6;
  SceneOnRanks implicit(scene, MPI_COMM_WORLD, {});
  const distributed::Summary summary = implicit.Solve(options);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_THAT(summary.reduced_system,
              testing::HasSubstr("more than max_reduced_matrix_gigabytes"));
  EXPECT_NEAR(summary.final_cost, expected.final_cost,
              1e-8 * expected.final_cost);
  options.max_reduced_matrix_gigabytes = 1e-4;
  SceneOnRanks small(scene, MPI_COMM_WORLD, {});
  EXPECT_EQ(small.Solve(options).final_cost, expected.final_cost);
}

TEST(ReducedSolverOption, OfPetscRefusesOptionsThatPetscDoesNotRead) {
  const BalProblem scene = SmallScene(4, 50);
  distributed::Options options;
  options.reduced_solver = ReducedSolver::PETSC_CG_BLOCK_JACOBI;
  options.use_mixed_precision_solves = true;
  SceneOnRanks mixed(scene, MPI_COMM_WORLD, {});
  EXPECT_THAT(mixed.Solve(options).message,
              testing::HasSubstr("use_mixed_precision_solves"));
  options.use_mixed_precision_solves = false;
  options.linear_solver_type = ITERATIVE_SCHUR;
  options.min_linear_solver_iterations = 3;
  SceneOnRanks iterative(scene, MPI_COMM_WORLD, {});
  EXPECT_THAT(iterative.Solve(options).message,
              testing::HasSubstr("min_linear_solver_iterations"));
}

TEST(ReducedSolverOption, IsRefusedIfItDoesNotFitTheLinearSolver) {
  const BalProblem scene = SmallScene(4, 50);
  for (const auto& [type, solver] :
       {std::make_pair(DENSE_SCHUR, ReducedSolver::PETSC_MUMPS),
        std::make_pair(ITERATIVE_SCHUR, ReducedSolver::GATHERED),
        std::make_pair(SPARSE_SCHUR, ReducedSolver::REPLICATED_CG)}) {
    distributed::Options options;
    options.linear_solver_type = type;
    options.reduced_solver = solver;
    SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
    EXPECT_THAT(on_ranks.Solve(options).message,
                testing::HasSubstr("reduced_solver"));
  }
}

}  // namespace
}  // namespace ceres::examples
