// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_problem.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bal_file.h"
#include "generate_scene.h"
#include "gtest/gtest.h"
#include "quaternion_camera_manifold.h"
#include "shared_data.h"
#include "test_reprojection.h"

namespace ceres::examples {
namespace {

BalProblem MakeScene() {
  SceneOptions options;
  options.num_cameras = 12;
  options.num_points = 301;
  options.seed = 7;
  BalProblem problem;
  std::string error;
  EXPECT_TRUE(GenerateScene(options, &problem, &error)) << error;
  return problem;
}

double MaxDifference(const std::vector<double>& a,
                     const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
    difference = std::max(difference, std::abs(a[i] - b[i]));
  return difference;
}

// Cost at the published initial values, as the folder's README gives it.
TEST(SnavelyReprojectionError, HasThePublishedInitialCosts) {
  struct Expected {
    const char* name;
    double cost;
  };
  for (const Expected& expected :
       {Expected{"problem-16-22106-pre", 4.185660e+06},
        Expected{"problem-49-1800-shrink", 2.345198e+05},
        Expected{"dubrovnik-3-7-pre", 2.764220e+03},
        Expected{"dubrovnik-1-1-pre", 6.331642e+01}}) {
    const auto text =
        internal::ReadSharedData(std::string("bal/") + expected.name + ".txt");
    if (!text.has_value())
      GTEST_SKIP() << "no BAL files in " << internal::SharedDataFolder();
    BalProblem problem;
    std::string error;
    ASSERT_TRUE(ParseBal(*text, expected.name, &problem, &error)) << error;
    EXPECT_NEAR(Cost(problem), expected.cost, 5e-7 * expected.cost)
        << expected.name;
  }
}

TEST(SnavelyReprojectionError, ProjectsAlongTheNegativeAxisWithDistortion) {
  // P = (1, 2, -4): p = (0.25, 0.5), |p|^2 = 0.3125.
  const double camera[9] = {0, 0, 0, 0, 0, 0, 100.0, 0.1, 0.01};
  const double point[3] = {1.0, 2.0, -4.0};
  double residual[2];
  ASSERT_TRUE(SnavelyReprojectionError(20.0, 50.0)(camera, point, residual));
  const double scale = 100.0 * (1.0 + 0.1 * 0.3125 + 0.01 * 0.3125 * 0.3125);
  EXPECT_NEAR(residual[0], scale * 0.25 - 20.0, 1e-12);
  EXPECT_NEAR(residual[1], scale * 0.5 - 50.0, 1e-12);
}

TEST(BalProblem, CameraCenterIsWhereTheCameraStands) {
  BalProblem problem;
  // A quarter turn about z takes (3, 4, 5) to (-4, 3, 5).
  const double half_pi = std::acos(0.0);
  problem.cameras = {0, 0, half_pi, 4, -3, -5, 1, 0, 0};
  double center[3];
  CameraCenter(problem, 0, center);
  EXPECT_NEAR(center[0], 3.0, 1e-15);
  EXPECT_NEAR(center[1], 4.0, 1e-15);
  EXPECT_NEAR(center[2], 5.0, 1e-15);
}

TEST(BalProblem, NormalizeCentersThePointsAtScale100AndKeepsResiduals) {
  BalProblem problem = MakeScene();
  const std::vector<double> residuals = Residuals(problem);
  Normalize(&problem);
  EXPECT_LT(MaxDifference(Residuals(problem), residuals), 1e-8);

  std::vector<double> norms;
  std::vector<double> coordinates[3];
  for (int i = 0; i < problem.num_points(); ++i) {
    const double* x = problem.point(i);
    norms.push_back(std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]));
    for (int k = 0; k < 3; ++k) coordinates[k].push_back(x[k]);
  }
  // 301 points have a middle one.
  std::sort(norms.begin(), norms.end());
  EXPECT_NEAR(norms[150], 100.0, 1e-12);
  for (std::vector<double>& values : coordinates) {
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values[150], 0.0);
  }
}

TEST(BalProblem, DenormalizeUndoesNormalize) {
  const BalProblem original = MakeScene();
  for (const bool quaternions : {false, true}) {
    BalProblem problem = original;
    if (quaternions) UseQuaternions(&problem);
    const Normalization normalization = Normalize(&problem);
    EXPECT_GT(MaxDifference(problem.points, original.points), 1.0);
    Denormalize(normalization, &problem);
    UseAngleAxis(&problem);
    EXPECT_LT(MaxDifference(problem.points, original.points), 1e-11);
    EXPECT_LT(MaxDifference(problem.cameras, original.cameras), 1e-11);
  }
}

TEST(BalProblem, NormalizeLeavesTheSizeOfPointsThatCoincide) {
  BalProblem problem;
  problem.points = {1, 2, 3, 1, 2, 3};
  EXPECT_EQ(Normalize(&problem).scale, 1.0);
  EXPECT_EQ(problem.points, std::vector<double>(6, 0.0));
}

