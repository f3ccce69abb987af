// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/cost_function_batch.h"
#include "ceres/residual_batch.h"
#include "ceres/sized_cost_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Rows of any number without memory. Residual c of row i is i + x[0] + c.
class Numbers : public ResidualBatch {
 public:
  Numbers(std::int64_t num_rows, std::vector<std::int32_t> sizes,
          int num_residuals = 1, int* num_alive = nullptr)
      : ResidualBatch(num_rows, num_residuals, std::move(sizes)),
        num_alive_(num_alive) {
    if (num_alive_ != nullptr) ++*num_alive_;
  }
  ~Numbers() override {
    if (num_alive_ != nullptr) --*num_alive_;
  }
  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    const std::vector<std::int32_t>& sizes = parameter_block_sizes();
    for (int i = 0; i < rows.count; ++i) {
      double* const residuals = output.residuals + i * output.stride;
      for (int c = 0; c < num_residuals(); ++c) {
        residuals[c] = rows.rows[i] + rows.parameters[i * sizes.size()][0] + c;
      }
      for (size_t k = 0; output.jacobians != nullptr && k < sizes.size(); ++k) {
        if (output.jacobians[k] == nullptr) continue;
        for (int c = 0; c < num_residuals() * sizes[k]; ++c) {
          output.jacobians[k][i * output.stride + c] =
              k == 0 && c % sizes[k] == 0 ? 1.0 : 0.0;
        }
      }
    }
    return rows.count;
  }

 private:
  int* const num_alive_;
};

class ResidualBatches : public testing::Test {
 protected:
  static constexpr int kCameras = 3;
  static constexpr int kPoints = 5;

  std::unique_ptr<Numbers> Batch(std::int64_t num_rows) {
    return std::make_unique<Numbers>(num_rows, Sizes(), 1, &num_alive_);
  }
  static std::vector<std::int32_t> Sizes() { return {2, 3}; }
  ResidualBatchId Add(Problem* problem, const std::vector<int>& cameras,
                      const std::vector<std::int64_t>& points,
                      LossFunction* loss_function = nullptr) {
    return problem->AddResidualBatch(
        Batch(cameras.size()), loss_function,
        {{problem->AddParameterArray(cameras_, kCameras, 2), cameras},
         {problem->AddParameterArray(points_, kPoints, 3), points}});
  }
  static std::vector<ResidualBlockId> BlocksOf(const Problem& problem) {
    std::vector<ResidualBlockId> blocks;
    problem.GetResidualBlocks(&blocks);
    return blocks;
  }

  double cameras_[2 * kCameras] = {};
  double points_[3 * kPoints] = {};
  int num_alive_ = 0;
};

TEST_F(ResidualBatches, RowsAreResidualBlocksOfTheirParameterBlocks) {
  for (const bool fast_removal : {false, true}) {
    Problem::Options options;
    options.enable_fast_removal = fast_removal;
    Problem problem(options);
    TrivialLoss* const loss = new TrivialLoss;
    const ResidualBatchId batch = Add(&problem, {0, 2, 1}, {4, 4, 0}, loss);
    EXPECT_EQ(problem.NumResidualBlocks(), 3);
    EXPECT_EQ(problem.NumResiduals(), 3);
    EXPECT_EQ(problem.NumParameterBlocks(), kCameras + kPoints);
    const ResidualBlockId row = problem.GetResidualBlockForRow(batch, 1);
    EXPECT_EQ(row, BlocksOf(problem)[1]);
    std::vector<double*> blocks;
    problem.GetParameterBlocksForResidualBlock(row, &blocks);
    EXPECT_THAT(blocks, ElementsAre(cameras_ + 4, points_ + 12));
    EXPECT_EQ(problem.GetLossFunctionForResidualBlock(row), loss);
    std::int64_t number = -1;
    EXPECT_EQ(problem.GetResidualBatchForResidualBlock(row, &number), batch);
    EXPECT_EQ(number, 1);
    std::vector<ResidualBlockId> dependents;
    problem.GetResidualBlocksForParameterBlock(points_ + 12, &dependents);
    EXPECT_THAT(dependents, UnorderedElementsAre(
                                row, problem.GetResidualBlockForRow(batch, 0)));
    std::vector<ResidualBatchId> batches;
    problem.GetResidualBatches(&batches);
    EXPECT_THAT(batches, ElementsAre(batch));
    EXPECT_EQ(problem.GetResidualBatch(batch)->num_rows(), 3);
  }
  EXPECT_EQ(num_alive_, 0);
}

