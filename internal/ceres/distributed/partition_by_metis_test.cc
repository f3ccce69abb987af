// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "ceres/distributed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::distributed {
namespace {

constexpr int kNumPoints = 1200;
constexpr int kNumCameras = 120;

// Points of a sequence of cameras, each seen from four cameras in a row. The
// numbers of cameras are shuffled: they say nothing about what a camera sees.
std::vector<Observation> ShuffledSequence() {
  std::vector<int> number(kNumCameras + 3);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(5));
  std::vector<Observation> observations;
  for (int p = 0; p < kNumPoints; ++p) {
    const int place = static_cast<int>(7919LL * p % kNumPoints);
    for (int c = 0; c < 4; ++c) {
      observations.push_back({number[place * kNumCameras / kNumPoints + c], p});
    }
  }
  return observations;
}

// The rank of each point.
std::vector<int> RanksOf(const Partition& partition) {
  std::vector<int> rank_of(kNumPoints, -1);
  for (std::size_t r = 0; r + 1 < partition.first_leaf.size(); ++r) {
    for (int i = partition.first_point[partition.first_leaf[r]];
         i < partition.first_point[partition.first_leaf[r + 1]]; ++i) {
      rank_of[partition.points[i]] = static_cast<int>(r);
    }
  }
  return rank_of;
}

// The number of cameras of each rank, added up.
int CamerasOfRanks(const std::vector<Observation>& observations,
                   const std::vector<int>& rank_of, int num_ranks) {
  std::vector<std::set<int>> cameras(num_ranks);
  for (const Observation& observation : observations) {
    cameras[rank_of[observation.point]].insert(observation.camera);
  }
  int sum = 0;
  for (const std::set<int>& seen : cameras) {
    sum += static_cast<int>(seen.size());
  }
  return sum;
}

class PartitionByMetisTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasMetis()) GTEST_SKIP() << "Built without METIS.";
  }
};

TEST_F(PartitionByMetisTest, PutsEachPointInOneLeaf) {
  const Partition partition = PartitionByMetis(ShuffledSequence(), 3, 16);
  std::vector<int> points = partition.points;
  std::sort(points.begin(), points.end());
  std::vector<int> all(kNumPoints);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(points, all);
  EXPECT_EQ(partition.first_point.size(), 17u);
  EXPECT_THAT(partition.first_leaf, testing::ElementsAre(0, 5, 10, 16));
}

TEST_F(PartitionByMetisTest, BalancesObservations) {
  const Partition partition = PartitionByMetis(ShuffledSequence(), 4, 8);
  for (int leaf = 0; leaf < 8; ++leaf) {
    const int size =
        partition.first_point[leaf + 1] - partition.first_point[leaf];
    EXPECT_NEAR(size, kNumPoints / 8, 0.1 * kNumPoints / 8);
  }
}

// A random partition gives each rank all cameras, and so do medians of numbers
// that say nothing. The cut of a sequence shares three cameras.
TEST_F(PartitionByMetisTest, SharesFewerCamerasThanRandomPartitions) {
  const std::vector<Observation> observations = ShuffledSequence();
  for (const int num_ranks : {2, 4, 8}) {
    std::vector<int> random(kNumPoints);
    for (int p = 0; p < kNumPoints; ++p) random[p] = p % num_ranks;
    std::shuffle(random.begin(), random.end(), std::mt19937(11));
    const int of_random = CamerasOfRanks(observations, random, num_ranks);
    const int of_metis = CamerasOfRanks(
        observations, RanksOf(PartitionByMetis(observations, num_ranks)),
        num_ranks);
    EXPECT_LE(of_metis, of_random);
    EXPECT_LE(of_metis, kNumCameras + 3 + 12 * (num_ranks - 1));
    EXPECT_GE(of_metis, kNumCameras + 3);
  }
}

TEST_F(PartitionByMetisTest, LeavesDoNotDependOnTheNumberOfRanks) {
  const std::vector<Observation> observations = ShuffledSequence();
  const Partition one = PartitionByMetis(observations, 1);
  for (const int num_ranks : {2, 3, 8}) {
    const Partition several = PartitionByMetis(observations, num_ranks);
    EXPECT_EQ(one.points, several.points);
    EXPECT_EQ(one.first_point, several.first_point);
  }
}

TEST_F(PartitionByMetisTest, TakesFewPoints) {
  EXPECT_THAT(PartitionByMetis({{0, 2}, {1, 5}}, 1, 1).points,
              testing::ElementsAre(2, 5));
  EXPECT_TRUE(PartitionByMetis({}, 2).points.empty());
  EXPECT_EQ(PartitionByMetis({{0, 0}}, 2).points.size(), 1u);
}

TEST(PartitionByMetisDeathTest, RefusesWrongArguments) {
  if (!HasMetis()) {
    EXPECT_DEATH(PartitionByMetis({}, 1), "built without METIS");
    return;
  }
  EXPECT_DEATH(PartitionByMetis({}, 0), "num_ranks");
  EXPECT_DEATH(PartitionByMetis({}, 4, 2), "each rank needs a leaf");
  EXPECT_DEATH(PartitionByMetis({{0, -1}}, 1), "a negative point");
}

}  // namespace
}  // namespace ceres::distributed
