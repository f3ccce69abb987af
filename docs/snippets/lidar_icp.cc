// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Registers two scans of a lidar in a room: how has it moved between them?

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/constants.h"
#include "ceres/factors/alignment_factors.h"
#include "noise.h"

using ceres::factors::EigenSE3;
using ceres::factors::EigenSE3Manifold;
using ceres::factors::PointToPlaneFactor;

namespace {

constexpr int kBeams = 16;
constexpr int kColumns = 120;
constexpr double kSigma = 0.01;  // Of a range, metres.

using Pose = std::array<double, 7>;  // [x, y, z, w, t_x, t_y, t_z].
// Points by beam and column. Beams have elevations from -15 to 15 degrees.
using Scan = std::vector<std::vector<Eigen::Vector3d>>;

// The walls, the floor and the ceiling of a room, and two cupboards: boxes with
// two opposite corners. Rays that start inside leave through the first box.
struct Box {
  Eigen::Vector3d low, high;
};
const std::vector<Box> kBoxes = {{{-4.0, -3.0, -1.2}, {5.0, 3.5, 1.6}},
                                 {{2.0, 1.5, -1.2}, {3.0, 3.5, 0.8}},
                                 {{-4.0, -1.0, -1.2}, {-3.2, 0.5, 0.5}}};

// The length of a ray to the next surface.
double Range(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) {
  double range = std::numeric_limits<double>::infinity();
  for (const Box& box : kBoxes) {
    double enter = -range, leave = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const double a = (box.low[k] - origin[k]) / direction[k];
      const double b = (box.high[k] - origin[k]) / direction[k];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (enter <= leave && leave > 0.0) {
      range = std::min(range, enter > 0.0 ? enter : leave);
    }
  }
  return range;
}

Scan MakeScan(const Pose& pose, Noise* noise) {
  Scan scan(kBeams, std::vector<Eigen::Vector3d>(kColumns));
  for (int i = 0; i < kBeams; ++i) {
    const double elevation = (2.0 * i - 15.0) * ceres::constants::pi / 180.0;
    for (int j = 0; j < kColumns; ++j) {
      // Not along an axis: rays with a zero coordinate divide by it.
      const double azimuth = 2.0 * ceres::constants::pi * (j + 0.3) / kColumns;
      const Eigen::Vector3d local(std::cos(elevation) * std::cos(azimuth),
                                  std::cos(elevation) * std::sin(azimuth),
                                  std::sin(elevation));
      const Eigen::Vector3d direction =
          Eigen::Map<const Eigen::Quaterniond>(pose.data()) * local;
      const double range =
          Range(Eigen::Map<const Eigen::Vector3d>(pose.data() + 4), direction);
      scan[i][j] = (range + noise->Normal(kSigma)) * local;
    }
  }
  return scan;
}

struct SurfacePoint {
  Eigen::Vector3d position;
  Eigen::Vector3d normal;
};

// [normals]
// The normal at each point from its neighbours in the scan. Points on edges,
// where the two triangles of neighbours have different normals, are left out.
std::vector<SurfacePoint> EstimateNormals(const Scan& scan) {
  std::vector<SurfacePoint> surface;
  for (int i = 1; i + 1 < kBeams; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      const Eigen::Vector3d& p = scan[i][j];
      const Eigen::Vector3d right = scan[i][(j + 1) % kColumns] - p;
      const Eigen::Vector3d left = scan[i][(j + kColumns - 1) % kColumns] - p;
      const Eigen::Vector3d up = scan[i + 1][j] - p;
      const Eigen::Vector3d down = scan[i - 1][j] - p;
      const Eigen::Vector3d a = right.cross(up).normalized();
      const Eigen::Vector3d b = left.cross(down).normalized();
      if (a.dot(b) > 0.97) surface.push_back({p, (a + b).normalized()});
    }
  }
  return surface;
}
// [/normals]

const SurfacePoint& Nearest(const std::vector<SurfacePoint>& surface,
                            const Eigen::Vector3d& point) {
  return *std::min_element(
      surface.begin(), surface.end(),
      [&point](const SurfacePoint& a, const SurfacePoint& b) {
        return (a.position - point).squaredNorm() <
               (b.position - point).squaredNorm();
      });
}

}  // namespace

int main() {
  // The motion of the lidar: 0.5 m and 9 degrees.
  const double tangent[6] = {0.02, -0.03, 0.15, 0.45, 0.2, 0.05};
  Pose start, moved;
  EigenSE3::Identity(start.data());
  EigenSE3::Exp(tangent, moved.data());
  Noise noise;
  const Scan first = MakeScan(start, &noise);
  const Scan second = MakeScan(moved, &noise);
  const std::vector<SurfacePoint> surface = EstimateNormals(first);

  Pose pose = start;
  std::printf("round  pairs  error in mm  error in mrad\n");
  // [rounds]
  for (int round = 0; round < 8; ++round) {
    ceres::Problem problem;
    problem.AddParameterBlock(pose.data(), 7, new EigenSE3Manifold);
    // Pairs that are further apart than this are left out.
    const double gate = round < 3 ? 1.0 : 0.3;
    for (int i = 0; i < kBeams; i += 2) {
      for (int j = 0; j < kColumns; j += 2) {
        Eigen::Vector3d world;
        EigenSE3::Act(pose.data(), second[i][j].data(), world.data());
        const SurfacePoint& nearest = Nearest(surface, world);
        if ((nearest.position - world).norm() > gate) continue;
        problem.AddResidualBlock(
            PointToPlaneFactor<EigenSE3>::Create(second[i][j], nearest.position,
                                                 nearest.normal, 2.0 * kSigma),
            new ceres::CauchyLoss(2.0), pose.data());
      }
    }
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
    options.max_num_iterations = 5;  // The pairs change afterwards anyway.
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    // [/rounds]
    Eigen::Matrix<double, 6, 1> error;
    EigenSE3::Minus(pose.data(), moved.data(), error.data());
    std::printf("%5d  %5d  %11.1f  %13.1f\n", round,
                problem.NumResidualBlocks(), 1e3 * error.tail<3>().norm(),
                1e3 * error.head<3>().norm());
  }

  // One beam of both scans, seen from above.
  std::printf("x and y in metres: first scan, second scan before, after\n");
  for (int j = 0; j < kColumns; j += 2) {
    Eigen::Vector3d after;
    EigenSE3::Act(pose.data(), second[8][j].data(), after.data());
    std::printf("%6.2f %6.2f  %6.2f %6.2f  %6.2f %6.2f\n", first[8][j].x(),
                first[8][j].y(), second[8][j].x(), second[8][j].y(), after.x(),
                after.y());
  }
}