TEST_F(ResidualBatches, TheCostFunctionOfARowEvaluatesTheRow) {
  Problem problem;
  const ResidualBatchId batch = Add(&problem, {0, 2, 1}, {4, 4, 0});
  cameras_[4] = 0.5;
  const ResidualBlockId row = problem.GetResidualBlockForRow(batch, 1);
  const CostFunction* const function =
      problem.GetCostFunctionForResidualBlock(row);
  EXPECT_EQ(function->parameter_block_sizes(), Sizes());
  const double* const parameters[] = {cameras_ + 4, points_ + 12};
  double residual = 0.0;
  double jacobian[2] = {};
  double* jacobians[] = {jacobian, nullptr};
  ASSERT_TRUE(function->Evaluate(parameters, &residual, jacobians));
  EXPECT_EQ(residual, 1.5);
  EXPECT_THAT(jacobian, ElementsAre(1.0, 0.0));
  const double weights[] = {1.0, -2.0, 1.0};
  problem.SetResidualBatchWeights(batch, weights);
  ASSERT_TRUE(function->Evaluate(parameters, &residual, jacobians));
  EXPECT_EQ(residual, -3.0);
  EXPECT_THAT(jacobian, ElementsAre(-2.0, 0.0));
  problem.SetResidualBatchWeights(batch, nullptr);
  problem.SetRowActive(batch, 1, false);
  EXPECT_FALSE(problem.IsRowActive(batch, 1));
  EXPECT_TRUE(problem.IsRowActive(batch, 0));
  ASSERT_TRUE(function->Evaluate(parameters, &residual, jacobians));
  EXPECT_EQ(residual, 0.0);
  EXPECT_THAT(jacobian, ElementsAre(0.0, 0.0));
  problem.SetRowActive(batch, 1, true);
  ASSERT_TRUE(function->Evaluate(parameters, &residual, jacobians));
  EXPECT_EQ(residual, 1.5);
}

TEST_F(ResidualBatches, OneBlockMayBeTheArgumentOfAllRows) {
  Problem problem;
  const ParameterArray points = problem.AddParameterArray(points_, kPoints, 3);
  const std::vector<std::int32_t> indices = {3, 1};
  const ResidualBatchId batch = problem.AddResidualBatch(
      Batch(2), nullptr, {cameras_ + 2, {points, indices.data()}});
  std::vector<double*> blocks;
  problem.GetParameterBlocksForResidualBlock(
      problem.GetResidualBlockForRow(batch, 1), &blocks);
  EXPECT_THAT(blocks, ElementsAre(cameras_ + 2, points[1]));
}

TEST_F(ResidualBatches, ArgumentsMayFollowOneAnother) {
  Problem problem;
  const ParameterArray points = problem.AddParameterArray(points_, kPoints, 3);
  const std::vector<std::int64_t> indices = {3, 1};
  const ResidualBatchId batch = problem.AddResidualBatch(
      Batch(2), nullptr, cameras_ + 2, BatchArgument(points, indices));
  std::vector<double*> blocks;
  problem.GetParameterBlocksForResidualBlock(
      problem.GetResidualBlockForRow(batch, 0), &blocks);
  EXPECT_THAT(blocks, ElementsAre(cameras_ + 2, points[3]));
  const ResidualBatchId single = problem.AddResidualBatch(
      std::make_unique<Numbers>(1, std::vector<std::int32_t>{2}), nullptr,
      cameras_ + 4);
  problem.GetParameterBlocksForResidualBlock(
      problem.GetResidualBlockForRow(single, 0), &blocks);
  EXPECT_THAT(blocks, ElementsAre(cameras_ + 4));
}

