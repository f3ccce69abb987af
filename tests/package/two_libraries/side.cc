// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled twice: with the headers of Vesta, and with those of the other Ceres.

#include "side.h"

#include <dlfcn.h>

#include <cmath>
#include <string>

#include "ceres/ceres.h"
#include "ceres/rotation.h"

namespace SIDE {
namespace {

struct CurveResidual {
  template <typename T>
  bool operator()(const T* curve, T* residual) const {
    residual[0] = exp(curve[0] * x + curve[1]) - y;
    return true;
  }
  double x, y;
};

struct DirectionResidual {
  template <typename T>
  bool operator()(const T* quaternion, T* residual) const {
    const T point[3] = {T(from[0]), T(from[1]), T(from[2])};
    ceres::QuaternionRotatePoint(quaternion, point, residual);
    for (int i = 0; i < 3; ++i) residual[i] -= to[i];
    return true;
  }
  double from[3], to[3];
};

std::string FileOf(void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : "";
}

}  // namespace

void Improve(int max_num_iterations, int num_threads, Fit* fit) {
  ceres::Problem problem;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.1 * i;
    const double y = std::exp(0.3 * x + 0.1) + 0.05 * std::sin(7.0 * i);
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<CurveResidual, 1, 2>(
            new CurveResidual{x, y}),
        new ceres::CauchyLoss(1.0), fit->curve.data());
  }
  // A quarter turn, measured with errors.
  for (const DirectionResidual& direction :
       {DirectionResidual{{1.0, 0.0, 0.0}, {0.1, 1.0, 0.0}},
        DirectionResidual{{0.0, 0.0, 1.0}, {0.0, 0.2, 0.9}}}) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<DirectionResidual, 3, 4>(
            new DirectionResidual(direction)),
        nullptr, fit->quaternion.data());
  }
  problem.SetManifold(fit->quaternion.data(), new ceres::QuaternionManifold);

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = max_num_iterations;
  options.num_threads = num_threads;
  options.function_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  fit->final_cost = summary.final_cost;
  fit->has_converged = summary.termination_type == ceres::CONVERGENCE;
}

std::string FileOfSolve() {
  void (*const solve)(const ceres::Solver::Options&, ceres::Problem*,
                      ceres::Solver::Summary*) = &ceres::Solve;
  return FileOf(reinterpret_cast<void*>(solve));
}

std::string FileOfName() {
  const char* (*const name)(ceres::LinearSolverType) =
      &ceres::LinearSolverTypeToString;
  return FileOf(reinterpret_cast<void*>(name));
}

}  // namespace SIDE
