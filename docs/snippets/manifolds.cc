// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Rotations, angles, directions and poses as parameter blocks.

#include <cmath>
#include <cstdio>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/autodiff_manifold.h"
#include "ceres/ceres.h"
#include "ceres/rotation.h"

namespace {

constexpr double kPi = 3.14159265358979;

void Solve(ceres::Problem* problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
}

// [ceres_order]
// A vector, measured before and after a rotation. Quaternion [w, x, y, z].
struct RotationError {
  template <typename T>
  bool operator()(const T* quaternion, T* residual) const {
    const T p[3] = {T(before[0]), T(before[1]), T(before[2])};
    ceres::UnitQuaternionRotatePoint(quaternion, p, residual);
    for (int i = 0; i < 3; ++i) residual[i] -= after[i];
    return true;
  }

  Eigen::Vector3d before, after;
};

void SolveInCeresOrder(const RotationError& x, const RotationError& y) {
  double quaternion[4] = {1.0, 0.0, 0.0, 0.0};  // w first.
  ceres::Problem problem;
  for (const RotationError& error : {x, y}) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<RotationError, 3, 4>(
            new RotationError(error)),
        nullptr, quaternion);
  }
  problem.SetManifold(quaternion, new ceres::QuaternionManifold);
  Solve(&problem);
  std::printf("w x y z: %.3f %.3f %.3f %.3f\n", quaternion[0], quaternion[1],
              quaternion[2], quaternion[3]);
}
// [/ceres_order]

// [eigen_order]
// The same for Eigen::Quaternion, which stores [x, y, z, w].
struct EigenRotationError {
  template <typename T>
  bool operator()(const T* quaternion, T* residual) const {
    const Eigen::Map<const Eigen::Quaternion<T>> q(quaternion);
    Eigen::Map<Eigen::Matrix<T, 3, 1>> r(residual);
    r = q * before.cast<T>() - after.cast<T>();
    return true;
  }

  Eigen::Vector3d before, after;
};

void SolveInEigenOrder(const EigenRotationError& x,
                       const EigenRotationError& y) {
  Eigen::Quaterniond quaternion = Eigen::Quaterniond::Identity();
  ceres::Problem problem;
  for (const EigenRotationError& error : {x, y}) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<EigenRotationError, 3, 4>(
            new EigenRotationError(error)),
        nullptr, quaternion.coeffs().data());
  }
  problem.SetManifold(quaternion.coeffs().data(),
                      new ceres::EigenQuaternionManifold);
  Solve(&problem);
  std::printf("x y z w: %.3f %.3f %.3f %.3f\n", quaternion.x(), quaternion.y(),
              quaternion.z(), quaternion.w());
}
// [/eigen_order]

// [angle]
// The angle, in [-pi, pi).
template <typename T>
T NormalizeAngle(const T& angle) {
  return angle - 2.0 * kPi * floor((angle + kPi) / (2.0 * kPi));
}

// A circle. Plus keeps the angle in [-pi, pi).
struct AngleFunctor {
  template <typename T>
  bool Plus(const T* angle, const T* delta, T* result) const {
    result[0] = NormalizeAngle(angle[0] + delta[0]);
    return true;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* delta) const {
    delta[0] = NormalizeAngle(y[0] - x[0]);
    return true;
  }
};
using AngleManifold = ceres::AutoDiffManifold<AngleFunctor, 1, 1>;

struct AngleError {
  template <typename T>
  bool operator()(const T* angle, T* residual) const {
    residual[0] = NormalizeAngle(angle[0] - measured);
    return true;
  }

  double measured;
};

void AverageAngles() {
  double angle = 3.0;
  ceres::Problem problem;
  for (const double measured : {3.0, 3.1, -3.1, -3.0}) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<AngleError, 1, 1>(
                                 new AngleError{measured}),
                             nullptr, &angle);
  }
  problem.SetManifold(&angle, new AngleManifold);
  Solve(&problem);
  std::printf("distance of the average of 3, 3.1, -3.1, -3 to pi: %.3f\n",
              std::abs(kPi - std::abs(angle)));
}
// [/angle]

// [direction]
// A unit vector: two degrees of freedom, three coordinates.
struct DirectionError {
  template <typename T>
  bool operator()(const T* direction, T* residual) const {
    for (int i = 0; i < 3; ++i) residual[i] = direction[i] - measured[i];
    return true;
  }

  Eigen::Vector3d measured;
};

void AverageDirections() {
  double direction[3] = {1.0, 0.0, 0.0};
  ceres::Problem problem;
  for (const Eigen::Vector3d& measured :
       {Eigen::Vector3d(0.8, 0.6, 0.1), Eigen::Vector3d(0.6, 0.8, 0.1)}) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<DirectionError, 3, 3>(
            new DirectionError{measured}),
        nullptr, direction);
  }
  problem.SetManifold(direction, new ceres::SphereManifold<3>);
  Solve(&problem);
  std::printf("direction: %.3f %.3f %.3f\n", direction[0], direction[1],
              direction[2]);
}
// [/direction]

// [pose]
// One block of a quaternion and a translation.
using PoseManifold = ceres::ProductManifold<ceres::EigenQuaternionManifold,
                                            ceres::EuclideanManifold<3>>;
// [/pose]

}  // namespace

int main() {
  const Eigen::Quaterniond q(0.8, 0.4, 0.4, 0.2);  // w, x, y, z.
  const Eigen::Vector3d x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0);
  SolveInCeresOrder({x, q * x}, {y, q * y});
  SolveInEigenOrder({x, q * x}, {y, q * y});
  AverageAngles();
  AverageDirections();
  std::printf("pose: %d coordinates, %d degrees of freedom\n",
              PoseManifold().AmbientSize(), PoseManifold().TangentSize());
}
