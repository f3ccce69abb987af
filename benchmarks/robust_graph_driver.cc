// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Adds random false loop closures to a pose graph, solves it by SolveGraduated
// with certain odometry, and compares the result with that of the graph without
// false loop closures. Prints one line:
//
//   true_loops       loop closures of the file
//   false_loops      loop closures that were added
//   kept_false       false ones that are inliers of the result
//   distinguishable  those of kept_false whose innovation exceeds the bound of
//                    inliers at the map without false ones. The others agree
//                    with that map by chance: no test of their residuals can
//                    tell them from true ones
//   lost_true        true ones that are outliers of the result
//   cost_ratio       the cost of true constraints at the result, divided by
//                    their cost at the map without false ones
//   variance_factor  by which the bound of inliers was multiplied
//   left_out         the most loop closures that a round left out
//   rounds, iterations, seconds
//
// With --rounds it prints all rounds before.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/graduated/chi_square.h"
#include "ceres/graduated_solver.h"
#include "gflags/gflags.h"
#include "slam/common/false_loops.h"
#include "slam/common/innovation.h"
#include "slam/common/pose_graph_problem.h"

DEFINE_string(input, "", "g2o file to solve, of two or three dimensions.");
DEFINE_double(false_part, 0.1,
              "The part of all loop closures that is false, in [0, 1).");
DEFINE_uint64(seed, 1, "Of the false loop closures.");
DEFINE_string(loss, "truncated", "truncated or geman_mcclure");
DEFINE_string(start, "values", "values or all_inliers");
DEFINE_string(linear_solver, "sparse_normal_cholesky", "");
DEFINE_string(preconditioner, "jacobi", "");
DEFINE_double(control_factor, 0.0, "0: the default.");
DEFINE_double(inlier_probability, 0.0, "0: the default.");
DEFINE_int32(iterations_per_round, 0, "0: the default.");
DEFINE_double(tolerance_per_round, -1.0, "-1: the default.");
DEFINE_double(operations, 0.0, "Limit of a factorization; 0: automatic.");
DEFINE_int32(num_iterations, 100, "Of the last solve.");
DEFINE_int32(num_threads, 1, "");
DEFINE_bool(rounds, false, "Print the rounds to stderr.");

