// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/observed_points.h"
#include "ceres/logging/logging.h"

#ifdef VESTA_HAVE_METIS
#include <metis.h>
#endif

namespace ceres::distributed {
namespace {

#ifdef VESTA_HAVE_METIS

constexpr const char* kFunction = "PartitionByMetis";

// The bipartite graph of points and cameras. Points weigh their observations,
// cameras nothing. An edge that is cut is an observation by a camera that is
// with points of another part.
struct Graph {
  std::vector<idx_t> first = {0};
  std::vector<idx_t> neighbors;
  std::vector<idx_t> weights;
};

// points: the observed ones; vertex i is points[i], and behind them come the
// cameras.
Graph MakeGraph(const internal::CamerasOfPoints& list,
                const std::vector<int>& points) {
  const idx_t num_points = static_cast<idx_t>(points.size());
  int num_cameras = 0;
  for (const int camera : list.cameras) {
    num_cameras = std::max(num_cameras, camera + 1);
  }
  std::vector<std::vector<idx_t>> points_of(num_cameras);
  Graph graph;
  for (idx_t i = 0; i < num_points; ++i) {
    const int p = points[i];
    for (std::int64_t k = list.first[p]; k < list.first[p + 1]; ++k) {
      graph.neighbors.push_back(num_points + list.cameras[k]);
      points_of[list.cameras[k]].push_back(i);
    }
    graph.first.push_back(static_cast<idx_t>(graph.neighbors.size()));
    graph.weights.push_back(static_cast<idx_t>(list.num_observations(p)));
  }
  for (const std::vector<idx_t>& seen : points_of) {
    graph.neighbors.insert(graph.neighbors.end(), seen.begin(), seen.end());
    graph.first.push_back(static_cast<idx_t>(graph.neighbors.size()));
    graph.weights.push_back(0);
  }
  return graph;
}

// The part of each vertex. Recursive bisection: parts that METIS separates last
// have near numbers, and are near in the tree of leaves.
std::vector<idx_t> Bisect(Graph* graph, int num_parts) {
  idx_t num_vertices = static_cast<idx_t>(graph->weights.size());
  std::vector<idx_t> part(num_vertices, 0);
  // METIS wants several vertices for each part.
  if (num_parts == 1 || num_vertices <= num_parts) {
    for (idx_t i = 0; i < num_vertices; ++i) part[i] = i % num_parts;
    return part;
  }
  idx_t num_constraints = 1;
  idx_t parts = num_parts;
  idx_t cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  const int status = METIS_PartGraphRecursive(
      &num_vertices, &num_constraints, graph->first.data(),
      graph->neighbors.data(), graph->weights.data(), nullptr, nullptr, &parts,
      nullptr, nullptr, options, &cut, part.data());
  VESTA_CHECK_EQ(status, METIS_OK) << kFunction << ": METIS failed.";
  return part;
}

#endif  // VESTA_HAVE_METIS

}  // namespace

#ifdef VESTA_HAVE_METIS

bool HasMetis() { return true; }

Partition PartitionByMetis(const std::vector<Observation>& observations,
                           int num_ranks, int num_leaves) {
  num_leaves = internal::ChooseNumLeaves(num_ranks, num_leaves, kFunction);
  VESTA_CHECK_LE(observations.size(),
                 std::size_t(std::numeric_limits<idx_t>::max()) / 2)
      << kFunction << ": too many observations for METIS.";
  internal::CamerasOfPoints list =
      internal::ListCameras(observations, kFunction);
  const std::vector<int> sorted = internal::SortByMedianCamera(&list);
  Graph graph = MakeGraph(list, sorted);
  const std::vector<idx_t> part = Bisect(&graph, num_leaves);
  // Leaf by leaf; in a leaf, points stay sorted.
  std::vector<std::vector<int>> points_of(num_leaves);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    points_of[part[i]].push_back(sorted[i]);
  }
  Partition partition;
  partition.first_point = {0};
  for (const std::vector<int>& points : points_of) {
    partition.points.insert(partition.points.end(), points.begin(),
                            points.end());
    partition.first_point.push_back(static_cast<int>(partition.points.size()));
  }
  partition.first_leaf = internal::FirstLeaves(num_ranks, num_leaves);
  return partition;
}

#else

bool HasMetis() { return false; }

Partition PartitionByMetis(const std::vector<Observation>& /*observations*/,
                           int /*num_ranks*/, int /*num_leaves*/) {
  VESTA_CHECK(false) << "PartitionByMetis: this library was built without "
                        "METIS. Use PartitionByPoints.";
  return {};
}

#endif  // VESTA_HAVE_METIS

}  // namespace ceres::distributed
