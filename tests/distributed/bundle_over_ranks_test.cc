// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Bundle adjustment over the ranks of MPI_COMM_WORLD, compared with a solve in
// one process, and with a solve over one rank.

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

distributed::Options OptionsFor(LinearSolverType type) {
  distributed::Options options;
  options.linear_solver_type = type;
  options.logging_type = SILENT;
  options.max_num_iterations = 12;
  options.function_tolerance = 1e-10;
  // Conjugate gradients to the end: steps do not depend on rounding.
  options.eta = 1e-12;
  if (type == CGNR) {
    // Not to the end, which takes hundreds of exchanges for a step.
    options.max_linear_solver_iterations = 15;
    options.max_num_iterations = 4;
  }
  return options;
}

// Conjugate gradients of one process apply S in rounded form, and end at
// another iteration.
struct Tolerances {
  double cost;  // relative
  double step;
};
Tolerances TolerancesFor(LinearSolverType type) {
  return type == ITERATIVE_SCHUR || type == CGNR ? Tolerances{1e-5, 1e-2}
                                                 : Tolerances{1e-9, 1e-5};
}

void ExpectSameSteps(const Solver::Summary& one,
                     const distributed::Summary& over_ranks,
                     const Tolerances& tolerances) {
  ASSERT_TRUE(over_ranks.IsSolutionUsable()) << over_ranks.message;
  ASSERT_EQ(one.iterations.size(), over_ranks.iterations.size())
      << one.message << "\n"
      << over_ranks.message;
  for (std::size_t i = 0; i < one.iterations.size(); ++i) {
    const IterationSummary& a = one.iterations[i];
    const IterationSummary& b = over_ranks.iterations[i];
    EXPECT_NEAR(a.cost, b.cost, tolerances.cost * a.cost) << "iteration " << i;
    EXPECT_EQ(a.step_is_successful, b.step_is_successful);
    EXPECT_NEAR(a.step_norm, b.step_norm, tolerances.step * a.step_norm);
    EXPECT_NEAR(a.trust_region_radius, b.trust_region_radius,
                tolerances.step * a.trust_region_radius);
  }
  EXPECT_EQ(one.num_residuals, over_ranks.num_residuals);
  EXPECT_EQ(one.num_parameters, over_ranks.num_parameters);
  EXPECT_EQ(one.num_parameter_blocks_reduced,
            over_ranks.num_parameter_blocks_reduced);
  EXPECT_EQ(one.num_effective_parameters_reduced,
            over_ranks.num_effective_parameters_reduced);
}

class BundleOverRanks : public testing::TestWithParam<LinearSolverType> {};

TEST_P(BundleOverRanks, TakesTheStepsOfOneProcess) {
  const BalProblem scene = SmallScene(12, 400);
  const distributed::Options options = OptionsFor(GetParam());
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  ExpectSameSteps(one, on_ranks.Solve(options), TolerancesFor(GetParam()));
}

TEST_P(BundleOverRanks, HasTheSameBitsForEveryNumberOfRanksAndThreads) {
  const BalProblem scene = SmallScene(10, 500);
  distributed::Options options = OptionsFor(GetParam());
  SceneOnRanks alone(scene, MPI_COMM_SELF, {});
  const distributed::Summary of_one = alone.Solve(options);
  ASSERT_TRUE(of_one.IsSolutionUsable()) << of_one.message;
  const std::uint64_t hash = alone.HashOfResult();
  for (const int num_threads : {1, 2}) {
    options.num_threads = num_threads;
    SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
    const distributed::Summary of_all = on_ranks.Solve(options);
    ASSERT_TRUE(of_all.IsSolutionUsable()) << of_all.message;
    EXPECT_EQ(of_one.final_cost, of_all.final_cost);
    EXPECT_EQ(of_one.iterations.size(), of_all.iterations.size());
    EXPECT_EQ(hash, on_ranks.HashOfResult());
  }
}

INSTANTIATE_TEST_SUITE_P(, BundleOverRanks,
                         testing::Values(DENSE_SCHUR, SPARSE_SCHUR,
                                         ITERATIVE_SCHUR, CGNR),
                         [](const auto& info) {
                           return std::string(
                               LinearSolverTypeToString(info.param));
                         });

TEST(PublishedScene, TakesTheStepsOfOneProcess) {
  BalProblem scene;
  if (!ReadSharedScene("problem-16-22106-pre.txt", &scene)) {
    GTEST_SKIP() << "problem-16-22106 is absent.";
  }
  distributed::Options options = OptionsFor(SPARSE_SCHUR);
  options.max_num_iterations = 4;
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  const distributed::Summary summary = on_ranks.Solve(options);
  ExpectSameSteps(one, summary, TolerancesFor(SPARSE_SCHUR));
}

}  // namespace
}  // namespace ceres::examples
