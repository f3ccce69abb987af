// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with every linear solver: they agree on the minimum, for every number
// of threads bit by bit, with orderings of all kinds.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Setup {
  LinearSolverType solver = DENSE_QR;
  PreconditionerType preconditioner = JACOBI;
  DenseLinearAlgebraLibraryType dense = EIGEN;
  SparseLinearAlgebraLibraryType sparse = EIGEN_SPARSE;
  LinearSolverOrderingType ordering = AMD;
  bool explicit_schur = false;
  bool spse_initialization = false;
  VisibilityClusteringType clustering = CANONICAL_VIEWS;
  bool mixed_precision = false;

  Solver::Options Options() const {
    Solver::Options options;
    options.linear_solver_type = solver;
    options.preconditioner_type = preconditioner;
    options.dense_linear_algebra_library_type = dense;
    options.sparse_linear_algebra_library_type = sparse;
    options.linear_solver_ordering_type = ordering;
    options.use_explicit_schur_complement = explicit_schur;
    options.use_spse_initialization = spse_initialization;
    options.visibility_clustering_type = clustering;
    options.use_mixed_precision_solves = mixed_precision;
    options.max_num_refinement_iterations = mixed_precision ? 3 : 0;
    return options;
  }

  bool IsClustered() const {
    return preconditioner == CLUSTER_JACOBI ||
           preconditioner == CLUSTER_TRIDIAGONAL;
  }

  std::string Name() const {
    std::string name = LinearSolverTypeToString(solver);
    if (solver == CGNR || solver == ITERATIVE_SCHUR) {
      name += std::string("_") + PreconditionerTypeToString(preconditioner);
      if (explicit_schur) name += "_EXPLICIT";
      if (spse_initialization) name += "_FROM_POWER_SERIES";
      if (IsClustered()) {
        name += std::string("_") +
                SparseLinearAlgebraLibraryTypeToString(sparse) + "_" +
                VisibilityClusteringTypeToString(clustering);
      }
    } else if (solver == SPARSE_SCHUR || solver == SPARSE_NORMAL_CHOLESKY) {
      name += std::string("_") +
              SparseLinearAlgebraLibraryTypeToString(sparse) + "_" +
              LinearSolverOrderingTypeToString(ordering);
    } else {
      name += std::string("_") + DenseLinearAlgebraLibraryTypeToString(dense);
    }
    return mixed_precision ? name + "_MIXED" : name;
  }
};

void PrintTo(const Setup& setup, std::ostream* os) { *os << setup.Name(); }

