// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The evaluator on uniform ranges of rows with two cells, as in bundle
// adjustment: rows are evaluated in batches, and cells are checked by what they
// have added to the column norms.

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/loss_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A cost function of the test does this to its outputs; false: fails.
using Change = std::function<bool(double* residuals, double** jacobians)>;

class TwoCellsTest : public testing::TestWithParam<int> {
 protected:
  static constexpr int kPoints = 1000;
  static constexpr int kCameras = 7;
  static constexpr int kRowsPerPoint = 3;

  // change_of: by row, or null.
  void Build(const std::function<Change(int)>& change_of,
             LossFunction* loss = nullptr) {
    const int size = GetParam();
    cameras_.resize(size * kCameras);
    points_.resize(3 * kPoints);
    for (size_t i = 0; i < cameras_.size(); ++i) cameras_[i] = std::sin(i);
    for (size_t i = 0; i < points_.size(); ++i) points_[i] = std::cos(i);
    for (int row = 0; row < kPoints * kRowsPerPoint; ++row) {
      problem_.AddResidualBlock(
          new FunctionCost(
              2, {size, 3},
              [sine = std::make_shared<SineCost>(2, std::vector<int>{size, 3},
                                                 row),
               change = change_of == nullptr ? Change() : change_of(row)](
                  auto parameters, double* residuals, double** jacobians) {
                return sine->Evaluate(parameters, residuals, jacobians) &&
                       (change == nullptr || change(residuals, jacobians));
              }),
          row % 2 == 0 ? loss : nullptr,
          &cameras_[size * ((row * 5) % kCameras)],
          &points_[3 * (row / kRowsPerPoint)]);
    }
  }

  void Freeze(int num_threads) {
    std::vector<double*> points;
    for (int p = 0; p < kPoints; ++p) points.push_back(&points_[3 * p]);
    Evaluator::Options options;
    options.execution = Threads(num_threads);
    evaluator_ = std::make_unique<ProblemEvaluator>(&problem_, options, points);
    EXPECT_GT(evaluator_->structure.num_row_chunks(), 1);
  }
  Outputs EvaluateAll(int num_threads) {
    Freeze(num_threads);
    return evaluator_->EvaluateAll();
  }
  // Expects the same message of Jacobians with and without sums.
  std::string Message(int num_threads) {
    Freeze(num_threads);
    const std::string message = evaluator_->MessageOfJacobian();
    EXPECT_EQ(evaluator_->MessageOfJacobian(/*with_sums=*/false), message);
    return message;
  }

  std::vector<double> cameras_;
  std::vector<double> points_;
  Problem problem_;
  std::unique_ptr<ProblemEvaluator> evaluator_;
};

// 6, 9 and 10 have specialized kernels.
INSTANTIATE_TEST_SUITE_P(CameraSizes, TwoCellsTest,
                         testing::Values(1, 4, 6, 7, 9, 10));

TEST_P(TwoCellsTest, SumsAreThoseOfTheRowBlocks) {
  Build(nullptr, new HuberLoss(0.4));
  const Outputs out = EvaluateAll(2);
  EXPECT_EQ(out.result.message, "");
  ExpectSumsOfRowBlocks(evaluator_->structure, out);
  EXPECT_EQ(out.cost, out.cost_alone);
}

TEST_P(TwoCellsTest, BitsDoNotDependOnTheNumberOfThreads) {
  Build(nullptr, new CauchyLoss(0.4));
  const Outputs serial = EvaluateAll(1);
  for (const int num_threads : {2, 3, 4, 8}) {
    ExpectSameBits(EvaluateAll(num_threads), serial);
  }
}

TEST_P(TwoCellsTest, EveryInvalidDerivativeIsReported) {
  for (const double invalid :
       {std::numeric_limits<double>::quiet_NaN(),
        -std::numeric_limits<double>::infinity(), kImpossibleValue}) {
    for (const bool in_point : {false, true}) {
      problem_ = Problem();
      Build([&](int row) -> Change {
        if (row != 777) return nullptr;
        return [=](double*, double** jacobians) {
          if (jacobians != nullptr) jacobians[in_point ? 1 : 0][0] = invalid;
          return true;
        };
      });
      EXPECT_THAT(Message(3),
                  AllOf(HasSubstr("Residual block 777 "),
                        HasSubstr(in_point ? "of parameter block 1"
                                           : "of parameter block 0")));
      EXPECT_EQ(evaluator_->MessageOfCost(), "");
    }
  }
}

TEST_P(TwoCellsTest, TheFirstFailureIsReportedWhicheverWayItIsFound) {
  // Cells are checked last, but row 500 is reported before row 501.
  Build([&](int row) -> Change {
    if (row < 500) return nullptr;
    return [=](double*, double** jacobians) {
      if (jacobians != nullptr && row == 500) jacobians[0][0] = NAN;
      return row != 501;
    };
  });
  EXPECT_THAT(Message(2), HasSubstr("Residual block 500 "));
}

TEST_P(TwoCellsTest, DerivativesWhoseSquaresOverflowAreNoFailure) {
  Build([&](int row) -> Change {
    if (row != 3) return nullptr;
    return [](double*, double** jacobians) {
      if (jacobians != nullptr) jacobians[0][0] = 1e200;
      return true;
    };
  });
  EXPECT_EQ(Message(2), "");
}

TEST_P(TwoCellsTest, RowsWithAConstantBlockAreLikeAnyOthers) {
  Build(nullptr);
  const double whole_cost = EvaluateAll(2).cost;
  // Every seventh row loses its camera: one range becomes many.
  problem_.SetParameterBlockConstant(cameras_.data());
  const Outputs out = EvaluateAll(2);
  EXPECT_EQ(out.result.message, "");
  EXPECT_NEAR(out.cost, whole_cost, 1e-12 * whole_cost);
}

}  // namespace
}  // namespace ceres::internal
