// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/program.h"

#include <numeric>
#include <type_traits>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/modelling/fake_manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class FakeCost : public CostFunction {
 public:
  FakeCost(int num_residuals, const std::vector<int>& sizes) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
  }
  bool Evaluate(double const* const*, double*, double**) const override {
    return false;
  }
};

class ProgramTest : public testing::Test {
 protected:
  ParameterBlock* Block(double* values) {
    return problem.mutable_impl()->GetParameterBlock(values);
  }
  const std::vector<ResidualBlock*>& Rows() {
    return problem.mutable_impl()->residual_blocks();
  }

  Problem problem;
  double a[1] = {1.0};
  double b[2] = {2.0, 3.0};
  double q[4] = {1.0, 0.0, 0.0, 0.0};
};

// Programs cannot be changed, also not as a whole.
static_assert(!std::is_assignable_v<Program&, const Program&>);
static_assert(!std::is_assignable_v<Program&, Program>);

TEST_F(ProgramTest, EmptyProgramHasNothing) {
  const Program program({}, 0, {});
  EXPECT_EQ(program.num_column_blocks(), 0);
  EXPECT_EQ(program.num_state(), 0);
  EXPECT_EQ(program.num_delta(), 0);
  EXPECT_EQ(program.num_row_blocks(), 0);
  EXPECT_EQ(program.num_residuals(), 0);
  EXPECT_THAT(program.eliminated_first_row(), ElementsAre(0));
}

TEST_F(ProgramTest, LaysOutColumnsAndRows) {
  problem.AddParameterBlock(q, 4, new QuaternionManifold);
  problem.AddResidualBlock(new FakeCost(2, {1, 4}), nullptr, a, q);
  auto* loss = new TrivialLoss;
  problem.AddResidualBlock(new FakeCost(3, {2, 1}), loss, b, a);
  const Program program({Block(q), Block(a)}, 0, Rows());
  EXPECT_THAT(program.state_offset(), ElementsAre(0, 4, 5));
  EXPECT_THAT(program.delta_offset(), ElementsAre(0, 3, 4));
  EXPECT_EQ(program.manifolds()[0], problem.GetManifold(q));
  EXPECT_EQ(program.manifolds()[1], nullptr);
  EXPECT_THAT(program.row_offset().ToVector(), ElementsAre(0, 2, 5));
  EXPECT_THAT(program.first_argument().ToVector(), ElementsAre(0, 2, 4));
  EXPECT_EQ(program.loss_function(0), nullptr);
  EXPECT_EQ(program.loss_function(1), loss);
  EXPECT_EQ(program.max_residuals_per_block(), 3);
  EXPECT_EQ(program.max_arguments_per_block(), 2);
  EXPECT_EQ(program.max_parameters_per_block(), 5);

  EXPECT_THAT(program.arguments(), ElementsAre(1, 0, ~0, 1));
  EXPECT_EQ(program.ambient_size(0), 4);
  EXPECT_EQ(program.tangent_size(0), 3);
  const double state[5] = {};
  EXPECT_EQ(program.Values(0, state), state + 4);
  EXPECT_EQ(program.Values(2, state), b);
}

TEST_F(ProgramTest, SortsRowsByEliminatedBlock) {
  double points[3][3] = {};
  double camera[2][2] = {};
  const auto add = [&](int point, int cam) {
    problem.AddResidualBlock(new FakeCost(2, {2, 3}), nullptr, camera[cam],
                             points[point]);
  };
  add(2, 0);
  add(0, 0);
  problem.AddResidualBlock(new FakeCost(1, {2}), nullptr, camera[1]);
  add(2, 1);
  add(0, 1);
  const Program program(
      {Block(points[0]), Block(points[2]), Block(camera[0]), Block(camera[1])},
      2, Rows());
  EXPECT_THAT(program.residual_block_index().ToVector(),
              ElementsAre(1, 4, 0, 3, 2));
  EXPECT_FALSE(program.has_loss_functions());
  EXPECT_EQ(program.loss_function(0), nullptr);
  EXPECT_THAT(program.eliminated_first_row(), ElementsAre(0, 2, 4));
  // Arguments keep the user's order.
  EXPECT_EQ(program.arguments()[0], 2);
  EXPECT_EQ(program.arguments()[1], 0);
}

