// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "colmap_problem.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/factors/camera_models.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

// Four images of a cube of points, whose key points are exact images by the
// cameras of ceres/factors.
io::ColmapModel Scene(const std::string& name,
                      const std::vector<double>& parameters,
                      const std::vector<double>& opencv) {
  io::ColmapModel model;
  model.cameras.push_back({1, name, parameters, 640, 480});
  for (int i = 0; i < 27; ++i) {
    io::ColmapModel::Point point;
    point.id = i;
    point.position = {i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
    model.points.push_back(point);
  }
  for (int i = 0; i < 4; ++i) {
    io::ColmapModel::Image image;
    image.id = i;
    const double turn[3] = {0.1 * i, 0.4 * i - 0.6, 0.05};
    AngleAxisToQuaternion(turn, image.world_to_camera.data());
    image.world_to_camera[6] = 6.0 + 0.3 * i;
    for (int k = 0; k < 27; ++k) {
      double local[3];
      double pixel[2] = {};
      UnitQuaternionRotatePoint(image.world_to_camera.data(),
                                model.points[k].position.data(), local);
      local[2] += image.world_to_camera[6];
      EXPECT_TRUE(factors::OpenCVCamera::Project(opencv.data(), local, pixel));
      model.points[k].views.push_back({i, k});
      image.observations.push_back({pixel[0], pixel[1], k});
    }
    model.images.push_back(image);
  }
  return model;
}

struct Camera {
  const char* name;
  std::vector<double> parameters;
  // The same for factors::OpenCVCamera.
  std::vector<double> opencv;
};

TEST(ColmapProblem, FindsTheSceneAgainWithEveryCameraModel) {
  const Camera cameras[] = {
      {"SIMPLE_PINHOLE", {500, 320, 240}, {500, 500, 320, 240, 0, 0, 0, 0, 0}},
      {"PINHOLE", {500, 510, 320, 240}, {500, 510, 320, 240, 0, 0, 0, 0, 0}},
      {"SIMPLE_RADIAL",
       {500, 320, 240, 0.1},
       {500, 500, 320, 240, 0.1, 0, 0, 0, 0}},
      {"RADIAL",
       {500, 320, 240, 0.1, -0.2},
       {500, 500, 320, 240, 0.1, -0.2, 0, 0, 0}},
      {"OPENCV",
       {500, 510, 320, 240, 0.1, -0.2, 0.01, 0.02},
       {500, 510, 320, 240, 0.1, -0.2, 0.01, 0.02, 0}}};
  for (const Camera& camera : cameras) {
    io::ColmapModel model =
        Scene(camera.name, camera.parameters, camera.opencv);
    UpdateColmapErrors(&model);
    for (const auto& point : model.points) EXPECT_LT(point.error, 1e-9);
    for (auto& point : model.points) {
      for (double& x : point.position) x += 0.05 * std::sin(37.0 * x + 1.0);
    }
    model.cameras[0].parameters[0] *= 1.02;
    Problem problem;
    BuildColmapProblem(nullptr, &model, &problem);
    Solver::Options options;
    options.linear_solver_type = DENSE_SCHUR;
    options.max_num_iterations = 100;
    options.logging_type = SILENT;
    options.linear_solver_ordering = std::make_shared<ParameterBlockOrdering>();
    OrderColmapBlocks(&model, options.linear_solver_ordering.get());
    Solver::Summary summary;
    Solve(options, &problem, &summary);
    ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
    EXPECT_GT(summary.initial_cost, 100.0);
    EXPECT_LT(summary.final_cost, 1e-6) << camera.name;
    UpdateColmapErrors(&model);
    for (const auto& point : model.points) EXPECT_LT(point.error, 1e-3);
    // Held.
    const bool is_simple =
        model.cameras[0].parameters.size() == 3 ||
        std::string(camera.name).find("RADIAL") != std::string::npos;
    EXPECT_EQ(model.cameras[0].parameters[is_simple ? 1 : 2], 320.0);
  }
}

}  // namespace
}  // namespace ceres::examples
