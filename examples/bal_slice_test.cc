// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_slice.h"

#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bal_file.h"
#include "generate_scene.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

BalProblem Scene() {
  SceneOptions options;
  options.num_cameras = 12;
  options.num_points = 300;
  BalProblem scene;
  std::string error;
  EXPECT_TRUE(GenerateScene(options, &scene, &error)) << error;
  return scene;
}

TEST(TakeSlice, EachObservationIsInOneSlice) {
  const BalProblem scene = Scene();
  std::multiset<std::pair<int, int>> all;
  for (int i = 0; i < scene.num_observations(); ++i) {
    all.emplace(scene.camera_index[i], scene.point_index[i]);
  }
  for (const int num_ranks : {1, 3}) {
    std::multiset<std::pair<int, int>> found;
    std::set<int> points;
    for (int rank = 0; rank < num_ranks; ++rank) {
      const BalSlice slice = TakeSlice(scene, {rank, num_ranks, 8});
      for (int i = 0; i < slice.scene.num_observations(); ++i) {
        found.emplace(slice.camera_ids[slice.scene.camera_index[i]],
                      slice.point_ids[slice.scene.point_index[i]]);
      }
      for (const int p : slice.point_ids) {
        EXPECT_TRUE(points.insert(p).second) << "point " << p;
      }
      EXPECT_EQ(slice.first_observation.back(), slice.scene.num_observations());
      EXPECT_EQ(slice.num_observations, scene.num_observations());
    }
    EXPECT_EQ(found, all);
  }
}

TEST(TakeSlice, LeavesDoNotDependOnTheNumberOfRanks) {
  const BalProblem scene = Scene();
  const BalSlice whole = TakeSlice(scene, {0, 1, 8});
  const BalSlice second = TakeSlice(scene, {1, 2, 8});
  EXPECT_EQ(second.first_leaf, 4);
  const int offset = whole.first_observation[4];
  ASSERT_EQ(second.scene.num_observations(),
            whole.scene.num_observations() - offset);
  for (int i = 0; i < second.scene.num_observations(); ++i) {
    EXPECT_EQ(second.point_ids[second.scene.point_index[i]],
              whole.point_ids[whole.scene.point_index[offset + i]]);
    EXPECT_EQ(second.camera_ids[second.scene.camera_index[i]],
              whole.camera_ids[whole.scene.camera_index[offset + i]]);
  }
}

TEST(TakeSlice, LeavesHaveAboutTheSameNumberOfObservations) {
  const BalSlice slice = TakeSlice(Scene(), {0, 1, 8});
  const double mean = slice.scene.num_observations() / 8.0;
  for (int k = 0; k < 8; ++k) {
    EXPECT_NEAR(slice.first_observation[k + 1] - slice.first_observation[k],
                mean, 13);
  }
}

TEST(ReadBalSlice, EqualsTheSliceOfTheScene) {
  const BalProblem scene = Scene();
  const std::string path = testing::TempDir() + "/bal_slice_test.txt";
  std::string error;
  ASSERT_TRUE(WriteBal(scene, path, &error)) << error;
  for (int rank = 0; rank < 3; ++rank) {
    BalSlice read;
    ASSERT_TRUE(ReadBalSlice(path, {rank, 3, 8}, &read, &error)) << error;
    const BalSlice taken = TakeSlice(scene, {rank, 3, 8});
    EXPECT_EQ(read.camera_ids, taken.camera_ids);
    EXPECT_EQ(read.point_ids, taken.point_ids);
    EXPECT_EQ(read.first_leaf, taken.first_leaf);
    EXPECT_EQ(read.first_observation, taken.first_observation);
    EXPECT_EQ(read.scene.camera_index, taken.scene.camera_index);
    EXPECT_EQ(read.scene.observations, taken.scene.observations);
    EXPECT_EQ(read.scene.cameras, taken.scene.cameras);
    EXPECT_EQ(read.scene.points, taken.scene.points);
  }
  std::remove(path.c_str());
}

TEST(ReadBalSlice, NamesTheObservationThatIsWrong) {
  const std::string path = testing::TempDir() + "/bal_slice_wrong.txt";
  const std::string rest(200, ' ');
  BalSlice slice;
  std::string error;
  for (const char* wrong : {"2 0 1.0 2.0", "1 3 1.0 2.0", "1 0 nan 2.0",
                            "1 0 1,5 2.0", "-1 0 1.0 2.0", "1.0 0 1.0 2.0"}) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    std::fputs(("2 3 2\n0 0 1.0 2.0\n" + std::string(wrong) + rest).c_str(),
               file);
    std::fclose(file);
    EXPECT_FALSE(ReadBalSlice(path, {0, 1, 1}, &slice, &error));
    EXPECT_NE(error.find("observation 1 is not"), std::string::npos) << error;
  }
  std::FILE* const file = std::fopen(path.c_str(), "w");
  std::fputs("2 2000000000 2\n0 0 1.0 2.0\n", file);
  std::fclose(file);
  EXPECT_FALSE(ReadBalSlice(path, {0, 1, 1}, &slice, &error));
  EXPECT_NE(error.find("too short"), std::string::npos) << error;
  EXPECT_FALSE(ReadBalSlice(path + ".absent", {0, 1, 1}, &slice, &error));
  EXPECT_NE(error.find("cannot be read"), std::string::npos) << error;
  std::remove(path.c_str());
}

}  // namespace
}  // namespace ceres::examples