namespace ceres::examples {
namespace {

Solver::Options SolverOptions() {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = FLAGS_num_iterations;
  options.num_threads = FLAGS_num_threads;
  options.logging_type = SILENT;
  return options;
}

GraduatedOptions MakeGraduatedOptions() {
  GraduatedOptions options;
  if (FLAGS_loss == "geman_mcclure") {
    options.loss = GraduatedLoss::kGemanMcClure;
  }
  if (FLAGS_start == "all_inliers") {
    options.start = GraduatedStart::kAllInliers;
  }
  if (FLAGS_control_factor != 0.0) {
    options.control_factor = FLAGS_control_factor;
  }
  if (FLAGS_inlier_probability != 0.0) {
    options.inlier_probability = FLAGS_inlier_probability;
  }
  options.max_operations_per_factorization = FLAGS_operations;
  if (FLAGS_iterations_per_round != 0) {
    options.max_num_iterations_per_round = FLAGS_iterations_per_round;
  }
  if (FLAGS_tolerance_per_round >= 0.0) {
    options.function_tolerance_per_round = FLAGS_tolerance_per_round;
  }
  return options;
}

// The costs of all constraints of the graph at its poses.
std::vector<double> CostsOf(io::PoseGraph* graph) {
  Problem problem;
  BuildProblem(graph, &problem);
  std::vector<ResidualBlockId> blocks;
  problem.GetResidualBlocks(&blocks);
  std::vector<double> costs(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    problem.EvaluateResidualBlock(blocks[i], false, &costs[i], nullptr,
                                  nullptr);
  }
  return costs;
}

// The poses of the graph without false loop closures become those of `graph`.
bool SolveWithoutFalseLoops(io::PoseGraph true_graph, io::PoseGraph* graph) {
  Problem problem;
  BuildProblem(&true_graph, &problem);
  Solver::Summary summary;
  Solve(SolverOptions(), &problem, &summary);
  graph->vertices = true_graph.vertices;
  if (!summary.IsSolutionUsable()) std::cerr << summary.message << "\n";
  return summary.IsSolutionUsable();
}

void PrintRounds(const GraduatedSummary& summary) {
  for (const GraduatedSummary::Round& round : summary.rounds) {
    std::fprintf(stderr, "%10.3e %12.6e %6d %6d %6d %9.2e %3d %d%d %7.2f\n",
                 round.control, round.cost, round.num_zero_weights,
                 round.num_large_weights, round.num_left_out,
                 round.num_operations, round.num_iterations,
                 round.follows_check ? 1 : 0,
                 round.preprocessing_was_kept ? 1 : 0, round.time_in_seconds);
  }
  std::fprintf(stderr, "%s\n%s\n", summary.BriefReport().c_str(),
               summary.message.c_str());
}

GraduatedSummary SolveRobustly(io::PoseGraph* graph,
                               std::vector<ResidualBlockId>* blocks) {
  Problem problem;
  BuildProblem(graph, &problem);
  problem.GetResidualBlocks(blocks);
  GraduatedOptions graduated_options = MakeGraduatedOptions();
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    if (IsOdometry(*graph, graph->edges[i])) {
      graduated_options.certain_residual_blocks.insert((*blocks)[i]);
    }
  }
  Solver::Options options = SolverOptions();
  StringToLinearSolverType(FLAGS_linear_solver, &options.linear_solver_type);
  StringToPreconditionerType(FLAGS_preconditioner,
                             &options.preconditioner_type);
  GraduatedSummary summary;
  SolveGraduated(options, graduated_options, &problem, &summary);
  if (FLAGS_rounds) PrintRounds(summary);
  return summary;
}

// The number of these constraints whose innovation exceeds the bound, at the
// poses of the graph. All other constraints from num_true on are false, too.
int CountDistinguishable(const std::vector<int>& constraints, int num_true,
                         double variance_factor, io::PoseGraph* graph) {
  if (constraints.empty()) return 0;
  Problem problem;
  BuildProblem(graph, &problem);
  std::vector<ResidualBlockId> blocks;
  problem.GetResidualBlocks(&blocks);
  std::vector<ResidualBlockId> false_blocks(blocks.begin() + num_true,
                                            blocks.end());
  std::vector<ResidualBlockId> kept;
  for (const int i : constraints) {
    kept.push_back(blocks[i]);
    false_blocks.erase(
        std::find(false_blocks.begin(), false_blocks.end(), blocks[i]));
  }
  const int num_residuals =
      problem.GetCostFunctionForResidualBlock(kept[0])->num_residuals();
  for (const ResidualBlockId block : false_blocks) {
    problem.RemoveResidualBlock(block);
  }
  const double bound =
      variance_factor *
      internal::ChiSquareQuantile(MakeGraduatedOptions().inlier_probability,
                                  num_residuals);
  int count = 0;
  for (const double innovation : Innovations(kept, &problem)) {
    if (FLAGS_rounds) {
      std::fprintf(stderr, "kept a false one: innovation / bound = %.3f\n",
                   innovation / bound);
    }
    if (innovation > bound) ++count;
  }
  return count;
}

int Run(io::PoseGraph graph) {
  const int num_true = static_cast<int>(graph.edges.size());
  io::PoseGraph with_false = graph;
  const int num_false =
      AddFalseLoops(FLAGS_false_part, FLAGS_seed, &with_false);
  io::PoseGraph reference = with_false;
  if (!SolveWithoutFalseLoops(graph, &reference)) return 1;
  std::vector<ResidualBlockId> blocks;
  const GraduatedSummary summary = SolveRobustly(&with_false, &blocks);
  if (!summary.IsSolutionUsable()) return 1;

  const std::vector<double> reference_costs = CostsOf(&reference);
  const std::vector<double> costs = CostsOf(&with_false);
  std::vector<int> kept_false;
  int lost_true = 0, true_loops = 0;
  double cost = 0.0, reference_cost = 0.0;
  std::size_t next_outlier = 0;
  for (int i = 0; i < num_true + num_false; ++i) {
    const bool is_outlier = next_outlier < summary.outliers.size() &&
                            summary.outliers[next_outlier] == blocks[i];
    if (is_outlier) ++next_outlier;
    if (i >= num_true) {
      if (!is_outlier) kept_false.push_back(i);
      continue;
    }
    cost += costs[i];
    reference_cost += reference_costs[i];
    if (!IsOdometry(with_false, with_false.edges[i])) ++true_loops;
    if (is_outlier) ++lost_true;
  }
  int num_iterations = 0, num_left_out = 0;
  for (const auto& round : summary.rounds) {
    num_iterations += round.num_iterations;
    num_left_out = std::max(num_left_out, round.num_left_out);
  }
  std::printf(
      "true_loops %d false_loops %d kept_false %d distinguishable %d "
      "lost_true %d cost_ratio %.6f variance_factor %.4f left_out %d rounds %d "
      "iterations %d seconds %.1f\n",
      true_loops, num_false, static_cast<int>(kept_false.size()),
      CountDistinguishable(kept_false, num_true, summary.variance_factor,
                           &reference),
      lost_true, cost / reference_cost, summary.variance_factor, num_left_out,
      static_cast<int>(summary.rounds.size()), num_iterations,
      summary.total_time_in_seconds);
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  ceres::io::PoseGraph graph;
  std::string error;
  if (!ceres::io::ReadG2o(FLAGS_input, {}, &graph, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return ceres::examples::Run(graph);
}
