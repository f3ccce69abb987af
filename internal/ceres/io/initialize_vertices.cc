// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/io/pose_graph.h"

namespace ceres::io {
namespace {

using Values = PoseGraph::Values;
using Type = PoseGraph::EdgeType;

Eigen::Isometry3d ToIsometry(const PoseGraph& graph, const Values& pose) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  if (graph.dimension == 2) {
    result.translation() = Eigen::Vector3d(pose[0], pose[1], 0.0);
    result.linear() =
        Eigen::AngleAxisd(pose[2], Eigen::Vector3d::UnitZ()).matrix();
  } else {
    result.translation() = Eigen::Vector3d(pose[0], pose[1], pose[2]);
    result.linear() =
        Eigen::Quaterniond(pose[6], pose[3], pose[4], pose[5]).matrix();
  }
  return result;
}

Values FromIsometry(const PoseGraph& graph, const Eigen::Isometry3d& pose) {
  const auto& t = pose.translation();
  if (graph.dimension == 2) {
    return {t.x(), t.y(), std::atan2(pose(1, 0), pose(0, 0))};
  }
  const Eigen::Quaterniond q = Eigen::Quaterniond(pose.linear()).normalized();
  return {t.x(), t.y(), t.z(), q.x(), q.y(), q.z(), q.w()};
}

// A landmark, as an edge from the origin measures it.
Eigen::Vector3d LandmarkOf(const PoseGraph& graph, const PoseGraph::Edge& e) {
  const Values& z = e.measurement;
  if (e.type == Type::kBearingAndRange) {
    return {z[1] * std::cos(z[0]), z[1] * std::sin(z[0]), 0.0};
  }
  return {z[0], z[1], graph.dimension == 2 ? 0.0 : z[2]};
}

// Grows the set of known vertices, edge by edge.
class VertexInitializer {
 public:
  VertexInitializer(const std::vector<bool>& is_missing, PoseGraph* graph)
      : graph_(*graph), is_missing_(is_missing), edges_of_(is_missing.size()) {
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const PoseGraph::Edge& e = graph_.edges[i];
      if (e.y < 0 || e.type == Type::kBearing) continue;
      edges_of_[e.x].push_back(static_cast<int>(i));
      edges_of_[e.y].push_back(static_cast<int>(i));
    }
  }

  void Run() {
    for (std::size_t i = 0; i < is_missing_.size(); ++i) {
      if (!is_missing_[i]) Reach(static_cast<int>(i));
    }
    StartAtPriors();
    Grow();
    for (std::size_t i = 0; i < is_missing_.size(); ++i) {
      if (!is_missing_[i] || graph_.vertices[i].is_landmark) continue;
      Set(static_cast<int>(i), Eigen::Isometry3d::Identity());
      Grow();
    }
  }

  const std::vector<bool>& is_missing() const { return is_missing_; }

 private:
  void StartAtPriors() {
    for (const PoseGraph::Edge& e : graph_.edges) {
      if (!is_missing_[e.x]) continue;
      if (e.type == Type::kPose) {
        Set(e.x, ToIsometry(graph_, e.measurement) * OffsetOf(e).inverse());
      } else if (e.type == Type::kPosition &&
                 graph_.vertices[e.x].is_landmark) {
        SetLandmark(e.x, LandmarkOf(graph_, e));
      }
    }
  }

  void Grow() {
    while (!queue_.empty()) {
      const PoseGraph::Edge& e = graph_.edges[queue_.top()];
      queue_.pop();
      if (is_missing_[e.x] == is_missing_[e.y]) continue;
      if (e.type != Type::kRelativePose) {
        // The position of a landmark does not determine a pose.
        if (!is_missing_[e.x]) {
          SetLandmark(e.y, PoseOf(e.x) * OffsetOf(e) * LandmarkOf(graph_, e));
        }
        continue;
      }
      const Eigen::Isometry3d z = ToIsometry(graph_, e.measurement);
      if (is_missing_[e.y]) {
        Set(e.y, PoseOf(e.x) * z);
      } else {
        Set(e.x, PoseOf(e.y) * z.inverse());
      }
    }
  }

  Eigen::Isometry3d PoseOf(int vertex) const {
    return ToIsometry(graph_, graph_.vertices[vertex].value);
  }
  Eigen::Isometry3d OffsetOf(const PoseGraph::Edge& e) const {
    if (e.offset < 0) return Eigen::Isometry3d::Identity();
    return ToIsometry(graph_, graph_.offsets[e.offset].pose);
  }

  void Set(int vertex, const Eigen::Isometry3d& pose) {
    graph_.vertices[vertex].value = FromIsometry(graph_, pose);
    Reach(vertex);
  }
  void SetLandmark(int vertex, const Eigen::Vector3d& point) {
    graph_.vertices[vertex].value = {point.x(), point.y(),
                                     graph_.dimension == 2 ? 0.0 : point.z()};
    Reach(vertex);
  }
  void Reach(int vertex) {
    is_missing_[vertex] = false;
    for (const int edge : edges_of_[vertex]) queue_.push(edge);
  }

  PoseGraph& graph_;
  std::vector<bool> is_missing_;
  std::vector<std::vector<int>> edges_of_;
  // Edges with a known end. The first one of the file is on top.
  std::priority_queue<int, std::vector<int>, std::greater<int>> queue_;
};

}  // namespace

bool InitializeVertices(const std::vector<bool>& is_missing, PoseGraph* graph,
                        std::string* error) {
  VertexInitializer initializer(is_missing, graph);
  initializer.Run();
  const std::vector<bool>& left = initializer.is_missing();
  const auto first = std::find(left.begin(), left.end(), true);
  if (first == left.end()) return true;
  *error = "no edge determines the landmark " +
           std::to_string(graph->vertices[first - left.begin()].id) +
           ": add its record, or a measurement of its position";
  return false;
}

}  // namespace ceres::io