TEST_F(ResidualBatches, FewRowsOfALargeArrayAreFound) {
  std::vector<double> values(3 * 1000);
  Problem problem;
  const ParameterArray array =
      problem.AddParameterArray(values.data(), 1000, 3);
  const std::vector<std::int32_t> indices = {999, 0};
  const ResidualBatchId batch =
      problem.AddResidualBatch(Batch(2), nullptr, {cameras_, {array, indices}});
  std::vector<double*> blocks;
  problem.GetParameterBlocksForResidualBlock(
      problem.GetResidualBlockForRow(batch, 0), &blocks);
  EXPECT_THAT(blocks, ElementsAre(cameras_, array[999]));
}

TEST_F(ResidualBatches, EmptyBatchesAndEmptyArraysAreAllowed) {
  Problem problem;
  EuclideanManifold<3>* const manifold = new EuclideanManifold<3>;
  const ParameterArray none =
      problem.AddParameterArray(nullptr, 0, 3, manifold);
  const std::vector<std::int32_t> no_indices;
  const ResidualBatchId batch = problem.AddResidualBatch(
      Batch(0), nullptr, {cameras_, {none, no_indices}});
  EXPECT_EQ(problem.NumResidualBlocks(), 0);
  problem.RemoveResidualBatch(batch);
  EXPECT_EQ(num_alive_, 0);
}

TEST_F(ResidualBatches, ArraysAreParameterBlocks) {
  Problem problem;
  auto* const manifold = new SubsetManifold(3, {1});
  const ParameterArray array =
      problem.AddParameterArray(points_, kPoints, 3, manifold);
  for (int i = 0; i < kPoints; ++i) {
    EXPECT_EQ(array[i], points_ + 3 * i);
    EXPECT_EQ(problem.GetManifold(array[i]), manifold);
    EXPECT_EQ(problem.ParameterBlockSize(array[i]), 3);
  }
  // Null sets no manifold.
  problem.AddParameterArray(points_, kPoints, 3);
  EXPECT_EQ(problem.GetManifold(points_), manifold);
  problem.SetParameterBlockConstant(array[2]);
  EXPECT_TRUE(problem.IsParameterBlockConstant(points_ + 6));
}

TEST_F(ResidualBatches, RowsAndParameterBlocksAreRemoved) {
  for (const bool fast_removal : {false, true}) {
    Problem::Options options;
    options.enable_fast_removal = fast_removal;
    Problem problem(options);
    const ResidualBatchId batch =
        Add(&problem, {0, 1, 2, 0, 1}, {0, 1, 2, 3, 0}, new TrivialLoss);
    problem.RemoveResidualBlock(problem.GetResidualBlockForRow(batch, 1));
    EXPECT_EQ(problem.GetResidualBlockForRow(batch, 1), nullptr);
    EXPECT_EQ(problem.NumResidualBlocks(), 4);
    problem.RemoveParameterBlock(points_);  // rows 0 and 4
    EXPECT_EQ(problem.GetResidualBlockForRow(batch, 0), nullptr);
    EXPECT_EQ(problem.GetResidualBlockForRow(batch, 4), nullptr);
    EXPECT_THAT(BlocksOf(problem),
                UnorderedElementsAre(problem.GetResidualBlockForRow(batch, 2),
                                     problem.GetResidualBlockForRow(batch, 3)));
    // Rows may use a block that is not in the array's place in the problem.
    problem.AddParameterBlock(points_, 3);
    EXPECT_EQ(Add(&problem, {0}, {0})->batch().num_rows(), 1);
    problem.RemoveResidualBatch(batch);
    EXPECT_EQ(problem.NumResidualBlocks(), 1);
    EXPECT_EQ(num_alive_, 1);
  }
}

