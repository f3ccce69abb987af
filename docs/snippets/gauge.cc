// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Heights from measured differences of heights: one height must be given.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/normal_prior.h"

namespace {

// [problem]
struct HeightDifference {
  template <typename T>
  bool operator()(const T* from, const T* to, T* residual) const {
    residual[0] = (to[0] - from[0] - metres) / sigma;
    return true;
  }

  double metres, sigma;
};

using Heights = std::array<double, 4>;

void AddMeasurements(Heights* h, ceres::Problem* problem) {
  const auto add = [&](int from, int to, double metres) {
    problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<HeightDifference, 1, 1, 1>(
            new HeightDifference{metres, 0.01}),
        nullptr, &(*h)[from], &(*h)[to]);
  };
  add(0, 1, 2.31);
  add(1, 2, -0.84);
  add(2, 3, 1.12);
  add(3, 0, -2.57);
  add(0, 2, 1.48);
}
// [/problem]

void SolveAndPrint(const char* what, Heights* h, ceres::Problem* problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  std::printf("%-15s %7.3f %7.3f %7.3f %7.3f   ", what, (*h)[0], (*h)[1],
              (*h)[2], (*h)[3]);

  ceres::Covariance covariance(ceres::Covariance::Options{});
  const double* last = &(*h)[3];
  const std::vector<const double*> blocks = {last};
  double variance = 0.0;
  if (covariance.Compute(blocks, problem)) {
    covariance.GetCovarianceBlock(last, last, &variance);
    std::printf("%.4f\n", std::sqrt(variance));
  } else {
    std::printf("not determined\n");
  }
}

}  // namespace

int main() {
  std::printf("gauge              h0      h1      h2      h3   sigma of h3\n");
  {
    Heights h = {100.0, 100.0, 100.0, 100.0};
    ceres::Problem problem;
    AddMeasurements(&h, &problem);
    SolveAndPrint("free", &h, &problem);
  }
  {
    // [constant]
    Heights h = {100.0, 100.0, 100.0, 100.0};
    ceres::Problem problem;
    AddMeasurements(&h, &problem);
    problem.SetParameterBlockConstant(&h[0]);
    // [/constant]
    SolveAndPrint("h0 constant", &h, &problem);
  }
  {
    // [prior]
    Heights h = {100.0, 100.0, 100.0, 100.0};
    ceres::Problem problem;
    AddMeasurements(&h, &problem);
    const double sigma = 0.5;
    const ceres::Matrix sqrt_information =
        ceres::Matrix::Constant(1, 1, 1.0 / sigma);
    const ceres::Vector known = ceres::Vector::Constant(1, 100.0);
    problem.AddResidualBlock(new ceres::NormalPrior(sqrt_information, known),
                             nullptr, &h[0]);
    // [/prior]
    SolveAndPrint("prior on h0", &h, &problem);
  }
}
