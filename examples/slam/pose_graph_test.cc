// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Whole solves of published pose graphs: the costs that they must reach, and
// that they reach them with the same bits whatever the number of threads.

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "Eigen/Cholesky"
#include "ceres/ceres.h"
#include "ceres/constants.h"
#include "ceres/context_impl.h"
#include "ceres/solver/shared_data.h"
#include "gtest/gtest.h"
#include "slam/common/read_g2o.h"
#include "slam/pose_graph_2d/angle_manifold.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"
#include "slam/pose_graph_2d/pose_graph_2d_problem.h"
#include "slam/pose_graph_3d/pose_graph_3d_error_term.h"
#include "slam/pose_graph_3d/pose_graph_3d_problem.h"

namespace ceres::examples {
namespace {

// Nothing where the data sets are absent.
template <typename Graph>
std::optional<Graph> ReadPublished(const std::string& name) {
  const auto text = internal::ReadSharedData("pose_graph/" + name + ".g2o");
  if (!text.has_value()) return std::nullopt;
  Graph graph;
  std::string error;
  EXPECT_TRUE(ParseG2o(*text, name, &graph, &error)) << error;
  return graph;
}

Solver::Options SolverOptions(int num_threads) {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  // ais2klinik is still on its way then, and was when its cost was published.
  options.max_num_iterations = 100;
  options.num_threads = num_threads;
  options.logging_type = SILENT;
  return options;
}

// The published costs are those of |L r|^2, with r the unweighted residual and
// L the *lower* Cholesky factor of the information matrix I = L L'. The log
// likelihood is r' I r = |L' r|^2 instead, which is what BuildProblem takes. As
// |L r|^2 = r' (L' L) r, the published problem is that of the information
// matrix L' L. The two are the same where I is diagonal.
template <typename Graph>
void WeighAsPublished(Graph* graph) {
  for (auto& constraint : graph->constraints) {
    const auto l =
        constraint.information.llt().matrixL().toDenseMatrix().eval();
    constraint.information = l.transpose() * l;
  }
}

struct PublishedCost {
  const char* name;
  // As published, with its weights.
  double cost;
  // With the information matrices of the file, computed with Ceres 2.1.0.
  double likelihood_cost;
};

template <typename Graph>
double FinalCost(Graph graph) {
  Problem problem;
  BuildProblem(&graph, &problem);
  Solver::Summary summary;
  Solve(SolverOptions(1), &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  return summary.final_cost;
}

template <typename Graph>
void ExpectPublishedCost(const PublishedCost& published) {
  // As many digits as were published.
  constexpr double kTolerance = 1e-6;
  std::optional<Graph> graph = ReadPublished<Graph>(published.name);
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  EXPECT_NEAR(FinalCost(*graph), published.likelihood_cost,
              kTolerance * published.likelihood_cost);
  WeighAsPublished(&*graph);
  EXPECT_NEAR(FinalCost(*graph), published.cost, kTolerance * published.cost);
}

class Pose2dTest : public ::testing::TestWithParam<PublishedCost> {};
class Pose3dTest : public ::testing::TestWithParam<PublishedCost> {};

TEST_P(Pose2dTest, ReachesThePublishedCost) {
  ExpectPublishedCost<PoseGraph2d>(GetParam());
}
TEST_P(Pose3dTest, ReachesThePublishedCost) {
  ExpectPublishedCost<PoseGraph3d>(GetParam());
}

const auto kGraphName =
    [](const ::testing::TestParamInfo<PublishedCost>& info) {
      std::string name = info.param.name;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    };

INSTANTIATE_TEST_SUITE_P(
    , Pose2dTest,
    ::testing::Values(PublishedCost{"M3500", 6.895648e1, 6.895648e1},
                      PublishedCost{"city10000", 2.559927e2, 2.559927e2},
                      PublishedCost{"intel", 2.293880e1, 2.220892e1},
                      PublishedCost{"ais2klinik", 8.670844e1, 8.633686e1}),
    kGraphName);

INSTANTIATE_TEST_SUITE_P(
    , Pose3dTest,
    ::testing::Values(PublishedCost{"sphere2500", 6.757562e2, 6.770087e2},
                      PublishedCost{"parking-garage", 6.341883e-1, 6.341936e-1},
                      PublishedCost{"sphere_slambook", 6.378687e4, 6.378687e4}),
    kGraphName);

struct Result {
  std::vector<double> costs;
  std::vector<double> parameters;
};

void AppendParameters(const Pose2d& pose, std::vector<double>* parameters) {
  parameters->insert(parameters->end(), {pose.x, pose.y, pose.yaw_radians});
}

void AppendParameters(const Pose3d& pose, std::vector<double>* parameters) {
  parameters->insert(parameters->end(), pose.p.data(), pose.p.data() + 3);
  const Eigen::Vector4d& q = pose.q.coeffs();
  parameters->insert(parameters->end(), q.data(), q.data() + 4);
}

template <typename Graph>
Result SolveWithThreads(Graph graph, int num_threads) {
  // Threads really run and share every loop, also on a machine of fewer cpus.
  internal::ContextImpl context;
  context.thread_pool().SetRunningLimit(num_threads);
  context.thread_pool().SetSharing(parallel::Sharing::kAlways);
  Problem::Options problem_options;
  problem_options.context = &context;
  Problem problem(problem_options);
  BuildProblem(&graph, &problem);
  Solver::Summary summary;
  Solve(SolverOptions(num_threads), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;

  Result result;
  for (const IterationSummary& iteration : summary.iterations)
    result.costs.push_back(iteration.cost);
  for (const auto& [id, pose] : graph.poses)
    AppendParameters(pose, &result.parameters);
  return result;
}

// Compares bits, so that -0.0 differs from 0.0 and a NaN equals itself.
bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

template <typename Graph>
void ExpectSameBits(const std::string& name) {
  const std::optional<Graph> graph = ReadPublished<Graph>(name);
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  const Result reference = SolveWithThreads(*graph, 1);
  for (const int num_threads : {2, 4, 8}) {
    const Result result = SolveWithThreads(*graph, num_threads);
    EXPECT_TRUE(SameBits(result.costs, reference.costs)) << num_threads;
    EXPECT_TRUE(SameBits(result.parameters, reference.parameters))
        << num_threads;
  }
}

TEST(PoseGraph2d, HasTheSameBitsForEveryNumberOfThreads) {
  ExpectSameBits<PoseGraph2d>("M3500");
}

TEST(PoseGraph3d, HasTheSameBitsForEveryNumberOfThreads) {
  ExpectSameBits<PoseGraph3d>("sphere2500");
}

TEST(PoseGraph2dErrorTerm, VanishesWhereThePosesAreAsMeasured) {
  Constraint2d constraint;
  constraint.x = 1.0;
  constraint.y = 2.0;
  constraint.yaw_radians = 3.0;
  const PoseGraph2dErrorTerm term(constraint);
  // A quarter turn at (5, 6): b is at (5 - 2, 6 + 1), turned on by 3 radians.
  const double half_pi = std::acos(0.0);
  const double x_a = 5.0, y_a = 6.0, yaw_a = half_pi;
  const double x_b = 3.0, y_b = 7.0;
  const double yaw_b = half_pi + 3.0 - 4.0 * half_pi;
  double residual[3];
  ASSERT_TRUE(term(&x_a, &y_a, &yaw_a, &x_b, &y_b, &yaw_b, residual));
  for (const double r : residual) EXPECT_NEAR(r, 0.0, 1e-14);
}

TEST(PoseGraph2dErrorTerm, SquaredNormIsWeighedByTheInformation) {
  Constraint2d constraint;
  constraint.information << 4, 1, 2, 1, 5, -1, 2, -1, 6;
  const PoseGraph2dErrorTerm term(constraint);
  const double zero = 0.0;
  const Eigen::Vector3d r(0.1, 0.2, -0.3);
  Eigen::Vector3d residual;
  ASSERT_TRUE(term(&zero, &zero, &zero, &r[0], &r[1], &r[2], residual.data()));
  EXPECT_NEAR(residual.squaredNorm(), r.dot(constraint.information * r), 1e-14);
}

TEST(PoseGraph3dErrorTerm, MeasuresRotationsBySmallAnglesAroundAxes) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3.0;
  constexpr double kAngle = 1e-4;
  Constraint3d constraint;
  constraint.t_be.p = Eigen::Vector3d(1, 2, 3);
  constraint.t_be.q = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX());
  constraint.information.diagonal() << 1, 4, 9, 16, 25, 36;
  const PoseGraph3dErrorTerm term(constraint);
  Pose3d a;
  a.p = Eigen::Vector3d(-1, 0, 2);
  a.q = Eigen::AngleAxisd(1.1, Eigen::Vector3d(0, 0.6, 0.8));
  const Eigen::Vector3d shift(0.1, 0.2, 0.3);
  Pose3d b;
  b.p = a.p + a.q * (constraint.t_be.p + shift);
  b.q = a.q * Eigen::AngleAxisd(kAngle, axis) * constraint.t_be.q;
  Eigen::Matrix<double, 6, 1> residual;
  ASSERT_TRUE(term(a.p.data(), a.q.coeffs().data(), b.p.data(),
                   b.q.coeffs().data(), residual.data()));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(residual[i], (i + 1) * shift[i], 1e-14);
    // 2 sin(angle / 2) is the angle but for its cube.
    EXPECT_NEAR(residual[3 + i], (i + 4) * kAngle * axis[i], 1e-11);
  }
}

TEST(AngleManifold, GoesTheShortWayRound) {
  const AngleManifold manifold;
  const double x = 3.0, y = -3.0;
  double y_minus_x = 0.0;
  ASSERT_TRUE(manifold.Minus(&y, &x, &y_minus_x));
  EXPECT_NEAR(y_minus_x, 2.0 * constants::pi - 6.0, 1e-15);
  double sum = 0.0;
  ASSERT_TRUE(manifold.Plus(&x, &y_minus_x, &sum));
  EXPECT_NEAR(sum, y, 1e-15);
}

TEST(BuildProblem, HoldsTheFirstPoseThatAConstraintTouches) {
  PoseGraph2d graph;
  for (const int id : {1, 4, 9}) graph.poses[id] = {};
  Constraint2d constraint;
  constraint.id_begin = 9;
  constraint.id_end = 4;
  graph.constraints.push_back(constraint);
  Problem problem;
  BuildProblem(&graph, &problem);
  EXPECT_EQ(problem.NumParameterBlocks(), 6);
  EXPECT_TRUE(problem.IsParameterBlockConstant(&graph.poses[4].x));
  EXPECT_TRUE(problem.IsParameterBlockConstant(&graph.poses[4].yaw_radians));
  EXPECT_FALSE(problem.IsParameterBlockConstant(&graph.poses[9].y));
  EXPECT_TRUE(problem.HasManifold(&graph.poses[9].yaw_radians));
}

}  // namespace
}  // namespace ceres::examples
