// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/reduced_problem.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/execution/context_impl.h"
#include "ceres/problem.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// residual = sum of its parameters (one value each).
CostFunction* Sum(int num_parameters) {
  return new FunctionCost(
      1, std::vector<int>(num_parameters, 1),
      [=](double const* const* x, double* residuals, double** jacobians) {
        residuals[0] = 0.0;
        for (int i = 0; i < num_parameters; ++i) {
          residuals[0] += x[i][0];
          if (jacobians != nullptr && jacobians[i] != nullptr) {
            jacobians[i][0] = 1.0;
          }
        }
        return true;
      });
}

class ReducedProblemTest : public testing::Test {
 protected:
  void Reduce() { reduced_ = ReduceProblem(*problem_.mutable_impl(), {}); }
  std::optional<double> FixedCost() {
    return EvaluateFixedCost(*problem_.mutable_impl(), {},
                             reduced_.fixed_residual_blocks, &error_);
  }
  bool Check(const Execution& execution = {}) {
    return CheckStart(*problem_.mutable_impl(), execution, &error_);
  }

  std::vector<const double*> Varying() const {
    std::vector<const double*> values;
    for (const ParameterBlock* block : reduced_.parameter_blocks) {
      values.push_back(block->user_state());
    }
    return values;
  }

  double x_ = 1.0;
  double y_ = 2.0;
  double z_ = 3.0;
  Problem problem_;
  ReducedProblem reduced_;
  std::string error_;
};

TEST_F(ReducedProblemTest, EmptyProblemStaysEmpty) {
  EXPECT_TRUE(Check());
  Reduce();
  EXPECT_THAT(reduced_.parameter_blocks, IsEmpty());
  EXPECT_THAT(reduced_.ResidualBlocks(), IsEmpty());
  EXPECT_EQ(FixedCost(), 0.0);
  EXPECT_THAT(reduced_.columns_of_rows.first, ElementsAre(0));
}

TEST_F(ReducedProblemTest, VaryingBlocksStayInTheProblemsOrder) {
  problem_.AddParameterBlock(&x_, 1);
  problem_.AddParameterBlock(&y_, 1);
  problem_.AddResidualBlock(Sum(2), nullptr, &y_, &x_);
  problem_.AddResidualBlock(Sum(1), nullptr, &y_);
  Reduce();
  EXPECT_THAT(Varying(), ElementsAre(&x_, &y_));
  EXPECT_EQ(reduced_.ResidualBlocks().size(), 2u);
  EXPECT_THAT(reduced_.columns_of_rows.first, ElementsAre(0, 2, 3));
  EXPECT_THAT(reduced_.columns_of_rows.columns, ElementsAre(1, 0, 1));
}

TEST_F(ReducedProblemTest, ConstantAndUnusedBlocksLeave) {
  problem_.AddResidualBlock(Sum(2), nullptr, &x_, &y_);
  problem_.AddParameterBlock(&z_, 1);
  problem_.SetParameterBlockConstant(&x_);
  Reduce();
  EXPECT_THAT(Varying(), ElementsAre(&y_));
  EXPECT_THAT(reduced_.columns_of_rows.columns, ElementsAre(0));
}

TEST_F(ReducedProblemTest, BlocksWithoutFreedomAreConstant) {
  problem_.AddParameterBlock(&x_, 1, new SubsetManifold(1, {0}));
  problem_.AddResidualBlock(Sum(2), nullptr, &x_, &y_);
  Reduce();
  EXPECT_THAT(Varying(), ElementsAre(&y_));
}

TEST_F(ReducedProblemTest, FixedCostIsThatOfResidualsThatCannotChange) {
  problem_.AddResidualBlock(Sum(2), nullptr, &x_, &y_);
  problem_.AddResidualBlock(Sum(1), nullptr, &x_);
  problem_.AddResidualBlock(Sum(1),
                            new ScaledLoss(nullptr, 10.0, TAKE_OWNERSHIP), &z_);
  problem_.SetParameterBlockConstant(&x_);
  problem_.SetParameterBlockConstant(&z_);
  Reduce();
  EXPECT_EQ(reduced_.ResidualBlocks().size(), 1u);
  EXPECT_DOUBLE_EQ(FixedCost().value(), 0.5 * 1.0 + 10.0 * 0.5 * 9.0);
}

