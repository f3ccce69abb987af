// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves a pose graph in the plane in which one loop closure in four is false,
// and one in which nine of ten are.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/graduated_solver.h"
#include "noise.h"

namespace {

constexpr double kPi = 3.14159265358979323846;

// [cost]
// A pose is (x, y, yaw). The measurement is the pose b as seen from a; the
// residual is its error in standard deviations.
struct RelativePoseError {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::cos;
    using std::floor;
    using std::sin;
    const T c = cos(a[2]), s = sin(a[2]);
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    residual[0] = (c * dx + s * dy - x) / sigma_position;
    residual[1] = (-s * dx + c * dy - y) / sigma_position;
    // An angle in [-pi, pi).
    const T angle = b[2] - a[2] - yaw;
    residual[2] =
        (angle - 2 * kPi * floor((angle + kPi) / (2 * kPi))) / sigma_yaw;
    return true;
  }

  double x, y, yaw;
  double sigma_position, sigma_yaw;
};
// [/cost]

using Pose = std::array<double, 3>;

struct Edge {
  int a, b;
  RelativePoseError error;
};

RelativePoseError Measure(const Pose& a, const Pose& b, Noise* noise) {
  const double c = std::cos(a[2]), s = std::sin(a[2]);
  const double dx = b[0] - a[0], dy = b[1] - a[1];
  return {c * dx + s * dy + noise->Normal(0.02),
          -s * dx + c * dy + noise->Normal(0.02),
          b[2] - a[2] + noise->Normal(0.01), 0.02, 0.01};
}

// The poses along the chain of odometry: the start of every solve.
std::vector<Pose> Chain(const std::vector<Edge>& odometry) {
  std::vector<Pose> poses = {{0.0, 0.0, 0.0}};
  for (const Edge& e : odometry) {
    const Pose& p = poses.back();
    const double c = std::cos(p[2]), s = std::sin(p[2]);
    poses.push_back({p[0] + c * e.error.x - s * e.error.y,
                     p[1] + s * e.error.x + c * e.error.y, p[2] + e.error.yaw});
  }
  return poses;
}

// [solve]
void Solve(const std::vector<Edge>& odometry, const std::vector<Edge>& loops,
           bool robust, std::vector<Pose>* poses) {
  using Cost = ceres::AutoDiffCostFunction<RelativePoseError, 3, 3, 3>;
  ceres::Problem problem;
  for (const Edge& e : odometry) {
    problem.AddResidualBlock(new Cost(new RelativePoseError(e.error)), nullptr,
                             (*poses)[e.a].data(), (*poses)[e.b].data());
  }
  // Odometry is never false: only loop closures get a loss function.
  for (const Edge& e : loops) {
    problem.AddResidualBlock(new Cost(new RelativePoseError(e.error)),
                             robust ? new ceres::CauchyLoss(1.0) : nullptr,
                             (*poses)[e.a].data(), (*poses)[e.b].data());
  }
  problem.SetParameterBlockConstant((*poses)[0].data());  // The gauge.
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 200;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}
// [/solve]

// [graduated]
// Returns the number of loop closures that are rejected.
int SolveManyFalseLoops(const std::vector<Edge>& odometry,
                        const std::vector<Edge>& loops,
                        std::vector<Pose>* poses) {
  using Cost = ceres::AutoDiffCostFunction<RelativePoseError, 3, 3, 3>;
  ceres::Problem problem;
  ceres::GraduatedOptions graduated_options;
  for (const Edge& e : odometry) {
    graduated_options.certain_residual_blocks.insert(problem.AddResidualBlock(
        new Cost(new RelativePoseError(e.error)), nullptr, (*poses)[e.a].data(),
        (*poses)[e.b].data()));
  }
  for (const Edge& e : loops) {
    problem.AddResidualBlock(new Cost(new RelativePoseError(e.error)), nullptr,
                             (*poses)[e.a].data(), (*poses)[e.b].data());
  }
  problem.SetParameterBlockConstant((*poses)[0].data());  // The gauge.
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::GraduatedSummary summary;
  ceres::SolveGraduated(options, graduated_options, &problem, &summary);
  return static_cast<int>(summary.outliers.size());
}
// [/graduated]

