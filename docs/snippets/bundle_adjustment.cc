// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Adjusts ten cameras around a building and the points that they see.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

constexpr double kPi = 3.14159265358979;
constexpr double kFocalLength = 800.0;  // Pixels.

// [residual]
// {angle axis (3), position (3)}: the rotation from the world's frame to the
// camera's, and where the camera is, in metres. A camera looks along its +z.
using Camera = std::array<double, 6>;
using Point = std::array<double, 3>;

template <typename T>
void Project(const T* camera, const T* point, T* pixel) {
  const T from_camera[3] = {point[0] - camera[3], point[1] - camera[4],
                            point[2] - camera[5]};
  T p[3];
  ceres::AngleAxisRotatePoint(camera, from_camera, p);
  pixel[0] = kFocalLength * p[0] / p[2];
  pixel[1] = kFocalLength * p[1] / p[2];
}

struct ReprojectionError {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residual) const {
    Project(camera, point, residual);
    residual[0] = (residual[0] - x) / sigma;
    residual[1] = (residual[1] - y) / sigma;
    return true;
  }

  double x, y, sigma;  // Pixels.
};
// [/residual]

// [data]
struct Observation {
  int camera, point;
  ReprojectionError error;
};

struct Scene {
  std::vector<Camera> cameras;
  std::vector<Point> points;
};

Camera LookAtCenter(const Eigen::Vector3d& position) {
  Eigen::Matrix3d rotation;  // Its rows are the axes of the camera.
  rotation.row(2) = -position.normalized();
  rotation.row(0) =
      rotation.row(2).cross(Eigen::RowVector3d(0.0, 0.0, 1.0)).normalized();
  rotation.row(1) = rotation.row(2).cross(rotation.row(0));
  Camera camera = {0.0, 0.0, 0.0, position.x(), position.y(), position.z()};
  ceres::RotationMatrixToAngleAxis(rotation.data(), camera.data());
  return camera;
}

// The edges of a pavilion of 4 m x 4 m x 3 m, which all cameras see. The
// cameras are on a circle of 8 m around it.
Scene MakeScene(std::vector<Observation>* observations, Noise* noise) {
  Scene scene;
  for (int i = 0; i < 10; ++i) {
    const double angle = 2.0 * kPi * i / 10.0;
    scene.cameras.push_back(
        LookAtCenter({8.0 * std::cos(angle), 8.0 * std::sin(angle), 1.5}));
  }
  const double sigma = 1.0;
  for (int side = 0; side < 4; ++side) {
    const double c = std::round(std::cos(side * kPi / 2));
    const double s = std::round(std::sin(side * kPi / 2));
    for (int k = 0; k < 12; ++k) {
      const double along = -2.0 + 4.0 * (k % 6) / 6.0;
      const double height = k < 6 ? 0.0 : 3.0;
      scene.points.push_back(
          {2.0 * c - along * s, 2.0 * s + along * c, height});
      for (int i = 0; i < 10; ++i) {
        double pixel[2];
        Project(scene.cameras[i].data(), scene.points.back().data(), pixel);
        observations->push_back(
            {i, static_cast<int>(scene.points.size()) - 1,
             ReprojectionError{pixel[0] + noise->Normal(sigma),
                               pixel[1] + noise->Normal(sigma), sigma}});
      }
    }
  }
  return scene;
}
// [/data]

// [solve]
void Adjust(const std::vector<Observation>& observations, Scene* scene,
            ceres::Solver::Summary* summary) {
  ceres::Problem problem;
  for (const Observation& o : observations) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ReprojectionError, 2, 6, 3>(
            new ReprojectionError(o.error)),
        nullptr, scene->cameras[o.camera].data(),
        scene->points[o.point].data());
  }
  // Images alone do not say where the scene is, how it is turned and how large
  // it is. The first camera fixes position and rotation, one coordinate of the
  // second camera fixes the scale.
  problem.SetParameterBlockConstant(scene->cameras[0].data());
  const int y_of_position = 4;
  problem.SetManifold(scene->cameras[1].data(),
                      new ceres::SubsetManifold(6, {y_of_position}));

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.num_threads = 2;  // The result does not depend on it.
  ceres::Solve(options, &problem, summary);
}
// [/solve]

// [errors]
double RmsPixels(const Scene& scene,
                 const std::vector<Observation>& observations) {
  double sum = 0.0;
  for (const Observation& o : observations) {
    double pixel[2];
    Project(scene.cameras[o.camera].data(), scene.points[o.point].data(),
            pixel);
    sum +=
        std::pow(pixel[0] - o.error.x, 2) + std::pow(pixel[1] - o.error.y, 2);
  }
  return std::sqrt(sum / (2.0 * observations.size()));
}

double RmsDistance(const std::vector<Point>& a, const std::vector<Point>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) sum += std::pow(a[i][k] - b[i][k], 2);
  }
  return std::sqrt(sum / a.size());
}
// [/errors]

}  // namespace

int main() {
  // [main]
  Noise noise;
  std::vector<Observation> observations;
  const Scene truth = MakeScene(&observations, &noise);

  // The initial guess, as a first reconstruction might give it.
  Scene start = truth;
  for (std::size_t i = 1; i < start.cameras.size(); ++i) {
    for (int k = 0; k < 3; ++k) start.cameras[i][k] += noise.Normal(0.03);
    for (int k = 3; k < 6; ++k) start.cameras[i][k] += noise.Normal(0.4);
  }
  start.cameras[1][4] = truth.cameras[1][4];  // Known: it fixes the scale.
  for (Point& point : start.points) {
    for (double& coordinate : point) coordinate += noise.Normal(0.3);
  }

  Scene scene = start;
  ceres::Solver::Summary summary;
  Adjust(observations, &scene, &summary);
  // [/main]

  std::printf("%d cameras, %d points, %d observations: %s\n",
              static_cast<int>(scene.cameras.size()),
              static_cast<int>(scene.points.size()),
              static_cast<int>(observations.size()),
              ceres::TerminationTypeToString(summary.termination_type));
  std::printf("rms              before   after\n");
  std::printf("pixels          %7.2f %7.2f\n", RmsPixels(start, observations),
              RmsPixels(scene, observations));
  std::printf("points, metres  %7.3f %7.3f\n",
              RmsDistance(start.points, truth.points),
              RmsDistance(scene.points, truth.points));
  std::printf("what       true x      y   before x      y    after x      y\n");
  const auto print = [](const char* what, const double* a, const double* b,
                        const double* c) {
    std::printf("%-9s %7.2f %6.2f    %7.2f %6.2f    %7.2f %6.2f\n", what, a[0],
                a[1], b[0], b[1], c[0], c[1]);
  };
  for (std::size_t i = 0; i < truth.cameras.size(); ++i) {
    print("camera", &truth.cameras[i][3], &start.cameras[i][3],
          &scene.cameras[i][3]);
  }
  for (std::size_t i = 0; i < truth.points.size(); ++i) {
    print("point", truth.points[i].data(), start.points[i].data(),
          scene.points[i].data());
  }
}
