// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds the position of a receiver, and the error of its clock, from ranges to
// transmitters at known places (GNSS, ultra-wideband).

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [cost]
// A pseudorange: distance plus the receiver's clock error times the speed of
// light. All in metres.
struct PseudorangeError {
  template <typename T>
  bool operator()(const T* position, const T* clock, T* residual) const {
    T squared_distance = T(0);
    for (int i = 0; i < 3; ++i) {
      const T d = position[i] - transmitter[i];
      squared_distance += d * d;
    }
    using std::sqrt;
    residual[0] = (sqrt(squared_distance) + clock[0] - range) / sigma;
    return true;
  }

  std::array<double, 3> transmitter;
  double range, sigma;
};
// [/cost]

struct Fix {
  double position[3] = {0.0, 0.0, 0.0};
  double clock = 0.0;
};

Fix Locate(const std::vector<PseudorangeError>& ranges, bool robust) {
  // [solve]
  using Cost = ceres::AutoDiffCostFunction<PseudorangeError, 1, 3, 1>;
  Fix fix;
  ceres::Problem problem;
  for (const PseudorangeError& range : ranges) {
    problem.AddResidualBlock(new Cost(new PseudorangeError(range)),
                             robust ? new ceres::CauchyLoss(1.0) : nullptr,
                             fix.position, &fix.clock);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]
  return fix;
}

}  // namespace

int main() {
  const double receiver[3] = {1200.0, -700.0, 30.0};
  const double clock = 85.0;
  const double sigma = 2.0;
  Noise noise;
  std::vector<PseudorangeError> ranges;
  for (int i = 0; i < 9; ++i) {
    const double azimuth = 0.7 * i, elevation = 0.25 + 0.13 * (i % 5);
    const double far = 20e6;
    const std::array<double, 3> transmitter = {
        far * std::cos(elevation) * std::cos(azimuth),
        far * std::cos(elevation) * std::sin(azimuth),
        far * std::sin(elevation)};
    const double distance =
        std::hypot(transmitter[0] - receiver[0], transmitter[1] - receiver[1],
                   transmitter[2] - receiver[2]);
    ranges.push_back(
        {transmitter, distance + clock + noise.Normal(sigma), sigma});
  }
  ranges[4].range += 60.0;  // A reflected signal is late.

  std::printf("               x        y        z    clock\n");
  std::printf("true     %7.1f  %7.1f  %7.1f  %7.1f\n", receiver[0], receiver[1],
              receiver[2], clock);
  for (const bool robust : {false, true}) {
    const Fix fix = Locate(ranges, robust);
    std::printf("%s  %7.1f  %7.1f  %7.1f  %7.1f\n",
                robust ? "Cauchy " : "squares", fix.position[0],
                fix.position[1], fix.position[2], fix.clock);
  }
}
