// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// False loop closures: constraints between random poses with random
// measurements, for tests and benchmarks of robust solves.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_
#define VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/io/pose_graph.h"
#include "random.h"

namespace ceres::examples {

// Whether an edge connects a pose with the next one. All others are loop
// closures.
inline bool IsOdometry(const io::PoseGraph& graph,
                       const io::PoseGraph::Edge& edge) {
  const std::uint64_t a = graph.vertices[edge.x].id;
  const std::uint64_t b = graph.vertices[edge.y].id;
  return std::max(a, b) - std::min(a, b) == 1;
}

// Draws a position of which each coordinate is uniform in [-extent, extent],
// and an orientation that is uniform.
inline void DrawMeasurement(int dimension, double extent, Random* random,
                            io::PoseGraph::Values* measurement) {
  constexpr double kPi = 3.14159265358979323846;
  for (int k = 0; k < dimension; ++k) {
    (*measurement)[k] = random->Uniform(-extent, extent);
  }
  if (dimension == 2) {
    (*measurement)[2] = random->Uniform(-kPi, kPi);
    return;
  }
  Eigen::Map<Eigen::Vector4d> q(measurement->data() + 3);
  for (int k = 0; k < 4; ++k) q[k] = random->Normal();
  q.normalize();
}

// Half of the longest side of the box around all poses.
inline double ExtentOf(const io::PoseGraph& graph) {
  double extent = 0.0;
  for (int k = 0; k < graph.dimension; ++k) {
    double low = graph.vertices[0].value[k];
    double high = low;
    for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
      low = std::min(low, vertex.value[k]);
      high = std::max(high, vertex.value[k]);
    }
    extent = std::max(extent, 0.5 * (high - low));
  }
  return extent;
}

// Appends false loop closures to the edges of a graph of poses, until they are
// this part of all loop closures; 0 <= part < 1. Each connects two poses that
// are no neighbours and have no edge yet, and has the information matrix of a
// true loop closure that is drawn, too. Returns the number of false ones.
inline int AddFalseLoops(double part, uint64_t seed, io::PoseGraph* graph) {
  // Poses by id, so that draws do not depend on the order of the file.
  std::vector<int> poses(graph->vertices.size());
  std::iota(poses.begin(), poses.end(), 0);
  const auto id = [graph](int i) { return graph->vertices[i].id; };
  std::sort(poses.begin(), poses.end(),
            [&](int a, int b) { return id(a) < id(b); });
  std::vector<io::PoseGraph::Edge> loops;
  std::set<std::pair<int, int>> connected;
  for (const io::PoseGraph::Edge& edge : graph->edges) {
    connected.insert(std::minmax(edge.x, edge.y));
    if (!IsOdometry(*graph, edge)) loops.push_back(edge);
  }
  const int num_false =
      static_cast<int>(std::lround(loops.size() * part / (1.0 - part)));
  const double extent = ExtentOf(*graph);
  Random random(seed);
  const auto draw = [&random](std::size_t size) {
    return static_cast<std::size_t>(random.Uniform() * size);
  };
  for (int i = 0; i < num_false;) {
    io::PoseGraph::Edge edge = loops[draw(loops.size())];
    edge.x = poses[draw(poses.size())];
    edge.y = poses[draw(poses.size())];
    const bool is_new = edge.x != edge.y && !IsOdometry(*graph, edge) &&
                        connected.insert(std::minmax(edge.x, edge.y)).second;
    if (!is_new) continue;
    DrawMeasurement(graph->dimension, extent, &random, &edge.measurement);
    graph->edges.push_back(edge);
    ++i;
  }
  return num_false;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_
