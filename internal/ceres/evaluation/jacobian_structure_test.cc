// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/jacobian_structure.h"

#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

// Four points of 3 parameters, seen by two cameras of 4, the camera being the
// first or the second argument.
class JacobianStructureTest : public testing::Test {
 protected:
  void See(int point, int camera, bool camera_first) {
    double* const x = &points_[3 * point];
    double* const pose = &cameras_[4 * camera];
    if (camera_first) {
      problem_.AddResidualBlock(new SineCost(2, {4, 3}, 1), nullptr, pose, x);
    } else {
      problem_.AddResidualBlock(new SineCost(2, {3, 4}, 1), nullptr, x, pose);
    }
  }

  BlockJacobianStructure Make() {
    std::vector<double*> points;
    for (double* x = points_.data(); x != points_.data() + 12; x += 3) {
      if (problem_.HasParameterBlock(x) &&
          !problem_.IsParameterBlockConstant(x)) {
        points.push_back(x);
      }
    }
    return ProblemEvaluator(&problem_, {}, points).structure;
  }

  std::vector<double> points_ = std::vector<double>(12, 1.0);
  std::vector<double> cameras_ = std::vector<double>(8, 1.0);
  Problem problem_;
};

TEST_F(JacobianStructureTest, RowsThatAreAlikeNeedNoLists) {
  See(0, 0, true);
  See(1, 0, false);
  See(0, 1, false);
  See(1, 1, true);
  const BlockJacobianStructure s = Make();
  EXPECT_FALSE(s.row_offset.is_list());
  EXPECT_FALSE(s.row_block_offset.is_list());
  EXPECT_FALSE(s.first_cell.is_list());
  EXPECT_FALSE(s.cell_position.is_list());
  EXPECT_THAT(s.row_offset.ToVector(), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(s.row_block_offset.ToVector(), ElementsAre(0, 16, 32, 48, 64));
  EXPECT_THAT(s.first_cell.ToVector(), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(s.cell_position.ToVector(), ElementsAre(2, 8, 2, 8, 2, 8, 2, 8));
  EXPECT_THAT(s.cell_column, ElementsAre(0, 2, 0, 3, 1, 2, 1, 3));
}

TEST_F(JacobianStructureTest, OneOtherRowMakesLists) {
  See(0, 0, true);
  See(1, 1, true);
  See(2, 0, true);
  problem_.SetParameterBlockConstant(&points_[3]);
  const BlockJacobianStructure s = Make();
  EXPECT_TRUE(s.first_cell.is_list());
  EXPECT_THAT(s.row_offset.ToVector(), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(s.row_block_offset.ToVector(), ElementsAre(0, 16, 32, 42));
  EXPECT_THAT(s.first_cell.ToVector(), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(s.cell_position.ToVector(), ElementsAre(2, 8, 2, 8, 2));
  EXPECT_THAT(s.cell_column, ElementsAre(0, 2, 1, 2, 3));
}

}  // namespace
}  // namespace ceres::internal