// A batch of each kind of removal stands between other blocks.
TEST_F(ResidualBatches, BatchesAreRemovedAmongOtherBlocks) {
  Problem problem;
  class Zero : public SizedCostFunction<1, 2> {
    bool Evaluate(double const* const*, double* r, double** j) const override {
      r[0] = 0.0;
      if (j != nullptr && j[0] != nullptr) j[0][0] = j[0][1] = 0.0;
      return true;
    }
  };
  const ResidualBatchId a = Add(&problem, {0, 1}, {0, 1});
  const ResidualBlockId x =
      problem.AddResidualBlock(new Zero, nullptr, cameras_);
  const ResidualBatchId b = Add(&problem, {2, 1, 0}, {0, 1, 2});
  problem.SetResidualBatchName(b, "left");
  problem.RemoveResidualBatch(a);
  EXPECT_EQ(problem.NumResidualBlocks(), 4);
  std::int64_t row = -1;
  EXPECT_EQ(problem.GetResidualBatchForResidualBlock(
                problem.GetResidualBlockForRow(b, 2), &row),
            b);
  EXPECT_EQ(row, 2);
  EXPECT_EQ(problem.GetResidualBatchForResidualBlock(x, nullptr), nullptr);
  EXPECT_EQ(problem.GetResidualBatchName(b), "left");
  EXPECT_EQ(NameOfRow(*problem.GetCostFunctionForResidualBlock(
                problem.GetResidualBlockForRow(b, 2))),
            " (row 2 of residual batch \"left\")");
  EXPECT_THAT(NameOfRow(*problem.GetCostFunctionForResidualBlock(x)),
              IsEmpty());
  EXPECT_EQ(num_alive_, 1);
}

// A row's position counts the batches before it that are left.
TEST_F(ResidualBatches, PositionsFollowRemovals) {
  Problem problem;
  std::vector<ResidualBatchId> batches;
  for (int i = 0; i < 6; ++i)
    batches.push_back(Add(&problem, {0, 1}, {i % 2, 2}));
  const auto name = [&](int i) {
    return NameOfRow(*problem.GetCostFunctionForResidualBlock(
        problem.GetResidualBlockForRow(batches[i], 1)));
  };
  EXPECT_EQ(name(5), " (row 1 of residual batch 5)");
  problem.RemoveResidualBatch(batches[0]);
  problem.RemoveResidualBatch(batches[3]);
  EXPECT_EQ(name(1), " (row 1 of residual batch 0)");
  EXPECT_EQ(name(5), " (row 1 of residual batch 3)");
  problem.RemoveResidualBatch(batches[5]);
  batches.push_back(Add(&problem, {2, 1}, {0, 2}));
  EXPECT_EQ(name(6), " (row 1 of residual batch 3)");
  std::vector<ResidualBatchId> found;
  problem.GetResidualBatches(&found);
  EXPECT_THAT(found,
              ElementsAre(batches[1], batches[2], batches[4], batches[6]));
  // The batches go with the problem.
  Problem moved = std::move(problem);
  EXPECT_EQ(NameOfRow(*moved.GetCostFunctionForResidualBlock(
                moved.GetResidualBlockForRow(batches[4], 0))),
            " (row 0 of residual batch 2)");
}

TEST_F(ResidualBatches, ArraysOfDoublesAreArguments) {
  Problem problem;
  double camera[2] = {}, point[3] = {};
  const double* const first = camera;
  const ResidualBatchId batch =
      problem.AddResidualBatch(Batch(4), nullptr, camera, point);
  std::vector<double*> blocks;
  problem.GetParameterBlocksForResidualBlock(
      problem.GetResidualBlockForRow(batch, 3), &blocks);
  EXPECT_THAT(blocks, ElementsAre(first, point));
}

