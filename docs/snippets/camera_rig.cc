// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Adjusts a stereo rig on a moving vehicle: two cameras with one lens type,
// rigidly mounted, so that they share intrinsics and the pose of the rig.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

// [cost]
// Maps p by a pose: angle axis, then translation.
template <typename T>
void Transform(const T* pose, const T* p, T* result) {
  ceres::AngleAxisRotatePoint(pose, p, result);
  for (int i = 0; i < 3; ++i) result[i] += pose[3 + i];
}

// Parameters: focal length of both cameras, pose of the camera in the rig
// (rig to camera), pose of the rig (world to rig), point in the world.
struct RigReprojectionError {
  template <typename T>
  bool operator()(const T* focal, const T* camera_in_rig, const T* rig,
                  const T* point, T* residual) const {
    T in_rig[3], p[3];
    Transform(rig, point, in_rig);
    Transform(camera_in_rig, in_rig, p);
    residual[0] = focal[0] * p[0] / p[2] - column;
    residual[1] = focal[0] * p[1] / p[2] - row;
    return true;
  }

  double column, row;  // Pixels, from the centre of the image.
};
// [/cost]

using Pose = std::array<double, 6>;
using Point = std::array<double, 3>;

}  // namespace

int main() {
  const double true_focal = 600.0;
  const std::array<Pose, 2> true_cameras = {
      {{0, 0, 0, 0, 0, 0}, {0.01, -0.03, 0.005, -0.5, 0.01, -0.02}}};
  Noise noise;

  std::vector<Pose> true_rigs;
  for (int i = 0; i < 10; ++i) {
    true_rigs.push_back({0.0, 0.05 * std::sin(0.6 * i), 0.0,
                         -0.1 * std::sin(0.5 * i), 0.0, -0.4 * i});
  }
  std::vector<Point> true_points;
  for (int i = 0; i < 150; ++i) {
    true_points.push_back({6.0 * noise.Uniform() - 3.0,
                           3.0 * noise.Uniform() - 1.5,
                           8.0 + 8.0 * noise.Uniform()});
  }

  // The start: rounded values for the mounting, odometry for the rig, points
  // from a rough triangulation.
  double focal = 550.0;
  std::array<Pose, 2> cameras = {{{0, 0, 0, 0, 0, 0}, {0, 0, 0, -0.5, 0, 0}}};
  std::vector<Pose> rigs = true_rigs;
  for (std::size_t i = 1; i < rigs.size(); ++i) {
    for (double& v : rigs[i]) v += noise.Normal(0.02);
  }
  std::vector<Point> points = true_points;
  for (Point& p : points) {
    for (double& v : p) v += noise.Normal(0.3);
  }

  // [problem]
  using Cost = ceres::AutoDiffCostFunction<RigReprojectionError, 2, 1, 6, 6, 3>;
  ceres::Problem problem;
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    for (std::size_t c = 0; c < cameras.size(); ++c) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        double pixel[2];
        RigReprojectionError{0.0, 0.0}(&true_focal, true_cameras[c].data(),
                                       true_rigs[r].data(),
                                       true_points[i].data(), pixel);
        problem.AddResidualBlock(
            new Cost(new RigReprojectionError{pixel[0] + noise.Normal(0.3),
                                              pixel[1] + noise.Normal(0.3)}),
            nullptr, &focal, cameras[c].data(), rigs[r].data(),
            points[i].data());
      }
    }
  }
  // The gauge: the first camera is the frame of the rig, the first rig that of
  // the world. The known baseline of 0.5 m along x fixes the scale.
  problem.SetParameterBlockConstant(cameras[0].data());
  problem.SetParameterBlockConstant(rigs[0].data());
  problem.SetManifold(cameras[1].data(), new ceres::SubsetManifold(6, {3}));
  // [/problem]

  // [solve]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.max_num_iterations = 100;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  std::printf("rms error of a pixel coordinate: %.2f, then %.2f\n",
              std::sqrt(2 * summary.initial_cost / summary.num_residuals),
              std::sqrt(2 * summary.final_cost / summary.num_residuals));
  std::printf("focal length %.1f (true: %.1f)\n", focal, true_focal);
  std::printf(
      "right camera in the rig\n     angle axis               metres\n");
  for (const auto& [name, pose] :
       {std::pair("true", true_cameras[1]), std::pair("est.", cameras[1])}) {
    std::printf("%s %7.4f %7.4f %7.4f  %7.4f %7.4f %7.4f\n", name, pose[0],
                pose[1], pose[2], pose[3], pose[4], pose[5]);
  }
  std::printf("path: true x, z; estimated x, z in metres\n");
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    for (const Pose& rig : {true_rigs[r], rigs[r]}) {
      // The centre of the rig: -R^T t.
      const double inverse[3] = {-rig[0], -rig[1], -rig[2]};
      double centre[3];
      ceres::AngleAxisRotatePoint(inverse, rig.data() + 3, centre);
      std::printf("%7.3f %7.3f  ", -centre[0], -centre[2]);
    }
    std::printf("\n");
  }
}
