// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_OBSERVED_POINTS_H_
#define CERES_INTERNAL_DISTRIBUTED_OBSERVED_POINTS_H_

#include <cstdint>
#include <vector>

#include "ceres/distributed.h"

namespace ceres::internal {

// The cameras that see each point: those of point p are
// cameras[first[p] .. first[p + 1]), in the order of observations.
struct CamerasOfPoints {
  std::vector<std::int64_t> first = {0};
  std::vector<int> cameras;

  int num_points() const { return static_cast<int>(first.size()) - 1; }
  std::int64_t num_observations(int point) const {
    return first[point + 1] - first[point];
  }
};

// function: of the caller, for messages. CHECK: no index is negative.
CamerasOfPoints ListCameras(
    const std::vector<distributed::Observation>& observations,
    const char* function);

// The observed points, sorted by the median of the cameras that see them.
// Reorders the cameras of each point.
std::vector<int> SortByMedianCamera(CamerasOfPoints* list);

// Checks the arguments of a partitioner, and returns the number of leaves: the
// smallest power of two that is at least 8 and num_ranks, if it is 0.
int ChooseNumLeaves(int num_ranks, int num_leaves, const char* function);

// The ranks' leaves, +1: about the same number of consecutive leaves for each.
std::vector<int> FirstLeaves(int num_ranks, int num_leaves);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_OBSERVED_POINTS_H_
