// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves one problem with constraints and prints what it took, a name and a
// value per line:
//
//   solve_seconds       Solve(), preprocessing included
//   preprocess_seconds  Summary::preprocessor_time_in_seconds
//   iterations          minimizer iterations, the initial one not counted
//   linear_solves
//   residual_evaluations, jacobian_evaluations
//   final_cost          17 significant digits
//   violation           Summary::constraint_violation
//   parameters          a hash of the bits of all parameter blocks
//
// The problems:
//
//   trajectory  --size planar poses with odometry, positions, and limits of
//               speed and turning rate (pose_trajectory of
//               ../shared/data/constrained/gen.py, number for number)
//   chain       a chain of --size links of fixed length (hanging_chain there)
//   bundle      the bundle adjustment problem --input, in which the first
//               2 --distances cameras are pairs of known distance. With
//               --distances=0 it has no constraints
//
// constrained_ipopt.py solves the first two by IPOPT.

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "ceres/rotation.h"
#include "gflags/gflags.h"
#include "parameter_hash.h"
#include "snavely_reprojection_error.h"

DEFINE_string(problem, "trajectory", "trajectory, chain or bundle");
DEFINE_int32(size, 10000, "Of a trajectory or a chain.");
DEFINE_string(input, "", "BAL file.");
DEFINE_int32(distances, 10, "Known distances of a bundle.");
DEFINE_string(linear_solver, "", "A LinearSolverType; empty: as it fits.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(num_iterations, 500, "");
DEFINE_double(function_tolerance, 1e-6, "");
DEFINE_bool(report, false,
            "Print the iterations, and the full report to stderr as well.");

namespace ceres::examples {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTimeStep = 0.5;
constexpr double kLargestSpeed = 1.0;
constexpr double kLargestTurn = 0.6;

// The generator of gen.py.
class Generator {
 public:
  explicit Generator(std::int64_t seed) : state_(seed) {}
  double Normal() {
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) {
      state_ = state_ * 48271 % 2147483647;
      sum += static_cast<double>(state_) / 2147483647.0;
    }
    return sum - 6.0;
  }

 private:
  std::int64_t state_;
};

struct Odometry {
  double forward, sideways, turn;
  template <typename T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    const T dx = b[0] - a[0];
    const T dy = b[1] - a[1];
    using std::cos;
    using std::sin;
    residuals[0] = (cos(a[2]) * dx + sin(a[2]) * dy - forward) / 0.05;
    residuals[1] = (cos(a[2]) * dy - sin(a[2]) * dx - sideways) / 0.03;
    residuals[2] = (b[2] - a[2] - turn) / 0.02;
    return true;
  }
};

struct Position {
  double x, y;
  template <typename T>
  bool operator()(const T* a, T* residuals) const {
    residuals[0] = (a[0] - x) / 0.15;
    residuals[1] = (a[1] - y) / 0.15;
    return true;
  }
};

// The squared distance of the first two coordinates.
struct SquaredDistance {
  template <typename T>
  bool operator()(const T* a, const T* b, T* value) const {
    value[0] = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
    return true;
  }
};

struct Turn {
  template <typename T>
  bool operator()(const T* a, const T* b, T* value) const {
    value[0] = b[2] - a[2];
    return true;
  }
};

// The poses, and the problem of their optimum. They start from dead reckoning.
std::vector<double> MakeTrajectory(int n, Problem* problem) {
  Generator generator(11);
  std::vector<double> truth(3, 0.0);
  std::vector<Odometry> odometry;
  for (int i = 0; i + 1 < n; ++i) {
    const double d = kLargestSpeed * kTimeStep * (1 + 0.25 * std::sin(0.9 * i));
    const double w = kLargestTurn * kTimeStep * 1.4 * std::sin(0.6 * i);
    const double heading = truth[3 * i + 2];
    truth.push_back(truth[3 * i] + d * std::cos(heading));
    truth.push_back(truth[3 * i + 1] + d * std::sin(heading));
    truth.push_back(heading + w);
    const double forward = d + 0.05 * generator.Normal();
    const double sideways = 0.03 * generator.Normal();
    odometry.push_back({forward, sideways, w + 0.02 * generator.Normal()});
  }
  std::vector<double> poses(3, 0.0);
  for (const Odometry& o : odometry) {
    const double* const last = &poses[poses.size() - 3];
    const double x = last[0] + o.forward * std::cos(last[2]);
    const double y = last[1] + o.forward * std::sin(last[2]);
    const double heading = last[2] + o.turn;
    poses.insert(poses.end(), {x, y, heading});
  }
  for (int i = 0; i < n; ++i) {
    const double x = truth[3 * i] + 0.15 * generator.Normal();
    const double y = truth[3 * i + 1] + 0.15 * generator.Normal();
    problem->AddResidualBlock(
        new AutoDiffCostFunction<Position, 2, 3>(new Position{x, y}), nullptr,
        &poses[3 * i]);
  }
  for (int i = 0; i + 1 < n; ++i) {
    double* const a = &poses[3 * i];
    problem->AddResidualBlock(
        new AutoDiffCostFunction<Odometry, 3, 3, 3>(new Odometry(odometry[i])),
        nullptr, a, a + 3);
    problem->AddInequalityConstraint(
        new AutoDiffCostFunction<SquaredDistance, 1, 3, 3>(new SquaredDistance),
        {-kInfinity}, {std::pow(kLargestSpeed * kTimeStep, 2)}, {a, a + 3});
    problem->AddInequalityConstraint(
        new AutoDiffCostFunction<Turn, 1, 3, 3>(new Turn),
        {-kLargestTurn * kTimeStep}, {kLargestTurn * kTimeStep}, {a, a + 3});
  }
  problem->SetParameterBlockConstant(poses.data());
  return poses;
}

