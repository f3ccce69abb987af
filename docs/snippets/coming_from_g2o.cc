// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A pose graph in three dimensions, given as the lines of a g2o file.

#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"

namespace {

// A square of 2 m that is driven once. The last edge closes the loop.
// id, position, quaternion x y z w; edges have the upper triangle of the
// information matrix, here diag(100, 100, 100, 400, 400, 400).
constexpr char kGraph[] = R"(
VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1
VERTEX_SE3:QUAT 1 2.1 0.1 0.1 0 0 0.7071068 0.7071068
VERTEX_SE3:QUAT 2 2.2 2.3 0.1 0 0 1 0
VERTEX_SE3:QUAT 3 -0.2 2.4 0.2 0 0 0.7071068 -0.7071068
EDGE_SE3:QUAT 0 1 2.1 0 0 0 0 0.7071068 0.7071068 100 0 0 0 0 0 100 0 0 0 0 100 0 0 0 400 0 0 400 0 400
EDGE_SE3:QUAT 1 2 2.0 0.1 0 0 0 0.7071068 0.7071068 100 0 0 0 0 0 100 0 0 0 0 100 0 0 0 400 0 0 400 0 400
EDGE_SE3:QUAT 2 3 2.1 0 0.1 0 0 0.7071068 0.7071068 100 0 0 0 0 0 100 0 0 0 0 100 0 0 0 400 0 0 400 0 400
EDGE_SE3:QUAT 3 0 2.0 0 0 0 0 0.7071068 0.7071068 100 0 0 0 0 0 100 0 0 0 0 100 0 0 0 400 0 0 400 0 400
)";

// Rounded to three digits, never -0.000.
double Rounded(double x) { return std::round(x * 1000.0) / 1000.0 + 0.0; }

using Matrix6 = Eigen::Matrix<double, 6, 6>;

// [pose]
struct Pose {
  Eigen::Vector3d p;     // Position: one parameter block.
  Eigen::Quaterniond q;  // Rotation: another one, stored as x, y, z, w.
};
// [/pose]

// [error]
// The error of g2o's EdgeSE3: position and imaginary part of z^-1 (a^-1 b).
struct RelativePoseError {
  template <typename T>
  bool operator()(const T* p_a, const T* q_a, const T* p_b, const T* q_b,
                  T* residual) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    using Position = Eigen::Map<const Vector3>;
    using Rotation = Eigen::Map<const Eigen::Quaternion<T>>;
    const Eigen::Quaternion<T> a_inverse = Rotation(q_a).conjugate();
    const Eigen::Quaternion<T> z_inverse = z.q.conjugate().cast<T>();
    const Vector3 p = a_inverse * (Position(p_b) - Position(p_a));
    Eigen::Quaternion<T> dq = z_inverse * (a_inverse * Rotation(q_b));
    if (dq.w() < 0.0) dq.coeffs() = -dq.coeffs();

    Eigen::Map<Eigen::Matrix<T, 6, 1>> r(residual);
    r << z_inverse * (p - z.p.cast<T>()), dq.vec();
    r.applyOnTheLeft(sqrt_information.cast<T>());
    return true;
  }

  Pose z;
  Matrix6 sqrt_information;  // U with U'U = information.
};
// [/error]

Pose ReadPose(std::istream& in) {
  Pose pose;
  in >> pose.p[0] >> pose.p[1] >> pose.p[2];
  in >> pose.q.x() >> pose.q.y() >> pose.q.z() >> pose.q.w();
  pose.q.normalize();
  return pose;
}

Matrix6 ReadInformation(std::istream& in) {
  Matrix6 information;
  for (int r = 0; r < 6; ++r) {
    for (int c = r; c < 6; ++c) {
      in >> information(r, c);
      information(c, r) = information(r, c);
    }
  }
  return information;
}

}  // namespace

int main() {
  using Cost = ceres::AutoDiffCostFunction<RelativePoseError, 6, 3, 4, 3, 4>;
  std::map<int, Pose> poses;  // Elements of a map do not move in memory.

  // [graph]
  ceres::Problem problem;
  std::istringstream lines(kGraph);
  for (std::string tag; lines >> tag;) {
    if (tag == "VERTEX_SE3:QUAT") {
      int id;
      lines >> id;
      poses[id] = ReadPose(lines);
      problem.AddParameterBlock(poses[id].p.data(), 3);
      problem.AddParameterBlock(poses[id].q.coeffs().data(), 4,
                                new ceres::EigenQuaternionManifold);
    } else if (tag == "EDGE_SE3:QUAT") {
      int a, b;
      lines >> a >> b;
      const Pose z = ReadPose(lines);
      const Matrix6 sqrt_information = ReadInformation(lines).llt().matrixU();
      problem.AddResidualBlock(
          new Cost(new RelativePoseError{z, sqrt_information}), nullptr,
          poses[a].p.data(), poses[a].q.coeffs().data(), poses[b].p.data(),
          poses[b].q.coeffs().data());
    }
  }
  // setFixed(true) of vertex 0.
  problem.SetParameterBlockConstant(poses[0].p.data());
  problem.SetParameterBlockConstant(poses[0].q.coeffs().data());
  // [/graph]

  // [solve]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("chi2 %.2f -> %.2f\n", 2.0 * summary.initial_cost,
              2.0 * summary.final_cost);
  // [/solve]
  for (const auto& [id, pose] : poses) {
    std::printf("%d  %.3f %.3f %.3f\n", id, Rounded(pose.p[0]),
                Rounded(pose.p[1]), Rounded(pose.p[2]));
  }
}