TEST_F(ProgramTest, ListsIndicesUnlessRowsHaveTheOrderOfTheProblem) {
  double points[2][3] = {};
  double camera[2] = {};
  for (const int point : {0, 0, 1}) {
    problem.AddResidualBlock(new FakeCost(2, {2, 3}), nullptr, camera,
                             points[point]);
  }
  const std::vector<ParameterBlock*> in_order = {
      Block(points[0]), Block(points[1]), Block(camera)};
  const std::vector<ParameterBlock*> reversed = {
      Block(points[1]), Block(points[0]), Block(camera)};
  const auto index_of = [&](const auto& columns, int num_eliminated,
                            std::vector<ResidualBlock*> rows) {
    const Program program(columns, num_eliminated, rows);
    return program.residual_block_index();
  };
  const std::vector<ResidualBlock*> all = Rows();
  for (const int num_eliminated : {0, 2}) {
    const PeriodicArray<int> index = index_of(in_order, num_eliminated, all);
    EXPECT_FALSE(index.is_list());
    EXPECT_THAT(index.ToVector(), ElementsAre(0, 1, 2));
  }
  const PeriodicArray<int> sorted = index_of(reversed, 2, all);
  EXPECT_TRUE(sorted.is_list());
  EXPECT_THAT(sorted.ToVector(), ElementsAre(2, 0, 1));
  // A part of the problem.
  EXPECT_FALSE(index_of(in_order, 2, {all[0], all[1]}).is_list());
  EXPECT_THAT(index_of(in_order, 2, {all[1], all[2]}).ToVector(),
              ElementsAre(1, 2));
  EXPECT_EQ(index_of(in_order, 2, {}).size(), 0);
}

TEST_F(ProgramTest, ConstantBlocksAreNumberedOnce) {
  double c[2] = {};
  problem.AddResidualBlock(new FakeCost(1, {2, 1}), nullptr, c, a);
  problem.AddResidualBlock(new FakeCost(1, {1, 2}), nullptr, a, b);
  problem.AddResidualBlock(new FakeCost(1, {2, 2}), nullptr, b, c);
  const Program program({Block(a)}, 0, Rows());
  EXPECT_THAT(program.arguments(), ElementsAre(~0, 0, 0, ~1, ~1, ~0));
  EXPECT_THAT(program.constants(), ElementsAre(c, b));
}

TEST_F(ProgramTest, LeavesOutResidualBlocksWithoutResiduals) {
  problem.AddResidualBlock(new FakeCost(0, {1}), nullptr, a);
  problem.AddResidualBlock(new FakeCost(2, {1}), nullptr, a);
  const Program program({Block(a)}, 0, Rows());
  EXPECT_EQ(program.num_row_blocks(), 1);
  EXPECT_EQ(program.num_residuals(), 2);
}

TEST_F(ProgramTest, TwoEliminatedBlocksInARowAreAMistake) {
  problem.AddResidualBlock(new FakeCost(1, {1, 2}), nullptr, a, b);
  EXPECT_DEATH(Program({Block(a), Block(b)}, 2, Rows()),
               "touches two parameter blocks");
}

TEST_F(ProgramTest, ABlockTwiceInARowIsAMistake) {
  Problem::Options options;
  options.disable_all_safety_checks = true;
  Problem unsafe(options);
  unsafe.AddResidualBlock(new FakeCost(1, {1, 1}), nullptr, a, a);
  ProblemImpl* impl = unsafe.mutable_impl();
  EXPECT_DEATH(Program(impl->parameter_blocks(), 0, impl->residual_blocks()),
               "twice");
}

TEST_F(ProgramTest, CopiesTheStateOfVaryingBlocksOnly) {
  problem.AddParameterBlock(a, 1);
  problem.AddParameterBlock(b, 2);
  problem.AddParameterBlock(q, 4);
  const Program program({Block(q), Block(a)}, 0, {});
  std::vector<double> state(5);
  program.ReadUserMemory(state.data());
  EXPECT_THAT(state, ElementsAre(1.0, 0.0, 0.0, 0.0, 1.0));
  for (double& value : state) value += 10.0;
  program.WriteUserMemory(state.data());
  EXPECT_THAT(q, ElementsAre(11.0, 10.0, 10.0, 10.0));
  EXPECT_THAT(a, ElementsAre(11.0));
  EXPECT_THAT(b, ElementsAre(2.0, 3.0));
}

TEST_F(ProgramTest, CopiesTheStateOfManyBlocksByAnyNumberOfThreads) {
  constexpr int kNumBlocks = 3000;
  ContextImpl context;
  context.EnsureMinimumThreads(3);
  std::vector<double> values(2 * kNumBlocks);
  std::iota(values.begin(), values.end(), 0.0);
  std::vector<ParameterBlock*> blocks;
  for (int i = 0; i < kNumBlocks; ++i) {
    problem.AddParameterBlock(&values[2 * i], 2);
    blocks.push_back(Block(&values[2 * i]));
  }
  const Program program(blocks, 0, {});
  for (const int num_threads : {1, 3}) {
    const Execution execution{&context, num_threads};
    std::vector<double> state(values.size());
    program.ReadUserMemory(execution, state.data());
    EXPECT_EQ(state, values);
    for (double& value : state) value += 0.5;
    program.WriteUserMemory(execution, state.data());
    EXPECT_EQ(values, state);
  }
}

