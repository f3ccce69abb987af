// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/column_order.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/execution/context_impl.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Blocks of one value, named by their number.
class ColumnOrderTest : public testing::Test {
 protected:
  explicit ColumnOrderTest(int num_blocks = 8) : values_(num_blocks, 0.0) {
    for (double& value : values_) {
      problem_.AddParameterBlock(&value, 1);
    }
  }

  void AddRow(const std::vector<int>& blocks) {
    std::vector<double*> pointers;
    pointers.reserve(blocks.size());
    for (const int block : blocks) {
      pointers.push_back(&values_[block]);
    }
    problem_.AddResidualBlock(
        new SineCost(1, std::vector<int>(blocks.size(), 1), 1), nullptr,
        pointers);
  }

  void AddRows(const std::vector<std::vector<int>>& rows) {
    for (const std::vector<int>& row : rows) AddRow(row);
  }

  void SetConstant(int block) {
    problem_.SetParameterBlockConstant(&values_[block]);
  }

  void SetGroup(int block, int group) {
    ordering_.AddElementToGroup(&values_[block], group);
  }

  // Pairs of a block and its group.
  void SetGroups(const std::vector<std::pair<int, int>>& groups) {
    for (const auto& [block, group] : groups) SetGroup(block, group);
  }

  bool Order(LinearSolverType type, const ParameterBlockOrdering* ordering) {
    const ProblemImpl& impl = *problem_.mutable_impl();
    std::optional<ColumnOrder> order = OrderColumns(
        {}, impl, ReduceProblem(impl, {}), type, ordering, &error_);
    EXPECT_EQ(order.has_value(), error_.empty());
    if (order) order_ = std::move(*order);
    return order.has_value();
  }

  std::vector<int> Columns() const {
    std::vector<int> columns;
    for (const ParameterBlock* block : order_.parameter_blocks) {
      columns.push_back(static_cast<int>(block->user_state() - values_.data()));
    }
    return columns;
  }

  std::vector<double> values_;
  Problem problem_;
  ParameterBlockOrdering ordering_;
  ColumnOrder order_;
  std::string error_;
};

// Points that see from none to 70 of 70 cameras, in any order.
class ManyCamerasTest : public ColumnOrderTest {
 protected:
  static constexpr int kNumCameras = 70;
  static constexpr int kNumPoints = 71;

  ManyCamerasTest() : ColumnOrderTest(kNumCameras + kNumPoints) {
    std::mt19937 random(1);
    std::vector<int> cameras(kNumCameras);
    std::iota(cameras.begin(), cameras.end(), 0);
    for (int k = 0; k < kNumCameras; ++k) SetGroup(k, 1);
    std::vector<std::vector<int>> rows;
    for (int p = 0; p < kNumPoints; ++p) {
      const int point = kNumCameras + p;
      SetGroup(point, 0);
      std::shuffle(cameras.begin(), cameras.end(), random);
      seen_.emplace_back(cameras.begin(), cameras.begin() + p);
      for (const int camera : seen_.back()) rows.push_back({camera, point});
      // Points that see no camera are used, too.
      rows.push_back({point});
    }
    std::shuffle(rows.begin(), rows.end(), random);
    for (const std::vector<int>& row : rows) AddRow(row);
  }

  std::vector<std::vector<int>> seen_;
};

TEST_F(ManyCamerasTest, EliminatedColumnsStandByTheirMedianCamera) {
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  std::vector<std::pair<int, int>> expected;  // median, column
  for (int p = 0; p < kNumPoints; ++p) {
    std::vector<int> seen = seen_[p];
    std::sort(seen.begin(), seen.end());
    expected.emplace_back(seen.empty() ? -1 : seen[seen.size() / 2],
                          kNumCameras + p);
  }
  std::sort(expected.begin(), expected.end());
  const std::vector<int> columns = Columns();
  for (int p = 0; p < kNumPoints; ++p) {
    EXPECT_EQ(columns[p], expected[p].second);
  }
}

TEST_F(ManyCamerasTest, RowsAreInTheOrderThatAProgramFindsItself) {
  for (const bool has_constants : {false, true}) {
    if (has_constants) {
      SetConstant(3);
      SetConstant(kNumCameras + 5);
    }
    ProblemImpl& impl = *problem_.mutable_impl();
    const ReducedProblem reduced = ReduceProblem(impl, {});
    const ColumnOrder order =
        OrderColumns({}, impl, reduced, DENSE_SCHUR, &ordering_, &error_)
            .value();
    const Program own(order.parameter_blocks, order.num_eliminated,
                      reduced.ResidualBlocks());
    const Program given(order.parameter_blocks, order.num_eliminated,
                        reduced.ResidualBlocks(), {}, order.row_order);
    EXPECT_EQ(given.residual_block_index().ToVector(),
              own.residual_block_index().ToVector());
    EXPECT_EQ(given.eliminated_first_row(), own.eliminated_first_row());
    EXPECT_EQ(given.cost_functions(), own.cost_functions());
    EXPECT_EQ(given.arguments(), own.arguments());
    EXPECT_EQ(given.constants(), own.constants());
    EXPECT_EQ(given.first_argument().ToVector(),
              own.first_argument().ToVector());
    // Every argument is where its block says.
    for (int row = 0; row < own.num_row_blocks(); ++row) {
      const ResidualBlock& block =
          *impl.residual_blocks()[own.residual_block_index()[row]];
      for (int k = 0; k < block.num_parameter_blocks(); ++k) {
        const int argument = own.arguments()[own.first_argument()[row] + k];
        const double* values = block.parameter_blocks()[k]->user_state();
        EXPECT_EQ(argument < 0 ? own.constants()[~argument]
                               : own.parameter_blocks()[argument]->user_state(),
                  values);
      }
    }
  }
}

