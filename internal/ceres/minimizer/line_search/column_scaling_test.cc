// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/column_scaling.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ceres/minimizer/minimizer_tuning.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

TEST(ColumnScaling, IsTheInverseOfTheSquaredNorms) {
  ColumnScaling scaling;
  EXPECT_TRUE(scaling.inverse_diagonal().empty());
  scaling.Start({4.0, 0.25}, {0.0, 0.0}, {1.0, 1.0});
  EXPECT_THAT(scaling.inverse_diagonal(), ElementsAre(0.25, 4.0));
  scaling.Update({16.0, 0.5});
  EXPECT_THAT(scaling.inverse_diagonal(), ElementsAre(0.0625, 2.0));
}

TEST(ColumnScaling, ColumnsThatVanishKeepTheirScaleForAWhile) {
  ColumnScaling scaling;
  scaling.Start({4.0}, {0.0}, {1.0});
  double expected = 4.0;
  for (int k = 0; k < 3; ++k) {
    scaling.Update({1e-20});
    expected *= kScaleDecay;
    EXPECT_EQ(scaling.inverse_diagonal()[0], 1.0 / expected);
  }
}

TEST(ColumnScaling, FirstStepIsNotLongerThanTheCoordinate) {
  const std::vector<double> squared_norms = {1e-40, 1.0, 1e-2, 1.0};
  const std::vector<double> gradient = {-3.0, 1e-4, 5.0, 2.0};
  std::vector<double> sizes = {2.0, 1e3, 0.0, 1e-320};
  for (int j = 0; j < 4; ++j) sizes[j] *= std::sqrt(squared_norms[j]);
  ColumnScaling scaling;
  scaling.Start(squared_norms, gradient, sizes);
  const std::vector<double>& diagonal = scaling.inverse_diagonal();
  EXPECT_DOUBLE_EQ(diagonal[0] * 3.0, 2.0);
  EXPECT_EQ(diagonal[1], 1.0) << "its step is short anyway";
  EXPECT_DOUBLE_EQ(diagonal[2], 100.0) << "0 has no size";
  EXPECT_EQ(diagonal[3], 1.0) << "the limit overflows";
}

TEST(ColumnScaling, ColumnsOfZerosGetTheLargestScale) {
  ColumnScaling scaling;
  scaling.Start({0.0, 4.0, 1.0}, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  EXPECT_THAT(scaling.inverse_diagonal(), ElementsAre(0.25, 0.25, 1.0));
  scaling.Update({1e6, 4.0, 1.0});
  EXPECT_EQ(scaling.inverse_diagonal()[0], 1e-6);

  ColumnScaling zeros;
  zeros.Start({0.0, 0.0}, {0.0, 0.0}, {1.0, 0.0});
  EXPECT_THAT(zeros.inverse_diagonal(), ElementsAre(1.0, 1.0));
}

TEST(ColumnScaling, TinyColumnsHaveAFiniteInverse) {
  ColumnScaling scaling;
  scaling.Start({std::numeric_limits<double>::denorm_min()}, {0.0}, {0.0});
  EXPECT_TRUE(std::isfinite(scaling.inverse_diagonal()[0]));
}

}  // namespace
}  // namespace ceres::internal
