// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Combines two measured positions, each accurate in another direction.

#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "Eigen/LU"
#include "ceres/ceres.h"

namespace {

// [residual]
struct PositionError {
  PositionError(const Eigen::Vector2d& measured,
                const Eigen::Matrix2d& covariance)
      : measured(measured) {
    // information = L L' = U' U, with U = L'. Computed once, not per call.
    const Eigen::Matrix2d information = covariance.inverse();
    sqrt_information = information.llt().matrixU();
  }

  template <typename T>
  bool operator()(const T* position, T* residual) const {
    const Eigen::Map<const Eigen::Matrix<T, 2, 1>> p(position);
    Eigen::Map<Eigen::Matrix<T, 2, 1>> r(residual);
    r = sqrt_information.cast<T>() * (p - measured.cast<T>());
    return true;
  }

  Eigen::Vector2d measured;  // Metres.
  Eigen::Matrix2d sqrt_information;
};
// [/residual]

// The covariance of an error with the standard deviation `along` in the
// direction of an angle, and `across` at right angles to it.
Eigen::Matrix2d Covariance(double degrees, double along, double across) {
  const double angle = degrees * 3.14159265358979 / 180.0;
  Eigen::Matrix2d axes;
  axes << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  const Eigen::Vector2d variances(along * along, across * across);
  return axes * variances.asDiagonal() * axes.transpose();
}

void Print(const char* what, const Eigen::Vector2d& x,
           const Eigen::Matrix2d& covariance) {
  std::printf("%-9s %6.3f %6.3f   %6.3f %6.3f %6.3f\n", what, x[0], x[1],
              covariance(0, 0), covariance(0, 1), covariance(1, 1));
}

}  // namespace

int main() {
  // [solve]
  const Eigen::Vector2d a(1.8, 2.2), b(2.3, 1.8);
  const Eigen::Matrix2d covariance_a = Covariance(20.0, 1.0, 0.2);
  const Eigen::Matrix2d covariance_b = Covariance(80.0, 0.8, 0.1);
  double position[2] = {0.0, 0.0};
  ceres::Problem problem;
  using Cost = ceres::AutoDiffCostFunction<PositionError, 2, 2>;
  problem.AddResidualBlock(new Cost(new PositionError(a, covariance_a)),
                           nullptr, position);
  problem.AddResidualBlock(new Cost(new PositionError(b, covariance_b)),
                           nullptr, position);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  ceres::Covariance covariance(ceres::Covariance::Options{});
  const std::vector<const double*> blocks = {position};
  if (!covariance.Compute(blocks, &problem)) return 1;
  Eigen::Matrix2d c;
  covariance.GetCovarianceBlock(position, position, c.data());
  std::printf("               x      y      cxx    cxy    cyy\n");
  Print("a", a, covariance_a);
  Print("b", b, covariance_b);
  Print("combined", Eigen::Vector2d(position), c);
  Print("mean", (a + b) / 2, (covariance_a + covariance_b) / 4);
}