// Enough rows to be sorted in parts.
class ManyRowsTest : public ColumnOrderTest {
 protected:
  static constexpr int kNumCameras = 30;
  static constexpr int kNumPoints = 20000;

  ManyRowsTest() : ColumnOrderTest(kNumCameras + kNumPoints) {
    std::mt19937 random(2);
    for (int k = 0; k < kNumCameras; ++k) SetGroup(k, 1);
    for (int p = 0; p < kNumPoints; ++p) SetGroup(kNumCameras + p, 0);
    for (int row = 0; row < 5 * kNumPoints; ++row) {
      AddRow({static_cast<int>(random() % kNumCameras),
              static_cast<int>(kNumCameras + random() % kNumPoints)});
    }
  }
};

TEST_F(ManyRowsTest, TheOrderIsTheSameForAnyNumberOfThreads) {
  ProblemImpl& impl = *problem_.mutable_impl();
  const ReducedProblem reduced = ReduceProblem(impl, {});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  ContextImpl context;
  for (const int num_threads : {2, 3, 8}) {
    context.EnsureMinimumThreads(num_threads);
    const ColumnOrder order =
        OrderColumns(Execution{&context, num_threads}, impl, reduced,
                     DENSE_SCHUR, &ordering_, &error_)
            .value();
    EXPECT_EQ(order.parameter_blocks, order_.parameter_blocks);
    EXPECT_EQ(order.row_order.row, order_.row_order.row);
    EXPECT_EQ(order.row_order.eliminated_first_row,
              order_.row_order.eliminated_first_row);
  }
}

