// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/html_report.h"
#include "ceres/parallel/trace.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

TEST(HtmlReportH, SceneIsEmptyAtFirst) {
  const ReportScene scene;
  EXPECT_EQ(scene.points, (OfType<std::vector<std::array<double, 3>>>{{}}));
  EXPECT_EQ(scene.edges, (OfType<std::vector<std::array<int, 2>>>{{}}));
  EXPECT_TRUE(scene.poses.empty());
  const ReportScene::Pose pose;
  EXPECT_EQ(pose.position, (std::array<double, 3>{0.0, 0.0, 0.0}));
  EXPECT_EQ(pose.orientation, (std::array<double, 4>{0.0, 0.0, 0.0, 0.0}));
}

TEST(HtmlReportH, OptionsHaveTheDocumentedDefaults) {
  const HtmlReport::Options options;
  EXPECT_EQ(options.title, "Solve");
  EXPECT_FALSE(options.parameter_block_name);
  EXPECT_FALSE(options.residual_block_tag);
  EXPECT_FALSE(options.scene);
  EXPECT_EQ(options.trace, OfType<const parallel::Trace*>{nullptr});
  EXPECT_EQ(options.max_scene_samples, OfType<int>{12000});
}

struct DistanceToTen {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

TEST(HtmlReportH, WritesASolve) {
  double x = 0.5;
  Problem problem;
  problem.AddResidualBlock(
      new AutoDiffCostFunction<DistanceToTen, 1, 1>(new DistanceToTen), nullptr,
      &x);
  HtmlReport::Options report_options;
  report_options.title = "Distance";
  report_options.parameter_block_name = [](const double*) { return "x"; };
  report_options.residual_block_tag = [](ResidualBlockId) { return "prior"; };
  report_options.scene = [&x] {
    ReportScene scene;
    scene.points.push_back({x, 0.0, 0.0});
    return scene;
  };
  parallel::Trace trace;
  report_options.trace = &trace;
  HtmlReport report(report_options, &problem);
  Solver::Options options;
  Solver::Summary summary;
  trace.Start();
  Solve(options, &problem, &summary);
  trace.Stop();
  const std::string path = testing::TempDir() + "html_report_api_test.html";
  std::string error;
  EXPECT_TRUE(report.Write(path, options, summary, &error)) << error;
  EXPECT_EQ(std::remove(path.c_str()), 0);
}

}  // namespace
}  // namespace ceres
