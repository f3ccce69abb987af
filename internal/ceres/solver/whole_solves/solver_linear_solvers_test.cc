// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with every linear solver: they agree on the minimum, for every number
// of threads bit by bit, with orderings of all kinds.

#include <algorithm>
#include <string>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/linear_solver_factory.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The options that IsValid accepts of every linear solver with its
// preconditioners and libraries.
std::vector<Solver::Options> AllSetups() {
  using O = Solver::Options;
  Solver::Options base;
  base.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  base.max_num_refinement_iterations = 3;
  return Product(base)
      .Vary(&O::linear_solver_type,
            {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY,
             DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR})
      .Vary(&O::preconditioner_type,
            {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
             CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL},
            IsIterative)
      .Vary(&O::visibility_clustering_type, {CANONICAL_VIEWS, SINGLE_LINKAGE},
            HasClusters)
      .Vary(&O::dense_linear_algebra_library_type, {EIGEN, LAPACK}, IsDense)
      .Vary(&O::sparse_linear_algebra_library_type,
            {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}, HasSparseCholesky)
      .Vary(&O::linear_solver_ordering_type, {AMD, NESDIS},
            [](const O& o) { return HasSparseCholesky(o) && !HasClusters(o); })
      .Vary(&O::use_mixed_precision_solves, {false, true})
      .Vary(&O::use_explicit_schur_complement, {false, true}, IsIterativeSchur)
      .Vary(&O::use_spse_initialization, {false, true}, IsIterativeSchur)
      .Valid();
}

class LinearSolversTest : public testing::TestWithParam<Solver::Options> {
 protected:
  LinearSolversTest() : options_(GetParam()) {
    options_.max_num_iterations = IsIterative(options_) ? 200 : 50;
    options_.function_tolerance = 1e-14;
    options_.gradient_tolerance = 1e-13;
    options_.parameter_tolerance = 1e-14;
    options_.eta = 1e-4;
  }

  Solver::Options options_;
};

TEST_P(LinearSolversTest, ReachesTheZeroOfAnExactBundle) {
  for (const bool user_ordering : {false, true}) {
    SmallBundle bundle;
    if (user_ordering) options_.linear_solver_ordering = bundle.PointsFirst();
    const Solver::Summary summary = SolveWith(options_, &bundle.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_GT(summary.initial_cost, 1e-3);
    EXPECT_LT(summary.final_cost, 1e-16) << summary.FullReport();
    EXPECT_EQ(summary.linear_solver_type_used, options_.linear_solver_type);
    EXPECT_EQ(summary.preconditioner_type_used, options_.preconditioner_type);
    EXPECT_EQ(summary.mixed_precision_solves_used,
              FactorsInSinglePrecision(options_));
  }
}

// Big enough for several row chunks.
TEST_P(LinearSolversTest, GivesTheSameBitsForEveryNumberOfThreads) {
  std::vector<double> values;
  double cost = 0.0;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    SharingContext context(8);
    // Dense factorizations take the points, too: fewer of them.
    const bool is_dense_qr = options_.linear_solver_type == DENSE_QR;
    SmallBundle bundle(is_dense_qr ? 8 : 5, is_dense_qr ? 130 : 300, 0.01,
                       context.problem_options);
    options_.num_threads = num_threads;
    options_.max_num_iterations = 4;
    options_.linear_solver_ordering = bundle.PointsFirst();
    const Solver::Summary summary = SolveWith(options_, &bundle.problem);
    EXPECT_EQ(summary.num_threads_used, num_threads);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_LT(summary.final_cost, summary.initial_cost);
    if (num_threads == 1) {
      values = bundle.Values();
      cost = summary.final_cost;
    }
    EXPECT_TRUE(SameBits(bundle.Values(), values)) << num_threads;
    EXPECT_EQ(summary.final_cost, cost);
  }
}