TEST_F(ColumnOrderTest, WithoutEliminationColumnsKeepTheProblemsOrder) {
  AddRows({{2, 0}, {3, 0}, {0, 1}});
  ASSERT_TRUE(Order(SPARSE_NORMAL_CHOLESKY, nullptr));
  EXPECT_THAT(Columns(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(order_.num_eliminated, 0);
  EXPECT_THAT(order_.remaining_groups, IsEmpty());
  EXPECT_FALSE(order_.lowest_group_is_empty);
}

// A star: 0 is the camera of 1, 2, 3.
TEST_F(ColumnOrderTest, SchurFindsAMaximalIndependentSet) {
  AddRows({{2, 0}, {3, 0}, {0, 1}});
  ASSERT_TRUE(Order(DENSE_SCHUR, nullptr));
  EXPECT_EQ(order_.num_eliminated, 3);
  EXPECT_THAT(Columns(), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(order_.group_sizes, ElementsAre(3, 1));
}

TEST_F(ColumnOrderTest, OneGroupMeansNoOrderingToSchur) {
  AddRows({{2, 0}, {0, 1}});
  for (const int block : {0, 1, 2}) SetGroup(block, 7);
  ASSERT_TRUE(Order(SPARSE_SCHUR, &ordering_));
  EXPECT_EQ(order_.num_eliminated, 2);
  EXPECT_THAT(Columns(), ElementsAre(1, 2, 0));
}

TEST_F(ColumnOrderTest, EmptyOrderingMeansNone) {
  AddRows({{1, 0}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_EQ(order_.num_eliminated, 1);
}

TEST_F(ColumnOrderTest, UserChoosesWhatIsEliminated) {
  AddRows({{0, 1}, {0, 2}});
  SetGroups({{0, 3}, {1, 5}, {2, 5}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_EQ(order_.num_eliminated, 1);
  EXPECT_THAT(Columns(), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_.group_sizes, ElementsAre(1, 2));
  EXPECT_THAT(order_.remaining_groups, IsEmpty()) << "they are all in one";
}

TEST_F(ColumnOrderTest, RemainingColumnsAreSortedByGroupThenAsAdded) {
  AddRows({{0, 1}, {0, 2}, {0, 3}, {0, 4}});
  SetGroups({{0, 0}, {1, 9}, {2, 4}, {3, 9}, {4, 4}});
  ASSERT_TRUE(Order(SPARSE_SCHUR, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(0, 2, 4, 1, 3));
  EXPECT_THAT(order_.remaining_groups, ElementsAre(4, 4, 9, 9));
  EXPECT_THAT(order_.group_sizes, ElementsAre(1, 2, 2));
}

TEST_F(ColumnOrderTest, GroupsOrderTheColumnsOfOtherSolversToo) {
  AddRows({{0, 1, 2}});
  SetGroups({{0, 2}, {1, 1}, {2, 0}});
  ASSERT_TRUE(Order(SPARSE_NORMAL_CHOLESKY, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(2, 1, 0));
  EXPECT_EQ(order_.num_eliminated, 0);
  EXPECT_THAT(order_.remaining_groups, ElementsAre(0, 1, 2));
}

// Points 4..7 see cameras 3, 1, 2, 0: they are sorted by camera.
TEST_F(ColumnOrderTest, EliminatedColumnsAreSortedByMedianNeighbour) {
  AddRows({{4, 3}, {5, 0}, {5, 1}, {5, 2}, {6, 2}, {7, 0}});
  for (const int camera : {0, 1, 2, 3}) SetGroup(camera, 1);
  for (const int point : {4, 5, 6, 7}) SetGroup(point, 0);
  ASSERT_TRUE(Order(ITERATIVE_SCHUR, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(7, 5, 6, 4, 0, 1, 2, 3));
  EXPECT_EQ(order_.num_eliminated, 4);
}

TEST_F(ColumnOrderTest, EliminatedColumnsWithoutNeighboursComeFirst) {
  AddRows({{0, 1}, {2}});
  SetGroups({{0, 1}, {1, 0}, {2, 0}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(2, 1, 0));
}

TEST_F(ColumnOrderTest, EverythingMayBeEliminated) {
  AddRows({{0}, {1}});
  ASSERT_TRUE(Order(DENSE_SCHUR, nullptr));
  EXPECT_EQ(order_.num_eliminated, 2);
  EXPECT_THAT(Columns(), ElementsAre(0, 1));
  EXPECT_FALSE(order_.lowest_group_is_empty);
}

TEST_F(ColumnOrderTest, ConstantAndUnusedBlocksMayStandInTheOrderingOrNot) {
  AddRows({{0, 1, 2}});
  SetConstant(2);
  SetGroups({{0, 0}, {1, 1}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(0, 1));
  SetGroup(2, 0);  // constant: does not conflict with 0
  SetGroup(5, 0);  // unused
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_THAT(Columns(), ElementsAre(0, 1));
  EXPECT_THAT(order_.group_sizes, ElementsAre(1, 1));
}

TEST_F(ColumnOrderTest, LowestGroupMayBeEmptied) {
  AddRows({{0, 1}});
  SetConstant(0);
  SetGroups({{0, 0}, {1, 1}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_TRUE(order_.lowest_group_is_empty);
  EXPECT_EQ(order_.num_eliminated, 0);
  ASSERT_TRUE(Order(DENSE_QR, &ordering_));
  EXPECT_FALSE(order_.lowest_group_is_empty) << "nothing was to be eliminated";
}

TEST_F(ColumnOrderTest, LeavingOutAVaryingBlockIsAnError) {
  AddRows({{0, 1}});
  SetGroups({{0, 0}});
  for (const auto type : {DENSE_QR, DENSE_SCHUR}) {
    error_.clear();
    EXPECT_FALSE(Order(type, &ordering_));
    EXPECT_THAT(error_, AllOf(HasSubstr("ParameterBlock 1"),
                              HasSubstr("linear_solver_ordering")));
  }
}

TEST_F(ColumnOrderTest, MemoryThatIsNoParameterBlockIsAnError) {
  AddRows({{0, 1}});
  SetGroups({{0, 0}, {1, 1}});
  double stranger = 0.0;
  ordering_.AddElementToGroup(&stranger, 4);
  EXPECT_FALSE(Order(DENSE_QR, &ordering_));
  EXPECT_THAT(error_, AllOf(HasSubstr("group 4"), HasSubstr("no parameter")));
}

TEST_F(ColumnOrderTest, DependentLowestGroupIsAnErrorOfSchurOnly) {
  AddRows({{0, 2}, {0, 1}});
  SetGroups({{0, 0}, {1, 0}, {2, 1}});
  EXPECT_FALSE(Order(SPARSE_SCHUR, &ordering_));
  EXPECT_THAT(error_,
              AllOf(HasSubstr("residual block 1"), HasSubstr("not independent"),
                    HasSubstr("SPARSE_SCHUR")));
  error_.clear();
  EXPECT_TRUE(Order(SPARSE_NORMAL_CHOLESKY, &ordering_));
}

TEST_F(ColumnOrderTest, UsersOrderingIsNotChanged) {
  AddRows({{0, 1}});
  SetConstant(0);
  SetGroups({{0, 4}, {1, 6}});
  ASSERT_TRUE(Order(DENSE_SCHUR, &ordering_));
  EXPECT_EQ(ordering_.NumElements(), 2);
  EXPECT_EQ(ordering_.GroupId(&values_[0]), 4);
  EXPECT_EQ(ordering_.GroupId(&values_[1]), 6);
}

}  // namespace
}  // namespace ceres::internal
