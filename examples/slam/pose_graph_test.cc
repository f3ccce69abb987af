// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Whole solves of published pose graphs: the costs that they must reach, and
// that they reach them with the same bits whatever the number of threads.

#include <optional>
#include <string>
#include <vector>

#include "Eigen/Cholesky"
#include "ceres/ceres.h"
#include "ceres/execution/context_impl.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/common/edge_weights.h"
#include "slam/common/pose_graph_problem.h"

namespace ceres::examples {
namespace {

// Nothing where the data sets are absent.
std::optional<io::PoseGraph> ReadPublished(const std::string& name) {
  const auto text = internal::ReadSharedData("pose_graph/" + name + ".g2o");
  if (!text.has_value()) return std::nullopt;
  io::PoseGraph graph;
  std::string error;
  EXPECT_TRUE(io::ParseG2o(*text, name, {}, &graph, &error)) << error;
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
template <int kSize>
void WeighAsPublished(io::PoseGraph* graph) {
  for (io::PoseGraph::Edge& edge : graph->edges) {
    const auto l =
        InformationOf<kSize>(edge).llt().matrixL().toDenseMatrix().eval();
    Eigen::Map<Eigen::Matrix<double, kSize, kSize>>(edge.information.data()) =
        l.transpose() * l;
  }
}

struct PublishedCost {
  const char* name;
  // As published, with its weights.
  double cost;
  // With the information matrices of the file, computed with Ceres 2.1.0.
  double likelihood_cost;
};

double FinalCost(io::PoseGraph graph) {
  Problem problem;
  BuildProblem(&graph, &problem);
  Solver::Summary summary;
  Solve(SolverOptions(1), &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  return summary.final_cost;
}

void ExpectPublishedCost(const PublishedCost& published) {
  // As many digits as were published.
  constexpr double kTolerance = 1e-6;
  std::optional<io::PoseGraph> graph = ReadPublished(published.name);
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  EXPECT_NEAR(FinalCost(*graph), published.likelihood_cost,
              kTolerance * published.likelihood_cost);
  if (graph->dimension == 2) {
    WeighAsPublished<3>(&*graph);
  } else {
    WeighAsPublished<6>(&*graph);
  }
  EXPECT_NEAR(FinalCost(*graph), published.cost, kTolerance * published.cost);
}

class Pose2dTest : public ::testing::TestWithParam<PublishedCost> {};
class Pose3dTest : public ::testing::TestWithParam<PublishedCost> {};

TEST_P(Pose2dTest, ReachesThePublishedCost) { ExpectPublishedCost(GetParam()); }
TEST_P(Pose3dTest, ReachesThePublishedCost) { ExpectPublishedCost(GetParam()); }

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

// Small graphs of the kinds that other programs write; an independent program
// has computed the costs.
struct FieldCost {
  const char* name;
  double cost;
};

class FieldGraphTest : public ::testing::TestWithParam<FieldCost> {};

TEST_P(FieldGraphTest, HasTheRightCost) {
  const auto text = internal::ReadSharedData(std::string("field/") +
                                             GetParam().name + ".g2o");
  if (!text.has_value())
    GTEST_SKIP() << "no field data in " << internal::SharedDataFolder();
  io::PoseGraph graph;
  std::string error;
  ASSERT_TRUE(io::ParseG2o(*text, GetParam().name, {}, &graph, &error))
      << error;
  EXPECT_NEAR(FinalCost(graph), GetParam().cost, 1e-6 * GetParam().cost);
}

INSTANTIATE_TEST_SUITE_P(
    , FieldGraphTest,
    ::testing::Values(FieldCost{"ring", 2.411288},
                      FieldCost{"ring_landmarks", 70.32031},
                      FieldCost{"ring_zero_information", 1.821953},
                      FieldCost{"ring_fix_20", 2.411288},
                      FieldCost{"ring_gtsam_keys", 2.411288},
                      FieldCost{"ring_timestamp_ids", 2.411288},
                      FieldCost{"ring_bom", 2.411288}),
    [](const ::testing::TestParamInfo<FieldCost>& info) {
      return std::string(info.param.name);
    });

struct Result {
  std::vector<double> costs;
  std::vector<double> parameters;
};

Result SolveWithThreads(io::PoseGraph graph, int num_threads) {
  // Threads really run and share every loop, also on a machine of fewer cpus.
  internal::ContextImpl context;
  context.thread_pool().SetRunningLimit(num_threads);
  context.thread_pool().SetSharing(parallel::Sharing::kAlways);
  Problem::Options problem_options;
  problem_options.context = &context;
  Problem problem(problem_options);
  BuildProblem(&graph, &problem);
  Solver::Options options = SolverOptions(num_threads);
  // Some graphs take a hundred; an iteration is like another.
  options.max_num_iterations = 6;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_LT(summary.final_cost, summary.initial_cost);

  Result result;
  for (const IterationSummary& iteration : summary.iterations)
    result.costs.push_back(iteration.cost);
  for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
    result.parameters.insert(result.parameters.end(), vertex.value.begin(),
                             vertex.value.end());
  }
  return result;
}

void ExpectSameBits(const std::string& name) {
  const std::optional<io::PoseGraph> graph = ReadPublished(name);
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  const Result reference = SolveWithThreads(*graph, 1);
  for (const int num_threads : {2, 4, 8}) {
    const Result result = SolveWithThreads(*graph, num_threads);
    EXPECT_TRUE(internal::SameBits(result.costs, reference.costs))
        << num_threads;
    EXPECT_TRUE(internal::SameBits(result.parameters, reference.parameters))
        << num_threads;
  }
}

TEST_P(Pose2dTest, HasTheSameBitsForEveryNumberOfThreads) {
  ExpectSameBits(GetParam().name);
}
TEST_P(Pose3dTest, HasTheSameBitsForEveryNumberOfThreads) {
  ExpectSameBits(GetParam().name);
}

}  // namespace
}  // namespace ceres::examples
