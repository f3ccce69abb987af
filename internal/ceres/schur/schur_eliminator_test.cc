// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_eliminator.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;

constexpr SchurFormation kFormations[] = {SchurFormation::kPartialSums,
                                          SchurFormation::kGatherByRow};

// Structures of all kinds.
std::vector<RandomSchurOptions> Structures() {
  std::vector<RandomSchurOptions> all;
  RandomSchurOptions options;
  options.num_points = 40;
  options.num_row_chunks = 7;
  for (const int f : {6, 9, 10}) {
    options.camera_sizes = {f};
    all.push_back(options);
  }
  // Regular points among others.
  options.repeat_cameras = true;
  all.push_back(options);
  options.num_other_rows = 9;
  all.push_back(options);
  options.min_cells = 0;
  all.push_back(options);
  options.max_cells = 3;
  all.push_back(options);
  options.camera_sizes = {1, 2,  3,  4,  5,  6,  7,  8,
                          9, 10, 11, 12, 16, 17, 18, 19};
  options.point_sizes = {1, 2, 3, 4, 5, 9};
  options.row_sizes = {1, 2, 3, 4, 5, 8, 9};
  options.num_cameras = 20;
  all.push_back(options);
  // Points with more rows than a batch of back substitution takes among them.
  options = {};
  options.num_points = 12;
  options.num_cameras = 120;
  options.max_rows_per_point = 120;
  all.push_back(options);
  // Cameras that nothing touches.
  options = {};
  options.num_points = 1;
  options.num_cameras = 9;
  all.push_back(options);
  options.num_points = 0;
  options.num_other_rows = 30;
  all.push_back(options);
  // Points that see no camera.
  options.num_points = 10;
  options.min_cells = options.max_cells = 0;
  all.push_back(options);
  return all;
}

struct Reduced {
  Eigen::MatrixXd s;
  Eigen::VectorXd rhs;
  Eigen::VectorXd step;
  double decrease = 0.0;
};

// S, the right hand side and the whole step, S being solved by Eigen.
Reduced Reduce(const RandomJacobian& problem, const Execution& execution,
               PointDiagonal diagonal, SchurFormation formation) {
  const SchurPlan plan(execution, problem.structure,
                       ReducedMatrix::kSchurComplement, diagonal, formation);
  EXPECT_EQ(plan.gathers_by_row(), formation == SchurFormation::kGatherByRow);
  SolveWorkspace workspace;
  SchurEliminator eliminator(execution, plan, SchurEliminator::KeepU::kNo,
                             &workspace);
  // Other regions of the memory, which are a little larger.
  const int64_t size = plan.merged_chunks().sums_size() + 9;
  workspace.Reserve(WorkspaceRegion::kColumnSums, size);
  workspace.Reserve(WorkspaceRegion::kSparseFactor, size);
  const auto use_region = [&](SolvePhase phase, WorkspaceRegion region) {
    workspace.Enter(phase);
    std::fill_n(workspace.Get(region), size,
                std::numeric_limits<double>::quiet_NaN());
  };
  std::string message;
  // Twice: nothing of the first may be left.
  for (int repetition = 0; repetition < 2; ++repetition) {
    use_region(SolvePhase::kEvaluate, WorkspaceRegion::kColumnSums);
    workspace.Enter(SolvePhase::kEliminate);
    EXPECT_TRUE(eliminator.Eliminate(problem.jacobian, problem.damping.data(),
                                     &message))
        << message;
  }
  workspace.Enter(SolvePhase::kAssemble);
  const int n = plan.pattern().size();
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> upper(
      n, n);
  upper.setZero();
  eliminator.AssembleDense(upper.data());
  Reduced result;
  result.s = upper.selfadjointView<Eigen::Upper>();
  result.rhs.resize(n);
  eliminator.AssembleRhs(result.rhs.data());
  use_region(SolvePhase::kFactorize, WorkspaceRegion::kSparseFactor);
  workspace.Enter(SolvePhase::kBackSubstitute);
  result.step.resize(problem.structure.num_columns());
  result.step.tail(n) = SolveDense(result.s, result.rhs);
  result.decrease = eliminator.BackSubstitute(result.step.data());
  return result;
}