TEST_F(ReducedProblemTest, FailureOfAFixedResidualIsReported) {
  problem_.AddResidualBlock(Sum(1), nullptr, &x_);
  problem_.AddResidualBlock(
      new FunctionCost(1, {1}, [](auto, auto, auto) { return false; }), nullptr,
      &y_);
  problem_.SetParameterBlockConstant(&y_);
  Reduce();
  EXPECT_FALSE(FixedCost());
  EXPECT_THAT(error_, AllOf(HasSubstr("constant"),
                            HasSubstr("Residual block 1 of the problem")));
}

TEST_F(ReducedProblemTest, EvaluationCallbackRunsBeforeFixedResiduals) {
  struct Callback : EvaluationCallback {
    void PrepareForEvaluation(bool evaluate_jacobians,
                              bool new_evaluation_point) override {
      EXPECT_FALSE(evaluate_jacobians);
      EXPECT_TRUE(new_evaluation_point);
      cache = 4.0;
    }
    double cache = 0.0;
  } callback;
  Problem::Options options;
  options.evaluation_callback = &callback;
  problem_ = Problem(options);
  problem_.AddResidualBlock(
      new FunctionCost(1, {1},
                       [&](double const* const*, double* residuals, double**) {
                         residuals[0] = callback.cache;
                         return true;
                       }),
      nullptr, &x_);
  problem_.SetParameterBlockConstant(&x_);
  Reduce();
  EXPECT_DOUBLE_EQ(FixedCost().value(), 8.0);
  problem_ = Problem();
}

TEST_F(ReducedProblemTest, StartMustBeFinite) {
  double block[3] = {0.0, 0.0, 0.0};
  problem_.AddParameterBlock(&x_, 1);
  problem_.AddParameterBlock(block, 3);
  EXPECT_TRUE(Check());
  for (const double bad :
       {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
        kImpossibleValue}) {
    block[2] = bad;
    EXPECT_FALSE(Check());
    EXPECT_THAT(error_, AllOf(HasSubstr("ParameterBlock 1"),
                              HasSubstr("coordinate 2")));
  }
}

TEST_F(ReducedProblemTest, OfManyBadStartsTheFirstIsNamed) {
  ContextImpl context;
  context.EnsureMinimumThreads(3);
  std::vector<double> values(5000, 1.0);
  for (double& value : values) problem_.AddParameterBlock(&value, 1);
  for (const int num_threads : {1, 3}) {
    const Execution execution{&context, num_threads};
    EXPECT_TRUE(Check(execution));
    for (const int bad : {4999, 3210, 3209, 17, 0}) {
      values[bad] = kInfinity;
      EXPECT_FALSE(Check(execution));
      EXPECT_THAT(error_,
                  HasSubstr("ParameterBlock " + std::to_string(bad) + " (at"));
    }
    std::fill(values.begin(), values.end(), 1.0);
  }
}

TEST_F(ReducedProblemTest, BoundsMayBeEqualAndNotCross) {
  problem_.AddParameterBlock(&x_, 1);
  problem_.SetParameterLowerBound(&x_, 0, 5.0);
  EXPECT_TRUE(Check()) << "a start outside is projected";
  problem_.SetParameterUpperBound(&x_, 0, 5.0);
  EXPECT_TRUE(Check());
  problem_.SetParameterUpperBound(&x_, 0, 4.0);
  EXPECT_FALSE(Check());
  EXPECT_THAT(error_,
              AllOf(HasSubstr("infeasible"), HasSubstr("5"), HasSubstr("4")));
}

TEST_F(ReducedProblemTest, ConstantBlocksMustBeInsideTheirBounds) {
  problem_.AddParameterBlock(&x_, 1);
  problem_.SetParameterBlockConstant(&x_);
  problem_.SetParameterLowerBound(&x_, 0, 1.0);
  problem_.SetParameterUpperBound(&x_, 0, 1.0);
  EXPECT_TRUE(Check()) << "equal bounds do not matter to a constant";
  problem_.SetParameterLowerBound(&x_, 0, 1.5);
  problem_.SetParameterUpperBound(&x_, 0, 2.0);
  EXPECT_FALSE(Check());
  EXPECT_THAT(error_, AllOf(HasSubstr("constant"), HasSubstr("[1.5, 2]")));
}

TEST_F(ReducedProblemTest, ArgumentsGivenTwiceAreListedOnce) {
  Problem::Options options;
  options.disable_all_safety_checks = true;
  problem_ = Problem(options);
  problem_.AddResidualBlock(Sum(3), nullptr, &x_, &y_, &x_);
  Reduce();
  EXPECT_THAT(reduced_.columns_of_rows.columns, ElementsAre(0, 1));
}

}  // namespace
}  // namespace ceres::internal
