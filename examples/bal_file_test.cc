// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "shared_data.h"

namespace ceres::examples {
namespace {

TEST(WritePly, HasCameraCentersInGreenAndPointsInWhite) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "bal_file_test.ply").string();
  BalProblem problem;
  problem.cameras = {0, 0, 0, 1, 2, 3, 500, 0, 0};
  problem.points = {4, 5, 6.5};
  std::string error;
  ASSERT_TRUE(WritePly(problem, path, &error)) << error;
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty float "
            "x\nproperty float y\n"
            "property float z\nproperty uchar red\nproperty uchar "
            "green\nproperty uchar blue\n"
            "end_header\n-1 -2 -3 0 255 0\n4 5 6.5 255 255 255\n");
}

TEST(ReadBal, ReadsThePublishedFiles) {
  struct Expected {
    const char* name;
    int num_cameras;
    int num_points;
    int num_observations;
  };
  for (const Expected& expected :
       {Expected{"problem-16-22106-pre", 16, 22106, 83718},
        Expected{"problem-49-7776-pre", 49, 7776, 31843},
        Expected{"dubrovnik-3-7-pre", 3, 7, 19}}) {
    const auto text =
        internal::ReadSharedData(std::string("bal/") + expected.name + ".txt");
    if (!text.has_value())
      GTEST_SKIP() << "no BAL files in " << internal::SharedDataFolder();
    BalProblem problem;
    std::string error;
    ASSERT_TRUE(ParseBal(*text, expected.name, &problem, &error)) << error;
    EXPECT_EQ(problem.num_cameras(), expected.num_cameras);
    EXPECT_EQ(problem.num_points(), expected.num_points);
    EXPECT_EQ(problem.num_observations(), expected.num_observations);
  }
}

}  // namespace
}  // namespace ceres::examples
