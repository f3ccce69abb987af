// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/cluster_preconditioner.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ceres/linear/dense_test_utils.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/schur/view_clusters.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A walk along a street of houses: cameras stand in groups before one house
// each, and see its points and a few of the next house's.
std::unique_ptr<RandomJacobian> MakeStreet(int num_houses, int seed,
                                           double damping) {
  constexpr int kCameras = 5;
  constexpr int kPoints = 40;
  auto result = std::make_unique<RandomJacobian>();
  BlockJacobianStructure& s = result->structure;
  std::mt19937 random(seed);
  const int num_points = num_houses * kPoints;
  const int num_cameras = num_houses * kCameras;
  for (int p = 0; p < num_points; ++p) {
    s.column_offset.push_back(s.num_columns() + 3);
  }
  for (int c = 0; c < num_cameras; ++c) {
    s.column_offset.push_back(s.num_columns() + (c % 7 == 3 ? 4 : 6));
  }
  s.num_eliminated = num_points;
  for (int p = 0; p < num_points; ++p) {
    const int house = p / kPoints;
    std::vector<int> cameras;
    for (int c = 0; c < kCameras; ++c) {
      if (random() % 8 != 0) cameras.push_back(house * kCameras + c);
    }
    if (p % 4 == 0 && house + 1 < num_houses) {
      cameras.push_back((house + 1) * kCameras + p % kCameras);
    }
    for (const int c : cameras) AppendRowBlock(2, {p, num_points + c}, &s);
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  // Something that two cameras share without a point.
  AppendRowBlock(2, {num_points, num_points + 1}, &s);
  CutEvenly(6, &s);
  FillJacobian(&random, result.get());
  result->damping = Eigen::VectorXd::Constant(s.num_columns(), damping);
  return result;
}

// How similar the views are, from the structure of J alone, densely.
Eigen::MatrixXd DenseIncidence(const BlockJacobianStructure& s) {
  Eigen::MatrixXd sees = Eigen::MatrixXd::Zero(
      s.num_eliminated, s.num_column_blocks() - s.num_eliminated);
  for (int row = 0; row < s.eliminated_first_row.back(); ++row) {
    const int first = s.first_cell[row];
    for (int c = first + 1; c < s.first_cell[row + 1]; ++c) {
      sees(s.cell_column[first], s.cell_column[c] - s.num_eliminated) = 1.0;
    }
  }
  return sees;
}

SimilarityGraph GraphOf(const Eigen::MatrixXd& sees) {
  const Eigen::MatrixXd common = sees.transpose() * sees;
  SimilarityGraph graph;
  graph.edges.resize(common.rows());
  for (int i = 0; i < common.rows(); ++i) {
    for (int j = 0; j < common.cols(); ++j) {
      if (i == j || common(i, j) == 0.0) continue;
      graph.edges[i].push_back(
          {j, common(i, j) / std::sqrt(common(i, i) * common(j, j))});
    }
  }
  return graph;
}

// 1 where views are in one cluster or in neighbours on a path, else 0.
Eigen::MatrixXi DenseSelection(const BlockJacobianStructure& s,
                               PreconditionerType type,
                               VisibilityClusteringType clustering) {
  const Eigen::MatrixXd sees = DenseIncidence(s);
  const std::vector<int> cluster = ClusterViews(clustering, GraphOf(sees));
  const int num_clusters =
      1 + *std::max_element(cluster.begin(), cluster.end());
  Eigen::MatrixXd clusters_see =
      Eigen::MatrixXd::Zero(sees.rows(), num_clusters);
  for (int v = 0; v < sees.cols(); ++v) {
    auto column = clusters_see.col(cluster[v]);
    column = column.cwiseMax(sees.col(v)).eval();
  }
  const auto paths = FindHeavyPaths(GraphOf(clusters_see));
  Eigen::MatrixXi selection(sees.cols(), sees.cols());
  for (int i = 0; i < sees.cols(); ++i) {
    for (int j = 0; j < sees.cols(); ++j) {
      selection(i, j) =
          cluster[i] == cluster[j] ||
          (type == CLUSTER_TRIDIAGONAL && paths[cluster[i]].Has(cluster[j]));
    }
  }
  return selection;
}

// S with zeros where nothing is selected.
Eigen::MatrixXd Mask(const Eigen::MatrixXd& s, const Eigen::MatrixXi& selection,
                     const BlockJacobianStructure& structure) {
  Eigen::MatrixXd m = s;
  const int num_e = structure.num_eliminated;
  const int first = structure.column_offset[num_e];
  for (int i = 0; i < selection.rows(); ++i) {
    for (int j = 0; j < selection.cols(); ++j) {
      m.block(structure.column_offset[num_e + i] - first,
              structure.column_offset[num_e + j] - first,
              structure.column_size(num_e + i),
              structure.column_size(num_e + j)) *= selection(i, j);
    }
  }
  return m;
}

SparseCholesky::Options EigenSparse() {
  SparseCholesky::Options options;
  options.library = EIGEN_SPARSE;
  return options;
}

Eigen::VectorXd ApplyTo(const RandomJacobian& problem, ReducedMatrix matrix,
                        PreconditionerType type,
                        VisibilityClusteringType clustering,
                        const Execution& execution, const Eigen::VectorXd& x) {
  const bool complement = matrix == ReducedMatrix::kSchurComplement;
  const SchurPlan plan(execution, problem.structure, matrix,
                       complement ? kernels::PointDiagonal::kFused
                                  : kernels::PointDiagonal::kNone);
  SchurEliminator eliminator(execution, plan, SchurEliminator::KeepU::kYes);
  const auto preconditioner = CreateClusterPreconditioner(
      type, clustering, EigenSparse(), execution, plan);
  std::string message;
  EXPECT_TRUE(
      eliminator.Eliminate(problem.jacobian, problem.damping.data(), &message));
  EXPECT_EQ(preconditioner->Update(eliminator, &message),
            LinearSolverTermination::kSuccess)
      << message;
  Eigen::VectorXd y(x.size());
  preconditioner->Apply(x.data(), y.data());
  return y;
}

TEST(ClusterPreconditioner, InvertsTheSelectedBlocksOfADenseS) {
  for (const double damping : {0.5, 0.02}) {
    const auto problem = MakeStreet(4, 1, damping);
    const Eigen::MatrixXd s = DenseSchurComplement(*problem);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(s.cols(), -1.0, 1.0);
    for (const auto type : {CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
      for (const auto clustering : {CANONICAL_VIEWS, SINGLE_LINKAGE}) {
        const Eigen::MatrixXi selection =
            DenseSelection(problem->structure, type, clustering);
        const Eigen::MatrixXd m = Mask(s, selection, problem->structure);
        ASSERT_TRUE(IsPositiveDefinite(m));
        for (const auto matrix : {ReducedMatrix::kSchurComplement,
                                  ReducedMatrix::kRemainingBlocks}) {
          const Eigen::VectorXd y =
              ApplyTo(*problem, matrix, type, clustering, {}, x);
          EXPECT_LT((m * y - x).norm(), 1e-8 * x.norm())
              << damping << " " << type << " " << clustering;
        }
      }
    }
  }
}

// Three cameras of one value, S = [1 1 1]'[1 1 1] + 0.01, each a cluster, on
// the path 0 - 1 - 2. Without its corner S has the eigenvalue 1.01 - sqrt(2).
TEST(ClusterPreconditioner, HalvesWhatIsBetweenClustersWhereMIsIndefinite) {
  RandomJacobian problem;
  BlockJacobianStructure& s = problem.structure;
  s.column_offset = {0, 1, 2, 3, 4, 5};
  s.num_eliminated = 2;
  AppendRowBlock(1, {0, 2}, &s);
  AppendRowBlock(1, {0, 3}, &s);
  AppendRowBlock(1, {1, 3}, &s);
  AppendRowBlock(1, {1, 4}, &s);
  s.eliminated_first_row = {0, 2, 4};
  AppendRowBlock(1, {2, 3, 4}, &s);
  CutIntoRowChunks(&s);
  problem.jacobian.structure = &s;
  problem.jacobian.values.Resize(s.num_values());
  std::fill_n(problem.jacobian.values.data(), s.num_values(), 0.0);
  std::fill_n(problem.jacobian.row_block(4), 4, 1.0);
  problem.damping = Eigen::VectorXd::Constant(5, 0.1);
  Eigen::Matrix3d m;
  m << 1.01, 0.5, 0.0, 0.5, 1.01, 0.5, 0.0, 0.5, 1.01;
  const Eigen::VectorXd x = Eigen::Vector3d(3.0, -1.0, 2.0);
  for (const auto matrix :
       {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
    const Eigen::VectorXd y =
        ApplyTo(problem, matrix, CLUSTER_TRIDIAGONAL, CANONICAL_VIEWS, {}, x);
    EXPECT_LT((m * y - x).norm(), 1e-12);
  }
}

TEST(ClusterPreconditioner, BitsDoNotDependOnTheNumberOfThreads) {
  const auto problem = MakeStreet(12, 2, 0.3);
  const int n =
      problem->structure.num_columns() -
      problem->structure.column_offset[problem->structure.num_eliminated];
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1.0, 1.0);
  for (const auto matrix :
       {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
    for (const auto type : {CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL}) {
      EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
        return ApplyTo(*problem, matrix, type, CANONICAL_VIEWS, execution, x);
      }));
    }
  }
}

int NumIterations(const RandomJacobian& problem, PreconditionerType type) {
  SchurSolverOptions options;
  options.method = SchurSolverOptions::Method::kIterative;
  options.sparse = EigenSparse();
  options.preconditioner = type;
  LinearSolver::SolveOptions solve;
  solve.damping = problem.damping.data();
  solve.r_tolerance = 1e-8;
  Eigen::VectorXd step(problem.structure.num_columns());
  const LinearSolverSummary summary =
      CreateSchurSolver(options, {}, problem.structure)
          ->Solve(problem.jacobian, solve, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  return summary.num_iterations;
}

TEST(ClusterPreconditioner, SavesIterationsWhereCamerasStandInGroups) {
  const auto problem = MakeStreet(16, 3, 0.1);
  const int blocks = NumIterations(*problem, SCHUR_JACOBI);
  const int clusters = NumIterations(*problem, CLUSTER_JACOBI);
  const int paths = NumIterations(*problem, CLUSTER_TRIDIAGONAL);
  EXPECT_LT(clusters, 0.7 * blocks);
  EXPECT_LT(paths, clusters);
}

}  // namespace
}  // namespace ceres::internal
