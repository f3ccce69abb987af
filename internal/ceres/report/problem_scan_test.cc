// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/problem_scan.h"

#include <cmath>
#include <limits>

#include "ceres/autodiff_cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 3 x - 1, 4 y.
struct Linear {
  template <typename T>
  bool operator()(const T* x, const T* y, T* residual) const {
    residual[0] = 3.0 * x[0] - 1.0;
    residual[1] = 4.0 * y[0];
    return true;
  }
  static CostFunction* Create() {
    return new AutoDiffCostFunction<Linear, 2, 1, 1>(new Linear);
  }
};

struct Sum {
  template <typename T>
  bool operator()(const T* v, T* residual) const {
    residual[0] = v[0] + v[1];
    return true;
  }
};

struct Fails {
  template <typename T>
  bool operator()(const T*, T*) const {
    return false;
  }
};

class ProblemScanTest : public testing::Test {
 protected:
  double x_ = 2.0;
  double y_ = 3.0;
  Problem problem_;
};

TEST_F(ProblemScanTest, FindsNormsCostsAndColumns) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  const ProblemScan scan =
      ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
  ASSERT_TRUE(scan.ok());
  EXPECT_THAT(scan.squared_norm, ElementsAre(25.0 + 144.0));
  EXPECT_THAT(scan.cost, ElementsAre(0.5 * 169.0));
  EXPECT_THAT(scan.weight, ElementsAre(1.0));
  EXPECT_THAT(scan.first_column, ElementsAre(0, 1, 2));
  EXPECT_THAT(scan.squared_column_norm, ElementsAre(9.0, 16.0));
}

TEST_F(ProblemScanTest, LossGivesCostAndWeight) {
  problem_.AddResidualBlock(Linear::Create(), new HuberLoss(1.0), &x_, &y_);
  const ProblemScan scan =
      ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
  // Huber with a = 1 at s = 169: rho = 2 sqrt(s) - 1, rho' = 1 / sqrt(s).
  EXPECT_DOUBLE_EQ(scan.cost[0], 0.5 * 25.0);
  EXPECT_DOUBLE_EQ(scan.weight[0], 1.0 / 13.0);
  EXPECT_DOUBLE_EQ(scan.squared_column_norm[0], 9.0 / 13.0);
}

TEST_F(ProblemScanTest, ConstantBlocksHaveNoColumns) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  problem_.SetParameterBlockConstant(&x_);
  const ProblemScan scan =
      ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
  EXPECT_THAT(scan.first_column, ElementsAre(0, 0, 1));
  EXPECT_THAT(scan.squared_column_norm, ElementsAre(16.0));
}

TEST_F(ProblemScanTest, ColumnsAreTangentCoordinates) {
  double v[2] = {1.0, 1.0};
  problem_.AddResidualBlock(new AutoDiffCostFunction<Sum, 1, 2>(new Sum),
                            nullptr, v);
  problem_.SetManifold(v, new SubsetManifold(2, {0}));
  const ProblemScan scan =
      ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
  EXPECT_THAT(scan.squared_column_norm, ElementsAre(1.0));
}

TEST_F(ProblemScanTest, ResidualsAloneGiveNoColumns) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  const ProblemScan scan = ScanProblem(&problem_, ScanContents::kResiduals);
  EXPECT_EQ(scan.cost.size(), 1);
  EXPECT_TRUE(scan.squared_column_norm.empty());
}

TEST_F(ProblemScanTest, NamesTheBlockThatCannotBeEvaluated) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  problem_.AddResidualBlock(new AutoDiffCostFunction<Fails, 1, 1>(new Fails),
                            nullptr, &x_);
  const ProblemScan scan = ScanProblem(&problem_, ScanContents::kResiduals);
  EXPECT_EQ(scan.error,
            "Residual block 1 cannot be evaluated: its cost function returned "
            "false.");
  EXPECT_TRUE(scan.cost.empty());
}

// sqrt(x): at 0 the residual is finite, and its derivative is not.
struct Root {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    using std::sqrt;
    residual[0] = sqrt(x[0]);
    return true;
  }
};

TEST_F(ProblemScanTest, NamesWhatIsNotFinite) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  problem_.AddResidualBlock(new AutoDiffCostFunction<Root, 1, 1>(new Root),
                            nullptr, &x_);
  x_ = -1.0;
  ProblemScan scan = ScanProblem(&problem_, ScanContents::kResiduals);
  EXPECT_EQ(scan.failed_block, 1);
  EXPECT_THAT(scan.error, HasSubstr("residual 0 "));
  x_ = 0.0;
  EXPECT_TRUE(ScanProblem(&problem_, ScanContents::kResiduals).ok());
  scan = ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
  EXPECT_EQ(scan.failed_block, 1);
  EXPECT_THAT(scan.error, HasSubstr("the derivative of residual 0 by "));
}

TEST_F(ProblemScanTest, NamesALossThatIsNotFinite) {
  struct NoLoss : LossFunction {
    void Evaluate(double, double out[3]) const override {
      out[0] = out[1] = out[2] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  problem_.AddResidualBlock(Linear::Create(), new NoLoss, &x_, &y_);
  const ProblemScan scan = ScanProblem(&problem_, ScanContents::kResiduals);
  EXPECT_EQ(scan.failed_block, 0);
  EXPECT_THAT(scan.error, HasSubstr("its loss function returned"));
}

TEST_F(ProblemScanTest, InfiniteResidualsCannotBeEvaluated) {
  problem_.AddResidualBlock(Linear::Create(), nullptr, &x_, &y_);
  x_ = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(ScanProblem(&problem_, ScanContents::kResiduals).ok());
  // The square of a finite residual overflows.
  x_ = 1e200;
  EXPECT_FALSE(ScanProblem(&problem_, ScanContents::kResiduals).ok());
}

}  // namespace
}  // namespace ceres::internal
