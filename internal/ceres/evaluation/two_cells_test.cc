// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The evaluator on uniform ranges of rows with two cells, as in bundle
// adjustment: rows are evaluated in batches, and cells are checked by what they
// have added to the column norms.

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/context_impl.h"
#include "ceres/loss_function.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// What a cost function of the test does to its outputs; false: fails.
using Change = std::function<bool(double* residuals, double** jacobians)>;

class ChangedCost final : public CostFunction {
 public:
  ChangedCost(int camera_size, int seed, Change change)
      : sine_(2, {camera_size, 3}, seed), change_(std::move(change)) {
    set_num_residuals(2);
    *mutable_parameter_block_sizes() = {camera_size, 3};
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return sine_.Evaluate(parameters, residuals, jacobians) &&
           (change_ == nullptr || change_(residuals, jacobians));
  }

 private:
  SineCost sine_;
  Change change_;
};

class TwoCellsTest : public testing::TestWithParam<int> {
 protected:
  static constexpr int kPoints = 1000;
  static constexpr int kCameras = 7;
  static constexpr int kRowsPerPoint = 3;

  struct Outputs {
    double cost = -1.0;
    double cost_alone = -1.0;
    std::vector<double> residuals;
    std::vector<double> gradient;
    std::vector<double> norms;
    std::string message;
    std::string message_without_sums;
  };

  // change_of: by row, or null.
  void Build(const std::function<Change(int)>& change_of,
             LossFunction* loss = nullptr) {
    cameras_.resize(GetParam() * kCameras);
    points_.resize(3 * kPoints);
    for (size_t i = 0; i < cameras_.size(); ++i) cameras_[i] = std::sin(i);
    for (size_t i = 0; i < points_.size(); ++i) points_[i] = std::cos(i);
    for (int row = 0; row < kPoints * kRowsPerPoint; ++row) {
      const int camera = (row * 5) % kCameras;
      problem_.AddResidualBlock(
          new ChangedCost(GetParam(), row,
                          change_of == nullptr ? Change() : change_of(row)),
          row % 2 == 0 ? loss : nullptr, &cameras_[GetParam() * camera],
          &points_[3 * (row / kRowsPerPoint)]);
    }
    std::vector<ParameterBlock*> varying;
    const ProblemImpl& impl = *problem_.mutable_impl();
    for (int p = 0; p < kPoints; ++p) {
      varying.push_back(impl.GetParameterBlock(&points_[3 * p]));
    }
    for (int c = 0; c < kCameras; ++c) {
      varying.push_back(impl.GetParameterBlock(&cameras_[GetParam() * c]));
    }
    program_.emplace(varying, kPoints, impl.residual_blocks());
  }

  Outputs Evaluate(int num_threads) {
    ContextImpl context;
    context.EnsureMinimumThreads(num_threads);
    context.thread_pool().SetRunningLimit(num_threads);
    Evaluator::Options options;
    options.execution = {&context, num_threads};
    Evaluator evaluator(*program_, options);
    EXPECT_GT(evaluator.structure().num_row_chunks(), 1);
    jacobian_.structure = &structure_;
    structure_ = evaluator.structure();
    jacobian_.values.Resize(structure_.num_values());
    BlockJacobian jacobian;
    jacobian.structure = &evaluator.structure();
    jacobian.values.Resize(structure_.num_values());
    std::vector<double> state(program_->num_state());
    program_->ReadUserMemory(state.data());
    Outputs out;
    out.residuals.resize(program_->num_residuals());
    out.gradient.resize(program_->num_delta());
    out.norms.resize(program_->num_delta());
    double cost_without_sums = -1.0;
    out.message_without_sums =
        evaluator
            .EvaluateJacobian(state.data(), true, &cost_without_sums, &jacobian,
                              nullptr, nullptr)
            .message;
    out.message =
        evaluator
            .EvaluateJacobian(state.data(), true, &out.cost, &jacobian,
                              out.gradient.data(), out.norms.data())
            .message;
    EXPECT_EQ(cost_without_sums, out.cost);
    std::memcpy(jacobian_.values.data(), jacobian.values.data(),
                structure_.num_values() * sizeof(double));
    static_cast<void>(evaluator.EvaluateCost(
        state.data(), true, &out.cost_alone, out.residuals.data()));
    return out;
  }

  std::vector<double> cameras_;
  std::vector<double> points_;
  Problem problem_;
  std::optional<Program> program_;
  BlockJacobianStructure structure_;
  BlockJacobian jacobian_;
};

