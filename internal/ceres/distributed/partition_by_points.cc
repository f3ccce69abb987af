// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/observed_points.h"

namespace ceres::distributed {

Partition PartitionByPoints(const std::vector<Observation>& observations,
                            int num_ranks, int num_leaves) {
  num_leaves =
      internal::ChooseNumLeaves(num_ranks, num_leaves, "PartitionByPoints");
  internal::CamerasOfPoints list =
      internal::ListCameras(observations, "PartitionByPoints");
  Partition partition;
  partition.points = internal::SortByMedianCamera(&list);

  // Leaf l ends where its share of the observations is reached.
  const std::int64_t num_observations =
      static_cast<std::int64_t>(observations.size());
  partition.first_point = {0};
  std::int64_t num_before = 0;
  std::size_t i = 0;
  for (int leaf = 1; leaf <= num_leaves; ++leaf) {
    const std::int64_t target = num_observations * leaf / num_leaves;
    for (; i < partition.points.size() && num_before < target; ++i) {
      num_before += list.num_observations(partition.points[i]);
    }
    partition.first_point.push_back(static_cast<int>(i));
  }
  partition.first_leaf = internal::FirstLeaves(num_ranks, num_leaves);
  return partition;
}

}  // namespace ceres::distributed