TEST_F(ResidualBatches, ManyBatchesAreFoundAndCounted) {
  Problem problem;
  constexpr int kBatches = 3000;
  std::vector<ResidualBatchId> batches;
  for (int i = 0; i < kBatches; ++i) {
    batches.push_back(Add(&problem, {i % kCameras}, {i % kPoints}));
  }
  const auto expect_order = [&] {
    std::vector<ResidualBatchId> found;
    problem.GetResidualBatches(&found);
    EXPECT_EQ(found, batches);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (i % 100 == 0) {
        EXPECT_EQ(batches[i]->FindPosition(), static_cast<std::int64_t>(i));
      }
      EXPECT_EQ(problem.GetResidualBatchForResidualBlock(
                    problem.GetResidualBlockForRow(batches[i], 0), nullptr),
                batches[i]);
    }
  };
  expect_order();
  // The first, one in the middle, and the last.
  for (const int i : {0, kBatches / 2, kBatches - 3}) {
    problem.RemoveResidualBatch(batches[i]);
    batches.erase(batches.begin() + i);
    expect_order();
  }
}

using ResidualBatchesDeathTest = ResidualBatches;

TEST_F(ResidualBatchesDeathTest, IndicesOutOfRangeNameRowAndValue) {
  Problem problem;
  EXPECT_DEATH(Add(&problem, {0, 1}, {0, kPoints}),
               "Row 1 .*index 5 for argument 1.*5 parameter blocks");
  EXPECT_DEATH(Add(&problem, {0, -1}, {0, 0}),
               "Row 1 .*index -1 for argument 0");
  EXPECT_DEATH(Add(&problem, {0}, {std::int64_t{1} << 40}),
               "Row 0 .*index 1099511627776 for argument 1");
}

TEST_F(ResidualBatchesDeathTest, RemovedParameterBlocksAreNamed) {
  Problem problem;
  problem.AddParameterArray(cameras_, kCameras, 2);
  const ParameterArray points = problem.AddParameterArray(points_, kPoints, 3);
  problem.RemoveParameterBlock(points[3]);
  const std::vector<std::int32_t> indices = {0, 3};
  EXPECT_DEATH(
      problem.AddResidualBatch(Batch(2), nullptr,
                               {cameras_, {points, indices}}),
      "Row 1 .*block 3 of an array for argument 1.*not in the problem");
  problem.AddParameterBlock(points[3], 2);
  EXPECT_DEATH(problem.AddResidualBatch(Batch(2), nullptr,
                                        {cameras_, {points, indices}}),
               "Row 1 .*size 2, the array with size 3");
}

TEST_F(ResidualBatchesDeathTest, ArgumentsThatDoNotFitAreNamed) {
  Problem problem;
  const ParameterArray points = problem.AddParameterArray(points_, kPoints, 3);
  const std::vector<std::int32_t> two = {0, 1};
  EXPECT_DEATH(problem.AddResidualBatch(Batch(2), nullptr, {{points, two}}),
               "number of arguments");
  EXPECT_DEATH(problem.AddResidualBatch(Batch(2), nullptr,
                                        {{points, two}, {points, two}}),
               "Argument 0");
  EXPECT_DEATH(
      problem.AddResidualBatch(Batch(3), nullptr, {cameras_, {points, two}}),
      "Argument 1 .*2 indices.*3 rows");
  const std::int32_t* const null = nullptr;
  EXPECT_DEATH(
      problem.AddResidualBatch(Batch(3), nullptr, {cameras_, {points, null}}),
      "Argument 1 .*no indices");
  EXPECT_DEATH(problem.AddResidualBatch(nullptr, nullptr, {}), "null");
  EXPECT_DEATH(
      problem.AddResidualBatch(
          std::make_unique<Numbers>(2, std::vector<std::int32_t>{3, 3}),
          nullptr, {{points, two}, {points, two}}),
      "Row 0 .*arguments 0 and 1");
}