// 6, 9 and 10 have specialized kernels.
INSTANTIATE_TEST_SUITE_P(CameraSizes, TwoCellsTest,
                         testing::Values(1, 4, 6, 7, 9, 10));

TEST_P(TwoCellsTest, SumsAreThoseOfTheRowBlocks) {
  Build(nullptr, new HuberLoss(0.4));
  const Outputs out = Evaluate(2);
  EXPECT_EQ(out.message, "");
  std::vector<double> gradient(out.gradient.size());
  std::vector<double> norms(out.norms.size());
  for (int row = 0; row < structure_.num_row_blocks(); ++row) {
    const double* r = jacobian_.row_block(row);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(r[i], out.residuals[structure_.row_offset[row] + i]);
    }
    for (int k = structure_.first_cell[row]; k < structure_.first_cell[row + 1];
         ++k) {
      const int column = structure_.cell_column[k];
      const int size = structure_.column_size(column);
      const double* cell = r + structure_.cell_position[k];
      for (int i = 0; i < 2 * size; ++i) {
        const int c = structure_.column_offset[column] + i % size;
        gradient[c] += r[i / size] * cell[i];
        norms[c] += cell[i] * cell[i];
      }
    }
  }
  for (size_t c = 0; c < gradient.size(); ++c) {
    EXPECT_NEAR(gradient[c], out.gradient[c], 1e-11 * (1.0 + norms[c]));
    EXPECT_NEAR(norms[c], out.norms[c], 1e-12 * (1.0 + norms[c]));
  }
  EXPECT_EQ(out.cost, out.cost_alone);
}

TEST_P(TwoCellsTest, BitsDoNotDependOnTheNumberOfThreads) {
  Build(nullptr, new CauchyLoss(0.4));
  const Outputs serial = Evaluate(1);
  for (const int num_threads : {2, 3, 4, 8}) {
    const Outputs out = Evaluate(num_threads);
    EXPECT_EQ(out.cost, serial.cost);
    EXPECT_EQ(out.gradient, serial.gradient);
    EXPECT_EQ(out.norms, serial.norms);
    EXPECT_EQ(out.residuals, serial.residuals);
  }
}

TEST_P(TwoCellsTest, EveryInvalidDerivativeIsReported) {
  constexpr int kBad = 777;
  for (const double invalid :
       {std::numeric_limits<double>::quiet_NaN(),
        -std::numeric_limits<double>::infinity(), kImpossibleValue}) {
    for (const bool in_point : {false, true}) {
      problem_ = Problem();
      Build([&](int row) -> Change {
        if (row != kBad) return nullptr;
        return [=](double*, double** jacobians) {
          if (jacobians != nullptr) jacobians[in_point ? 1 : 0][0] = invalid;
          return true;
        };
      });
      const Outputs out = Evaluate(3);
      EXPECT_THAT(out.message, HasSubstr("Residual block 777 "));
      EXPECT_THAT(out.message, HasSubstr(in_point ? "of parameter block 1"
                                                  : "of parameter block 0"));
      EXPECT_EQ(out.message_without_sums, out.message);
      EXPECT_EQ(out.cost, -1.0);
      EXPECT_GE(out.cost_alone, 0.0);
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
  const Outputs out = Evaluate(2);
  EXPECT_THAT(out.message, HasSubstr("Residual block 500 "));
  EXPECT_EQ(out.message_without_sums, out.message);
}

TEST_P(TwoCellsTest, DerivativesWhoseSquaresOverflowAreNoFailure) {
  Build([&](int row) -> Change {
    if (row != 3) return nullptr;
    return [](double*, double** jacobians) {
      if (jacobians != nullptr) jacobians[0][0] = 1e200;
      return true;
    };
  });
  const Outputs out = Evaluate(2);
  EXPECT_EQ(out.message, "");
  EXPECT_EQ(out.message_without_sums, "");
}

TEST_P(TwoCellsTest, RowsWithAConstantBlockAreLikeAnyOthers) {
  Build(nullptr);
  const double whole_cost = Evaluate(2).cost;
  // Every seventh row loses its camera: one range becomes many.
  problem_.SetParameterBlockConstant(cameras_.data());
  std::vector<ParameterBlock*> varying = program_->parameter_blocks();
  varying.erase(varying.begin() + kPoints);
  program_.emplace(varying, kPoints,
                   problem_.mutable_impl()->residual_blocks());
  const Outputs out = Evaluate(2);
  EXPECT_EQ(out.message, "");
  EXPECT_NEAR(out.cost, whole_cost, 1e-12 * whole_cost);
}

}  // namespace
}  // namespace ceres::internal
