// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A robot maps landmarks while it drives (planar SLAM). Each pose is estimated
// as soon as it is measured.
//
//   incremental_slam                    simulates the drive
//   incremental_slam --input=GRAPH.g2o  follows the edges of a file

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/range_bearing.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/incremental_solver.h"
#include "ceres/io/g2o.h"
#include "noise.h"

using ceres::factors::BetweenFactor;
using ceres::factors::PlanarBearingFactor;
using ceres::factors::RangeFactor;
using ceres::factors::SE2;
using ceres::factors::SE2Manifold;

namespace {

using Pose = std::array<double, 3>;  // Angle, x, y.
using Point = std::array<double, 2>;
using Matrix3 = Eigen::Matrix3d;

constexpr double kRangeSigma = 0.1;     // Metres.
constexpr double kBearingSigma = 0.02;  // Radians.

// What was measured from pose `from` to pose `to`.
struct Motion {
  int from, to;
  Pose measured;
  Matrix3 square_root_information;
};

struct Observation {
  int landmark;
  double range, bearing;
};

ceres::IncrementalSolver::Options MakeOptions() {
  // [options]
  ceres::IncrementalSolver::Options options;
  // Radians and metres: a part of the standard deviations of measurements.
  options.relinearization_threshold = 0.02;
  // [/options]
  return options;
}

// The map and the path so far.
class Mapper {
 public:
  Mapper() : poses({{0.0, 0.0, 0.0}}), solver_(MakeOptions(), &problem) {
    problem.AddParameterBlock(poses[0].data(), 3, new SE2Manifold);
    problem.SetParameterBlockConstant(poses[0].data());
  }

  // [add]
  // The first motion to a new pose predicts it.
  void Add(const Motion& motion) {
    if (motion.to == static_cast<int>(poses.size())) {
      poses.emplace_back();
      SE2::Compose(poses[motion.from].data(), motion.measured.data(),
                   poses.back().data());
      problem.AddParameterBlock(poses.back().data(), 3, new SE2Manifold);
    }
    problem.AddResidualBlock(
        BetweenFactor<SE2>::Create(motion.measured.data(),
                                   motion.square_root_information),
        nullptr, poses[motion.from].data(), poses[motion.to].data());
  }

  // The first observation of a landmark predicts it.
  void Add(const Observation& seen) {
    const Pose& pose = poses.back();
    const auto [landmark, is_new] = landmarks.try_emplace(seen.landmark);
    if (is_new) {
      const Point local = {seen.range * std::cos(seen.bearing),
                           seen.range * std::sin(seen.bearing)};
      SE2::Act(pose.data(), local.data(), landmark->second.data());
    }
    problem.AddResidualBlock(RangeFactor<SE2>::Create(seen.range, kRangeSigma),
                             nullptr, poses.back().data(),
                             landmark->second.data());
    problem.AddResidualBlock(
        PlanarBearingFactor::Create(seen.bearing, kBearingSigma), nullptr,
        poses.back().data(), landmark->second.data());
  }
  // [/add]

  // [update]
  bool Update() {
    ceres::IncrementalSolver::Summary summary;
    solver_.Update(&summary);
    if (summary.termination_type == ceres::FAILURE) {
      std::printf("pose %zu: %s\n", poses.size() - 1, summary.message.c_str());
      return false;
    }
    eliminated.push_back(summary.num_blocks_eliminated);
    evaluated.push_back(summary.num_residual_blocks_evaluated);
    return true;
  }
  // [/update]

  // Prints the work of the updates, and the estimate beside a batch solve.
  // Returns whether the batch solve agrees.
  bool Report();

  ceres::Problem problem;
  std::deque<Pose> poses;  // Does not move its elements.
  std::map<int, Point> landmarks;
  // Each update's number of parameter blocks that were eliminated anew, and of
  // residual blocks that were evaluated.
  std::vector<int> eliminated, evaluated;

