// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/carried_order.h"

#include <limits>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/problem.h"
#include "ceres/problem/program.h"
#include "ceres/solver/solver_tuning.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Six parameter blocks, block k of k + 1 parameters.
class CarriedOrderTest : public testing::Test {
 protected:
  static constexpr int kNumBlocks = 6;

  CarriedOrderTest() {
    for (int k = 0; k < kNumBlocks; ++k) {
      problem_.AddParameterBlock(values_[k], k + 1);
      problem_.AddResidualBlock(new SineCost(1, {k + 1}, k), nullptr,
                                values_[k]);
    }
  }
  ParameterBlock* Block(int k) const { return impl().parameter_blocks()[k]; }
  ProblemImpl& impl() const { return *problem_.mutable_impl(); }
  std::vector<ParameterBlock*> Blocks(const std::vector<int>& numbers) const {
    std::vector<ParameterBlock*> blocks;
    for (const int k : numbers) blocks.push_back(Block(k));
    return blocks;
  }
  // Columns in this order.
  Program MakeProgram(const std::vector<int>& columns, int num_eliminated = 0) {
    return Program(Blocks(columns), num_eliminated, impl().residual_blocks());
  }

  double values_[kNumBlocks][kNumBlocks] = {};
  mutable Problem problem_;
};

TEST_F(CarriedOrderTest, ColumnsThatHaveLeftAreDeletedAndNewOnesComeLast) {
  const Program program = MakeProgram({0, 1, 3, 4, 5});
  const FactoredColumns columns(program, {});
  EXPECT_EQ(columns.num_columns, 1 + 2 + 4 + 5 + 6);
  CarriedOrder kept;
  kept.blocks = Blocks({4, 2, 0, 3});
  const EliminationOrder order = ExtendOrder(kept, impl(), columns);
  // Blocks 4, 0, 3, then 1 and 5.
  EXPECT_THAT(order.order, ElementsAre(3, 0, 2, 1, 4));
  EXPECT_EQ(order.max_operations, std::numeric_limits<double>::infinity());
}

TEST_F(CarriedOrderTest, NothingIsGivenIfNothingIsKept) {
  const Program program = MakeProgram({0, 1});
  EXPECT_FALSE(ExtendOrder(CarriedOrder(), impl(), FactoredColumns(program, {}))
                   .IsGiven());
}

TEST_F(CarriedOrderTest, MergedColumnsComeWithTheFirstOfTheirBlocks) {
  const Program program = MakeProgram({0, 1, 2, 3, 4, 5});
  // Blocks 0 and 1, block 2, blocks 3, 4 and 5.
  const FactoredColumns columns(program, {0, 2, 3, 6});
  CarriedOrder kept;
  kept.blocks = Blocks({2, 5, 1});
  EXPECT_THAT(ExtendOrder(kept, impl(), columns).order, ElementsAre(1, 2, 0));
}

TEST_F(CarriedOrderTest, EliminatedColumnsAreNotPartOfTheOrder) {
  const Program program = MakeProgram({5, 4, 0, 1, 2}, 2);
  for (const std::vector<int>& merged :
       std::vector<std::vector<int>>{{}, {0, 1, 2, 3, 5}}) {
    const FactoredColumns columns(program, merged);
    EXPECT_EQ(columns.num_columns, 1 + 2 + 3);
    CarriedOrder kept;
    kept.blocks = Blocks({5, 2, 4, 0});
    const EliminationOrder order = ExtendOrder(kept, impl(), columns);
    if (merged.empty()) {
      EXPECT_THAT(order.order, ElementsAre(2, 0, 1));
    } else {
      EXPECT_THAT(order.order, ElementsAre(1, 0));
    }
    EXPECT_EQ(OrderToKeep(order, kept, columns).blocks,
              merged.empty() ? Blocks({2, 0, 1}) : Blocks({1, 2, 0}));
  }
}

TEST_F(CarriedOrderTest, OperationsAreComparedByColumn) {
  const Program small = MakeProgram({0, 1, 2});  // 6 columns
  const Program large = MakeProgram({0, 1, 2, 3, 4, 5});
  const FactoredColumns few(small, {});
  const FactoredColumns many(large, {});
  EliminationOrder computed;
  computed.order = {2, 0, 1};
  computed.num_operations = 6e6;
  computed.num_computed = 1;
  const CarriedOrder first = OrderToKeep(computed, CarriedOrder(), few);
  EXPECT_EQ(first.blocks, Blocks({2, 0, 1}));

  // Six blocks are ordered at a cost of 1.2e5 operations.
  EliminationOrder extended = ExtendOrder(first, impl(), many);
  EXPECT_DOUBLE_EQ(extended.min_operations, 0.9 * 21e6);
  EXPECT_DOUBLE_EQ(extended.max_operations, 1.1 * 21e6);
  // An order that was extended leaves the reference as it is.
  extended.num_operations = 22e6;
  const CarriedOrder second = OrderToKeep(extended, first, many);
  EXPECT_EQ(second.num_operations, 6e6);
  EXPECT_EQ(second.num_columns, 6);
  // An order that was computed is the new reference.
  extended.num_computed = 1;
  const CarriedOrder third = OrderToKeep(extended, first, many);
  EXPECT_EQ(third.num_operations, 22e6);
  EXPECT_EQ(third.num_columns, 21);
  EXPECT_EQ(third.deviation, 0.0);
}

// Each solve with more operations, or less, makes a new order more worth while.
TEST_F(CarriedOrderTest, SmallFactorizationsTolerateMoreUntilTheCostOfAnOrder) {
  const Program program = MakeProgram({0, 1, 2, 3, 4, 5});
  const FactoredColumns columns(program, {});
  CarriedOrder kept;
  kept.blocks = Blocks({0, 1, 2, 3, 4, 5});
  kept.num_operations = 1000.0;
  kept.num_columns = columns.num_columns;
  const double cost = 6 * kOperationsPerOrderedBlock;
  for (const double sign : {1.0, -1.0}) {
    CarriedOrder now = kept;
    int num_solves = 0;
    for (;; ++num_solves) {
      EliminationOrder order = ExtendOrder(now, impl(), columns);
      EXPECT_TRUE(order.Accepts(1000.0));
      order.num_operations = 1000.0 + sign * 900.0;
      if (!order.Accepts(order.num_operations)) break;
      now = OrderToKeep(order, now, columns);
    }
    EXPECT_EQ(num_solves,
              static_cast<int>(cost / (kFactorizationsPerSolve * 900.0)));
  }
}

TEST_F(CarriedOrderTest, NothingIsKeptOfAFactorizationThatHasNoOrder) {
  const Program program = MakeProgram({0, 1});
  EXPECT_THAT(OrderToKeep(EliminationOrder(), CarriedOrder(),
                          FactoredColumns(program, {}))
                  .blocks,
              IsEmpty());
}

}  // namespace
}  // namespace ceres::internal
