// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A robot drives two laps around a block of houses. Its start is wrong, and a
// third of its loop closures is false. Finds the map, and proves that it is the
// best one for the loop closures that are left.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/graduated_solver.h"
#include "ceres/pose_graph.h"
#include "noise.h"

namespace {

using ceres::ResidualBlockId;
using ceres::factors::SE2;
using ceres::io::PoseGraph;
using Factor = ceres::factors::BetweenFactor<SE2>;
using Poses = std::vector<double>;  // [yaw, x, y] for each pose

constexpr int kLap = 48;
constexpr int kNumPoses = 2 * kLap;

// Two laps of four sides of twelve steps. The robot turns by a sixth of a right
// angle at each of the six steps around a corner.
Poses Laps(double turn) {
  Poses poses(3);
  for (int i = 1; i < kNumPoses; ++i) {
    const double step[3] = {i % 12 < 6 ? turn : 0.0, 1.0, 0.0};
    double next[3];
    SE2::Compose(&poses[3 * (i - 1)], step, next);
    poses.insert(poses.end(), next, next + 3);
  }
  return poses;
}

constexpr double kTurn = ceres::constants::pi / 12.0;

// [problem]
struct Map {
  Poses poses;
  ceres::Problem problem;
  std::unordered_set<ResidualBlockId> odometry;
};

// Adds what pose b is, seen from a. `seen` is the pose that the robot took for
// b: another one if the loop closure is false.
ResidualBlockId AddMeasurement(const Poses& truth, int a, int b, int seen,
                               Noise* noise, Map* map) {
  double measured[3];
  SE2::Between(&truth[3 * a], &truth[3 * seen], measured);
  measured[0] += noise->Normal(0.02);
  measured[1] += noise->Normal(0.05);
  measured[2] += noise->Normal(0.05);
  const Eigen::Matrix3d weight =
      Eigen::Vector3d(1 / 0.02, 1 / 0.05, 1 / 0.05).asDiagonal();
  return map->problem.AddResidualBlock(Factor::Create(measured, weight),
                                       nullptr, &map->poses[3 * a],
                                       &map->poses[3 * b]);
}
// [/problem]

void Build(bool has_false_loops, Map* map) {
  Noise noise(3);
  const Poses truth = Laps(kTurn);
  for (int a = 0; a + 1 < kNumPoses; ++a) {
    map->odometry.insert(AddMeasurement(truth, a, a + 1, a + 1, &noise, map));
  }
  // Places of the first lap that are seen again in the second one.
  for (int a = 0; a < kLap; a += 3) {
    const int b = a + kLap;
    AddMeasurement(truth, a, b, b, &noise, map);
    // A corner that looks like the next one.
    const int other = (a + 12) % kLap + kLap;
    if (has_false_loops && a % 6 == 0) {
      AddMeasurement(truth, a, other, b, &noise, map);
    }
  }
  map->problem.SetParameterBlockConstant(map->poses.data());  // The gauge.
}

// [certify]
// What can be proven about the poses.
const char* Certify(const Map& map) {
  PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  if (!ceres::PoseGraphOfProblem(map.problem, &graph, &blocks, &error)) {
    return "no graph of poses";
  }
  return ceres::PoseGraphStatementToString(
      ceres::CertifyPoseGraph(ceres::PoseGraphOptions(), graph).statement);
}
// [/certify]

// [global]
// Replaces the poses by those of the global minimum.
void SolveGlobally(const char* what, Map* map) {
  PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  if (!ceres::PoseGraphOfProblem(map->problem, &graph, &blocks, &error)) {
    std::printf("%s\n", error.c_str());
    return;
  }
  ceres::PoseGraphSummary summary;
  ceres::SolvePoseGraphGlobally(ceres::PoseGraphOptions(), &graph, &summary);
  ceres::WritePosesToProblem(graph, blocks, map->problem);
  std::printf("%s: cost %.1f, %s\n", what, summary.geodesic.final_cost,
              ceres::PoseGraphStatementToString(summary.certificate.statement));
}
// [/global]

// [outliers]
// Removes the loop closures that contradict the odometry and each other.
void RemoveFalseLoops(Map* map) {
  ceres::GraduatedOptions options;
  options.certain_residual_blocks = map->odometry;
  ceres::GraduatedSummary summary;
  ceres::SolveGraduated({}, options, &map->problem, &summary);
  for (const ResidualBlockId block : summary.outliers) {
    map->problem.RemoveResidualBlock(block);
  }
  std::printf("SolveGraduated: %d of %d loop closures removed\n",
              static_cast<int>(summary.outliers.size()),
              map->problem.NumResidualBlocks() - kNumPoses + 1 +
                  static_cast<int>(summary.outliers.size()));
}
// [/outliers]

double LargestError(const Poses& poses) {
  const Poses truth = Laps(kTurn);
  double largest = 0.0;
  for (int i = 0; i < kNumPoses; ++i) {
    largest =
        std::max(largest, std::hypot(poses[3 * i + 1] - truth[3 * i + 1],
                                     poses[3 * i + 2] - truth[3 * i + 2]));
  }
  return largest;
}

}  // namespace

int main() {
  // [start]
  // The gyroscope of the start turns twice as far as the robot.
  Map local{Laps(2.0 * kTurn), {}, {}};
  Build(/*has_false_loops=*/false, &local);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &local.problem, &summary);
  // [/start]
  std::printf("Solve: cost %.1f, %s\n", summary.final_cost, Certify(local));

  // [all]
  Map map{Laps(2.0 * kTurn), {}, {}};
  Build(/*has_false_loops=*/true, &map);
  SolveGlobally("All loop closures", &map);
  const Poses bent = map.poses;
  RemoveFalseLoops(&map);
  SolveGlobally("Without the false ones", &map);
  // [/all]
  std::printf("Largest errors in metres: %.1f, %.1f, %.1f\n",
              LargestError(local.poses), LargestError(bent),
              LargestError(map.poses));

  std::printf("x and y of the maps\n");
  for (int i = 0; i < kNumPoses; ++i) {
    std::printf("%.2f %.2f %.2f %.2f %.2f %.2f\n", local.poses[3 * i + 1],
                local.poses[3 * i + 2], bent[3 * i + 1], bent[3 * i + 2],
                map.poses[3 * i + 1], map.poses[3 * i + 2]);
  }
}