 private:
  ceres::IncrementalSolver solver_;
};

void PrintCounts(const char* what, std::vector<int> counts, int all) {
  std::sort(counts.begin(), counts.end());
  std::printf("%-17s  %6d  %4d  %7d\n", what, counts[counts.size() / 2],
              counts.back(), all);
}

bool Mapper::Report() {
  std::printf("blocks per update  median  most  problem\n");
  PrintCounts("eliminated", eliminated, problem.NumParameterBlocks() - 1);
  PrintCounts("evaluated", evaluated, problem.NumResidualBlocks());
  // [batch]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::IncrementalSolver::Comparison comparison;
  solver_.CompareWithBatch(options, &comparison);
  const double cost = comparison.batch.initial_cost;
  const double batch_cost = comparison.batch.final_cost;
  std::printf("cost %.2f, of a batch solve %.2f\n", cost, batch_cost);
  std::printf("largest difference of a coordinate: %.3f\n",
              comparison.largest_difference);
  // [/batch]
  return comparison.batch.IsSolutionUsable() && cost <= 1.01 * batch_cost;
}

// The truth: two rounds of a figure eight, 34 m by 20 m, among landmarks.
struct Simulation {
  static constexpr int kPoses = 400;
  static constexpr double kSight = 7.0;  // Metres.

  Simulation() {
    const auto position = [](int k) {
      const double t = 4.0 * ceres::constants::pi * k / kPoses;
      return Point{17.0 * std::sin(t), 10.0 * std::sin(2.0 * t)};
    };
    const Point start = position(0), second = position(1);
    const Pose origin = {std::atan2(second[1] - start[1], second[0] - start[0]),
                         start[0], start[1]};
    for (int k = 0; k < kPoses; ++k) {
      const Point a = position(k), b = position(k + 1);
      const Pose pose = {std::atan2(b[1] - a[1], b[0] - a[0]), a[0], a[1]};
      poses.emplace_back();
      SE2::Between(origin.data(), pose.data(), poses.back().data());
    }
    for (int i = 0; i < 80; ++i) {
      const Pose world = {0.0, 46.0 * noise.Uniform() - 23.0,
                          32.0 * noise.Uniform() - 16.0};
      Pose local;
      SE2::Between(origin.data(), world.data(), local.data());
      landmarks.push_back({local[1], local[2]});
    }
  }

  Motion MeasureMotion(int k) {
    const Eigen::Vector3d sigmas(0.01, 0.03, 0.03);  // Radians, metres.
    Motion motion{k - 1,
                  k,
                  {},
                  ceres::factors::SquareRootInformationFromSigmas<3>(sigmas)};
    Pose exact;
    SE2::Between(poses[k - 1].data(), poses[k].data(), exact.data());
    const double error[3] = {noise.Normal(sigmas[0]), noise.Normal(sigmas[1]),
                             noise.Normal(sigmas[2])};
    SE2::Plus(exact.data(), error, motion.measured.data());
    return motion;
  }

  std::vector<Observation> Observe(int k) {
    std::vector<Observation> seen;
    for (int i = 0; i < static_cast<int>(landmarks.size()); ++i) {
      const double dx = landmarks[i][0] - poses[k][1];
      const double dy = landmarks[i][1] - poses[k][2];
      const double range = std::sqrt(dx * dx + dy * dy);
      if (range > kSight) continue;
      const double bearing = std::atan2(dy, dx) - poses[k][0];
      seen.push_back({i, range + noise.Normal(kRangeSigma),
                      bearing + noise.Normal(kBearingSigma)});
    }
    return seen;
  }

  Noise noise;
  std::vector<Pose> poses;
  std::vector<Point> landmarks;
};

double RootMeanSquare(const std::vector<Pose>& truth,
                      const std::deque<Pose>& poses) {
  double sum = 0.0;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    for (int i = 1; i < 3; ++i) {
      sum += std::pow(poses[k][i] - truth[k][i], 2);
    }
  }
  return std::sqrt(sum / truth.size());
}

