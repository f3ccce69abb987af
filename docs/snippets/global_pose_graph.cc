// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves a pose graph from a start that leads to a wrong map, says that the map
// is wrong, and finds the right one. Then the same with false loop closures.

#include <cmath>
#include <cstdio>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/graduated_solver.h"
#include "ceres/pose_graph.h"
#include "noise.h"

namespace {

using ceres::factors::SE2;
using ceres::io::PoseGraph;
using Factor = ceres::factors::BetweenFactor<SE2>;

constexpr int kNumPoses = 40;
constexpr double kStep = 1.0;
constexpr double kTurn = 2.0 * ceres::constants::pi / kNumPoses;

// A path of steps with a turn after each: [yaw, x, y] for each pose.
std::vector<double> Path(double turn) {
  std::vector<double> poses(3);
  const double step[3] = {turn, kStep * std::cos(turn / 2),
                          kStep * std::sin(turn / 2)};
  for (int i = 1; i < kNumPoses; ++i) {
    double next[3];
    SE2::Compose(poses.data() + 3 * (i - 1), step, next);
    poses.insert(poses.end(), next, next + 3);
  }
  return poses;
}

// What pose b is, seen from a, with the errors of a measurement.
void Measure(const std::vector<double>& poses, int a, int b, Noise* noise,
             double* measured) {
  SE2::Between(poses.data() + 3 * a, poses.data() + 3 * b, measured);
  measured[0] += noise->Normal(0.02);
  measured[1] += noise->Normal(0.05);
  measured[2] += noise->Normal(0.05);
}

const Eigen::Matrix3d kSquareRootInformation =
    Eigen::Vector3d(1 / 0.02, 1 / 0.05, 1 / 0.05).asDiagonal();

// [problem]
// Steps around a ring, each with its measurement, and the last one back to the
// first pose.
void BuildRing(std::vector<double>* poses, ceres::Problem* problem) {
  Noise noise(1);
  const std::vector<double> truth = Path(kTurn);
  for (int a = 0; a < kNumPoses; ++a) {
    const int b = (a + 1) % kNumPoses;
    double measured[3];
    Measure(truth, a, b, &noise, measured);
    problem->AddResidualBlock(Factor::Create(measured, kSquareRootInformation),
                              nullptr, poses->data() + 3 * a,
                              poses->data() + 3 * b);
  }
  problem->SetParameterBlockConstant(poses->data());  // The gauge.
}
// [/problem]

// [certify]
ceres::PoseGraphCertificate Certify(const ceres::Problem& problem) {
  PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  if (!ceres::PoseGraphOfProblem(problem, &graph, &blocks, &error)) {
    std::printf("%s\n", error.c_str());
    return {};
  }
  return ceres::CertifyPoseGraph(ceres::PoseGraphOptions(), graph);
}
// [/certify]

// [global]
void SolveGlobally(ceres::Problem* problem) {
  PoseGraph graph;
  std::vector<double*> blocks;
  std::string error;
  if (!ceres::PoseGraphOfProblem(*problem, &graph, &blocks, &error)) {
    std::printf("%s\n", error.c_str());
    return;
  }
  ceres::PoseGraphOptions options;
  // From the wrong map, to show that the staircase leaves it. The default,
  // kChordal, does not look at the poses.
  options.start = ceres::PoseGraphStart::kCurrentValues;
  ceres::PoseGraphSummary summary;
  ceres::SolvePoseGraphGlobally(options, &graph, &summary);
  for (const auto& step : summary.steps) {
    std::printf("  rank %d: chordal cost %.1f\n", step.rank, step.cost);
  }
  ceres::WritePosesToProblem(graph, blocks, *problem);
}
// [/global]

double Cost(ceres::Problem* problem) {
  double cost = 0.0;
  problem->Evaluate({}, &cost, nullptr, nullptr, nullptr);
  return cost;
}

void Print(const char* what, ceres::Problem* problem) {
  std::printf("%s: cost %.1f, %s\n", what, Cost(problem),
              ceres::PoseGraphStatementToString(Certify(*problem).statement));
}

// [outliers]
// Removes the loop closures that SolveGraduated rejects. Then the rest is a
// problem of least squares, which a certificate is about.
int RemoveFalseLoops(const std::unordered_set<ceres::ResidualBlockId>& odometry,
                     ceres::Problem* problem) {
  ceres::GraduatedOptions options;
  options.certain_residual_blocks = odometry;
  ceres::GraduatedSummary summary;
  ceres::SolveGraduated({}, options, problem, &summary);
  for (const ceres::ResidualBlockId block : summary.outliers) {
    problem->RemoveResidualBlock(block);
  }
  return static_cast<int>(summary.outliers.size());
}
// [/outliers]

}  // namespace

int main() {
  // The gyroscope of the start turns twice as far as the robot.
  std::vector<double> poses = Path(2.0 * kTurn);
  ceres::Problem problem;
  BuildRing(&poses, &problem);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  const std::vector<double> wrong = poses;
  Print("Solve", &problem);
  SolveGlobally(&problem);
  Print("SolvePoseGraphGlobally", &problem);

  // Loop closures across the ring, of which each third one is false.
  std::vector<ceres::ResidualBlockId> blocks;
  problem.GetResidualBlocks(&blocks);
  blocks.pop_back();
  const std::unordered_set<ceres::ResidualBlockId> odometry(blocks.begin(),
                                                            blocks.end());
  Noise noise(2);
  const std::vector<double> truth = Path(kTurn);
  for (int a = 0; a < 18; ++a) {
    double measured[3];
    Measure(truth, a, a + (a % 3 == 0 ? 9 : 20), &noise, measured);
    problem.AddResidualBlock(Factor::Create(measured, kSquareRootInformation),
                             nullptr, poses.data() + 3 * a,
                             poses.data() + 3 * (a + 20));
  }
  std::printf("False loop closures: %d\n",
              RemoveFalseLoops(odometry, &problem));
  SolveGlobally(&problem);
  Print("Without them", &problem);

  std::printf("x and y of the wrong and of the right map\n");
  for (int i = 0; i < kNumPoses; ++i) {
    std::printf("%.2f %.2f %.2f %.2f\n", wrong[3 * i + 1], wrong[3 * i + 2],
                poses[3 * i + 1], poses[3 * i + 2]);
  }
}
