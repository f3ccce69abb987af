// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A pose graph in three dimensions, given as the lines of a g2o file.

#include <cmath>
#include <cstdio>
#include <string>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/io/g2o.h"

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

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

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

}  // namespace

int main() {
  using Cost = ceres::AutoDiffCostFunction<RelativePoseError, 6, 3, 4, 3, 4>;

  // [graph]
  ceres::io::PoseGraph graph;  // ReadG2o reads a file.
  std::string error;
  if (!ceres::io::ParseG2o(kGraph, "graph.g2o", {}, &graph, &error)) {
    std::printf("%s\n", error.c_str());
    return 1;
  }
  ceres::Problem problem;
  for (auto& vertex : graph.vertices) {  // x, y, z, qx, qy, qz, qw
    problem.AddParameterBlock(vertex.value.data(), 3);
    problem.AddParameterBlock(vertex.value.data() + 3, 4,
                              new ceres::EigenQuaternionManifold);
  }
  for (const auto& edge : graph.edges) {
    double* const a = graph.vertices[edge.x].value.data();
    double* const b = graph.vertices[edge.y].value.data();
    Matrix6 sqrt_information;
    if (!ceres::io::SquareRootInformation(edge.information.data(), 6,
                                          sqrt_information.data())) {
      return 1;
    }
    const Pose z = {Eigen::Vector3d(edge.measurement.data()),
                    Eigen::Quaterniond(edge.measurement.data() + 3)};
    problem.AddResidualBlock(
        new Cost(new RelativePoseError{z, sqrt_information}), nullptr, a, a + 3,
        b, b + 3);
  }
  // setFixed(true) of vertex 0.
  problem.SetParameterBlockConstant(graph.vertices[0].value.data());
  problem.SetParameterBlockConstant(graph.vertices[0].value.data() + 3);
  // [/graph]

  // [solve]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("chi2 %.2f -> %.2f\n", 2.0 * summary.initial_cost,
              2.0 * summary.final_cost);
  // [/solve]
  for (const auto& vertex : graph.vertices) {
    std::printf("%d  %.3f %.3f %.3f\n", static_cast<int>(vertex.id),
                Rounded(vertex.value[0]), Rounded(vertex.value[1]),
                Rounded(vertex.value[2]));
  }
}
