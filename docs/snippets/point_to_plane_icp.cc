// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Aligns a scan with a surface by iterated closest points, point to plane.

#include <array>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

struct SurfacePoint {
  Eigen::Vector3d position;
  Eigen::Vector3d normal;  // Of unit length.
};

// Samples of the surface z = 0.3 sin(2 x) + 0.2 cos(3 y), metres.
std::vector<SurfacePoint> MakeSurface() {
  std::vector<SurfacePoint> surface;
  for (int i = -20; i <= 20; ++i) {
    for (int j = -20; j <= 20; ++j) {
      const double x = 0.05 * i, y = 0.05 * j;
      surface.push_back(
          {{x, y, 0.3 * std::sin(2 * x) + 0.2 * std::cos(3 * y)},
           Eigen::Vector3d(-0.6 * std::cos(2 * x), 0.6 * std::sin(3 * y), 1)
               .normalized()});
    }
  }
  return surface;
}

const SurfacePoint& Nearest(const std::vector<SurfacePoint>& surface,
                            const Eigen::Vector3d& point) {
  // A k-d tree would be faster for large clouds.
  const SurfacePoint* nearest = &surface.front();
  for (const SurfacePoint& s : surface) {
    if ((s.position - point).squaredNorm() <
        (nearest->position - point).squaredNorm()) {
      nearest = &s;
    }
  }
  return *nearest;
}

// [cost]
// Distance from a moved scan point to the tangent plane of a surface point.
// Parameters: rotation (angle axis), translation.
struct PointToPlane {
  template <typename T>
  bool operator()(const T* rotation, const T* translation, T* residual) const {
    const T p[3] = {T(scan.x()), T(scan.y()), T(scan.z())};
    T moved[3];
    ceres::AngleAxisRotatePoint(rotation, p, moved);
    residual[0] = T(0);
    for (int i = 0; i < 3; ++i) {
      residual[0] +=
          surface.normal[i] * (moved[i] + translation[i] - surface.position[i]);
    }
    return true;
  }

  Eigen::Vector3d scan;
  SurfacePoint surface;
};
// [/cost]

}  // namespace

int main() {
  const std::vector<SurfacePoint> surface = MakeSurface();
  const double true_rotation[3] = {0.05, -0.04, 0.12};
  const double true_translation[3] = {0.10, -0.08, 0.06};

  // The scan: surface points, moved by the inverse of the true motion.
  Noise noise;
  std::vector<Eigen::Vector3d> scan;
  for (std::size_t i = 0; i < surface.size(); i += 7) {
    Eigen::Vector3d p = surface[i].position;
    for (int k = 0; k < 3; ++k)
      p[k] += noise.Normal(0.002) - true_translation[k];
    const double inverse[3] = {-true_rotation[0], -true_rotation[1],
                               -true_rotation[2]};
    Eigen::Vector3d q;
    ceres::AngleAxisRotatePoint(inverse, p.data(), q.data());
    scan.push_back(q);
  }

  double rotation[3] = {0, 0, 0};
  double translation[3] = {0, 0, 0};
  std::printf("round  pairs  rms distance in mm\n");
  // [rounds]
  for (int round = 0; round < 5; ++round) {
    ceres::Problem problem;
    for (const Eigen::Vector3d& p : scan) {
      Eigen::Vector3d moved;
      ceres::AngleAxisRotatePoint(rotation, p.data(), moved.data());
      moved += Eigen::Map<Eigen::Vector3d>(translation);
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<PointToPlane, 1, 3, 3>(
              new PointToPlane{p, Nearest(surface, moved)}),
          new ceres::HuberLoss(0.02), rotation, translation);
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
    options.max_num_iterations = 5;  // The pairs change afterwards anyway.
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    // [/rounds]
    const double mean = 2.0 * summary.final_cost / problem.NumResiduals();
    std::printf("%5d  %5d  %9.2f\n", round, problem.NumResidualBlocks(),
                1000.0 * std::sqrt(mean));
  }
  std::printf("rotation    %6.3f %6.3f %6.3f (true: %.3f %.3f %.3f)\n",
              rotation[0], rotation[1], rotation[2], true_rotation[0],
              true_rotation[1], true_rotation[2]);
  std::printf("translation %6.3f %6.3f %6.3f (true: %.3f %.3f %.3f)\n",
              translation[0], translation[1], translation[2],
              true_translation[0], true_translation[1], true_translation[2]);
}
