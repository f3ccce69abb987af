// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/scene_section.h"

#include <cstddef>
#include <vector>

namespace ceres::internal {
namespace {

template <typename T>
std::vector<T> Pick(const std::vector<T>& all, const std::vector<int>& sample) {
  std::vector<T> picked;
  picked.reserve(sample.size());
  for (const int i : sample) picked.push_back(all[i]);
  return picked;
}

}  // namespace

SceneSection CollectScene(const ReportScene& before, const ReportScene& after,
                          int max_samples) {
  SceneSection section;
  section.num_points = static_cast<int>(after.points.size());
  section.num_poses = static_cast<int>(after.poses.size());
  section.num_edges = static_cast<int>(after.edges.size());
  const std::vector<int> points = EvenSample(section.num_points, max_samples);
  const std::vector<int> poses = EvenSample(section.num_poses, max_samples);

  std::vector<int> place(after.poses.size(), -1);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    place[poses[i]] = static_cast<int>(i);
  }
  const auto place_of = [&](int pose) {
    return pose >= 0 && pose < section.num_poses ? place[pose] : -1;
  };
  for (const auto& [from, to] :
       Pick(after.edges, EvenSample(section.num_edges, max_samples))) {
    if (place_of(from) < 0 || place_of(to) < 0) continue;
    section.after.edges.push_back({place_of(from), place_of(to)});
  }
  section.after.points = Pick(after.points, points);
  section.after.poses = Pick(after.poses, poses);
  if (before.points.size() == after.points.size() &&
      before.poses.size() == after.poses.size()) {
    section.before.points = Pick(before.points, points);
    section.before.poses = Pick(before.poses, poses);
  }
  return section;
}

}  // namespace ceres::internal
