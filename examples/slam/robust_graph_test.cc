// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Published pose graphs with random false loop closures: SolveGraduated rejects
// the false ones, keeps the others, and has the same bits for every number of
// threads. scripts/measure.sh robust_graphs solves larger graphs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/execution/context_impl.h"
#include "ceres/graduated_solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/common/false_loops.h"
#include "slam/common/pose_graph_problem.h"

namespace ceres::examples {
namespace {

std::optional<io::PoseGraph> ReadIntel() {
  const auto text = internal::ReadSharedData("pose_graph/intel.g2o");
  if (!text.has_value()) return std::nullopt;
  io::PoseGraph graph;
  std::string error;
  EXPECT_TRUE(io::ParseG2o(*text, "intel", {}, &graph, &error)) << error;
  return graph;
}

struct Result {
  std::vector<char> is_outlier;  // by constraint
  std::vector<double> parameters;
  double final_cost = 0.0;
};

Result SolveRobustly(io::PoseGraph graph, int num_threads) {
  internal::SharingContext context(num_threads);
  Problem problem(context.problem_options);
  BuildProblem(&graph, &problem);
  std::vector<ResidualBlockId> blocks;
  problem.GetResidualBlocks(&blocks);
  GraduatedOptions graduated_options;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (IsOdometry(graph, graph.edges[i])) {
      graduated_options.certain_residual_blocks.insert(blocks[i]);
    }
  }
  Solver::Options options;
  options.num_threads = num_threads;
  options.logging_type = SILENT;
  GraduatedSummary summary;
  SolveGraduated(options, graduated_options, &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;

  Result result;
  result.final_cost = summary.final_cost;
  std::size_t k = 0;
  for (const ResidualBlockId block : blocks) {
    const bool is_outlier =
        k < summary.outliers.size() && summary.outliers[k] == block;
    if (is_outlier) ++k;
    result.is_outlier.push_back(is_outlier ? 1 : 0);
  }
  for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
    result.parameters.insert(result.parameters.end(), vertex.value.begin(),
                             vertex.value.end());
  }
  return result;
}

double CostWithoutFalseLoops(io::PoseGraph graph) {
  Problem problem;
  BuildProblem(&graph, &problem);
  Solver::Options options;
  options.max_num_iterations = 100;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  return summary.final_cost;
}

class FalseLoopsTest : public ::testing::TestWithParam<double> {};

TEST_P(FalseLoopsTest, AreRejectedAndTrueOnesKept) {
  std::optional<io::PoseGraph> graph = ReadIntel();
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  const double expected_cost = CostWithoutFalseLoops(*graph);
  const int num_true = static_cast<int>(graph->edges.size());
  const int num_false = AddFalseLoops(GetParam(), /*seed=*/1, &*graph);
  ASSERT_GT(num_false, 80);
  const Result result = SolveRobustly(*graph, 1);
  int num_lost = 0;
  for (int i = 0; i < num_true + num_false; ++i) {
    if (i < num_true) {
      num_lost += result.is_outlier[i];
    } else {
      EXPECT_EQ(result.is_outlier[i], 1) << i;
    }
  }
  // Real errors have heavy tails: two loop closures differ from the others by
  // nine standard deviations, and their cost is missing.
  EXPECT_LE(num_lost, num_true / 100);
  EXPECT_LE(result.final_cost, expected_cost);
  EXPECT_GE(result.final_cost, 0.9 * expected_cost);
}

INSTANTIATE_TEST_SUITE_P(, FalseLoopsTest, ::testing::Values(0.1, 0.3, 0.5));

TEST(FalseLoops, HaveTheSameBitsForEveryNumberOfThreads) {
  std::optional<io::PoseGraph> graph = ReadIntel();
  if (!graph.has_value())
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  AddFalseLoops(0.1, /*seed=*/2, &*graph);
  const Result reference = SolveRobustly(*graph, 1);
  for (const int num_threads : {2, 4}) {
    const Result result = SolveRobustly(*graph, num_threads);
    EXPECT_TRUE(internal::SameBits(result.parameters, reference.parameters))
        << num_threads;
    EXPECT_EQ(result.is_outlier, reference.is_outlier) << num_threads;
  }
}

}  // namespace
}  // namespace ceres::examples
