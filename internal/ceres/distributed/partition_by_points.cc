// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "ceres/distributed.h"
#include "ceres/logging/logging.h"

namespace ceres::distributed {
namespace {

constexpr int kMinLeaves = 8;

int ChooseNumLeaves(int num_ranks) {
  int num_leaves = kMinLeaves;
  while (num_leaves < num_ranks) num_leaves *= 2;
  return num_leaves;
}

// The cameras that see each point: those of point p are
// cameras[first[p] .. first[p + 1]).
struct CamerasOfPoints {
  std::vector<std::int64_t> first = {0};
  std::vector<int> cameras;
};

CamerasOfPoints ListCameras(const std::vector<Observation>& observations) {
  CamerasOfPoints list;
  for (const Observation& observation : observations) {
    VESTA_CHECK_GE(observation.point, 0)
        << "PartitionByPoints: a negative point.";
    VESTA_CHECK_GE(observation.camera, 0)
        << "PartitionByPoints: a negative camera.";
    const std::size_t end = std::size_t(observation.point) + 2;
    if (list.first.size() < end) list.first.resize(end, 0);
    ++list.first[end - 1];
  }
  std::partial_sum(list.first.begin(), list.first.end(), list.first.begin());
  list.cameras.resize(observations.size());
  std::vector<std::int64_t> next = list.first;
  for (const Observation& observation : observations) {
    list.cameras[next[observation.point]++] = observation.camera;
  }
  return list;
}

}  // namespace

Partition PartitionByPoints(const std::vector<Observation>& observations,
                            int num_ranks, int num_leaves) {
  VESTA_CHECK_GE(num_ranks, 1) << "PartitionByPoints: num_ranks.";
  if (num_leaves == 0) num_leaves = ChooseNumLeaves(num_ranks);
  VESTA_CHECK_GE(num_leaves, num_ranks)
      << "PartitionByPoints: each rank needs a leaf.";
  CamerasOfPoints list = ListCameras(observations);
  const int num_points = static_cast<int>(list.first.size()) - 1;

  std::vector<int> median(num_points, 0);
  Partition partition;
  for (int p = 0; p < num_points; ++p) {
    const std::int64_t size = list.first[p + 1] - list.first[p];
    if (size == 0) continue;  // Not observed: in no leaf.
    const auto begin = list.cameras.begin() + list.first[p];
    std::nth_element(begin, begin + size / 2, begin + size);
    median[p] = *(begin + size / 2);
    partition.points.push_back(p);
  }
  std::stable_sort(partition.points.begin(), partition.points.end(),
                   [&](int a, int b) { return median[a] < median[b]; });

  // Leaf l ends where its share of the observations is reached.
  const std::int64_t num_observations =
      static_cast<std::int64_t>(observations.size());
  partition.first_point = {0};
  std::int64_t num_before = 0;
  std::size_t i = 0;
  for (int leaf = 1; leaf <= num_leaves; ++leaf) {
    const std::int64_t target = num_observations * leaf / num_leaves;
    for (; i < partition.points.size() && num_before < target; ++i) {
      const int p = partition.points[i];
      num_before += list.first[p + 1] - list.first[p];
    }
    partition.first_point.push_back(static_cast<int>(i));
  }
  for (int rank = 0; rank <= num_ranks; ++rank) {
    partition.first_leaf.push_back(
        static_cast<int>(std::int64_t{num_leaves} * rank / num_ranks));
  }
  return partition;
}

}  // namespace ceres::distributed
