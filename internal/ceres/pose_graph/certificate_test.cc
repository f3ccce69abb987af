// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/certificate.h"

#include <random>
#include <string>
#include <vector>

#include "Eigen/Eigenvalues"
#include "Eigen/LU"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/chordal_minimizer.h"
#include "ceres/pose_graph/pose_graph_start.h"
#include "ceres/pose_graph/pose_graph_test_utils.h"
#include "ceres/pose_graph/position_solver.h"
#include "ceres/pose_graph/stiefel.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

ChordalGraph MakeChordal(const io::PoseGraph& graph) {
  ChordalGraph chordal;
  std::string error;
  EXPECT_TRUE(chordal.Create(graph, &error)) << error;
  return chordal;
}

// M, as the derivative of the quadratic form says.
Eigen::MatrixXd DenseM(const ChordalGraph& graph) {
  const int size = graph.width() * graph.num_poses();
  return graph.TimesM(Eigen::MatrixXd::Identity(size, size));
}

// The least eigenvalue of S v = l W v, with positions eliminated.
double LeastEigenvalue(const ChordalGraph& graph, const Poses& X) {
  const int d = graph.dimension();
  const int w = graph.width();
  const int n = graph.num_poses();
  Eigen::MatrixXd S = DenseM(graph);
  const auto multipliers = Multipliers(graph, X, graph.TimesM(X));
  std::vector<int> rotations, positions;
  Eigen::VectorXd weights(d * n);
  for (int i = 0; i < n; ++i) {
    S.block(i * w, i * w, d, d) -= multipliers[i];
    for (int k = 0; k < d; ++k) {
      weights[static_cast<int>(rotations.size())] = graph.weights()[i];
      rotations.push_back(i * w + k);
    }
    if (i > 0) positions.push_back(i * w + d);
  }
  const Eigen::MatrixXd S_pp = S(positions, positions);
  const Eigen::MatrixXd S_pr = S(positions, rotations);
  const Eigen::MatrixXd Q = Eigen::MatrixXd(S(rotations, rotations)) -
                            S_pr.transpose() * S_pp.ldlt().solve(S_pr);
  const Eigen::VectorXd scale = weights.cwiseSqrt().cwiseInverse();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
             scale.asDiagonal() * Q * scale.asDiagonal(),
             Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

TEST(ChordalGraph, HasTheWeightsOfThePaper) {
  std::mt19937 random(1);
  RandomGraphOptions options;
  options.num_poses = 2;
  options.num_loops = 0;
  for (const int d : {2, 3}) {
    options.dimension = d;
    io::PoseGraph graph = MakeRandomGraph(options, &random);
    const int size = d == 2 ? 3 : 6;
    Eigen::MatrixXd A = Eigen::MatrixXd::Random(size, size);
    A = A * A.transpose() + Eigen::MatrixXd::Identity(size, size);
    Eigen::Map<Eigen::MatrixXd>(graph.edges[0].information.data(), size, size) =
        A;
    const ChordalGraph chordal = MakeChordal(graph);
    const Eigen::MatrixXd O_t = A.topLeftCorner(d, d);
    const Eigen::MatrixXd O_R = A.bottomRightCorner(size - d, size - d);
    EXPECT_NEAR(chordal.edges()[0].tau, d / O_t.inverse().trace(), 1e-12);
    EXPECT_NEAR(chordal.edges()[0].kappa,
                d == 2 ? O_R(0, 0) : 1.5 / O_R.inverse().trace(), 1e-12);
    EXPECT_TRUE(chordal.is_anisotropic());
    // A >= s diag(tau, 2 kappa), and no larger s.
    Eigen::VectorXd b(size);
    b.head(d).setConstant(chordal.edges()[0].tau);
    b.tail(size - d).setConstant(2.0 * chordal.edges()[0].kappa);
    const Eigen::MatrixXd rest =
        A - chordal.isotropy() * Eigen::MatrixXd(b.asDiagonal());
    EXPECT_NEAR(
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(rest).eigenvalues()[0],
        0.0, 1e-9);
  }
}

TEST(ChordalGraph, CostIsTheQuadraticForm) {
  std::mt19937 random(2);
  for (const int d : {2, 3}) {
    RandomGraphOptions options;
    options.dimension = d;
    const io::PoseGraph graph = MakeRandomGraph(options, &random);
    const ChordalGraph chordal = MakeChordal(graph);
    const Poses X = Eigen::MatrixXd::Random(d + 2, (d + 1) * 30);
    const double cost = chordal.Cost(X);
    EXPECT_NEAR((X * DenseM(chordal) * X.transpose()).trace(), cost,
                1e-9 * cost);
    EXPECT_NEAR(chordal.TimesM(X).cwiseProduct(X).sum(), cost, 1e-9 * cost);
    // The sum of ceres/pose_graph.h at poses.
    const Poses P = chordal.ReadPoses(graph);
    double sum = 0.0;
    for (const ChordalGraph::Edge& edge : chordal.edges()) {
      const auto x = P.middleCols(edge.x * (d + 1), d + 1);
      const auto y = P.middleCols(edge.y * (d + 1), d + 1);
      const auto R = x.leftCols(d);
      sum +=
          edge.kappa *
              (y.leftCols(d) - R * edge.T.topLeftCorner(d, d)).squaredNorm() +
          edge.tau * (y.col(d) - x.col(d) - R * edge.T.topRightCorner(d, 1))
                         .squaredNorm();
    }
    EXPECT_NEAR(chordal.Cost(P), sum, 1e-9 * sum);
  }
}

TEST(ChordalGraph, ReadsWhatItWrites) {
  std::mt19937 random(3);
  for (const int d : {2, 3}) {
    RandomGraphOptions options;
    options.dimension = d;
    io::PoseGraph graph = MakeRandomGraph(options, &random);
    graph.vertices[4].is_fixed = true;
    const ChordalGraph chordal = MakeChordal(graph);
    io::PoseGraph written = graph;
    PerturbPoses(1.0, 1.0, &random, &written);
    written.vertices[4] = graph.vertices[4];
    chordal.WritePoses(chordal.ReadPoses(graph), &written);
    for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
      EXPECT_LT((ToPoseMatrix(d, written.vertices[i].value) -
                 ToPoseMatrix(d, graph.vertices[i].value))
                    .norm(),
                1e-13);
    }
  }
}

