// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "ceres/distributed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::distributed {
namespace {

using testing::ElementsAre;

// A sequence of cameras: point p, in a scrambled order, is seen from four
// cameras in a row.
std::vector<Observation> Sequence(int num_points) {
  std::vector<Observation> observations;
  for (int p = 0; p < num_points; ++p) {
    const int place = static_cast<int>(7919LL * p % num_points);
    for (int c = 0; c < 4; ++c) {
      observations.push_back({place / 10 + c, p});
    }
  }
  return observations;
}

TEST(PartitionByPoints, PutsEachObservedPointInOneLeaf) {
  const Partition partition = PartitionByPoints(Sequence(997), 3, 16);
  std::vector<int> points = partition.points;
  std::sort(points.begin(), points.end());
  std::vector<int> all(997);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(points, all);
  EXPECT_EQ(partition.first_point.size(), 17u);
  EXPECT_EQ(partition.first_point.back(), 997);
  EXPECT_THAT(partition.first_leaf, ElementsAre(0, 5, 10, 16));
}

TEST(PartitionByPoints, BalancesObservations) {
  const Partition partition = PartitionByPoints(Sequence(1000), 2, 8);
  for (int leaf = 0; leaf < 8; ++leaf) {
    const int size =
        partition.first_point[leaf + 1] - partition.first_point[leaf];
    EXPECT_NEAR(size, 125, 1);
  }
}

TEST(PartitionByPoints, LeavesSeeFewCameras) {
  const std::vector<Observation> observations = Sequence(1000);
  const Partition partition = PartitionByPoints(observations, 2, 8);
  std::vector<int> leaf_of(1000);
  for (int leaf = 0; leaf < 8; ++leaf) {
    for (int i = partition.first_point[leaf];
         i < partition.first_point[leaf + 1]; ++i) {
      leaf_of[partition.points[i]] = leaf;
    }
  }
  std::vector<std::set<int>> cameras(8);
  for (const Observation& observation : observations) {
    cameras[leaf_of[observation.point]].insert(observation.camera);
  }
  // 103 cameras: 13 for each leaf, and those that see points of the next.
  for (const std::set<int>& seen : cameras) EXPECT_LE(seen.size(), 18u);
}

TEST(PartitionByPoints, LeavesDoNotDependOnTheNumberOfRanks) {
  const std::vector<Observation> observations = Sequence(500);
  const Partition one = PartitionByPoints(observations, 1);
  for (const int num_ranks : {2, 3, 4, 8}) {
    const Partition several = PartitionByPoints(observations, num_ranks);
    EXPECT_EQ(one.points, several.points);
    EXPECT_EQ(one.first_point, several.first_point);
  }
}

TEST(PartitionByPoints, TakesALeafForEachOfManyRanks) {
  const Partition partition = PartitionByPoints(Sequence(500), 9);
  EXPECT_EQ(partition.first_point.size(), 17u);
  EXPECT_EQ(partition.first_leaf.size(), 10u);
}

TEST(PartitionByPoints, LeavesOutPointsWithoutObservation) {
  const Partition partition = PartitionByPoints({{0, 2}, {1, 5}}, 1, 1);
  EXPECT_THAT(partition.points, ElementsAre(2, 5));
}

TEST(PartitionByPointsDeathTest, RefusesWrongArguments) {
  EXPECT_DEATH(PartitionByPoints({}, 0), "num_ranks");
  EXPECT_DEATH(PartitionByPoints({}, 4, 2), "each rank needs a leaf");
  EXPECT_DEATH(PartitionByPoints({{0, -1}}, 1), "a negative point");
}

}  // namespace
}  // namespace ceres::distributed
