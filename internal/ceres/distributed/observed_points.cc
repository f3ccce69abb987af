// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/observed_points.h"

#include <algorithm>
#include <numeric>

#include "ceres/logging/logging.h"

namespace ceres::internal {

CamerasOfPoints ListCameras(
    const std::vector<distributed::Observation>& observations,
    const char* function) {
  CamerasOfPoints list;
  for (const distributed::Observation& observation : observations) {
    VESTA_CHECK_GE(observation.point, 0) << function << ": a negative point.";
    VESTA_CHECK_GE(observation.camera, 0) << function << ": a negative camera.";
    const std::size_t end = std::size_t(observation.point) + 2;
    if (list.first.size() < end) list.first.resize(end, 0);
    ++list.first[end - 1];
  }
  std::partial_sum(list.first.begin(), list.first.end(), list.first.begin());
  list.cameras.resize(observations.size());
  std::vector<std::int64_t> next = list.first;
  for (const distributed::Observation& observation : observations) {
    list.cameras[next[observation.point]++] = observation.camera;
  }
  return list;
}

std::vector<int> SortByMedianCamera(CamerasOfPoints* list) {
  std::vector<int> median(list->num_points(), 0);
  std::vector<int> points;
  for (int p = 0; p < list->num_points(); ++p) {
    const std::int64_t size = list->num_observations(p);
    if (size == 0) continue;  // Not observed.
    const auto begin = list->cameras.begin() + list->first[p];
    std::nth_element(begin, begin + size / 2, begin + size);
    median[p] = *(begin + size / 2);
    points.push_back(p);
  }
  std::stable_sort(points.begin(), points.end(),
                   [&](int a, int b) { return median[a] < median[b]; });
  return points;
}

int ChooseNumLeaves(int num_ranks, int num_leaves, const char* function) {
  VESTA_CHECK_GE(num_ranks, 1) << function << ": num_ranks.";
  if (num_leaves == 0) {
    constexpr int kMinLeaves = 8;
    num_leaves = kMinLeaves;
    while (num_leaves < num_ranks) num_leaves *= 2;
  }
  VESTA_CHECK_GE(num_leaves, num_ranks)
      << function << ": each rank needs a leaf.";
  return num_leaves;
}

std::vector<int> FirstLeaves(int num_ranks, int num_leaves) {
  std::vector<int> first;
  for (int rank = 0; rank <= num_ranks; ++rank) {
    first.push_back(
        static_cast<int>(std::int64_t{num_leaves} * rank / num_ranks));
  }
  return first;
}

}  // namespace ceres::internal
