// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds a point in space from its images in several calibrated cameras.

#include <array>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

// [cost]
// A camera that looks along +z of its own frame. Pixels.
struct Camera {
  double angle_axis[3];  // Rotates from the world's frame to the camera's.
  double translation[3];
  double focal_length;
};

template <typename T>
void Project(const Camera& camera, const T* point, T* pixel) {
  const T angle_axis[3] = {T(camera.angle_axis[0]), T(camera.angle_axis[1]),
                           T(camera.angle_axis[2])};
  T p[3];
  ceres::AngleAxisRotatePoint(angle_axis, point, p);
  for (int i = 0; i < 3; ++i) p[i] += camera.translation[i];
  pixel[0] = camera.focal_length * p[0] / p[2];
  pixel[1] = camera.focal_length * p[1] / p[2];
}

// The reprojection error of a point, in standard deviations of a pixel.
struct ReprojectionError {
  template <typename T>
  bool operator()(const T* point, T* residual) const {
    Project(camera, point, residual);
    residual[0] = (residual[0] - x) / sigma;
    residual[1] = (residual[1] - y) / sigma;
    return true;
  }

  Camera camera;
  double x, y, sigma;
};
// [/cost]

}  // namespace

int main() {
  const double true_point[3] = {0.3, -0.2, 6.0};
  const double sigma = 0.5;  // Pixels.
  Noise noise;

  // Five cameras on a line, turned towards the scene.
  std::vector<Camera> cameras;
  std::vector<std::array<double, 2>> pixels;
  for (int i = -2; i <= 2; ++i) {
    cameras.push_back({{0.0, 0.1 * i, 0.0}, {-0.5 * i, 0.0, 0.0}, 800.0});
    std::array<double, 2> pixel;
    Project(cameras.back(), true_point, pixel.data());
    for (double& p : pixel) p += noise.Normal(sigma);
    pixels.push_back(pixel);
  }
  pixels[1][0] += 40.0;  // A wrong match.

  // [solve]
  using Cost = ceres::AutoDiffCostFunction<ReprojectionError, 2, 3>;
  double point[3] = {0.0, 0.0, 3.0};  // Any point in front of all cameras.
  ceres::Problem problem;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    problem.AddResidualBlock(
        new Cost(new ReprojectionError{cameras[i], pixels[i][0], pixels[i][1],
                                       sigma}),
        new ceres::CauchyLoss(2.0), point);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  // [covariance]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  double c[9];
  const std::vector<const double*> blocks = {point};
  if (!covariance.Compute(blocks, &problem)) return 1;
  covariance.GetCovarianceBlock(point, point, c);
  // [/covariance]
  std::printf("     true  estimate  sigma\n");
  for (int i = 0; i < 3; ++i) {
    std::printf("%c  %6.3f    %6.3f  %5.3f\n", "xyz"[i], true_point[i],
                point[i], std::sqrt(c[4 * i]));
  }
  std::printf("reprojection errors in pixels:\n");
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    double pixel[2];
    Project(cameras[i], point, pixel);
    std::printf("camera %zu  %6.2f %6.2f\n", i, pixels[i][0] - pixel[0],
                pixels[i][1] - pixel[1]);
  }
}
