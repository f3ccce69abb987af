// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_DOCS_SNIPPETS_SMALL_BUNDLE_H_
#define VESTA_DOCS_SNIPPETS_SMALL_BUNDLE_H_

// A small bundle adjustment problem for programs of the documentation.

#include <array>
#include <cstddef>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

// Cameras on a line look at points in a box. A camera is an angle-axis vector
// and a translation; its focal length is 500 pixels.
struct SmallBundle {
  using Camera = std::array<double, 6>;
  using Point = std::array<double, 3>;

  struct ReprojectionError {
    template <typename T>
    bool operator()(const T* camera, const T* point, T* residual) const {
      T p[3];
      ceres::AngleAxisRotatePoint(camera, point, p);
      for (int i = 0; i < 3; ++i) p[i] += camera[3 + i];
      if (p[2] <= 0.1) return false;  // Behind the camera.
      residual[0] = 500.0 * p[0] / p[2] - x;
      residual[1] = 500.0 * p[1] / p[2] - y;
      return true;
    }
    double x, y;  // Pixels.
  };
  using Cost = ceres::AutoDiffCostFunction<ReprojectionError, 2, 6, 3>;

  SmallBundle(int num_cameras, int num_points) {
    Noise noise;
    for (int i = 0; i < num_cameras; ++i) {
      cameras.push_back({0.0, 0.05 * i, 0.0, -0.4 * i, 0.0, 0.0});
    }
    for (int i = 0; i < num_points; ++i) {
      points.push_back({3.0 * noise.Uniform(), 2.0 * noise.Uniform() - 1.0,
                        4.0 + 2.0 * noise.Uniform()});
    }
    for (Camera& camera : cameras) {
      for (Point& point : points) {
        double pixel[2];
        ReprojectionError{noise.Normal(0.5), noise.Normal(0.5)}(
            camera.data(), point.data(), pixel);
        problem.AddResidualBlock(
            new Cost(new ReprojectionError{pixel[0], pixel[1]}), nullptr,
            camera.data(), point.data());
      }
    }
    // The first camera is the frame of the world. The scale is that of the
    // second camera's x coordinate.
    problem.SetParameterBlockConstant(cameras[0].data());
    problem.SetManifold(cameras[1].data(), new ceres::SubsetManifold(6, {3}));
    Disturb(0.02, &noise);
  }

  // Moves everything that varies away from where it is.
  void Disturb(double sigma, Noise* noise) {
    for (std::size_t i = 1; i < cameras.size(); ++i) {
      for (int k = 0; k < 6; ++k) {
        if (i > 1 || k != 3) cameras[i][k] += noise->Normal(sigma);
      }
    }
    for (Point& point : points) {
      for (double& x : point) x += noise->Normal(5.0 * sigma);
    }
  }

  std::vector<Camera> cameras;
  std::vector<Point> points;
  ceres::Problem problem;
};

#endif  // VESTA_DOCS_SNIPPETS_SMALL_BUNDLE_H_
