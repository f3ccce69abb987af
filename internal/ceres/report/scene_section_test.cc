// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/scene_section.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

ReportScene Line(int n) {
  ReportScene scene;
  for (int i = 0; i < n; ++i) {
    scene.points.push_back({double{1} * i, 0.0, 0.0});
    scene.poses.push_back({{0.0, double{1} * i, 0.0}, {}});
    if (i > 0) scene.edges.push_back({i - 1, i});
  }
  return scene;
}

TEST(EvenSample, HasTheFirstAndTheLast) {
  EXPECT_THAT(EvenSample(0, 3), ElementsAre());
  EXPECT_THAT(EvenSample(2, 3), ElementsAre(0, 1));
  EXPECT_THAT(EvenSample(5, 3), ElementsAre(0, 2, 4));
  EXPECT_THAT(EvenSample(5, 1), ElementsAre(0));
}

TEST(EvenSample, DoesNotOverflow) {
  const std::vector<int> sample = EvenSample(2000000000, 1000);
  EXPECT_EQ(sample.size(), 1000);
  EXPECT_EQ(sample.back(), 1999999999);
}

TEST(CollectScene, SmallSceneIsComplete) {
  const SceneSection section = CollectScene(Line(4), Line(4), 10);
  EXPECT_EQ(section.after.points.size(), 4);
  EXPECT_EQ(section.before.poses.size(), 4);
  EXPECT_EQ(section.after.edges.size(), 3);
}

TEST(CollectScene, LargeSceneIsSampled) {
  const SceneSection section = CollectScene(Line(101), Line(101), 11);
  EXPECT_EQ(section.num_points, 101);
  ASSERT_EQ(section.after.points.size(), 11);
  EXPECT_EQ(section.after.points[1][0], 10.0);
  // No two neighbours were sampled.
  EXPECT_TRUE(section.after.edges.empty());
}

TEST(CollectScene, EdgesNameTheSampledPoses) {
  ReportScene scene = Line(3);
  scene.edges = {{0, 2}, {1, 2}, {0, 7}, {-1, 0}};
  const SceneSection section = CollectScene(scene, scene, 2);
  // There are two sampled edges; the first names sampled poses 0 and 2.
  EXPECT_THAT(section.after.edges, ElementsAre(ElementsAre(0, 1)));
}

TEST(CollectScene, LeavesOutAStartOfAnotherSize) {
  const SceneSection section = CollectScene(Line(3), Line(4), 10);
  EXPECT_TRUE(section.before.points.empty());
  EXPECT_EQ(section.after.points.size(), 4);
}

}  // namespace
}  // namespace ceres::internal
