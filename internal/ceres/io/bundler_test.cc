// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/bundler.h"

#include <cmath>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::io {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The second camera turns by 90 degrees about z; the third was not placed.
const char kFile[] =
    "# Bundle file v0.3\n"
    "3 2\n"
    "500 0.1 -0.2\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n"
    "600 0 0\n0 -1 0\n1 0 0\n0 0 1\n4 5 6\n"
    "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n"
    "7 8 9\n255 0 10\n2 0 11 1.5 -2.5 1 12 3 4\n"
    "-1 -2 -3\n1 2 3\n1 1 13 5 6\n";

std::string ParseError(const std::string& from, const std::string& to) {
  std::string text = kFile;
  const std::size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  text.replace(position, from.size(), to);
  BundlerScene scene;
  scene.keys = {42};
  std::string error;
  EXPECT_FALSE(ParseBundler(text, "bundle.out", &scene, &error)) << text;
  EXPECT_THAT(scene.keys, ElementsAre(42));
  return error;
}

TEST(ParseBundler, ReadsCamerasPointsAndViews) {
  for (const char* mark : {"", "\xef\xbb\xbf"}) {
    BundlerScene scene;
    std::string error;
    ASSERT_TRUE(
        ParseBundler(std::string(mark) + kFile, "bundle.out", &scene, &error))
        << error;
    EXPECT_EQ(scene.problem.num_cameras(), 3);
    EXPECT_THAT(scene.problem.points, ElementsAre(7, 8, 9, -1, -2, -3));
    EXPECT_THAT(scene.problem.camera_index, ElementsAre(0, 1, 1));
    EXPECT_THAT(scene.problem.point_index, ElementsAre(0, 0, 1));
    EXPECT_THAT(scene.problem.observations, ElementsAre(1.5, -2.5, 3, 4, 5, 6));
    EXPECT_THAT(scene.keys, ElementsAre(11, 12, 13));
    EXPECT_THAT(scene.colors[0], ElementsAre(255, 0, 10));
    const double* turned = scene.problem.camera(1);
    EXPECT_NEAR(turned[2], std::acos(0.0), 1e-15);
    EXPECT_EQ(turned[3], 4.0);
    EXPECT_EQ(turned[6], 600.0);
    EXPECT_EQ(scene.problem.camera(0)[7], 0.1);
  }
}

TEST(ParseBundler, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(ParseError("v0.3", "v0.4"),
              AllOf(HasSubstr("bundle.out:1: token 4: "),
                    HasSubstr("expected \"# Bundle file v0.3\"")));
  EXPECT_THAT(
      ParseError("3 2\n", "3 -2\n"),
      HasSubstr("bundle.out:2: token 6: expected the number of points"));
  EXPECT_THAT(ParseError("3 2\n", "3 1000000000000\n"), HasSubstr("found"));
  EXPECT_THAT(ParseError("3 2\n", "3 1000000000\n"),
              HasSubstr("truncated, or a count is wrong"));
  EXPECT_THAT(ParseError("3 2\n", "3 3\n"), HasSubstr("the file ends here"));
  EXPECT_THAT(ParseError("3 2\n", "3 1\n"),
              HasSubstr("expected the end of the file, found \"-1\""));
  EXPECT_THAT(ParseError("2 0 11", "2000000000 0 11"),
              HasSubstr("truncated, or a count is wrong"));
  EXPECT_THAT(ParseError("2 0 11", "2 3 11"),
              HasSubstr("the index of a camera in [0, 2], found \"3\""));
  EXPECT_THAT(ParseError("2 0 11", "2 2 11"),
              HasSubstr("camera 2, which has the focal length 0"));
  EXPECT_THAT(ParseError("500 0.1", "nan 0.1"), HasSubstr("found \"nan\""));
  EXPECT_THAT(ParseError("500 0.1", "5D2 0.1"), HasSubstr("found \"5D2\""));
  EXPECT_THAT(ParseError("255 0 10", "256 0 10"), HasSubstr("found \"256\""));
  EXPECT_THAT(ParseError("0 -1 0\n1 0 0", "0 1 0\n1 0 0"),
              HasSubstr("is a rotation"));
  EXPECT_THAT(ParseError("1 0 0\n0 1 0", "2 0 0\n0 1 0"),
              HasSubstr("is a rotation"));
}

TEST(WriteBundler, WritesWhatReadsAsTheSame) {
  const std::string path =
      (fs::temp_directory_path() / "bundler_test.out").string();
  BundlerScene scene, again;
  std::string error;
  ASSERT_TRUE(ParseBundler(kFile, "bundle.out", &scene, &error)) << error;
  scene.problem.camera(0)[0] = 0.1;
  scene.problem.points[1] = 1.0 / 3.0;
  ASSERT_TRUE(WriteBundler(scene, path, &error)) << error;
  ASSERT_TRUE(ReadBundler(path, &again, &error)) << error;
  EXPECT_EQ(again.problem.points, scene.problem.points);
  EXPECT_EQ(again.problem.observations, scene.problem.observations);
  EXPECT_EQ(again.keys, scene.keys);
  EXPECT_EQ(again.colors, scene.colors);
  for (std::size_t i = 0; i < scene.problem.cameras.size(); ++i) {
    EXPECT_NEAR(again.problem.cameras[i], scene.problem.cameras[i], 1e-15);
  }
  scene.keys.pop_back();
  EXPECT_FALSE(WriteBundler(scene, path, &error));
  EXPECT_THAT(error, HasSubstr("as many"));
  fs::remove(path);
}

}  // namespace
}  // namespace ceres::io