TEST_F(ProgramTest, PlusUsesManifoldsAndProjectsOnBounds) {
  problem.AddParameterBlock(a, 1);
  problem.AddParameterBlock(b, 2, new SubsetManifold(2, {0}));
  Program unbounded({Block(a), Block(b)}, 0, {});
  EXPECT_FALSE(unbounded.has_bounds());
  const double x[] = {1.0, 2.0, 3.0};
  const double delta[] = {5.0, -7.0};
  double sum[3];
  ASSERT_TRUE(unbounded.Plus(x, delta, sum));
  EXPECT_THAT(sum, ElementsAre(6.0, 2.0, -4.0));

  problem.SetParameterUpperBound(a, 0, 4.0);
  problem.SetParameterLowerBound(b, 0, 2.5);
  problem.SetParameterLowerBound(b, 1, -1.0);
  const Program program({Block(a), Block(b)}, 0, {});
  EXPECT_TRUE(program.has_bounds());
  ASSERT_TRUE(program.Plus(x, delta, sum));
  EXPECT_THAT(sum, ElementsAre(4.0, 2.5, -1.0));
}

TEST_F(ProgramTest, PlusFailsWhereAManifoldFails) {
  auto* const manifold = new FakeManifold(1, 1, true);
  problem.AddParameterBlock(a, 1, manifold);
  manifold->set_succeeds(false);
  const Program program({Block(a)}, 0, {});
  double x = 1.0;
  double delta = 1.0;
  double sum;
  EXPECT_FALSE(program.Plus(&x, &delta, &sum));
}

// The rest is held at a state, constant blocks stay where they are.
TEST_F(ProgramTest, PartOfOneColumnBlockHoldsTheOthers) {
  problem.AddParameterBlock(q, 4, new QuaternionManifold);
  problem.AddResidualBlock(new FakeCost(2, {1, 4}), nullptr, a, q);
  auto* loss = new TrivialLoss;
  problem.AddResidualBlock(new FakeCost(3, {2, 1, 4}), loss, b, a, q);
  problem.AddResidualBlock(new FakeCost(1, {1}), nullptr, a);
  problem.SetParameterUpperBound(a, 0, 5.0);
  const Program whole({Block(a), Block(q)}, 0, Rows());
  double state[5] = {};
  const int rows[] = {0, 1};
  const Program part(whole, /*column_block=*/1, rows, 2, state);
  EXPECT_THAT(part.parameter_blocks(), ElementsAre(Block(q)));
  EXPECT_THAT(part.state_offset(), ElementsAre(0, 4));
  EXPECT_THAT(part.delta_offset(), ElementsAre(0, 3));
  EXPECT_EQ(part.manifolds()[0], problem.GetManifold(q));
  EXPECT_THAT(part.row_offset().ToVector(), ElementsAre(0, 2, 5));
  EXPECT_THAT(part.first_argument().ToVector(), ElementsAre(0, 2, 5));
  EXPECT_EQ(part.loss_function(0), nullptr);
  EXPECT_EQ(part.loss_function(1), loss);
  EXPECT_FALSE(part.has_bounds()) << "those of a do not count";

  const double part_state[4] = {};
  const std::vector<const double*> expected = {state, part_state, b, state,
                                               part_state};
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(part.arguments()[k] >= 0, k == 1 || k == 4);
    EXPECT_EQ(part.Values(k, part_state), expected[k]);
  }
}

TEST_F(ProgramTest, ReplacesCostFunctionsAndNothingElse) {
  problem.AddResidualBlock(new FakeCost(2, {1, 4}), nullptr, a, q);
  const Program program({Block(a), Block(q)}, 0, Rows());
  const FakeCost other(2, {1, 4});
  PagedVector<const CostFunction*> cost_functions(1, &other);
  const Program replaced(program, cost_functions);
  EXPECT_THAT(replaced.cost_functions(), ElementsAre(&other));
  EXPECT_THAT(program.cost_functions(), Not(ElementsAre(&other)));
  EXPECT_EQ(replaced.arguments(), program.arguments());
  EXPECT_EQ(replaced.parameter_blocks(), program.parameter_blocks());
  EXPECT_EQ(replaced.num_residuals(), program.num_residuals());
}

}  // namespace
}  // namespace ceres::internal
