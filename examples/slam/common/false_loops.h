// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// False loop closures: constraints between random poses with random
// measurements, for tests and benchmarks of robust solves.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_
#define VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "random.h"
#include "slam/pose_graph_2d/types.h"
#include "slam/pose_graph_3d/types.h"

namespace ceres::examples {

// Whether a constraint connects a pose with the next one. All others are loop
// closures.
template <typename Constraint>
bool IsOdometry(const Constraint& constraint) {
  return std::abs(constraint.id_end - constraint.id_begin) == 1;
}

inline std::array<double, 3> PositionOf(const Pose2d& pose) {
  return {pose.x, pose.y, 0.0};
}
inline std::array<double, 3> PositionOf(const Pose3d& pose) {
  return {pose.p.x(), pose.p.y(), pose.p.z()};
}

// Draws a position of which each coordinate is uniform in [-extent, extent],
// and an orientation that is uniform.
inline void DrawMeasurement(double extent, Random* random,
                            Constraint2d* constraint) {
  constexpr double kPi = 3.14159265358979323846;
  constraint->x = random->Uniform(-extent, extent);
  constraint->y = random->Uniform(-extent, extent);
  constraint->yaw_radians = random->Uniform(-kPi, kPi);
}
inline void DrawMeasurement(double extent, Random* random,
                            Constraint3d* constraint) {
  for (int k = 0; k < 3; ++k) {
    constraint->t_be.p[k] = random->Uniform(-extent, extent);
  }
  for (int k = 0; k < 4; ++k) constraint->t_be.q.coeffs()[k] = random->Normal();
  constraint->t_be.q.normalize();
}

// Half of the longest side of the box around all poses.
template <typename Graph>
double ExtentOf(const Graph& graph) {
  std::array<double, 3> low = PositionOf(graph.poses.begin()->second);
  std::array<double, 3> high = low;
  for (const auto& [id, pose] : graph.poses) {
    const std::array<double, 3> position = PositionOf(pose);
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], position[k]);
      high[k] = std::max(high[k], position[k]);
    }
  }
  double extent = 0.0;
  for (int k = 0; k < 3; ++k) {
    extent = std::max(extent, 0.5 * (high[k] - low[k]));
  }
  return extent;
}

// Appends false loop closures to the constraints, until they are this part of
// all loop closures; 0 <= part < 1. Each connects two poses that are no
// neighbours and have no constraint yet, and has the information matrix of a
// true loop closure that is drawn, too. Returns the number of false ones.
template <typename Graph>
int AddFalseLoops(double part, uint64_t seed, Graph* graph) {
  using Constraint = typename decltype(graph->constraints)::value_type;
  std::vector<int> ids;
  for (const auto& [id, pose] : graph->poses) ids.push_back(id);
  std::vector<Constraint> loops;
  std::set<std::pair<int, int>> connected;
  for (const Constraint& constraint : graph->constraints) {
    connected.insert(std::minmax(constraint.id_begin, constraint.id_end));
    if (!IsOdometry(constraint)) loops.push_back(constraint);
  }
  const int num_false =
      static_cast<int>(std::lround(loops.size() * part / (1.0 - part)));
  const double extent = ExtentOf(*graph);
  Random random(seed);
  const auto draw = [&random](std::size_t size) {
    return static_cast<std::size_t>(random.Uniform() * size);
  };
  for (int i = 0; i < num_false;) {
    Constraint constraint = loops[draw(loops.size())];
    constraint.id_begin = ids[draw(ids.size())];
    constraint.id_end = ids[draw(ids.size())];
    const bool is_new =
        std::abs(constraint.id_begin - constraint.id_end) > 1 &&
        connected.insert(std::minmax(constraint.id_begin, constraint.id_end))
            .second;
    if (!is_new) continue;
    DrawMeasurement(extent, &random, &constraint);
    graph->constraints.push_back(constraint);
    ++i;
  }
  return num_false;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_FALSE_LOOPS_H_