bool Simulate() {
  Simulation simulation;
  Mapper mapper;
  std::deque<Pose> odometry = {{0.0, 0.0, 0.0}};
  // [loop]
  for (int k = 0; k < Simulation::kPoses; ++k) {
    if (k > 0) {
      const Motion motion = simulation.MeasureMotion(k);
      mapper.Add(motion);
      // For comparison: the motions alone.
      odometry.emplace_back();
      SE2::Compose(odometry[k - 1].data(), motion.measured.data(),
                   odometry[k].data());
    }
    for (const Observation& seen : simulation.Observe(k)) mapper.Add(seen);
    if (!mapper.Update()) return false;
  }
  // [/loop]
  std::printf("root mean square error: odometry %.2f m, estimate %.2f m\n",
              RootMeanSquare(simulation.poses, odometry),
              RootMeanSquare(simulation.poses, mapper.poses));
  const bool agrees = mapper.Report();
  // [check]
  // Twice the cost has a chi-squared distribution, whose mean is the number of
  // residuals minus that of parameters, if the standard deviations are right.
  double cost = 0.0;
  mapper.problem.Evaluate({}, &cost, nullptr, nullptr, nullptr);
  const int freedom = mapper.problem.NumResiduals() -
                      3 * (Simulation::kPoses - 1) -
                      2 * static_cast<int>(mapper.landmarks.size());
  const double deviations = (2.0 * cost - freedom) / std::sqrt(2.0 * freedom);
  // [/check]
  std::printf("twice the cost / degrees of freedom: %.3f\n",
              2.0 * cost / freedom);
  std::printf("pose, blocks eliminated, x and y: truth, odometry, estimate\n");
  for (int k = 0; k < Simulation::kPoses; k += 4) {
    const Pose& truth = simulation.poses[k];
    std::printf("%3d %4d %7.2f %6.2f %7.2f %6.2f %7.2f %6.2f\n", k,
                *std::max_element(mapper.eliminated.begin() + k,
                                  mapper.eliminated.begin() + k + 4),
                truth[1], truth[2], odometry[k][1], odometry[k][2],
                mapper.poses[k][1], mapper.poses[k][2]);
  }
  std::printf("landmarks\n");
  for (const auto& [id, landmark] : mapper.landmarks) {
    std::printf("%3d %7.2f %6.2f\n", id, landmark[0], landmark[1]);
  }
  return agrees && std::abs(deviations) < 5.0;
}

// Returns the motions of a g2o file by their later pose. Poses must be numbered
// from 0, in the order of the drive.
bool ReadMotions(const char* name,
                 std::map<int, std::vector<Motion>>* motions) {
  ceres::io::PoseGraph graph;
  ceres::io::G2oOptions options;
  options.initialize_missing_vertices = true;
  std::string error;
  if (!ceres::io::ReadG2o(name, options, &graph, &error)) {
    std::printf("%s\n", error.c_str());
    return false;
  }
  for (const ceres::io::PoseGraph::Edge& edge : graph.edges) {
    if (edge.type != ceres::io::PoseGraph::EdgeType::kRelativePose) continue;
    const double* const z = edge.measurement.data();
    Motion m;
    m.from = static_cast<int>(graph.vertices[edge.x].id);
    m.to = static_cast<int>(graph.vertices[edge.y].id);
    m.measured = {z[2], z[0], z[1]};
    // The angle comes first here, and last in the file.
    const Eigen::PermutationMatrix<3> order(Eigen::Vector3i(1, 2, 0));
    const Matrix3 information =
        order * Eigen::Map<const Matrix3>(edge.information.data()) *
        order.transpose();
    if (!ceres::factors::SquareRootInformationFromInformation<3>(
            information, &m.square_root_information, &error)) {
      std::printf("%s: %s\n", name, error.c_str());
      return false;
    }
    (*motions)[std::max(m.from, m.to)].push_back(m);
  }
  if (motions->empty()) std::printf("%s: no edge between poses\n", name);
  return !motions->empty();
}

bool Follow(const char* name) {
  std::map<int, std::vector<Motion>> motions;
  if (!ReadMotions(name, &motions)) return false;
  Mapper mapper;
  for (auto& [pose, of_pose] : motions) {
    std::stable_partition(of_pose.begin(), of_pose.end(),
                          [](const Motion& m) { return m.from == m.to - 1; });
    const Motion& first = of_pose.front();
    if (pose != static_cast<int>(mapper.poses.size()) ||
        first.from != pose - 1 || first.to != pose) {
      std::printf("%s: no edge leads from pose %d to pose %d\n", name, pose - 1,
                  pose);
      return false;
    }
    for (const Motion& motion : of_pose) mapper.Add(motion);
    if (!mapper.Update()) return false;
  }
  return mapper.Report();
}

}  // namespace

int main(int argc, char** argv) {
  constexpr char kInput[] = "--input=";
  if (argc == 1) return Simulate() ? 0 : 1;
  if (argc == 2 && std::strncmp(argv[1], kInput, sizeof(kInput) - 1) == 0) {
    return Follow(argv[1] + sizeof(kInput) - 1) ? 0 : 1;
  }
  std::printf("usage: %s [--input=GRAPH.g2o]\n", argv[0]);
  return 1;
}
