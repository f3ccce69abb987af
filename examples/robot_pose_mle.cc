// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Estimates the positions of a robot from its measurements along a corridor.
//
// It starts at one end, 0, and moves in steps towards a wall at the other. Each
// step i it has two readings, with normal noise: of its odometry, the length
// u_i of the step; of a range finder, the distance of the wall. With the u_i as
// unknowns, the most likely poses p_i = u_0 + ... + u_i minimise
//
//   1/2 sum_i ((u_i - odometry_i) / odometry_stddev)^2
//           + ((corridor_length - p_i - range_i) / range_stddev)^2.
//
// A range depends on all steps before it, so the number of parameter blocks
// of its cost function is known only at run time.
//
// Prints: of the poses: 0.4286.* m by odometry, 0.0108.* m fused

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <vector>

#include "ceres/ceres.h"
#include "gflags/gflags.h"
#include "random.h"

DEFINE_double(corridor_length, 30.0, "Length of the corridor, in metres.");
DEFINE_double(pose_separation, 0.5, "Length of a true step, in metres.");
DEFINE_double(odometry_stddev, 0.1,
              "Standard deviation of an odometry reading, in metres.");
DEFINE_double(range_stddev, 0.01,
              "Standard deviation of a range reading, in metres.");

namespace ceres::examples {
namespace {

struct Readings {
  std::vector<double> odometry;
  std::vector<double> range;
};

// The true steps have equal lengths.
Readings Simulate() {
  Readings readings;
  Random random(2026);
  const int num_steps = static_cast<int>(
      std::ceil(FLAGS_corridor_length / FLAGS_pose_separation));
  for (int i = 0; i < num_steps; ++i) {
    const double pose = (i + 1) * FLAGS_pose_separation;
    readings.odometry.push_back(FLAGS_pose_separation +
                                FLAGS_odometry_stddev * random.Normal());
    readings.range.push_back(FLAGS_corridor_length - pose +
                             FLAGS_range_stddev * random.Normal());
  }
  return readings;
}

// residual = (u - odometry) / odometry_stddev.
class OdometryResidual {
 public:
  explicit OdometryResidual(double odometry) : odometry_(odometry) {}

  template <typename T>
  bool operator()(const T* step, T* residual) const {
    residual[0] = (step[0] - odometry_) / FLAGS_odometry_stddev;
    return true;
  }

 private:
  double odometry_;
};

// residual = (corridor_length - sum of num_steps steps - range) / range_stddev.
class RangeResidual {
 public:
  RangeResidual(double range, int num_steps)
      : range_(range), num_steps_(num_steps) {}

  template <typename T>
  bool operator()(T const* const* steps, T* residuals) const {
    T pose(0.0);
    for (int i = 0; i < num_steps_; ++i) pose += steps[i][0];
    residuals[0] = (FLAGS_corridor_length - pose - range_) / FLAGS_range_stddev;
    return true;
  }

 private:
  double range_;
  int num_steps_;
};

// Adds both readings of the step that was the last of `steps`.
void AddReadings(double odometry, double range,
                 const std::vector<double*>& steps, Problem* problem) {
  problem->AddResidualBlock(new AutoDiffCostFunction<OdometryResidual, 1, 1>(
                                new OdometryResidual(odometry)),
                            nullptr, steps.back());
  const int num_steps = static_cast<int>(steps.size());
  auto* cost = new DynamicAutoDiffCostFunction<RangeResidual>(
      new RangeResidual(range, num_steps));
  for (int i = 0; i < num_steps; ++i) cost->AddParameterBlock(1);
  cost->SetNumResiduals(1);
  problem->AddResidualBlock(cost, nullptr, steps);
}

// Prints the path that the steps make; returns the root mean square of its
// errors, in metres.
double PrintPath(const Readings& readings, const std::vector<double>& steps) {
  std::printf("%8s %10s %10s %10s %10s\n", "true", "estimate", "error",
              "odometry", "range");
  double pose = 0.0;
  double sum = 0.0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double true_pose = static_cast<double>(i + 1) * FLAGS_pose_separation;
    pose += steps[i];
    sum += (pose - true_pose) * (pose - true_pose);
    std::printf("%8.3f %10.4f %10.4f %10.4f %10.4f\n", true_pose, pose,
                pose - true_pose, readings.odometry[i], readings.range[i]);
  }
  return std::sqrt(sum / static_cast<double>(steps.size()));
}

// The exit status.
int Run() {
  const Readings readings = Simulate();
  std::vector<double> steps = readings.odometry;
  std::vector<double*> blocks;
  Problem problem;
  for (size_t i = 0; i < steps.size(); ++i) {
    blocks.push_back(&steps[i]);
    AddReadings(readings.odometry[i], readings.range[i], blocks, &problem);
  }

  std::printf("Initial path:\n");
  const double initial_error = PrintPath(readings, steps);
  Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  std::printf("%s\nFinal path:\n", summary.FullReport().c_str());
  const double final_error = PrintPath(readings, steps);
  std::printf(
      "Root mean square error of the poses: %.6f m by odometry, %.6f m fused\n",
      initial_error, final_error);
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_corridor_length <= 0.0 || FLAGS_pose_separation <= 0.0 ||
      FLAGS_odometry_stddev <= 0.0 || FLAGS_range_stddev <= 0.0) {
    std::cerr << "--corridor_length, --pose_separation, --odometry_stddev and "
                 "--range_stddev must be positive.\n";
    return 1;
  }
  return ceres::examples::Run();
}