TEST(Stiefel, HasOrthonormalTangentsAndStays) {
  std::mt19937 random(4);
  for (const int d : {2, 3}) {
    for (int r = d; r < d + 4; ++r) {
      Eigen::MatrixXd X = Eigen::MatrixXd::Random(r, d + 1);
      X = Retract(X, Eigen::MatrixXd::Zero(r, d + 1));
      const auto Y = X.leftCols(d);
      EXPECT_TRUE((Y.transpose() * Y).isIdentity(1e-13));
      const Eigen::MatrixXd B = TangentBasis(X);
      ASSERT_EQ(B.cols(), TangentSize(r, d));
      EXPECT_TRUE((B.transpose() * B).isIdentity(1e-13));
      const double h = 1e-5;
      for (int k = 0; k < B.cols(); ++k) {
        const Eigen::VectorXd b = B.col(k);
        const Eigen::Map<const Eigen::MatrixXd> V(b.data(), r, d + 1);
        const auto V_Y = V.leftCols(d);
        // Y'V is skew.
        EXPECT_LT((Y.transpose() * V_Y + V_Y.transpose() * Y).norm(), 1e-13);
        EXPECT_LT((Retract(X, h * V) - X - h * V).norm(), h * h);
      }
    }
  }
}

TEST(ChordalMinimizer, ReachesStationaryPointsOfEachRank) {
  std::mt19937 random(5);
  for (const int d : {2, 3}) {
    for (int r = d; r < d + 3; ++r) {
      RandomGraphOptions options;
      options.dimension = d;
      options.rotation_noise = 0.3;
      const io::PoseGraph graph = MakeRandomGraph(options, &random);
      const ChordalGraph chordal = MakeChordal(graph);
      GraphPattern pattern(chordal);
      PositionSolver positions(&pattern, Execution());
      Poses X = Poses::Zero(r, (d + 1) * 30);
      X.topRows(d) = chordal.ReadPoses(graph);
      for (int i = 1; i < 30; ++i) {
        X.middleCols(i * (d + 1), d + 1) =
            Retract(X.middleCols(i * (d + 1), d + 1),
                    0.5 * Eigen::MatrixXd::Random(r, d + 1));
      }
      ChordalMinimizer minimizer(&pattern, r, Execution(), &positions);
      const double before = chordal.Cost(X);
      const auto result = minimizer.Minimize(200, &X);
      EXPECT_TRUE(result.has_converged);
      EXPECT_LT(result.cost, before);
      const Eigen::MatrixXd G = chordal.TimesM(X);
      for (int i = 0; i < 30; ++i) {
        const Eigen::MatrixXd X_i = X.middleCols(i * (d + 1), d + 1);
        const Eigen::MatrixXd G_i = G.middleCols(i * (d + 1), d + 1);
        EXPECT_TRUE(
            (X_i.leftCols(d).transpose() * X_i.leftCols(d)).isIdentity(1e-12));
        const Eigen::Map<const Eigen::VectorXd> g(G_i.data(), G_i.size());
        EXPECT_LT((TangentBasis(X_i).transpose() * g).norm(),
                  1e-8 * chordal.weights()[i]);
      }
    }
  }
}

