// A robot that drives laps: each pose is estimated as soon as it is measured.

#include <array>
#include <cmath>
#include <cstdio>
#include <deque>

#include "ceres/ceres.h"
#include "ceres/incremental_solver.h"
#include "noise.h"

namespace {

using Pose = std::array<double, 3>;  // x, y, heading

// Pose b, as it was measured from pose a.
struct Between {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::cos;
    using std::sin;
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    residual[0] = (cos(a[2]) * dx + sin(a[2]) * dy - measured[0]) / 0.02;
    residual[1] = (cos(a[2]) * dy - sin(a[2]) * dx - measured[1]) / 0.02;
    residual[2] = (b[2] - a[2] - measured[2]) / 0.01;
    return true;
  }
  Pose measured;
};

ceres::CostFunction* NewBetween(const Pose& measured) {
  return new ceres::AutoDiffCostFunction<Between, 3, 3, 3>(
      new Between{measured});
}

Pose Compose(const Pose& a, const Pose& step) {
  const double c = std::cos(a[2]), s = std::sin(a[2]);
  return {a[0] + c * step[0] - s * step[1], a[1] + s * step[0] + c * step[1],
          a[2] + step[2]};
}

}  // namespace

int main() {
  constexpr int kLap = 100;
  constexpr double kTurn = 2.0 * 3.14159265358979323846;
  Noise noise;
  const auto noisy = [&noise](double turn) {
    return Pose{noise.Normal(0.02), noise.Normal(0.02),
                turn + noise.Normal(0.01)};
  };

  // [loop]
  ceres::Problem problem;
  std::deque<Pose> poses = {{0.0, 0.0, 0.0}};
  problem.AddParameterBlock(poses[0].data(), 3);
  problem.SetParameterBlockConstant(poses[0].data());
  ceres::IncrementalSolver solver({}, &problem);
  for (int k = 1; k <= 3 * kLap; ++k) {
    Pose step = noisy(kTurn / kLap);
    step[0] += 1.0;
    // The start of a new pose follows from the estimate of the last one.
    poses.push_back(Compose(poses[k - 1], step));
    problem.AddResidualBlock(NewBetween(step), nullptr, poses[k - 1].data(),
                             poses[k].data());
    // Every tenth pose sees the pose of a lap ago.
    if (k >= kLap && k % 10 == 0) {
      problem.AddResidualBlock(NewBetween(noisy(kTurn)), nullptr,
                               poses[k - kLap].data(), poses[k].data());
    }
    ceres::IncrementalSolver::Summary summary;
    solver.Update(&summary);
    if (summary.termination_type == ceres::FAILURE) {
      std::printf("%s\n", summary.message.c_str());
      return 1;
    }
    if (k % 50 == 0) {
      std::printf("pose %d: %d of %d blocks eliminated anew\n", k,
                  summary.num_blocks_eliminated, k);
    }
  }
  // [/loop]

  // [compare]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::IncrementalSolver::Comparison comparison;
  solver.CompareWithBatch(options, &comparison);
  std::printf("cost %.2f, of a batch solve %.2f, largest difference %.3f\n",
              comparison.batch.initial_cost, comparison.batch.final_cost,
              comparison.largest_difference);
  // [/compare]
}
