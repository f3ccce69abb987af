// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/pose_graph_test_utils.h"

#include <cmath>

#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/pose_graph/chordal_graph.h"

namespace ceres::internal {
namespace {

PoseMatrix RandomMotion(int d, double rotation, double position,
                        std::mt19937* random) {
  std::normal_distribution<double> normal;
  PoseMatrix motion = PoseMatrix::Identity(d + 1, d + 1);
  if (d == 2) {
    motion.topLeftCorner(2, 2) =
        Eigen::Rotation2Dd(rotation * normal(*random)).toRotationMatrix();
  } else {
    Eigen::Vector3d w;
    for (double& k : w) k = rotation * normal(*random);
    if (w.norm() > 0.0) {
      motion.topLeftCorner(3, 3) =
          Eigen::AngleAxisd(w.norm(), w.normalized()).toRotationMatrix();
    }
  }
  for (int k = 0; k < d; ++k) motion(k, d) = position * normal(*random);
  return motion;
}

// A pose with a random rotation in a cube.
PoseMatrix RandomPose(int d, std::mt19937* random) {
  // About uniform: a rotation vector far longer than a turn.
  PoseMatrix pose = RandomMotion(d, 20.0, 0.0, random);
  std::uniform_real_distribution<double> uniform(0.0, 10.0);
  for (int k = 0; k < d; ++k) pose(k, d) = uniform(*random);
  return pose;
}

}  // namespace

io::PoseGraph::Edge MakeEdge(int dimension, int x, int y,
                             const io::PoseGraph::Values& measurement,
                             double rotation_sigma, double position_sigma) {
  io::PoseGraph::Edge edge;
  edge.x = x;
  edge.y = y;
  edge.measurement = measurement;
  const int size = dimension == 2 ? 3 : 6;
  for (int k = 0; k < size; ++k) {
    const double sigma = k < dimension ? position_sigma : rotation_sigma;
    edge.information[k * size + k] = 1.0 / (sigma * sigma);
  }
  return edge;
}

io::PoseGraph MakeRandomGraph(const RandomGraphOptions& options,
                              std::mt19937* random) {
  const int d = options.dimension;
  io::PoseGraph graph;
  graph.dimension = d;
  std::vector<PoseMatrix> poses;
  for (int i = 0; i < options.num_poses; ++i) {
    poses.push_back(RandomPose(d, random));
    io::PoseGraph::Vertex vertex;
    vertex.id = i;
    vertex.value = FromPoseMatrix(poses.back());
    graph.vertices.push_back(vertex);
  }
  const auto connect = [&](int x, int y) {
    const PoseMatrix noise =
        RandomMotion(d, options.rotation_noise, options.position_noise, random);
    const auto sigma = [](double s) { return s > 0.0 ? s : 0.1; };
    graph.edges.push_back(MakeEdge(
        d, x, y, FromPoseMatrix(InversePose(poses[x]) * poses[y] * noise),
        sigma(options.rotation_noise), sigma(options.position_noise)));
  };
  for (int i = 1; i < options.num_poses; ++i) connect(i - 1, i);
  std::uniform_int_distribution<int> any(0, options.num_poses - 1);
  for (int k = 0; k < options.num_loops;) {
    const int x = any(*random);
    const int y = any(*random);
    if (x == y) continue;
    connect(x, y);
    ++k;
  }
  return graph;
}

io::PoseGraph MakeTurnedRing(int dimension, int num_poses, int turns,
                             double noise, std::mt19937* random) {
  const int d = dimension;
  io::PoseGraph graph;
  graph.dimension = d;
  const double step = 2.0 * constants::pi / num_poses;
  std::vector<PoseMatrix> poses;
  for (int i = 0; i < num_poses; ++i) {
    const double angle = i * step;
    const auto rotation = [d](double a) {
      PoseMatrix R = PoseMatrix::Identity(d + 1, d + 1);
      R.topLeftCorner(2, 2) = Eigen::Rotation2Dd(a).toRotationMatrix();
      return R;
    };
    PoseMatrix pose = rotation(angle);
    pose(0, d) = std::cos(angle);
    pose(1, d) = std::sin(angle);
    poses.push_back(pose);
    io::PoseGraph::Vertex vertex;
    vertex.id = i;
    vertex.value = FromPoseMatrix(pose * rotation(turns * angle));
    graph.vertices.push_back(vertex);
  }
  for (int i = 0; i < num_poses; ++i) {
    const int next = (i + 1) % num_poses;
    const PoseMatrix motion = RandomMotion(d, noise, noise, random);
    graph.edges.push_back(
        MakeEdge(d, i, next,
                 FromPoseMatrix(InversePose(poses[i]) * poses[next] * motion),
                 noise, noise));
  }
  return graph;
}

void PerturbPoses(double rotation_noise, double position_noise,
                  std::mt19937* random, io::PoseGraph* graph) {
  for (std::size_t i = 1; i < graph->vertices.size(); ++i) {
    io::PoseGraph::Values& value = graph->vertices[i].value;
    value = FromPoseMatrix(
        ToPoseMatrix(graph->dimension, value) *
        RandomMotion(graph->dimension, rotation_noise, position_noise, random));
  }
}

std::vector<double> ValuesOf(const io::PoseGraph& graph) {
  std::vector<double> values;
  for (const io::PoseGraph::Vertex& vertex : graph.vertices) {
    values.insert(values.end(), vertex.value.begin(), vertex.value.end());
  }
  return values;
}

}  // namespace ceres::internal
