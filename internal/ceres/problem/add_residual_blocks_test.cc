// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <random>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/problem.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Sizes only.
class Sizes final : public CostFunction {
 public:
  Sizes(int num_residuals, const std::vector<int>& sizes) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->assign(sizes.begin(), sizes.end());
  }
  bool Evaluate(double const* const*, double*, double**) const override {
    return false;
  }
};

// Residual blocks with 0 to 4 parameter blocks each, out of many.
struct Many {
  explicit Many(int num_residual_blocks) : memory(3 * kNumBlocks) {
    std::mt19937 random(5);
    for (int i = 0; i < num_residual_blocks; ++i) {
      const int n = static_cast<int>(random() % 5);
      const int first = static_cast<int>(random() % kNumBlocks);
      std::vector<int> sizes;
      for (int k = 0; k < n; ++k) {
        const int block = (first + 7 * k) % kNumBlocks;
        parameters.push_back(&memory[3 * block]);
        sizes.push_back(1 + block % 3);
      }
      costs.push_back(new Sizes(1 + i % 3, sizes));
      num_parameters.push_back(n);
    }
  }

  static constexpr int kNumBlocks = 1000;
  std::vector<double> memory;
  std::vector<CostFunction*> costs;
  std::vector<int> num_parameters;
  std::vector<double*> parameters;
};

class AddResidualBlocksTest : public testing::TestWithParam<bool> {
 protected:
  AddResidualBlocksTest() { options_.enable_fast_removal = GetParam(); }
  Problem::Options options_;
};

TEST_P(AddResidualBlocksTest, AreAsIfAddedOneByOne) {
  for (const int n : {0, 1, 10, 5000}) {
    options_.cost_function_ownership = TAKE_OWNERSHIP;
    options_.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    HuberLoss loss(1.0);
    Many many(n);
    Problem bulk(options_);
    const std::vector<ResidualBlockId> added =
        bulk.AddResidualBlocks(many.costs, &loss, many.parameters);

    options_.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    Problem single(options_);
    double* const* next = many.parameters.data();
    for (int i = 0; i < n; ++i) {
      single.AddResidualBlock(many.costs[i], &loss, next,
                              many.num_parameters[i]);
      next += many.num_parameters[i];
    }

    std::vector<double*> expected_blocks;
    std::vector<double*> blocks;
    single.GetParameterBlocks(&expected_blocks);
    bulk.GetParameterBlocks(&blocks);
    EXPECT_EQ(blocks, expected_blocks);
    EXPECT_EQ(bulk.NumParameters(), single.NumParameters());
    EXPECT_EQ(bulk.NumResiduals(), single.NumResiduals());

    std::vector<ResidualBlockId> ids;
    std::vector<ResidualBlockId> expected_ids;
    bulk.GetResidualBlocks(&ids);
    single.GetResidualBlocks(&expected_ids);
    EXPECT_EQ(added, ids);
    ASSERT_EQ(ids.size(), expected_ids.size());
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(bulk.GetCostFunctionForResidualBlock(ids[i]), many.costs[i]);
      EXPECT_EQ(bulk.GetLossFunctionForResidualBlock(ids[i]), &loss);
      bulk.GetParameterBlocksForResidualBlock(ids[i], &blocks);
      single.GetParameterBlocksForResidualBlock(expected_ids[i],
                                                &expected_blocks);
      EXPECT_EQ(blocks, expected_blocks);
    }
  }
}

TEST_P(AddResidualBlocksTest, MayFollowOthersAndBeRemoved) {
  Many many(200);
  Problem problem(options_);
  double x[1] = {0.0};
  problem.AddResidualBlock(new Sizes(1, {1}), nullptr, x);
  const std::vector<ResidualBlockId> added =
      problem.AddResidualBlocks(many.costs, nullptr, many.parameters);
  EXPECT_EQ(problem.NumResidualBlocks(), 201);
  for (const ResidualBlockId id : added) problem.RemoveResidualBlock(id);
  EXPECT_EQ(problem.NumResidualBlocks(), 1);
}

TEST_P(AddResidualBlocksTest, DieOfTheirMistakes) {
  Problem::Options options = options_;
  options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  Problem problem(options);
  Sizes cost(1, {1, 2});
  double x[4] = {};
  EXPECT_DEATH(problem.AddResidualBlocks({&cost}, nullptr, {x}), "fewer");
  EXPECT_DEATH(problem.AddResidualBlocks({&cost}, nullptr, {x, x + 1, x + 3}),
               "more");
  EXPECT_DEATH(problem.AddResidualBlocks({nullptr}, nullptr, {x}), "number 0");
  EXPECT_DEATH(problem.AddResidualBlocks({&cost}, nullptr, {x, x}), "twice");
  EXPECT_DEATH(problem.AddResidualBlocks({&cost}, nullptr, {x, nullptr}),
               "null");
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFastRemoval, AddResidualBlocksTest,
                         testing::Bool());

}  // namespace
}  // namespace ceres
