// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Approximates an ellipse, of which 212 points are known, by a closed poly-line
// of few vertices. Unknown are the vertices and, for each point, the place t on
// the poly-line that is nearest to it: t in [i, i + 1) is on the segment from
// vertex i to the next one.
//
// A residual depends on the two vertices at the ends of its segment, but which
// ones these are changes as t moves: each cost function names all vertices, and
// with dynamic_sparsity the solver looks at each Jacobian for what is zero.
//
// Prints: Root mean square distance: 0.292.* -> 0.0017

#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "random.h"

namespace ceres::examples {
namespace {

constexpr int kNumPoints = 212;
constexpr int kNumVertices = 36;
constexpr double kTwoPi = 6.283185307179586;

// Two residuals: point - poly-line(t). Parameter blocks: t, then all vertices.
class PointToPolyLine final : public CostFunction {
 public:
  explicit PointToPolyLine(const Eigen::Vector2d& point) : point_(point) {
    set_num_residuals(2);
    mutable_parameter_block_sizes()->push_back(1);
    for (int i = 0; i < kNumVertices; ++i) {
      mutable_parameter_block_sizes()->push_back(2);
    }
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    // The poly-line is closed: t = kNumVertices is t = 0.
    const double t = parameters[0][0];
    const double segment = std::floor(t);
    const double fraction = t - segment;
    const double wrapped =
        segment - kNumVertices * std::floor(segment / kNumVertices);
    const int first = static_cast<int>(wrapped) % kNumVertices;
    const int second = (first + 1) % kNumVertices;

    const Eigen::Map<const Eigen::Vector2d> a(parameters[1 + first]);
    const Eigen::Map<const Eigen::Vector2d> b(parameters[1 + second]);
    Eigen::Map<Eigen::Vector2d> residual(residuals);
    residual = point_ - ((1.0 - fraction) * a + fraction * b);
    if (jacobians == nullptr) return true;

    using Matrix2 = Eigen::Matrix<double, 2, 2, Eigen::RowMajor>;
    if (jacobians[0] != nullptr) {
      Eigen::Map<Eigen::Vector2d> by_place(jacobians[0]);
      by_place = a - b;
    }
    for (int i = 0; i < kNumVertices; ++i) {
      if (jacobians[1 + i] == nullptr) continue;
      const double weight =
          i == first ? 1.0 - fraction : (i == second ? fraction : 0.0);
      Eigen::Map<Matrix2> by_vertex(jacobians[1 + i]);
      by_vertex = -weight * Matrix2::Identity();
    }
    return true;
  }

 private:
  Eigen::Vector2d point_;
};

// Keeps vertices apart evenly: residual = weight (b - a), of neighbours.
class EdgeLength {
 public:
  explicit EdgeLength(double weight) : weight_(weight) {}

  template <typename T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    for (int i = 0; i < 2; ++i) residuals[i] = weight_ * (b[i] - a[i]);
    return true;
  }

 private:
  double weight_;
};

// On an ellipse with half axes 1 and 0.5, turned by 30 degrees, in no order,
// and with noise.
std::vector<Eigen::Vector2d> EllipsePoints() {
  constexpr double kNoise = 1e-3;
  Random random(212);
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < kNumPoints; ++i) {
    const double angle = random.Uniform(0.0, kTwoPi);
    const double u = std::cos(angle) + kNoise * random.Normal();
    const double v = 0.5 * std::sin(angle) + kNoise * random.Normal();
    points.emplace_back(std::sqrt(0.75) * u - 0.5 * v,
                        0.5 * u + std::sqrt(0.75) * v);
  }
  return points;
}

// The vertices of a circle around the points.
std::vector<Eigen::Vector2d> CircleVertices() {
  std::vector<Eigen::Vector2d> vertices;
  for (int i = 0; i < kNumVertices; ++i) {
    const double angle = kTwoPi * i / kNumVertices;
    vertices.emplace_back(std::cos(angle), std::sin(angle));
  }
  return vertices;
}

// The place on the circle that the ray from the origin to the point meets.
double InitialPlace(const Eigen::Vector2d& point) {
  const double angle = std::atan2(point.y(), point.x());
  return kNumVertices * (angle / kTwoPi + (angle < 0.0 ? 1.0 : 0.0));
}

// The root mean square distance of points from their places on the poly-line.
double Distance(Problem* problem,
                const std::vector<ResidualBlockId>& residual_blocks) {
  Problem::EvaluateOptions options;
  options.residual_blocks = residual_blocks;
  double cost = 0.0;
  problem->Evaluate(options, &cost, nullptr, nullptr, nullptr);
  return std::sqrt(2.0 * cost / static_cast<double>(residual_blocks.size()));
}

// The exit status.
int Run() {
  constexpr double kEdgeWeight = 1e-2;
  const std::vector<Eigen::Vector2d> points = EllipsePoints();
  std::vector<Eigen::Vector2d> vertices = CircleVertices();
  std::vector<double> places;
  for (const Eigen::Vector2d& point : points) {
    places.push_back(InitialPlace(point));
  }

  Problem problem;
  std::vector<ResidualBlockId> distances;
  for (int i = 0; i < kNumPoints; ++i) {
    std::vector<double*> blocks = {&places[i]};
    for (Eigen::Vector2d& vertex : vertices) blocks.push_back(vertex.data());
    distances.push_back(problem.AddResidualBlock(new PointToPolyLine(points[i]),
                                                 nullptr, blocks));
  }
  for (int i = 0; i < kNumVertices; ++i) {
    problem.AddResidualBlock(new AutoDiffCostFunction<EdgeLength, 2, 2, 2>(
                                 new EdgeLength(kEdgeWeight)),
                             nullptr, vertices[i].data(),
                             vertices[(i + 1) % kNumVertices].data());
  }

  const double initial_distance = Distance(&problem, distances);
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.dynamic_sparsity = true;
  options.max_num_iterations = 200;
  options.minimizer_progress_to_stdout = true;
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  std::cout << summary.FullReport() << "\n";
  std::cout << "Root mean square distance: " << initial_distance << " -> "
            << Distance(&problem, distances) << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main() { return ceres::examples::Run(); }