TEST_F(ResidualBatchesDeathTest, CountsBeyond32BitsAreRefused) {
  Problem problem;
  const auto add = [&](std::int64_t num_rows, int num_residuals) {
    problem.AddResidualBatch(
        std::make_unique<Numbers>(num_rows, std::vector<std::int32_t>{2},
                                  num_residuals),
        nullptr, {cameras_});
  };
  EXPECT_DEATH(add((std::int64_t{1} << 31) + 1, 1),
               "2147483649 rows.*NumResidualBlocks");
  EXPECT_DEATH(add(std::int64_t{1} << 62, 1), "NumResidualBlocks");
  EXPECT_DEATH(add(std::int64_t{1} << 30, 2), "NumResiduals");
  add(1, 1);
  EXPECT_DEATH(add((std::int64_t{1} << 31) - 1, 0), "NumResidualBlocks");
  EXPECT_DEATH(problem.AddParameterArray(cameras_, std::int64_t{1} << 31, 1),
               "NumParameters");
  EXPECT_DEATH(problem.AddParameterArray(cameras_, -1, 1), "negative");
  EXPECT_DEATH(problem.AddParameterArray(cameras_, 1, 0), "positive");
  EXPECT_DEATH(problem.AddParameterArray(nullptr, 1, 1), "null");
  EXPECT_DEATH(add(-1, 1), "negative");
}

TEST_F(ResidualBatchesDeathTest, OtherBatchesAndRowsAreRefused) {
  Problem problem;
  const ResidualBatchId batch = Add(&problem, {0}, {0});
  EXPECT_DEATH(problem.SetRowActive(batch, 1, false), "Row 1 .*1 row\\.");
  EXPECT_DEATH(problem.IsRowActive(batch, -1), "Row -1");
  EXPECT_DEATH(problem.GetResidualBlockForRow(batch, 1), "Row 1");
  const ResidualBlockId row = problem.GetResidualBlockForRow(batch, 0);
  problem.RemoveResidualBlock(row);
  EXPECT_DEATH(problem.RemoveResidualBlock(row), "no residual block");
  problem.RemoveResidualBatch(batch);
  EXPECT_DEATH(problem.RemoveResidualBatch(batch), "no residual batch");
  EXPECT_DEATH(problem.RemoveResidualBlock(row), "no residual block");
  Problem other;
  const ResidualBatchId of_other = Add(&other, {0}, {0});
  EXPECT_DEATH(problem.GetResidualBatch(of_other), "no residual batch");
}

// Owned or not, each object is deleted once.
TEST_F(ResidualBatches, LossesAreDeletedOnce) {
  class CountedLoss : public LossFunction {
   public:
    explicit CountedLoss(int* count) : count_(*count) { ++count_; }
    ~CountedLoss() override { --count_; }
    void Evaluate(double s, double rho[3]) const override {
      rho[0] = s;
      rho[1] = 1.0;
      rho[2] = 0.0;
    }

   private:
    int& count_;
  };
  int num_losses = 0;
  {
    Problem problem;
    auto* const loss = new CountedLoss(&num_losses);
    const ResidualBatchId a = Add(&problem, {0, 1}, {0, 1}, loss);
    Add(&problem, {0, 1}, {1, 0}, loss);
    problem.RemoveResidualBatch(a);
    EXPECT_EQ(num_losses, 1);
    const ResidualBatchId c =
        Add(&problem, {0, 1}, {0, 1}, new CountedLoss(&num_losses));
    EXPECT_EQ(num_losses, 2);
    problem.RemoveResidualBlock(problem.GetResidualBlockForRow(c, 0));
    EXPECT_EQ(num_losses, 2);
    problem.RemoveResidualBlock(problem.GetResidualBlockForRow(c, 1));
    EXPECT_EQ(num_losses, 1);
    // Empty batches.
    Add(&problem, {}, {}, loss);
    Add(&problem, {}, {}, new CountedLoss(&num_losses));
    auto* const third = new CountedLoss(&num_losses);
    Add(&problem, {}, {}, third);
    problem.RemoveResidualBatch(Add(&problem, {0}, {0}, third));
    EXPECT_EQ(num_losses, 3);
  }
  EXPECT_EQ(num_losses, 0);
  EXPECT_EQ(num_alive_, 0);
}

}  // namespace
}  // namespace ceres::internal