TEST(BalProblem, QuaternionsProjectAsAngleAxesDoWhateverTheirLength) {
  BalProblem problem = MakeScene();
  const std::vector<double> residuals = Residuals(problem);
  const std::vector<double> cameras = problem.cameras;
  UseQuaternions(&problem);
  for (int k = 0; k < 4; ++k) problem.camera(3)[k] *= 2.5;
  EXPECT_EQ(problem.num_cameras(), 12);
  EXPECT_LT(MaxDifference(Residuals(problem), residuals), 1e-8);
  UseAngleAxis(&problem);
  EXPECT_LT(MaxDifference(problem.cameras, cameras), 1e-12);
}

TEST(BalProblem, PerturbAddsNoiseOfTheGivenSize) {
  const BalProblem original = MakeScene();
  BalProblem problem = original;
  PerturbationOptions options;
  options.point_sigma = 0.25;
  Perturb(options, &problem);
  EXPECT_EQ(problem.cameras, original.cameras);
  double sum = 0.0;
  for (size_t i = 0; i < problem.points.size(); ++i) {
    sum += std::pow(problem.points[i] - original.points[i], 2);
  }
  // 903 samples: their variance is known to 5 % (one sigma).
  EXPECT_NEAR(sum / static_cast<double>(problem.points.size()), 0.0625,
              4 * 0.05 * 0.0625);
}

TEST(BalProblem, PerturbTurnsCamerasAboutTheirCenters) {
  const BalProblem original = MakeScene();
  BalProblem problem = original;
  PerturbationOptions options;
  options.rotation_sigma = 0.1;
  Perturb(options, &problem);
  EXPECT_EQ(problem.points, original.points);
  EXPECT_GT(std::abs(problem.camera(5)[0] - original.camera(5)[0]), 1e-6);
  for (int i = 0; i < problem.num_cameras(); ++i) {
    double before[3];
    double after[3];
    CameraCenter(original, i, before);
    CameraCenter(problem, i, after);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-10);
  }
}

TEST(BalProblem, PerturbDependsOnTheSeedAlone) {
  BalProblem a = MakeScene();
  BalProblem b = a;
  BalProblem c = a;
  PerturbationOptions options;
  options.rotation_sigma = options.translation_sigma = options.point_sigma =
      0.1;
  Perturb(options, &a);
  Perturb(options, &b);
  EXPECT_EQ(a.points, b.points);
  EXPECT_EQ(a.cameras, b.cameras);
  ++options.seed;
  Perturb(options, &c);
  EXPECT_NE(a.points, c.points);
}

// Jacobians against central differences of Plus and Minus.
TEST(QuaternionCameraManifold, JacobiansAreThoseOfPlusAndMinus) {
  const QuaternionCameraManifold manifold;
  const double x[10] = {0.5, -0.5, 0.1, 0.7, 1, 2, 3, 4, 5, 6};
  double plus[10 * 9];
  double minus[9 * 10];
  ASSERT_TRUE(manifold.PlusJacobian(x, plus));
  ASSERT_TRUE(manifold.MinusJacobian(x, minus));
  constexpr double kStep = 1e-6;
  for (int column = 0; column < 9; ++column) {
    double delta[9] = {};
    double forward[10];
    double backward[10];
    delta[column] = kStep;
    ASSERT_TRUE(manifold.Plus(x, delta, forward));
    delta[column] = -kStep;
    ASSERT_TRUE(manifold.Plus(x, delta, backward));
    for (int row = 0; row < 10; ++row) {
      EXPECT_NEAR(plus[row * 9 + column],
                  (forward[row] - backward[row]) / (2 * kStep), 1e-8);
    }
  }
  for (int column = 0; column < 10; ++column) {
    double forward[10];
    double backward[10];
    std::copy_n(x, 10, forward);
    std::copy_n(x, 10, backward);
    forward[column] += kStep;
    backward[column] -= kStep;
    double difference_forward[9];
    double difference_backward[9];
    ASSERT_TRUE(manifold.Minus(forward, x, difference_forward));
    ASSERT_TRUE(manifold.Minus(backward, x, difference_backward));
    for (int row = 0; row < 9; ++row) {
      EXPECT_NEAR(
          minus[row * 10 + column],
          (difference_forward[row] - difference_backward[row]) / (2 * kStep),
          1e-8);
    }
  }
}

TEST(QuaternionCameraManifold, PlusUndoesMinus) {
  const QuaternionCameraManifold manifold;
  const double x[10] = {0.5, -0.5, 0.5, 0.5, 1, 2, 3, 4, 5, 6};
  const double y[10] = {0.8, 0.6, 0.0, 0.0, 6, 5, 4, 3, 2, 1};
  double delta[9];
  double result[10];
  ASSERT_TRUE(manifold.Minus(y, x, delta));
  ASSERT_TRUE(manifold.Plus(x, delta, result));
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(result[k], y[k], 1e-14);
}

}  // namespace
}  // namespace ceres::examples