TEST(SchurEliminator, FindsTheSchurComplementInEveryFormationOnEveryTarget) {
  for (const RandomSchurOptions& options : Structures()) {
    const auto problem = MakeRandomSchurJacobian(options);
    const BlockJacobianStructure& s = problem->structure;
    const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
    Eigen::MatrixXd normal = j.transpose() * j;
    normal.diagonal().array() += problem->damping.array().square();
    const Eigen::VectorXd gradient =
        j.transpose() * DenseResiduals(problem->jacobian);
    const int e = s.column_offset[s.num_eliminated];
    const int f = s.num_columns() - e;
    const Eigen::MatrixXd coupling =
        SolveDense(normal.topLeftCorner(e, e), normal.topRightCorner(e, f));
    const Eigen::MatrixXd expected_s = normal.bottomRightCorner(f, f) -
                                       normal.bottomLeftCorner(f, e) * coupling;
    const Eigen::VectorXd expected_rhs =
        coupling.transpose() * gradient.head(e) - gradient.tail(f);
    const Eigen::VectorXd expected_step =
        DenseStep(problem->jacobian, problem->damping.data());
    for (const SchurFormation formation : kFormations) {
      for (const PointDiagonal diagonal :
           {PointDiagonal::kFused, PointDiagonal::kSplit}) {
        kernels::ForEachTarget([&] {
          const Reduced found = Reduce(*problem, {}, diagonal, formation);
          EXPECT_LT((found.s - expected_s).norm(), 1e-10 * normal.norm());
          EXPECT_LT((found.rhs - expected_rhs).norm(), 1e-10 * gradient.norm());
          EXPECT_LT((found.step - expected_step).norm(),
                    1e-8 * expected_step.norm());
          EXPECT_NEAR(found.decrease,
                      DenseModelCostChange(problem->jacobian, expected_step),
                      1e-10 * DenseResiduals(problem->jacobian).squaredNorm());
        });
      }
    }
  }
}

TEST(SchurEliminator, BitsDoNotDependOnTheNumberOfThreads) {
  RandomSchurOptions regular;
  regular.num_points = 3000;
  regular.num_cameras = 40;
  regular.num_row_chunks = 24;
  RandomSchurOptions mixed = regular;
  mixed.num_points = 600;
  mixed.camera_sizes = {3, 6, 9};
  mixed.max_cells = 2;
  mixed.repeat_cameras = true;
  mixed.num_other_rows = 200;
  for (const RandomSchurOptions& options : {regular, mixed}) {
    const auto problem = MakeRandomSchurJacobian(options);
    for (const SchurFormation formation : kFormations) {
      const Reduced expected =
          Reduce(*problem, {}, PointDiagonal::kFused, formation);
      for (const int num_threads : {1, 2, 3, 4, 8}) {
        TestThreads threads(num_threads);
        const Reduced found = Reduce(*problem, threads.execution(),
                                     PointDiagonal::kFused, formation);
        EXPECT_TRUE((found.s.array() == expected.s.array()).all());
        EXPECT_TRUE((found.rhs.array() == expected.rhs.array()).all());
        EXPECT_TRUE((found.step.array() == expected.step.array()).all());
        EXPECT_EQ(found.decrease, expected.decrease);
      }
    }
  }
}

