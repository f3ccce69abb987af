// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/stationarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ceres/manifold.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/program.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A block of two coordinates, the columns of which have the norms 4 and 1/2.
class StationarityTest : public testing::Test {
 protected:
  double Decrease() { return Move(CoordinateMeasure::kDecrease); }
  double Change() { return Move(CoordinateMeasure::kChange); }
  double Move(CoordinateMeasure measure) {
    const Program program({&block_}, 0, {});
    return LargestCoordinateMove({}, program, measure, x_, gradient_, norms_);
  }

  double x_[2] = {1.0, 10.0};
  double gradient_[2] = {8.0, -3.0};
  double norms_[2] = {16.0, 0.25};
  ParameterBlock block_{x_, 2, 0};
};

// The decrease for t, by the definition: 2 (m(0) - m(t)).
double TwiceDecrease(double gradient, double squared_norm, double t) {
  return -2.0 * gradient * t - squared_norm * t * t;
}

TEST_F(StationarityTest, TheBestCoordinateCounts) {
  // |g| / |J|: 2 and 6.
  EXPECT_DOUBLE_EQ(Decrease(), 6.0);
  gradient_[1] = 0.0;
  EXPECT_DOUBLE_EQ(Decrease(), 2.0);
  norms_[1] = 0.0;
  EXPECT_DOUBLE_EQ(Decrease(), 2.0);
  gradient_[0] = 0.0;
  EXPECT_EQ(Decrease(), 0.0);
}

TEST_F(StationarityTest, UnitsOfParametersDoNotCount) {
  for (const double unit : {1e-30, 1e-9, 1e3, 1e30}) {
    gradient_[1] = -3.0 / unit;
    norms_[1] = 0.25 / (unit * unit);
    EXPECT_DOUBLE_EQ(Decrease(), 6.0) << unit;
  }
}

TEST_F(StationarityTest, ABoundEndsTheStep) {
  // Without bounds x[1] moves by 3 / 0.25 = 12.
  block_.SetUpperBound(1, 10.0 + 12.0);
  EXPECT_DOUBLE_EQ(Decrease(), 6.0);
  block_.SetUpperBound(1, 10.0 + 4.0);
  EXPECT_DOUBLE_EQ(Decrease(), std::sqrt(TwiceDecrease(-3.0, 0.25, 4.0)));
  block_.SetUpperBound(1, 10.0);
  EXPECT_DOUBLE_EQ(Decrease(), 2.0);
  // The gradient points away from this bound.
  block_.SetUpperBound(0, 1.0);
  EXPECT_DOUBLE_EQ(Decrease(), 2.0);
  block_.SetLowerBound(0, 1.0);
  EXPECT_EQ(Decrease(), 0.0);
}

TEST_F(StationarityTest, TheChangeIsProportionalToTheDistanceFromABound) {
  EXPECT_DOUBLE_EQ(Change(), Decrease());
  for (const double distance : {4.0, 1.0}) {
    block_.SetUpperBound(1, 10.0 + distance);
    block_.SetLowerBound(0, 1.0);
    EXPECT_DOUBLE_EQ(Change(), std::sqrt(0.25) * distance);
  }
}

TEST_F(StationarityTest, AManifoldBlockMovesAsFarAsBoundsLetIt) {
  const EuclideanManifold<2> manifold;
  block_.SetManifold(&manifold);
  EXPECT_DOUBLE_EQ(Decrease(), 6.0);
  // Neither coordinate can move: by -0.5 and by 12.
  block_.SetLowerBound(0, 1.0);
  block_.SetUpperBound(1, 10.0);
  EXPECT_EQ(Decrease(), 0.0);
}

TEST_F(StationarityTest, NaNIsNoSmallDecrease) {
  gradient_[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Decrease()));
}

TEST_F(StationarityTest, TermsHaveTheSizeOfColumnTimesValue) {
  double sizes[2];
  {
    const Program program({&block_}, 0, {});
    SizesOfTerms({}, program, x_, norms_, sizes);
    EXPECT_DOUBLE_EQ(sizes[0], 4.0 * 1.0);
    EXPECT_DOUBLE_EQ(sizes[1], 0.5 * 10.0);
  }
  const EuclideanManifold<2> manifold;
  block_.SetManifold(&manifold);
  const Program program({&block_}, 0, {});
  SizesOfTerms({}, program, x_, norms_, sizes);
  EXPECT_DOUBLE_EQ(sizes[0], 4.0 * std::hypot(1.0, 10.0));
  EXPECT_DOUBLE_EQ(sizes[1], 0.5 * std::hypot(1.0, 10.0));
}

}  // namespace
}  // namespace ceres::internal