double RmsError(const std::vector<Pose>& poses,
                const std::vector<Pose>& truth) {
  double sum = 0.0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    sum += std::pow(poses[i][0] - truth[i][0], 2) +
           std::pow(poses[i][1] - truth[i][1], 2);
  }
  return std::sqrt(sum / poses.size());
}

// A false loop closure is more than a metre from the truth.
int NumFalse(const std::vector<Edge>& loops, const std::vector<Pose>& truth) {
  int num_false = 0;
  for (const Edge& e : loops) {
    const Pose &a = truth[e.a], &b = truth[e.b];
    const double distance = std::hypot(
        a[0] + std::cos(a[2]) * e.error.x - std::sin(a[2]) * e.error.y - b[0],
        a[1] + std::sin(a[2]) * e.error.x + std::cos(a[2]) * e.error.y - b[1]);
    if (distance > 1.0) ++num_false;
  }
  return num_false;
}

}  // namespace

int main() {
  // Three rounds of a square of 10 m, a pose at each metre.
  std::vector<Pose> truth = {{0.0, 0.0, 0.0}};
  for (int i = 1; i <= 120; ++i) {
    Pose p = truth.back();
    p[0] += std::cos(p[2]);
    p[1] += std::sin(p[2]);
    if (i % 10 == 0) p[2] += kPi / 2;
    truth.push_back(p);
  }
  Noise noise;
  std::vector<Edge> odometry, loops;
  for (int i = 1; i <= 120; ++i) {
    odometry.push_back({i - 1, i, Measure(truth[i - 1], truth[i], &noise)});
    if (i >= 40 && i % 4 == 0) {
      loops.push_back({i - 40, i, Measure(truth[i - 40], truth[i], &noise)});
    }
  }
  for (int i = 0; i < 7; ++i) {  // Places that look alike.
    const int a = 5 + 9 * i, b = a + 25 + 3 * i;
    loops.push_back({a, b, {0.0, 0.0, 0.0, 0.02, 0.01}});
  }

  const std::vector<Pose> start = Chain(odometry);
  std::vector<Pose> squares = start, cauchy = start;
  Solve(odometry, loops, false, &squares);
  Solve(odometry, loops, true, &cauchy);
  std::printf("rms position error in metres\n");
  std::printf("odometry alone      %5.2f\n", RmsError(start, truth));
  std::printf("squared loss        %5.2f\n", RmsError(squares, truth));
  std::printf("CauchyLoss on loops %5.2f\n", RmsError(cauchy, truth));
  std::printf("  i   odometry         squared loss     CauchyLoss\n");
  for (std::size_t i = 0; i < truth.size(); i += 2) {
    std::printf("%3zu   %6.2f %6.2f    %6.2f %6.2f    %6.2f %6.2f\n", i,
                start[i][0], start[i][1], squares[i][0], squares[i][1],
                cauchy[i][0], cauchy[i][1]);
  }

  for (int i = 0; i < 182; ++i) {  // Nine of ten are false.
    const int a = (37 * i) % 81, b = a + 15 + (11 * i) % 25;
    loops.push_back({a,
                     b,
                     {noise.Normal(3.0), noise.Normal(3.0), noise.Normal(1.5),
                      0.02, 0.01}});
  }
  std::vector<Pose> robust = start, graduated = start;
  Solve(odometry, loops, true, &robust);
  const int num_rejected = SolveManyFalseLoops(odometry, loops, &graduated);
  std::printf("loop closures       %5d\n", static_cast<int>(loops.size()));
  std::printf("false               %5d\n", NumFalse(loops, truth));
  std::printf("rejected            %5d\n", num_rejected);
  std::printf("CauchyLoss on loops %5.2f\n", RmsError(robust, truth));
  std::printf("SolveGraduated      %5.2f\n", RmsError(graduated, truth));
  std::printf("  i   CauchyLoss       SolveGraduated\n");
  for (std::size_t i = 0; i < truth.size(); i += 2) {
    std::printf("%3zu   %6.2f %6.2f    %6.2f %6.2f\n", i, robust[i][0],
                robust[i][1], graduated[i][0], graduated[i][1]);
  }
}