// Batches, single points and gathering by row, over several batches.
TEST(SchurEliminator, FormationsAgreeForManyPointsOnEveryTarget) {
  for (const int f : {6, 9, 10}) {
    RandomSchurOptions options;
    options.camera_sizes = {f};
    options.num_cameras = 9;
    options.max_rows_per_point = 9;
    options.num_points = 1000;
    const auto problem = MakeRandomSchurJacobian(options);
    kernels::ForEachTarget([&] {
      const Reduced gathered = Reduce(*problem, {}, PointDiagonal::kFused,
                                      SchurFormation::kGatherByRow);
      for (const PointDiagonal diagonal :
           {PointDiagonal::kFused, PointDiagonal::kSplit}) {
        const Reduced summed =
            Reduce(*problem, {}, diagonal, SchurFormation::kPartialSums);
        EXPECT_LT((summed.s - gathered.s).norm(), 1e-13 * gathered.s.norm());
        EXPECT_LT((summed.rhs - gathered.rhs).norm(),
                  1e-13 * gathered.rhs.norm());
        EXPECT_LT((summed.step - gathered.step).norm(),
                  1e-12 * gathered.step.norm());
      }
    });
  }
}

TEST(SchurEliminator, NamesTheFirstEliminatedBlockThatIsNotDetermined) {
  RandomSchurOptions regular;
  regular.num_points = 40;
  regular.num_row_chunks = 8;
  RandomSchurOptions one_chunk = regular;
  one_chunk.num_row_chunks = 1;
  RandomSchurOptions mixed = one_chunk;
  mixed.camera_sizes = {3, 9};
  for (const RandomSchurOptions& options : {regular, one_chunk, mixed}) {
    const auto problem = MakeRandomSchurJacobian(options);
    for (const int point : {31, 14, 12}) {
      problem->damping[problem->structure.column_offset[point]] =
          std::numeric_limits<double>::quiet_NaN();
    }
    for (const SchurFormation formation : kFormations) {
      const SchurPlan plan({}, problem->structure,
                           ReducedMatrix::kSchurComplement,
                           PointDiagonal::kFused, formation);
      kernels::ForEachTarget([&] {
        for (const auto keep_u :
             {SchurEliminator::KeepU::kNo, SchurEliminator::KeepU::kYes}) {
          SchurEliminator eliminator({}, plan, keep_u);
          std::string message;
          EXPECT_FALSE(eliminator.Eliminate(problem->jacobian,
                                            problem->damping.data(), &message));
          EXPECT_THAT(message, testing::HasSubstr("eliminated block 12 "));
        }
      });
    }
  }
}

TEST(BackSubstitutePoints, GivesTheSameBitsForPointsTogetherAndAlone) {
  for (const int f : {6, 9, 10}) {
    RandomSchurOptions options;
    options.camera_sizes = {f};
    options.num_points = 70;
    options.num_cameras = 30;
    options.max_rows_per_point = 30;
    const auto problem = MakeRandomSchurJacobian(options);
    const BlockJacobianStructure& s = problem->structure;
    const SchurPlan plan({}, s, ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
    kernels::SchurView view = plan.View();
    view.values = problem->jacobian.values.data();
    const kernels::SchurShape shape = plan.ranges().front().shape;
    ASSERT_NE(shape, kernels::SchurShape::kDynamic);
    std::mt19937 random(3);
    AlignedBuffer factor(plan.storage().factor_size());
    FillWithRandomValues(&random, factor.data(), plan.storage().factor_size());
    std::vector<double> start(s.num_columns());
    FillWithRandomValues(&random, start.data(), s.num_columns());
    std::vector<double> scratch(plan.sizes().max_point_residuals +
                                2 * plan.sizes().max_eliminated_width);
    kernels::ForEachTarget([&] {
      std::vector<double> together = start;
      kernels::BackSubstitutePoints(view, factor.data(), shape, 0,
                                    plan.num_points(), scratch.data(),
                                    together.data());
      std::vector<double> alone = start;
      for (int point = 0; point < plan.num_points(); ++point) {
        kernels::BackSubstitutePoints(view, factor.data(), shape, point,
                                      point + 1, scratch.data(), alone.data());
      }
      EXPECT_EQ(together, alone);
      EXPECT_NE(together, start);
    });
  }
}

}  // namespace
}  // namespace ceres::internal