// Everything that this build can do.
std::vector<Setup> AllSetups() {
  std::vector<Setup> all;
  const auto add = [&all](const Setup& setup) {
    std::string error;
    if (setup.Options().IsValid(&error)) all.push_back(setup);
  };
  for (const auto dense : {EIGEN, LAPACK}) {
    for (const auto solver : {DENSE_QR, DENSE_NORMAL_CHOLESKY, DENSE_SCHUR}) {
      Setup setup;
      setup.solver = solver;
      setup.dense = dense;
      add(setup);
      setup.mixed_precision = true;
      add(setup);
    }
  }
  for (const auto sparse : {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
    for (const auto ordering : {AMD, NESDIS}) {
      for (const auto solver : {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR}) {
        Setup setup;
        setup.solver = solver;
        setup.sparse = sparse;
        setup.ordering = ordering;
        add(setup);
        setup.mixed_precision = true;
        add(setup);
      }
    }
  }
  for (const auto solver : {CGNR, ITERATIVE_SCHUR}) {
    for (const auto preconditioner :
         {IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION}) {
      Setup setup;
      setup.solver = solver;
      setup.preconditioner = preconditioner;
      add(setup);
      if (solver == ITERATIVE_SCHUR && preconditioner == JACOBI) {
        setup.spse_initialization = true;
        add(setup);
        setup.spse_initialization = false;
      }
      setup.explicit_schur = true;
      if (solver == ITERATIVE_SCHUR) add(setup);
    }
  }
  for (const auto preconditioner : {CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
    for (const auto sparse : {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
      Setup setup;
      setup.solver = ITERATIVE_SCHUR;
      setup.preconditioner = preconditioner;
      setup.sparse = sparse;
      // One clustering for each library.
      setup.clustering =
          sparse == EIGEN_SPARSE ? SINGLE_LINKAGE : CANONICAL_VIEWS;
      add(setup);
    }
  }
  return all;
}

bool IsIterative(const Setup& setup) {
  return setup.solver == CGNR || setup.solver == ITERATIVE_SCHUR;
}

class LinearSolversTest : public testing::TestWithParam<Setup> {
 protected:
  LinearSolversTest() : options_(GetParam().Options()) {
    options_.max_num_iterations = IsIterative(GetParam()) ? 200 : 50;
    options_.function_tolerance = 1e-14;
    options_.gradient_tolerance = 1e-13;
    options_.parameter_tolerance = 1e-14;
    options_.eta = 1e-4;
  }

  Solver::Options options_;
};

TEST_P(LinearSolversTest, ReachesTheZeroOfAnExactBundle) {
  SmallBundle bundle;
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_GT(summary.initial_cost, 1e-3);
  EXPECT_LT(summary.final_cost, 1e-16) << summary.FullReport();
  EXPECT_EQ(summary.linear_solver_type_used, GetParam().solver);
  EXPECT_EQ(summary.preconditioner_type_used, GetParam().preconditioner);
}

// DENSE_QR is the judge, being the most accurate.
TEST_P(LinearSolversTest, ReachesTheMinimumOfANoisyBundle) {
  SmallBundle reference(4, 24, 0.01);
  const double expected =
      SolveWith(TightDenseQrOptions(), &reference.problem).final_cost;
  ASSERT_GT(expected, 1e-4);
  for (const bool user_ordering : {false, true}) {
    SmallBundle bundle(4, 24, 0.01);
    if (user_ordering) options_.linear_solver_ordering = bundle.PointsFirst();
    const Solver::Summary summary = SolveWith(options_, &bundle.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_NEAR(summary.final_cost, expected, 1e-8 * expected)
        << summary.FullReport();
    for (size_t i = 0; i < bundle.points.size(); ++i) {
      EXPECT_NEAR(bundle.points[i], reference.points[i], 1e-4);
    }
  }
}

// Big enough for several row chunks, and every loop shared whether it pays or
// not.
TEST_P(LinearSolversTest, GivesTheSameBitsForEveryNumberOfThreads) {
  std::vector<double> cameras;
  std::vector<double> points;
  double cost = 0.0;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    ContextImpl context;
    context.thread_pool().SetRunningLimit(8);
    context.thread_pool().SetSharing(parallel::Sharing::kAlways);
    Problem::Options problem_options;
    problem_options.context = &context;
    // Dense factorizations take the points, too: fewer of them.
    const bool is_dense_qr = GetParam().solver == DENSE_QR;
    SmallBundle bundle(is_dense_qr ? 8 : 5, is_dense_qr ? 130 : 300, 0.01,
                       problem_options);
    options_.num_threads = num_threads;
    options_.max_num_iterations = 4;
    options_.linear_solver_ordering = bundle.PointsFirst();
    const Solver::Summary summary = SolveWith(options_, &bundle.problem);
    EXPECT_EQ(summary.num_threads_used, num_threads);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_LT(summary.final_cost, summary.initial_cost);
    if (num_threads == 1) {
      cameras = bundle.cameras;
      points = bundle.points;
      cost = summary.final_cost;
      continue;
    }
    EXPECT_TRUE(SameBits(bundle.cameras, cameras)) << num_threads;
    EXPECT_TRUE(SameBits(bundle.points, points)) << num_threads;
    EXPECT_EQ(summary.final_cost, cost);
  }
}

// A coordinate without influence, and residuals that are linear.
TEST_P(LinearSolversTest, RankDeficiencyIsDamped) {
  double x[2] = {3.0, -2.0};
  double y = 4.0;
  Problem problem;
  problem.AddResidualBlock(
      new AutoDiffCostFunction<Spring, 1, 2>(new Spring{1.0}), nullptr, x);
  problem.AddResidualBlock(NewSpring(2.0), nullptr, &y);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_EQ(x[1], -2.0) << "nothing says that it should move";
  EXPECT_NEAR(y, 2.0, 1e-6);
}

// CGNR preconditioned by what some of the cameras see.
TEST(SubsetPreconditioner, ReachesTheMinimumOnEveryLibrary) {
  SmallBundle reference(4, 24, 0.01);
  const double expected =
      SolveWith(TightDenseQrOptions(), &reference.problem).final_cost;
  for (const auto library : {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
    if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) continue;
    SmallBundle bundle(4, 24, 0.01);
    Solver::Options options = TightDenseQrOptions();
    options.linear_solver_type = CGNR;
    options.preconditioner_type = SUBSET;
    options.sparse_linear_algebra_library_type = library;
    options.eta = 1e-4;
    std::vector<ResidualBlockId> subset;
    bundle.problem.GetResidualBlocksForParameterBlock(bundle.camera(1),
                                                      &subset);
    options.residual_blocks_for_subset_preconditioner.insert(subset.begin(),
                                                             subset.end());
    const Solver::Summary summary = SolveWith(options, &bundle.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_NEAR(summary.final_cost, expected, 1e-8 * expected);
    EXPECT_EQ(summary.preconditioner_type_used, SUBSET);
  }
}

// One residual block per coordinate, and a subset of them.
class SubsetOfSpringsTest : public testing::Test {
 protected:
  SubsetOfSpringsTest() {
    options_.linear_solver_type = CGNR;
    options_.preconditioner_type = SUBSET;
    for (double& x : x_) {
      springs_.push_back(
          problem_.AddResidualBlock(NewSpring(2.0), nullptr, &x));
    }
  }
  void Name(ResidualBlockId id) {
    options_.residual_blocks_for_subset_preconditioner.insert(id);
  }

  double x_[3] = {};
  Problem problem_;
  std::vector<ResidualBlockId> springs_;
  Solver::Options options_;
};

TEST_F(SubsetOfSpringsTest, MayNameBlocksThatAreConstantOrNotInTheProblem) {
  double y = 0.0;
  Problem other;
  Name(other.AddResidualBlock(NewSpring(1.0), nullptr, &y));
  Name(springs_[0]);
  Name(springs_[1]);
  problem_.SetParameterBlockConstant(&x_[1]);
  const Solver::Summary summary = SolveWith(options_, &problem_);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_NEAR(x_[0], 2.0, 1e-6);
  EXPECT_EQ(x_[1], 0.0);
  EXPECT_NEAR(x_[2], 2.0, 1e-6);
}

TEST_F(SubsetOfSpringsTest, WithoutAnyRowFailsAndSaysWhy) {
  double y = 0.0;
  Problem other;
  Name(other.AddResidualBlock(NewSpring(1.0), nullptr, &y));
  Name(springs_[0]);
  Name(springs_[1]);
  problem_.SetParameterBlockConstant(&x_[0]);
  problem_.SetParameterBlockConstant(&x_[1]);
  const Solver::Summary summary = SolveWith(options_, &problem_);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(
      summary.message,
      HasSubstr("Of the 3 residual blocks in "
                "Solver::Options::residual_blocks_for_subset_preconditioner, 1 "
                "are not in the problem and 2 depend on constant"));
  EXPECT_EQ(x_[2], 0.0);
}

INSTANTIATE_TEST_SUITE_P(EveryLinearSolver, LinearSolversTest,
                         testing::ValuesIn(AllSetups()),
                         [](const testing::TestParamInfo<Setup>& info) {
                           return info.param.Name();
                         });

class OrderingTest : public testing::TestWithParam<LinearSolverType> {
 protected:
  OrderingTest() {
    options_.linear_solver_type = GetParam();
    options_.max_num_iterations = 100;
    options_.eta = 1e-6;
    options_.preconditioner_type =
        GetParam() == ITERATIVE_SCHUR ? SCHUR_JACOBI : JACOBI;
  }
  Solver::Options options_;
};

TEST_P(OrderingTest, GivenGroupsAreUsed) {
  SmallBundle bundle;
  options_.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
  EXPECT_THAT(summary.linear_solver_ordering_given, ElementsAre(24, 4));
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(24, 3))
      << "without the constant camera";
  EXPECT_EQ(summary.schur_structure_used, "2,3,d")
      << "cameras of 6 and, on a manifold, 5";
}

TEST_P(OrderingTest, FoundGroupsAreReported) {
  SmallBundle bundle;
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
  EXPECT_THAT(summary.linear_solver_ordering_given, IsEmpty());
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(24, 3));
}

TEST_P(OrderingTest, MoreGroupsConstrainWhatRemains) {
  SmallBundle bundle;
  options_.linear_solver_ordering = bundle.PointsFirst();
  options_.linear_solver_ordering->AddElementToGroup(bundle.camera(1), 5);
  options_.linear_solver_ordering->AddElementToGroup(bundle.camera(2), 3);
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(24, 1, 1, 1));
}

TEST_P(OrderingTest, AFewPointsMayRemain) {
  SmallBundle bundle;
  options_.linear_solver_ordering = bundle.PointsFirst();
  for (int p = 0; p < 6; ++p) {
    options_.linear_solver_ordering->AddElementToGroup(bundle.point(p), 1);
  }
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(18, 9));
}

