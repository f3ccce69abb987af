// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// One problem in the terms of three versions of Ceres: find the rotation that
// moves x to y, and y to z.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "ceres/rotation.h"

// [functor]
struct RotationError {
  RotationError(int from, int to) : from(from), to(to) {}

  template <typename T>
  bool operator()(const T* q, T* residual) const {
    T axis[3] = {T(0.0), T(0.0), T(0.0)};
    axis[from] = T(1.0);
    ceres::QuaternionRotatePoint(q, axis, residual);  // q is w, x, y, z.
    residual[to] -= 1.0;
    return true;
  }

  int from, to;
};
using RotationCost = ceres::AutoDiffCostFunction<RotationError, 3, 4>;
// [/functor]

void SolveAndPrint(const char* version, ceres::Problem* problem,
                   const double* q) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  double angle_axis[3];
  ceres::QuaternionToAngleAxis(q, angle_axis);
  std::printf("%-4s %s, angle %.1f degrees\n", version,
              ceres::TerminationTypeToString(summary.termination_type),
              std::hypot(angle_axis[0], angle_axis[1], angle_axis[2]) * 180.0 /
                  ceres::constants::pi);
}

int main() {
  {
    // [v1]
    double q[] = {1.0, 0.0, 0.0, 0.0};
    ceres::Problem problem;
    problem.AddParameterBlock(q, 4, new ceres::QuaternionParameterization);
    problem.AddResidualBlock(new RotationCost(new RotationError(0, 1)), nullptr,
                             q);
    problem.AddResidualBlock(new RotationCost(new RotationError(1, 2)), nullptr,
                             q);
    // [/v1]
    SolveAndPrint("1.14", &problem, q);
  }
  {
    // [v22]
    double q[] = {1.0, 0.0, 0.0, 0.0};
    ceres::Problem problem;
    problem.AddParameterBlock(q, 4, new ceres::QuaternionManifold);
    problem.AddResidualBlock(new RotationCost(new RotationError(0, 1)), nullptr,
                             q);
    problem.AddResidualBlock(new RotationCost(new RotationError(1, 2)), nullptr,
                             q);
    // [/v22]
    SolveAndPrint("2.2", &problem, q);
  }
  {
    // [v23]
    double q[] = {1.0, 0.0, 0.0, 0.0};
    ceres::Problem problem;
    problem.AddParameterBlock(q, 4, new ceres::QuaternionManifold);
    problem.AddResidualBlock(new RotationCost(0, 1), nullptr, q);
    problem.AddResidualBlock(new RotationCost(1, 2), nullptr, q);
    // [/v23]
    SolveAndPrint("2.3", &problem, q);
  }
}
