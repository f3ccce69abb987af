// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Published problems, whose gauge freedoms are known. Skipped without the data
// sets (tests/shared_data.h).

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/io/bal.h"
#include "ceres/io/g2o.h"
#include "ceres/problem.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/common/pose_graph_problem.h"
#include "snavely_reprojection_error.h"

namespace ceres::examples {
namespace {

int Count(const Diagnosis& diagnosis, DirectionKind kind) {
  return static_cast<int>(std::count_if(
      diagnosis.undetermined.begin(), diagnosis.undetermined.end(),
      [kind](const Direction& direction) { return direction.kind == kind; }));
}

void ExpectGauge(const Diagnosis& diagnosis, int translations, int rotations,
                 int scales) {
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kComplete);
  EXPECT_TRUE(diagnosis.is_rank_certain) << diagnosis.rank_statement;
  EXPECT_EQ(static_cast<int>(diagnosis.undetermined.size()),
            translations + rotations + scales);
  EXPECT_EQ(Count(diagnosis, DirectionKind::kGaugeTranslation), translations);
  EXPECT_EQ(Count(diagnosis, DirectionKind::kGaugeRotation), rotations);
  EXPECT_EQ(Count(diagnosis, DirectionKind::kGaugeScale), scales);
}

TEST(DiagnosePublishedData, BundleAdjustmentHasSevenGaugeDirections) {
  const std::optional<std::string> text =
      internal::ReadSharedData("bal/problem-16-22106-pre.txt");
  if (!text) GTEST_SKIP();
  io::BalProblem bal;
  std::string error;
  ASSERT_TRUE(io::ParseBal(*text, "problem-16", &bal, &error)) << error;
  Problem problem;
  for (int i = 0; i < bal.num_observations(); ++i) {
    problem.AddResidualBlock(
        SnavelyReprojectionError::Create(bal.observations[2 * i],
                                         bal.observations[2 * i + 1]),
        nullptr, bal.camera(bal.camera_index[i]),
        bal.point(bal.point_index[i]));
  }
  ExpectGauge(Diagnose({}, &problem), 3, 3, 1);
}

void ExpectPoseGraphGauge(const std::string& name, int translations,
                          int rotations) {
  const std::optional<std::string> text = internal::ReadSharedData(name);
  if (!text) GTEST_SKIP();
  io::PoseGraph graph;
  std::string error;
  ASSERT_TRUE(io::ParseG2o(*text, name, {}, &graph, &error)) << error;
  Problem problem;
  BuildProblem(&graph, &problem);
  // The example holds the first pose.
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  std::vector<double*> blocks;
  problem.GetParameterBlocks(&blocks);
  for (double* block : blocks) problem.SetParameterBlockVariable(block);
  ExpectGauge(Diagnose({}, &problem), translations, rotations, 0);
}

TEST(DiagnosePublishedData, PoseGraphOfSpaceHasSixGaugeDirections) {
  ExpectPoseGraphGauge("pose_graph/sphere2500.g2o", 3, 3);
}

TEST(DiagnosePublishedData, PoseGraphOfThePlaneHasThreeGaugeDirections) {
  ExpectPoseGraphGauge("pose_graph/M3500.g2o", 2, 1);
}

}  // namespace
}  // namespace ceres::examples