// A coordinate without influence, and residuals that are linear.
TEST_P(LinearSolversTest, RankDeficiencyIsDamped) {
  double x[2] = {3.0, -2.0};
  double y = 4.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring<2>(1.0), nullptr, x);
  problem.AddResidualBlock(NewSpring(2.0), nullptr, &y);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_EQ(x[1], -2.0) << "nothing says that it should move";
  EXPECT_NEAR(y, 2.0, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(EveryLinearSolver, LinearSolversTest,
                         testing::ValuesIn(AllSetups()), [](const auto& info) {
                           std::string name = Describe(info.param);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// One residual block per coordinate. The subset names two of them, and a
// residual block of another problem.
class SubsetOfSpringsTest : public testing::Test {
 protected:
  SubsetOfSpringsTest() {
    options_.linear_solver_type = CGNR;
    options_.preconditioner_type = SUBSET;
    for (double& x : x_) {
      springs_.push_back(
          problem_.AddResidualBlock(NewSpring(2.0), nullptr, &x));
    }
    options_.residual_blocks_for_subset_preconditioner = {
        springs_[0], springs_[1],
        other_.AddResidualBlock(NewSpring(1.0), nullptr, &y_)};
  }

  double y_ = 0.0;
  Problem other_;
  double x_[3] = {};
  Problem problem_;
  std::vector<ResidualBlockId> springs_;
  Solver::Options options_;
};

TEST_F(SubsetOfSpringsTest, MayNameBlocksThatAreConstantOrNotInTheProblem) {
  problem_.SetParameterBlockConstant(&x_[1]);
  const Solver::Summary summary = SolveWith(options_, &problem_);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_EQ(summary.preconditioner_type_used, SUBSET);
  EXPECT_NEAR(x_[0], 2.0, 1e-6);
  EXPECT_EQ(x_[1], 0.0);
  EXPECT_NEAR(x_[2], 2.0, 1e-6);
}

TEST_F(SubsetOfSpringsTest, WithoutAnyRowFailsAndSaysWhy) {
  problem_.SetParameterBlockConstant(&x_[0]);
  problem_.SetParameterBlockConstant(&x_[1]);
  const Solver::Summary summary = SolveWith(options_, &problem_);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(
      summary.message,
      HasSubstr("1 of 3 not in the problem, 2 with constant parameter blocks "
                "only"));
  EXPECT_EQ(x_[2], 0.0);
}

class OrderingTest : public testing::TestWithParam<LinearSolverType> {
 protected:
  OrderingTest() {
    options_.linear_solver_type = GetParam();
    options_.max_num_iterations = 100;
    options_.eta = 1e-6;
    options_.preconditioner_type =
        GetParam() == ITERATIVE_SCHUR ? SCHUR_JACOBI : JACOBI;
    options_.linear_solver_ordering = bundle_.PointsFirst();
  }

  // Solves the bundle, which has its minimum at 0.
  Solver::Summary SolveExactly() {
    const Solver::Summary summary = SolveWith(options_, &bundle_.problem);
    EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
    return summary;
  }

  SmallBundle bundle_;
  Solver::Options options_;
};

// The first of the four cameras is constant.
TEST_P(OrderingTest, GivenGroupsAreUsed) {
  const Solver::Summary summary = SolveExactly();
  EXPECT_THAT(summary.linear_solver_ordering_given, ElementsAre(24, 4));
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(24, 3));
  EXPECT_EQ(summary.schur_structure_used, "2,3,d")
      << "cameras of 6 and, on a manifold, 5";
}

TEST_P(OrderingTest, FoundGroupsAreReported) {
  options_.linear_solver_ordering = nullptr;
  const Solver::Summary summary = SolveExactly();
  EXPECT_THAT(summary.linear_solver_ordering_given, IsEmpty());
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(24, 3));
}

TEST_P(OrderingTest, MoreGroupsConstrainWhatRemains) {
  options_.linear_solver_ordering->AddElementToGroup(bundle_.camera(1), 5);
  options_.linear_solver_ordering->AddElementToGroup(bundle_.camera(2), 3);
  EXPECT_THAT(SolveExactly().linear_solver_ordering_used,
              ElementsAre(24, 1, 1, 1));
}

TEST_P(OrderingTest, AFewPointsMayRemain) {
  for (int p = 0; p < 6; ++p) {
    options_.linear_solver_ordering->AddElementToGroup(bundle_.point(p), 1);
  }
  EXPECT_THAT(SolveExactly().linear_solver_ordering_used, ElementsAre(18, 9));
}

TEST_P(OrderingTest, CamerasMayBeEliminatedInstead) {
  options_.linear_solver_ordering->Reverse();
  EXPECT_THAT(SolveExactly().linear_solver_ordering_used, ElementsAre(3, 24));
}

TEST_P(OrderingTest, EverythingMayBeEliminated) {
  for (int c = 0; c < bundle_.num_cameras(); ++c) {
    bundle_.problem.SetParameterBlockConstant(bundle_.camera(c));
  }
  const Solver::Summary summary = SolveWith(options_, &bundle_.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_LT(summary.final_cost, summary.initial_cost);
  EXPECT_EQ(summary.linear_solver_type_used, GetParam());
}

TEST_P(OrderingTest, EmptiedLowestGroupSubstitutesTheSolver) {
  for (int p = 0; p < bundle_.num_points(); ++p) {
    bundle_.problem.SetParameterBlockConstant(bundle_.point(p));
  }
  // DENSE_QR knows double precision only.
  options_.use_mixed_precision_solves = GetParam() == DENSE_SCHUR;
  const Solver::Summary summary = SolveWith(options_, &bundle_.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(summary.linear_solver_type_given, GetParam());
  EXPECT_EQ(summary.linear_solver_type_used,
            GetParam() == DENSE_SCHUR    ? DENSE_QR
            : GetParam() == SPARSE_SCHUR ? SPARSE_NORMAL_CHOLESKY
                                         : CGNR);
  EXPECT_EQ(summary.preconditioner_type_given, options_.preconditioner_type);
  EXPECT_EQ(summary.preconditioner_type_used, JACOBI);
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(3));
  EXPECT_EQ(summary.schur_structure_used, "");
  EXPECT_FALSE(summary.mixed_precision_solves_used);
}

TEST_P(OrderingTest, WrongOrderingsFailAndNameTheMistake) {
  options_.linear_solver_ordering->AddElementToGroup(bundle_.camera(1), 0);
  Solver::Summary summary = SolveWith(options_, &bundle_.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("not independent"));

  options_.linear_solver_ordering = bundle_.PointsFirst();
  options_.linear_solver_ordering->Remove(bundle_.camera(2));
  summary = SolveWith(options_, &bundle_.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("leaves it out"));
  EXPECT_TRUE(SameBits(bundle_.points, bundle_.start_points));
}

INSTANTIATE_TEST_SUITE_P(SchurSolvers, OrderingTest,
                         testing::Values(DENSE_SCHUR, SPARSE_SCHUR,
                                         ITERATIVE_SCHUR),
                         NameOfLinearSolver());

TEST(Solve, SchurStructureIsThatOfTheBlocks) {
  // Two points of 3, seen by one camera of 6.
  SmallBundle bundle(2, 2);
  bundle.problem.SetManifold(bundle.camera(1), nullptr);
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  EXPECT_EQ(summary.schur_structure_given, "2,3,6");
  EXPECT_EQ(summary.schur_structure_used, "2,3,6");
}

}  // namespace
}  // namespace ceres::internal
