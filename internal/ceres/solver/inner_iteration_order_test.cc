// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/inner_iteration_order.h"

#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Blocks of one value, which are columns of the same number.
class InnerIterationOrderTest : public testing::Test {
 protected:
  explicit InnerIterationOrderTest(int num_blocks = 6)
      : values_(num_blocks, 0.0) {
    for (double& value : values_) problem_.AddParameterBlock(&value, 1);
  }

  void AddRow(const std::vector<int>& blocks) {
    std::vector<double*> pointers;
    for (const int block : blocks) pointers.push_back(&values_[block]);
    problem_.AddResidualBlock(
        new SineCost(1, std::vector<int>(blocks.size(), 1), 1), nullptr,
        pointers);
  }

  bool Order() {
    ProblemImpl& impl = *problem_.mutable_impl();
    const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
    order_.groups.clear();
    return OrderInnerIterations(impl, program, &ordering_, &order_, &error_);
  }

  std::vector<double> values_;
  Problem problem_;
  ParameterBlockOrdering ordering_;
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
  for (const int point : {2, 4})
    ordering_.AddElementToGroup(&values_[point], 3);
  ordering_.AddElementToGroup(&values_[0], 7);
  ordering_.AddElementToGroup(&values_[1], 7);
  ASSERT_TRUE(Order());
  EXPECT_THAT(order_.groups, ElementsAre(ElementsAre(2, 4), ElementsAre(0, 1)))
      << "blocks that are left out stay out";
}

TEST_F(InnerIterationOrderTest, DependentGroupsAreRefused) {
  AddRow({2, 3});
  AddRow({0, 1});
  ordering_.AddElementToGroup(&values_[0], 4);
  ordering_.AddElementToGroup(&values_[1], 4);
  EXPECT_FALSE(Order());
  EXPECT_THAT(error_, HasSubstr("Group 4"));
  EXPECT_THAT(error_, HasSubstr("residual block 1"));
}

TEST_F(InnerIterationOrderTest, StrangersAreRefused) {
  AddRow({0, 1});
  double stranger = 0.0;
  ordering_.AddElementToGroup(&stranger, 2);
  EXPECT_FALSE(Order());
  EXPECT_THAT(error_, HasSubstr("no parameter block"));
}

}  // namespace
}  // namespace ceres::internal
