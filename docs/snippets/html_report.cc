// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds four points from their distances to each other and to three anchors,
// shows the progress, and writes a report as an HTML page.

#include "ceres/html_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/trace.h"
#include "ceres/progress_display.h"

namespace {

struct DistanceError {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::sqrt;
    T sum = T(0);
    for (int i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    residual[0] = (sqrt(sum) - distance) / 0.01;
    return true;
  }

  double distance;  // Metres.
};

}  // namespace

int main() {
  const std::vector<std::array<double, 3>> truth = {
      {0, 0, 0}, {4, 0, 0}, {0, 3, 0}, {1, 1, 2},
      {3, 2, 1}, {2, 0, 2}, {1, 3, 1}};
  std::vector<std::array<double, 3>> points = truth;
  for (std::size_t i = 3; i < points.size(); ++i) {
    for (double& x : points[i]) x += 0.4 * std::cos(3.0 * x + 1.0 * i);
  }
  ceres::Problem problem;
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      const double distance =
          std::hypot(truth[a][0] - truth[b][0], truth[a][1] - truth[b][1],
                     truth[a][2] - truth[b][2]);
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<DistanceError, 1, 3, 3>(
              new DistanceError{distance}),
          nullptr, points[a].data(), points[b].data());
    }
  }
  for (int i = 0; i < 3; ++i) {
    problem.SetParameterBlockConstant(points[i].data());  // The anchors.
  }

  // [report]
  ceres::parallel::Trace trace;
  ceres::HtmlReport::Options report_options;
  report_options.title = "Four points";
  report_options.trace = &trace;
  report_options.parameter_block_name = [&points](const double* block) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].data() == block) return "point " + std::to_string(i);
    }
    return std::string();
  };
  report_options.scene = [&points] {
    ceres::ReportScene scene;
    scene.points = points;
    return scene;
  };
  ceres::HtmlReport report(report_options, &problem);  // Before the solve.
  // [/report]

  // [progress]
  ceres::Solver::Options options;
  ceres::ProgressDisplay progress(options);  // Writes to stderr.
  options.callbacks.push_back(&progress);
  // [/progress]

  // [write]
  trace.Start();
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  progress.Finish();
  trace.Stop();
  const std::string path =
      (std::filesystem::temp_directory_path() / "four_points.html").string();
  std::string error;
  if (!report.Write(path, options, summary, &error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  // [/write]
  double largest_error = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      largest_error =
          std::max(largest_error, std::abs(points[i][k] - truth[i][k]));
    }
  }
  std::printf("%s, largest error %.4f m\n",
              summary.IsSolutionUsable() ? "solved" : "failed", largest_error);
  std::printf("a report of less than 2 MB: %s\n",
              std::filesystem::file_size(path) < 2000000 ? "yes" : "no");
}
