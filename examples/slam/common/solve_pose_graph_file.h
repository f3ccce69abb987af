// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the programs pose_graph_2d and pose_graph_3d.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_
#define VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_

#include <iostream>
#include <map>
#include <string>

#include "ceres/ceres.h"
#include "ceres/html_report.h"
#include "ceres/io/text_file.h"
#include "report_flags.h"
#include "slam/common/read_g2o.h"

namespace ceres::examples {

// Writes a line "id field field ..." for each pose, sorted by id. AppendFields
// of the pose's types.h says which fields.
template <typename Pose>
[[nodiscard]] bool WritePoses(const std::map<int, Pose>& poses,
                              const std::string& path, std::string* error) {
  std::string text;
  for (const auto& [id, pose] : poses) {
    io::AppendNumber(id, ' ', &text);
    AppendFields(pose, &text);
  }
  return io::WriteFile(text, path, error);
}

// The poses and the constraints between them. The program defines
// PoseInScene(pose), its place in the scene.
template <typename Graph>
ReportScene MakeScene(const Graph& graph) {
  ReportScene scene;
  std::map<int, int> place;
  for (const auto& [id, pose] : graph.poses) {
    place.emplace(id, static_cast<int>(scene.poses.size()));
    scene.poses.push_back(PoseInScene(pose));
  }
  for (const auto& constraint : graph.constraints) {
    scene.edges.push_back(
        {place.at(constraint.id_begin), place.at(constraint.id_end)});
  }
  return scene;
}

// The program defines AddBlockNames(id, pose, names), which adds the names of
// the parameter blocks of a pose.
template <typename Graph>
HtmlReport::Options ReportOptions(const std::string& path, const Graph& graph) {
  HtmlReport::Options options;
  options.title = "Pose graph: " + path.substr(path.rfind('/') + 1);
  std::map<const double*, std::string> names;
  for (const auto& [id, pose] : graph.poses) AddBlockNames(id, pose, &names);
  options.parameter_block_name = [names](const double* block) {
    return names.at(block);
  };
  options.scene = [&graph] { return MakeScene(graph); };
  return options;
}

// Reads the graph, solves it, and writes poses_original.txt and
// poses_optimized.txt in the working directory. Returns the exit status.
template <typename Graph>
int SolvePoseGraphFile(const std::string& path, int max_num_iterations) {
  Graph graph;
  std::string error;
  if (!ReadG2oFile(path, &graph, &error) ||
      !WritePoses(graph.poses, "poses_original.txt", &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  std::cout << "Number of poses: " << graph.poses.size() << "\n"
            << "Number of constraints: " << graph.constraints.size() << "\n";

  Problem problem;
  BuildProblem(&graph, &problem);
  Solver::Options options;
  options.max_num_iterations = max_num_iterations;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  Solver::Summary summary;
  const HtmlReport::Options report_options = ReportOptions(path, graph);
  const bool is_reported =
      SolveAndReport(options, report_options, &problem, &summary);
  std::cout << summary.FullReport() << "\n";

  if (!WritePoses(graph.poses, "poses_optimized.txt", &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return is_reported && summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_
