// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/inner_iteration_order.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Blocks of one value, which are columns of the same number.
class InnerIterationOrderTest : public testing::Test {
 protected:
  explicit InnerIterationOrderTest(int num_blocks = 6)
      : values_(num_blocks, 0.0),
        ordering_(std::make_shared<ParameterBlockOrdering>()) {
    options_.use_inner_iterations = true;
    options_.inner_iteration_ordering = ordering_;
    for (double& value : values_) problem_.AddParameterBlock(&value, 1);
  }

  void AddRow(const std::vector<int>& blocks) {
    std::vector<double*> pointers;
    for (const int block : blocks) pointers.push_back(&values_[block]);
    problem_.AddResidualBlock(
        new SineCost(1, std::vector<int>(blocks.size(), 1), 1), nullptr,
        pointers);
  }

  void SetGroup(int block, int group) {
    ordering_->AddElementToGroup(&values_[block], group);
  }

  bool Order() {
    const ProblemImpl& impl = *problem_.mutable_impl();
    std::optional<InnerIterationOrder> order =
        OrderInnerIterations(options_, impl, WholeProgram(), &error_);
    if (order) order_ = std::move(*order);
    return order.has_value();
  }

  Program WholeProgram() {
    const ProblemImpl& impl = *problem_.mutable_impl();
    return Program(impl.parameter_blocks(), 0, impl.residual_blocks());
  }

  std::vector<double> values_;
  Problem problem_;
  std::shared_ptr<ParameterBlockOrdering> ordering_;
  Solver::Options options_;
  InnerIterationOrder order_;
  std::string error_;
};

TEST_F(InnerIterationOrderTest, FoundSetsAreIndependentTheLargestLast) {
  // Two cameras, 0 and 1, and four points.
  for (const int point : {2, 3, 4, 5}) {
    AddRow({0, point});
    AddRow({1, point});
  }
  AddRow({0, 1});
  ASSERT_TRUE(Order());
  EXPECT_THAT(order_.groups, ElementsAre(ElementsAre(0), ElementsAre(1),
                                         ElementsAre(2, 3, 4, 5)));
}

TEST_F(InnerIterationOrderTest, GivenGroupsAreTakenInTheirOrder) {
  for (const int point : {2, 3, 4, 5}) AddRow({0, point});
  for (const int point : {2, 4}) SetGroup(point, 3);
  for (const int camera : {0, 1}) SetGroup(camera, 7);
  ASSERT_TRUE(Order());
  EXPECT_THAT(order_.groups, ElementsAre(ElementsAre(2, 4), ElementsAre(0, 1)))
      << "blocks that are left out stay out";
}

TEST_F(InnerIterationOrderTest, DependentGroupsAreRefused) {
  AddRow({2, 3});
  AddRow({0, 1});
  for (const int block : {0, 1}) SetGroup(block, 4);
  EXPECT_FALSE(Order());
  EXPECT_THAT(error_, HasSubstr("Group 4"));
  EXPECT_THAT(error_, HasSubstr("residual block 1"));
}

TEST_F(InnerIterationOrderTest, StrangersAreRefused) {
  AddRow({0, 1});
  double stranger = 0.0;
  ordering_->AddElementToGroup(&stranger, 2);
  EXPECT_FALSE(Order());
  EXPECT_THAT(error_, HasSubstr("no parameter block"));
}

TEST_F(InnerIterationOrderTest, NothingIsOrderedUnlessTheOptionIsSet) {
  AddRow({0, 1});
  ASSERT_TRUE(Order());
  EXPECT_TRUE(order_.is_used);
  options_.use_inner_iterations = false;
  ASSERT_TRUE(Order());
  EXPECT_FALSE(order_.is_used);
  EXPECT_THAT(order_.groups, IsEmpty());
}

TEST_F(InnerIterationOrderTest, ASingleParameterBlockHasNoInnerIterations) {
  Problem problem;
  problem.AddResidualBlock(new SineCost(1, {1}, 1), nullptr, &values_[0]);
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  const std::optional<InnerIterationOrder> order =
      OrderInnerIterations(options_, impl, program, &error_);
  ASSERT_TRUE(order);
  EXPECT_FALSE(order->is_used);
}

TEST_F(InnerIterationOrderTest, EvaluationCallbacksAreRefused) {
  struct Callback : EvaluationCallback {
    void PrepareForEvaluation(bool, bool) override {}
  } callback;
  Problem::Options problem_options;
  problem_options.evaluation_callback = &callback;
  Problem problem(problem_options);
  EXPECT_FALSE(OrderInnerIterations(options_, *problem.mutable_impl(),
                                    WholeProgram(), &error_));
  EXPECT_THAT(error_, HasSubstr("EvaluationCallback"));
}

}  // namespace
}  // namespace ceres::internal