struct Height {
  double scale;
  template <typename T>
  bool operator()(const T* joint, T* residuals) const {
    residuals[0] = scale * (joint[1] + 10.0);
    return true;
  }
};

struct LinkError {
  double squared_length;
  template <typename T>
  bool operator()(const T* a, const T* b, T* value) const {
    SquaredDistance()(a, b, value);
    value[0] -= squared_length;
    return true;
  }
};

// The joints of a chain of n links from (0, 0) to (4, 0).
std::vector<double> MakeChain(int n, Problem* problem) {
  constexpr double kPi = 3.14159265358979323846;
  constexpr double kWidth = 4.0;
  const double length = 1.25 * kWidth / n;
  std::vector<double> joints(2 * (static_cast<std::size_t>(n) + 1), 0.0);
  for (int i = 0; i <= n; ++i) {
    const bool is_end = i == 0 || i == n;
    joints[2 * i] = kWidth * i / n;
    joints[2 * i + 1] = is_end ? 0.0 : -0.5 - 0.3 * std::sin(kPi * i / n);
  }
  for (int i = 0; i < n; ++i) {
    problem->AddEqualityConstraint(new AutoDiffCostFunction<LinkError, 1, 2, 2>(
                                       new LinkError{length * length}),
                                   {&joints[2 * i], &joints[2 * i + 2]});
    if (i == 0) continue;
    problem->AddResidualBlock(
        new AutoDiffCostFunction<Height, 1, 2>(new Height{1.0 / std::sqrt(n)}),
        nullptr, &joints[2 * i]);
  }
  problem->SetParameterBlockConstant(&joints[0]);
  problem->SetParameterBlockConstant(&joints[2 * n]);
  return joints;
}

// The squared distance of the centers of two cameras, less a known one.
struct CameraDistance {
  double squared_distance;
  template <typename T>
  static void Center(const T* camera, T* center) {
    const T axis[3] = {-camera[0], -camera[1], -camera[2]};
    AngleAxisRotatePoint(axis, camera + 3, center);
  }
  template <typename T>
  bool operator()(const T* a, const T* b, T* value) const {
    T from[3];
    T to[3];
    Center(a, from);
    Center(b, to);
    value[0] = T(-squared_distance);
    for (int k = 0; k < 3; ++k) {
      value[0] += (to[k] - from[k]) * (to[k] - from[k]);
    }
    return true;
  }
};

void MakeBundle(BalProblem* bal, Problem* problem) {
  for (int i = 0; i < bal->num_observations(); ++i) {
    const double* const pixel = &bal->observations[2 * std::size_t(i)];
    problem->AddResidualBlock(
        SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
        bal->camera(bal->camera_index[i]), bal->point(bal->point_index[i]));
  }
  // A thousandth more or less than at the start, in turn.
  for (int k = 0; k < FLAGS_distances; ++k) {
    double* const a = bal->camera(2 * k);
    double* const b = bal->camera(2 * k + 1);
    double squared = 0.0;
    CameraDistance{0.0}(a, b, &squared);
    squared *= k % 2 == 0 ? 1.002 : 0.998;
    problem->AddEqualityConstraint(
        new AutoDiffCostFunction<CameraDistance, 1, 9, 9>(
            new CameraDistance{squared}),
        {a, b});
  }
}

int Run() {
  Solver::Options options;
  options.num_threads = FLAGS_num_threads;
  options.max_num_iterations = FLAGS_num_iterations;
  options.function_tolerance = FLAGS_function_tolerance;
  options.minimizer_progress_to_stdout = FLAGS_report;
  options.linear_solver_type =
      FLAGS_problem == "bundle" ? SPARSE_SCHUR : SPARSE_NORMAL_CHOLESKY;
  if (!FLAGS_linear_solver.empty() &&
      !StringToLinearSolverType(FLAGS_linear_solver,
                                &options.linear_solver_type)) {
    std::cerr << "--linear_solver names no LinearSolverType.\n";
    return 1;
  }
  Problem problem;
  std::vector<double> state;
  BalProblem bal;
  if (FLAGS_problem == "trajectory") {
    state = MakeTrajectory(FLAGS_size, &problem);
  } else if (FLAGS_problem == "chain") {
    state = MakeChain(FLAGS_size, &problem);
  } else {
    std::string error;
    if (!ReadBal(FLAGS_input, &bal, &error)) {
      std::cerr << error << "\n";
      return 1;
    }
    Normalize(&bal);
    MakeBundle(&bal, &problem);
  }
  Solver::Summary summary;
  const auto start = std::chrono::steady_clock::now();
  Solve(options, &problem, &summary);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (FLAGS_report) std::cerr << summary.FullReport() << "\n";
  std::printf("solve_seconds %.6f\n", seconds);
  std::printf("preprocess_seconds %.6f\n",
              summary.preprocessor_time_in_seconds);
  std::printf("iterations %d\n",
              static_cast<int>(summary.iterations.size()) - 1);
  std::printf("linear_solves %d\n", summary.num_linear_solves);
  std::printf("residual_evaluations %d\n", summary.num_residual_evaluations);
  std::printf("jacobian_evaluations %d\n", summary.num_jacobian_evaluations);
  std::printf("final_cost %.17g\n", summary.final_cost);
  std::printf("violation %.3e\n", summary.constraint_violation);
  std::printf("parameters %016" PRIx64 "\n", HashParameters(problem));
  if (summary.termination_type == CONVERGENCE) return 0;
  std::cerr << summary.message << "\n";
  return 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  GFLAGS_NAMESPACE::ParseCommandLineFlags(&argc, &argv, true);
  return ceres::examples::Run();
}
