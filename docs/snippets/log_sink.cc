// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/log_sink.h"

#include <iostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"

struct Residual {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

int main() {
  double x = 0.5;
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Residual, 1, 1>(new Residual), nullptr,
      &x);
  // [sink]
  std::vector<std::string> log;
  ceres::SetLogSink([&log](const ceres::LogEntry& entry) {
    log.push_back(ceres::LogSeverityToString(entry.severity) +
                  (": " + std::string(entry.text)));
  });
  ceres::SetLogVerbosity(1);  // The progress table is logged, too.
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  ceres::SetLogSink(nullptr);
  // [/sink]
  std::cout << log.size() << " messages about " << summary.iterations.size()
            << " iterations, the first is: " << log[0].substr(0, 20) << "\n";
}
