// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/common/solve_pose_graph_file.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "ceres/ceres.h"
#include "ceres/html_report.h"
#include "ceres/io/g2o.h"
#include "ceres/io/text_file.h"
#include "ceres/pose_graph.h"
#include "gflags/gflags.h"
#include "report_flags.h"
#include "slam/common/pose_graph_problem.h"

DEFINE_string(input, "", "The pose graph, a g2o file.");
DEFINE_string(output, "", "Write the file with solved values here.");
DEFINE_bool(initialize, false,
            "Compute the values of vertices that the file lacks from edges.");
DEFINE_bool(drop_indefinite_couplings, false,
            "Read indefinite information matrices without the coupling of "
            "position and rotation.");
DEFINE_bool(global, false,
            "Find the start from the edges alone, look for the global minimum, "
            "and say whether it is one. For graphs of poses.");

namespace ceres::examples {
namespace {

using Graph = io::PoseGraph;

bool WritePoses(const Graph& graph, const std::string& path,
                std::string* error) {
  std::map<std::uint64_t, const Graph::Vertex*> poses;
  for (const Graph::Vertex& vertex : graph.vertices) {
    if (!vertex.is_landmark) poses.emplace(vertex.id, &vertex);
  }
  std::string text;
  for (const auto& [id, vertex] : poses) {
    io::AppendNumber(id, ' ', &text);
    for (int k = 0; k < graph.PoseSize(); ++k) {
      io::AppendNumber(vertex->value[k], k + 1 < graph.PoseSize() ? ' ' : '\n',
                       &text);
    }
  }
  return io::WriteFile(text, path, error);
}

// Poses and landmarks, and the edges between poses.
ReportScene MakeScene(const Graph& graph) {
  ReportScene scene;
  std::map<int, int> place;
  for (int i = 0; i < static_cast<int>(graph.vertices.size()); ++i) {
    const Graph::Values& v = graph.vertices[i].value;
    const double z = graph.dimension == 2 ? 0.0 : v[2];
    if (graph.vertices[i].is_landmark) {
      scene.points.push_back({v[0], v[1], z});
      continue;
    }
    place.emplace(i, static_cast<int>(scene.poses.size()));
    if (graph.dimension == 2) {
      scene.poses.push_back(
          {{v[0], v[1], z},
           {std::cos(v[2] / 2), 0.0, 0.0, std::sin(v[2] / 2)}});
    } else {
      scene.poses.push_back({{v[0], v[1], z}, {v[6], v[3], v[4], v[5]}});
    }
  }
  for (const Graph::Edge& edge : graph.edges) {
    if (edge.type != Graph::EdgeType::kRelativePose) continue;
    scene.edges.push_back({place.at(edge.x), place.at(edge.y)});
  }
  return scene;
}

std::map<const double*, std::string> BlockNames(const Graph& graph) {
  std::map<const double*, std::string> names;
  for (const Graph::Vertex& vertex : graph.vertices) {
    const std::string id = std::to_string(vertex.id);
    const double* const value = vertex.value.data();
    if (vertex.is_landmark) {
      names.emplace(value, "landmark " + id);
    } else if (graph.dimension == 2) {
      names.emplace(value, "x " + id);
      names.emplace(value + 1, "y " + id);
      names.emplace(value + 2, "yaw " + id);
    } else {
      names.emplace(value, "position " + id);
      names.emplace(value + 3, "rotation " + id);
    }
  }
  return names;
}

HtmlReport::Options ReportOptions(const std::string& path, const Graph& graph) {
  HtmlReport::Options options;
  options.title = "Pose graph: " + path.substr(path.rfind('/') + 1);
  options.parameter_block_name = [names =
                                      BlockNames(graph)](const double* block) {
    return names.at(block);
  };
  options.scene = [&graph] { return MakeScene(graph); };
  return options;
}

bool ReadGraph(int dimension, Graph* graph, std::string* error) {
  io::G2oOptions options;
  options.initialize_missing_vertices = FLAGS_initialize;
  options.drop_indefinite_couplings = FLAGS_drop_indefinite_couplings;
  if (!io::ReadG2o(FLAGS_input, options, graph, error)) return false;
  if (graph->dimension != dimension) {
    *error = FLAGS_input + ": expected a graph of " +
             (dimension == 2 ? "the plane" : "space") +
             ", found one of the other kind: use pose_graph_" +
             std::to_string(graph->dimension) + "d";
    return false;
  }
  if (graph->edges.empty()) {
    *error = FLAGS_input + ": expected at least one edge, found none";
    return false;
  }
  return true;
}

void PrintStep(const PoseGraphSummary& summary) {
  if (summary.steps.empty()) {
    std::cout << summary.initialization.message << std::endl;
    return;
  }
  const PoseGraphSummary::Step& step = summary.steps.back();
  std::cout << "Rank " << step.rank << ": chordal cost " << step.cost
            << " after " << step.num_iterations << " iterations, lower bound "
            << step.lower_bound << std::endl;
}

// Replaces the poses by those that ceres::SolvePoseGraphGlobally finds, in
// place, and prints what it can prove.
bool SolveGlobally(int max_num_iterations, Graph* graph,
                   PoseGraphSummary* summary) {
  PoseGraphOptions options;
  options.solver.max_num_iterations = max_num_iterations;
  options.solver.logging_type = SILENT;
  options.progress = PrintStep;
  Graph solved = *graph;
  SolvePoseGraphGlobally(options, &solved, summary);
  if (!summary->IsSolutionUsable()) {
    std::cerr << FLAGS_input << ": " << summary->message << "\n";
    return false;
  }
  // The problem has the addresses of the values.
  for (std::size_t i = 0; i < solved.vertices.size(); ++i) {
    graph->vertices[i].value = solved.vertices[i].value;
  }
  std::cout << "Certificate: "
            << PoseGraphStatementToString(summary->certificate.statement)
            << ". " << summary->certificate.message << "\n"
            << summary->BriefReport() << "\n";
  return true;
}

int Run(int dimension, int max_num_iterations) {
  Graph graph;
  std::string error;
  if (!ReadGraph(dimension, &graph, &error) ||
      !WritePoses(graph, "poses_original.txt", &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  std::cout << "Number of vertices: " << graph.vertices.size() << "\n"
            << "Number of edges: " << graph.edges.size() << "\n";

  Problem problem;
  BuildProblem(&graph, &problem);
  Solver::Options options;
  options.max_num_iterations = max_num_iterations;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  Solver::Summary summary;
  HtmlReport::Options report_options = ReportOptions(FLAGS_input, graph);
  PoseGraphSummary global;
  std::function<bool()> prepare;
  if (FLAGS_global) {
    report_options.pose_graph = &global;
    prepare = [&] {
      return SolveGlobally(max_num_iterations, &graph, &global);
    };
  }
  const bool is_reported =
      SolveAndReport(options, report_options, &problem, &summary, prepare);
  if (FLAGS_global && !global.IsSolutionUsable()) return 1;
  std::cout << summary.FullReport() << "\n";

  if (!WritePoses(graph, "poses_optimized.txt", &error) ||
      (!FLAGS_output.empty() && !io::WriteG2o(graph, FLAGS_output, &error))) {
    std::cerr << error << "\n";
    return 1;
  }
  return is_reported && summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace

int SolvePoseGraphFile(int argc, char** argv, int dimension,
                       int max_num_iterations) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty()) {
    std::cerr << "Usage: pose_graph_" << dimension
              << "d --input=GRAPH.g2o [--output=SOLVED.g2o]\n";
    return 1;
  }
  return Run(dimension, max_num_iterations);
}

}  // namespace ceres::examples
