// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <random>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/factors/relative_factors.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/normal_prior.h"
#include "ceres/pose_graph.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using ::testing::HasSubstr;

// A chain of poses of a group with a loop, and noise.
template <typename Group>
struct Chain {
  static constexpr int kSize = Group::kAmbientSize;
  static constexpr int kTangent = Group::kTangentSize;

  Chain() : poses(12 * kSize) {
    std::normal_distribution<double> normal;
    const auto draw = [&](double scale, double* element) {
      double tangent[kTangent];
      for (double& v : tangent) v = scale * normal(random);
      Group::Exp(tangent, element);
    };
    for (int i = 0; i < 12; ++i) draw(1.0, Pose(i));
    Eigen::Matrix<double, kTangent, kTangent> W;
    W.setIdentity();
    W *= 10.0;
    for (int i = 0; i < 12; ++i) {
      double between[kSize], noise[kSize], measured[kSize];
      Group::Between(Pose(i), Pose((i + 1) % 12), between);
      draw(0.1, noise);
      Group::Compose(between, noise, measured);
      problem.AddResidualBlock(
          factors::BetweenFactor<Group>::Create(measured, W), nullptr, Pose(i),
          Pose((i + 1) % 12));
    }
    for (int i = 0; i < 12; ++i) {
      problem.SetManifold(Pose(i), new factors::GroupManifold<Group>);
    }
    problem.SetParameterBlockConstant(Pose(3));
  }
  double* Pose(int i) { return poses.data() + i * kSize; }

  std::mt19937 random{1};
  std::vector<double> poses;
  Problem problem;
};

template <typename Group>
class PoseGraphOfProblemTest : public ::testing::Test {};
using Groups = ::testing::Types<factors::SE2, factors::SE3, factors::EigenSE3>;
TYPED_TEST_SUITE(PoseGraphOfProblemTest, Groups);

TYPED_TEST(PoseGraphOfProblemTest, HasTheSameMinimum) {
  Chain<TypeParam> chain;
  io::PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  ASSERT_TRUE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error))
      << error;
  EXPECT_EQ(graph.vertices.size(), 12u);
  EXPECT_EQ(graph.edges.size(), 12u);
  PoseGraphOptions options;
  options.solver.logging_type = SILENT;
  options.solver.function_tolerance = 1e-14;
  PoseGraphSummary summary;
  SolvePoseGraphGlobally(options, &graph, &summary);
  ASSERT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(summary.certificate.statement, PoseGraphStatement::kCertified);
  EXPECT_FALSE(summary.certificate.is_anisotropic);
  const std::vector<double> fixed(chain.Pose(3), chain.Pose(4));
  WritePosesToProblem(graph, blocks, chain.problem);
  EXPECT_EQ(std::vector<double>(chain.Pose(3), chain.Pose(4)), fixed);
  double cost = 0.0;
  ASSERT_TRUE(chain.problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_NEAR(cost, summary.geodesic.final_cost, 1e-9 * cost);
  Solver::Summary again;
  Solve(options.solver, &chain.problem, &again);
  EXPECT_NEAR(again.final_cost, cost, 1e-9 * cost);
}

TEST(PoseGraphOfProblem, NamesTheConstraintThatItRefuses) {
  io::PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  Chain<factors::SE3> chain;
  chain.problem.SetConstraintName(
      chain.problem.AddEqualityConstraint(
          new NormalPrior(Eigen::MatrixXd::Identity(7, 7),
                          Eigen::VectorXd::Zero(7)),
          {chain.Pose(0)}),
      "rod");
  EXPECT_FALSE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error));
  EXPECT_THAT(error, HasSubstr("does not support constraints"));
  EXPECT_THAT(error, HasSubstr("\"rod\""));
}

TEST(PoseGraphOfProblem, NamesTheResidualBlockThatItRefuses) {
  io::PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  {
    Problem problem;
    EXPECT_FALSE(PoseGraphOfProblem(problem, &graph, &blocks, &error));
    EXPECT_THAT(error, HasSubstr("no residual blocks"));
  }
  {
    Chain<factors::SE3> chain;
    chain.problem.AddResidualBlock(
        new NormalPrior(Eigen::MatrixXd::Identity(7, 7),
                        Eigen::VectorXd::Zero(7)),
        nullptr, chain.Pose(0));
    EXPECT_FALSE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error));
    EXPECT_THAT(error, HasSubstr("Residual block 12 is not the BetweenFactor"));
  }
  {
    Chain<factors::SE2> chain;
    double one[3] = {};
    chain.problem.AddResidualBlock(factors::BetweenFactor<factors::SE2>::Create(
                                       one, Eigen::Matrix3d::Identity()),
                                   new HuberLoss(1.0), chain.Pose(0),
                                   chain.Pose(5));
    EXPECT_FALSE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error));
    EXPECT_THAT(error, HasSubstr("Residual block 12 has a loss function"));
  }
  {
    Chain<factors::SE2> chain;
    double point[2] = {};
    chain.problem.AddParameterBlock(point, 2);
    EXPECT_FALSE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error));
    EXPECT_THAT(error, HasSubstr("is not a pose: it has size"));
  }
  {
    Chain<factors::SE2> chain;
    chain.problem.SetManifold(chain.Pose(1),
                              new SubsetManifold(3, std::vector<int>{0}));
    EXPECT_FALSE(PoseGraphOfProblem(chain.problem, &graph, &blocks, &error));
    EXPECT_THAT(error, HasSubstr("has 2 degrees of freedom"));
  }
  EXPECT_TRUE(graph.vertices.empty());
}

}  // namespace
}  // namespace ceres