TEST(Certificate, AgreesWithTheDenseEigenvalue) {
  std::mt19937 random(6);
  int num_certified = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const int d = 2 + trial % 2;
    RandomGraphOptions options;
    options.dimension = d;
    options.num_poses = 12;
    options.num_loops = 8;
    options.rotation_noise = trial < 10 ? 0.05 : 0.5;
    options.position_noise = 0.2;
    const io::PoseGraph graph =
        trial < 20 ? MakeRandomGraph(options, &random)
                   : MakeTurnedRing(d, 12 + trial % 5, 1, 0.02, &random);
    const ChordalGraph chordal = MakeChordal(graph);
    GraphPattern pattern(chordal);
    PositionSolver positions(&pattern, Execution());
    ChordalMinimizer minimizer(&pattern, d, Execution(), &positions);
    Poses X = chordal.ReadPoses(graph);
    ASSERT_TRUE(minimizer.Minimize(200, &X).has_converged);
    const double cost = chordal.Cost(X);
    const auto result =
        Certificate(&pattern, Execution()).Certify(X, 1e-9 * cost);
    const double least = LeastEigenvalue(chordal, X);
    EXPECT_LE(result.min_eigenvalue_bound, least + 1e-10);
    if (least > -1e-9) {
      ++num_certified;
      EXPECT_EQ(result.direction.size(), 0);
      EXPECT_NEAR(result.lower_bound, cost, 1e-9 * cost);
    } else {
      ASSERT_GT(result.direction.size(), 0);
      EXPECT_GE(result.min_eigenvalue_bound, 10.1 * least);
      EXPECT_NEAR(result.curvature, least, 0.05 * std::abs(least));
      EXPECT_LT(result.lower_bound, cost);
    }
  }
  EXPECT_GE(num_certified, 10);
  EXPECT_LE(num_certified, 20);
}

TEST(PositionSolver, LeavesNoGradient) {
  std::mt19937 random(7);
  for (const int d : {2, 3}) {
    RandomGraphOptions options;
    options.dimension = d;
    const io::PoseGraph graph = MakeRandomGraph(options, &random);
    const ChordalGraph chordal = MakeChordal(graph);
    GraphPattern pattern(chordal);
    PositionSolver positions(&pattern, Execution());
    Poses X = Eigen::MatrixXd::Random(d + 1, (d + 1) * 30);
    const Eigen::VectorXd root = X.col(d);
    positions.Solve(&X);
    EXPECT_TRUE(X.col(d) == root);
    const Eigen::MatrixXd G = chordal.TimesM(X);
    for (int i = 0; i < 30; ++i) {
      EXPECT_LT(G.col(i * (d + 1) + d).norm(), 1e-8 * chordal.total_weight());
    }
  }
}

}  // namespace
}  // namespace ceres::internal
