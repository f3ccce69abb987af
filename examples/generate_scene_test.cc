// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "generate_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test_reprojection.h"

namespace ceres::examples {
namespace {

using ::testing::HasSubstr;

BalProblem Generate(const SceneOptions& options) {
  BalProblem problem;
  std::string error;
  EXPECT_TRUE(GenerateScene(options, &problem, &error)) << error;
  return problem;
}

SceneOptions Options(int num_cameras, int num_points, uint64_t seed) {
  SceneOptions options;
  options.num_cameras = num_cameras;
  options.num_points = num_points;
  options.seed = seed;
  return options;
}

// FNV-1a over the bytes of the values.
template <typename T>
uint64_t Hash(const std::vector<T>& values, uint64_t hash) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(T); ++i) {
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  }
  return hash;
}

uint64_t Hash(const BalProblem& problem) {
  uint64_t hash = 0xcbf29ce484222325u;
  hash = Hash(problem.camera_index, hash);
  hash = Hash(problem.point_index, hash);
  hash = Hash(problem.observations, hash);
  hash = Hash(problem.cameras, hash);
  return Hash(problem.points, hash);
}

std::vector<int> TrackLengths(const BalProblem& problem) {
  std::vector<int> lengths(problem.num_points(), 0);
  for (const int point : problem.point_index) ++lengths[point];
  return lengths;
}

TEST(GenerateScene, HasTheseBitsEverywhere) {
  EXPECT_EQ(Hash(Generate(Options(30, 500, 1))), 14218323996051011544u);
  EXPECT_EQ(Hash(Generate(Options(200, 2000, 2))), 9546141646476903314u);
}

TEST(GenerateScene, EveryPointIsSeenByTwoDifferentCamerasOrMore) {
  for (const auto& [num_cameras, num_points] :
       {std::pair{2, 10}, {3, 50}, {7, 100}, {100, 3000}, {300, 50}}) {
    const BalProblem problem = Generate(Options(num_cameras, num_points, 5));
    EXPECT_EQ(problem.num_cameras(), num_cameras);
    EXPECT_EQ(problem.num_points(), num_points);
    const std::vector<int> lengths = TrackLengths(problem);
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), 2);
    for (int i = 1; i < problem.num_observations(); ++i) {
      const bool same_point =
          problem.point_index[i] == problem.point_index[i - 1];
      ASSERT_LE(problem.point_index[i - 1], problem.point_index[i]);
      ASSERT_FALSE(same_point &&
                   problem.camera_index[i] == problem.camera_index[i - 1]);
    }
  }
}

TEST(GenerateScene, TracksAreOfVariedLengthAndTheLoopCloses) {
  const BalProblem problem = Generate(Options(400, 20000, 3));
  const std::vector<int> lengths = TrackLengths(problem);
  const double mean = static_cast<double>(problem.num_observations()) /
                      static_cast<double>(problem.num_points());
  EXPECT_GT(mean, 3.0);
  EXPECT_LT(mean, 8.0);
  EXPECT_GT(std::count(lengths.begin(), lengths.end(), 2),
            problem.num_points() / 20);
  EXPECT_GT(*std::max_element(lengths.begin(), lengths.end()), 20);

  // Points that the beginning and the end of the drive both see.
  std::vector<bool> seen_early(problem.num_points(), false);
  int num_closures = 0;
  for (int i = 0; i < problem.num_observations(); ++i) {
    if (problem.camera_index[i] < 50) seen_early[problem.point_index[i]] = true;
    if (problem.camera_index[i] >= 350 && seen_early[problem.point_index[i]])
      ++num_closures;
  }
  EXPECT_GT(num_closures, 500);
  EXPECT_LT(num_closures, problem.num_observations() / 10);
}

// Without errors of the initial values, what is left is the observation noise.
TEST(GenerateScene, ResidualsAtTheTruthAreTheNoise) {
  SceneOptions options = Options(60, 5000, 4);
  options.rotation_noise = options.center_noise = options.point_noise = 0.0;
  options.focal_noise = options.drift_per_camera = 0.0;
  options.distortion_noise = 0.0;
  const BalProblem problem = Generate(options);
  std::vector<double> magnitudes;
  for (const double residual : Residuals(problem))
    magnitudes.push_back(std::abs(residual));
  std::sort(magnitudes.begin(), magnitudes.end());
  // The median of |N(0, 0.5)| is 0.337; the outliers hardly move it.
  EXPECT_NEAR(magnitudes[magnitudes.size() / 2], 0.337, 0.02);
  int num_large = 0;
  for (const double magnitude : magnitudes)
    num_large += magnitude > 3.0 ? 1 : 0;
  int num_in_long_tracks = 0;
  for (const int length : TrackLengths(problem))
    num_in_long_tracks += length > 2 ? length : 0;
  // One per cent has sigma 15; 84 % of these exceed 3 pixels.
  EXPECT_NEAR(num_large / (2.0 * num_in_long_tracks), 0.0084, 0.002);
}

TEST(GenerateScene, InitialValuesAreOffButNotLost) {
  const BalProblem problem = Generate(Options(100, 5000, 6));
  std::vector<double> magnitudes;
  for (const double residual : Residuals(problem))
    magnitudes.push_back(std::abs(residual));
  std::sort(magnitudes.begin(), magnitudes.end());
  EXPECT_GT(magnitudes[magnitudes.size() / 2], 2.0);
  EXPECT_LT(magnitudes[magnitudes.size() / 2], 50.0);
  EXPECT_LT(magnitudes.back(), 2000.0);
}

TEST(GenerateScene, RefusesTooFewCamerasOrPoints) {
  BalProblem problem;
  std::string error;
  EXPECT_FALSE(GenerateScene(Options(1, 10, 1), &problem, &error));
  EXPECT_THAT(error, HasSubstr("at least 2 cameras, not 1"));
  EXPECT_FALSE(GenerateScene(Options(10, 0, 1), &problem, &error));
  EXPECT_THAT(error, HasSubstr("at least 1 point, not 0"));
}

TEST(ParseSceneOptions, ReadsThreeNumbers) {
  SceneOptions options;
  std::string error;
  ASSERT_TRUE(
      ParseSceneOptions("16,2000,18446744073709551615", &options, &error))
      << error;
  EXPECT_EQ(options.num_cameras, 16);
  EXPECT_EQ(options.num_points, 2000);
  EXPECT_EQ(options.seed, 18446744073709551615u);
}

TEST(ParseSceneOptions, RefusesAnythingElse) {
  for (const char* text :
       {"", "16", "16,2000", "16,2000,", "16,2000,1,", "16,2000,1 ", "a,2,3",
        "-16,2000,1", "16;2000;1", "99999999999,2000,1"}) {
    SceneOptions options;
    std::string error;
    EXPECT_FALSE(ParseSceneOptions(text, &options, &error)) << text;
    EXPECT_THAT(error, HasSubstr("expected CAMERAS,POINTS,SEED")) << text;
  }
}

}  // namespace
}  // namespace ceres::examples