TEST_P(OrderingTest, CamerasMayBeEliminatedInstead) {
  SmallBundle bundle;
  options_.linear_solver_ordering = bundle.PointsFirst();
  options_.linear_solver_ordering->Reverse();
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-12) << summary.FullReport();
  EXPECT_THAT(summary.linear_solver_ordering_used, ElementsAre(3, 24));
}

TEST_P(OrderingTest, EverythingMayBeEliminated) {
  SmallBundle bundle;
  for (int c = 0; c < bundle.num_cameras(); ++c) {
    bundle.problem.SetParameterBlockConstant(bundle.camera(c));
  }
  options_.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_LT(summary.final_cost, summary.initial_cost);
  EXPECT_EQ(summary.linear_solver_type_used, GetParam());
}

TEST_P(OrderingTest, EmptiedLowestGroupSubstitutesTheSolver) {
  SmallBundle bundle;
  for (int p = 0; p < bundle.num_points(); ++p) {
    bundle.problem.SetParameterBlockConstant(bundle.point(p));
  }
  options_.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
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
}

TEST(Solve, SubstitutedDenseQrIsOfDoublePrecision) {
  SmallBundle bundle;
  for (int p = 0; p < bundle.num_points(); ++p) {
    bundle.problem.SetParameterBlockConstant(bundle.point(p));
  }
  Solver::Options options;
  options.linear_solver_type = DENSE_SCHUR;
  options.use_mixed_precision_solves = true;
  options.linear_solver_ordering = bundle.PointsFirst();
  EXPECT_EQ(SolveWith(options, &bundle.problem).linear_solver_type_used,
            DENSE_QR);
  EXPECT_FALSE(SolveWith(options, &bundle.problem).mixed_precision_solves_used);
  options.linear_solver_ordering = nullptr;
  bundle.problem.SetParameterBlockVariable(bundle.point(0));
  EXPECT_TRUE(SolveWith(options, &bundle.problem).mixed_precision_solves_used);
}

TEST_P(OrderingTest, WrongOrderingsFailAndNameTheMistake) {
  SmallBundle bundle;
  const std::vector<double> start = bundle.points;
  options_.linear_solver_ordering = bundle.PointsFirst();
  options_.linear_solver_ordering->AddElementToGroup(bundle.camera(1), 0);
  Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("not independent"));

  options_.linear_solver_ordering = bundle.PointsFirst();
  options_.linear_solver_ordering->Remove(bundle.camera(2));
  summary = SolveWith(options_, &bundle.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("leaves it out"));
  EXPECT_TRUE(SameBits(bundle.points, start));
}

INSTANTIATE_TEST_SUITE_P(SchurSolvers, OrderingTest,
                         testing::Values(DENSE_SCHUR, SPARSE_SCHUR,
                                         ITERATIVE_SCHUR),
                         [](const auto& info) {
                           return std::string(
                               LinearSolverTypeToString(info.param));
                         });

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
