// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Two cameras at a known distance: the distance gives the scale of the scene.

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/diagnosis.h"
#include "ceres/rotation.h"
#include "noise.h"

namespace {

constexpr double kSigma = 1e-3;  // of a direction: one pixel of 1000

// [functions]
// camera: angle-axis, then the centre.
struct Reprojection {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* residual) const {
    const T offset[3] = {point[0] - camera[3], point[1] - camera[4],
                         point[2] - camera[5]};
    T p[3];
    ceres::AngleAxisRotatePoint(camera, offset, p);
    residual[0] = (p[0] / p[2] - measured[0]) / kSigma;
    residual[1] = (p[1] / p[2] - measured[1]) / kSigma;
    return true;
  }
  std::array<double, 2> measured;
};

struct SquaredDistance {
  template <typename T>
  bool operator()(const T* a, const T* b, T* squared_distance) const {
    squared_distance[0] = T(-distance * distance);
    for (int i = 3; i < 6; ++i) {
      const T difference = b[i] - a[i];
      squared_distance[0] += difference * difference;
    }
    return true;
  }
  double distance;
};
// [/functions]

ceres::CostFunction* MakeReprojection(std::array<double, 2> measured) {
  return new ceres::AutoDiffCostFunction<Reprojection, 2, 6, 3>(
      new Reprojection{measured});
}

}  // namespace

int main() {
  // Camera 1 stands 0.8 m to the right and is turned by 0.1 rad.
  double cameras[2][6] = {{0, 0, 0, 0, 0, 0}, {0, 0.1, 0, 0.8, 0, 0}};
  Noise noise;
  std::vector<std::array<double, 3>> points(20);
  ceres::Problem problem;
  for (std::array<double, 3>& point : points) {
    for (double& value : point) value = 2.0 * noise.Uniform() - 1.0;
    point[2] += 4.0;
    for (double* camera : {cameras[0], cameras[1]}) {
      double residual[2];
      Reprojection{{0.0, 0.0}}(camera, point.data(), residual);
      problem.AddResidualBlock(
          MakeReprojection({residual[0] * kSigma + noise.Normal(kSigma),
                            residual[1] * kSigma + noise.Normal(kSigma)}),
          nullptr, camera, point.data());
    }
  }
  problem.SetParameterBlockConstant(cameras[0]);
  cameras[1][3] = 1.0;  // a start

  // [constraint]
  const ceres::ConstraintId rod = problem.AddEqualityConstraint(
      new ceres::AutoDiffCostFunction<SquaredDistance, 1, 6, 6>(
          new SquaredDistance{0.8}),
      {cameras[0], cameras[1]});
  problem.SetConstraintName(rod, "rod");
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/constraint]
  std::printf("%s, distance %.6f m\n",
              ceres::TerminationTypeToString(summary.termination_type),
              std::hypot(cameras[1][3], cameras[1][4], cameras[1][5]));

  // [covariance]
  ceres::Covariance covariance({});
  using Pairs = std::vector<std::pair<const double*, const double*>>;
  double c[36];
  if (!covariance.Compute(Pairs{{cameras[1], cameras[1]}}, &problem) ||
      !covariance.GetCovarianceBlock(cameras[1], cameras[1], c)) {
    return 1;
  }
  std::printf("standard deviations of the centre:");
  for (int i = 3; i < 6; ++i) std::printf(" %.4f", std::sqrt(c[i * 6 + i]));
  std::printf(" m\n");

  const ceres::Diagnosis diagnosis = ceres::Diagnose({}, &problem);
  std::printf("directions that only constraints hold: %d\n",
              static_cast<int>(diagnosis.held.size()));
  for (const std::string& name : diagnosis.held[0].constraints) {
    std::printf("held by \"%s\"\n", name.c_str());
  }
  // [/covariance]
}
