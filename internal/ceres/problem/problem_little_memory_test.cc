// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random edits of a problem. Before an edit succeeds, each of its allocations
// fails once: then the problem is as before, and owns nothing of what it was
// given. Its destructor needs no memory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "ceres/base/testing/failing_allocations.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/cost_function_batch.h"
#include "ceres/sized_cost_function.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using parallel::testing_internal::FailingAllocation;
using parallel::testing_internal::num_live_allocations;

class Sum : public SizedCostFunction<1, 2, 2> {
 public:
  bool Evaluate(double const* const* x, double* r, double** J) const override {
    r[0] = x[0][0] + x[1][1];
    for (int k = 0; k < 2 && J != nullptr; ++k) {
      if (J[k] == nullptr) continue;
      J[k][0] = k == 0 ? 1.0 : 0.0;
      J[k][1] = 1.0 - J[k][0];
    }
    return true;
  }
};

class Edits {
 public:
  explicit Edits(bool fast_removal, unsigned seed)
      : random_(seed), values_(2 * kNumBlocks) {
    Problem::Options options;
    options.enable_fast_removal = fast_removal;
    problem_.emplace(options);
  }

  void EditAtRandom() {
    switch (random_() % 10) {
      case 0:
        return AddMany();
      case 1:
        return RemoveResidualBlock();
      case 2:
        return RemoveParameterBlock();
      case 3:
        return SetManifold();
      case 4:
        return SetBounds();
      case 5:
        return AddBatch();
      case 6:
        return RemoveBatch();
      default:
        return AddOne();
    }
  }

  // As the end of a program that has run out of memory.
  void DestroyWithoutMemory() {
    const FailingAllocation failing(1, /*and_later=*/true);
    problem_.reset();
  }

  int num_failed() const { return num_failed_; }
  Problem& problem() { return *problem_; }

 private:
  static constexpr std::size_t kNumBlocks = 40;

  void Try(const std::function<void()>& edit) {
    const auto parameter_blocks = ParameterBlocks();
    const auto residual_blocks = ResidualBlocks();
    for (int n = 1;; ++n) {
      try {
        const FailingAllocation failing(n);
        return edit();
      } catch (const std::bad_alloc&) {
        ++num_failed_;
      }
      ASSERT_EQ(ParameterBlocks(), parameter_blocks);
      ASSERT_EQ(ResidualBlocks(), residual_blocks);
      ASSERT_EQ(static_cast<std::size_t>(problem_->NumResiduals()),
                residual_blocks.size());
      ASSERT_EQ(static_cast<std::size_t>(problem_->NumParameters()),
                2 * parameter_blocks.size());
    }
  }

  double* RandomBlock() { return &values_[2 * (random_() % kNumBlocks)]; }
  std::vector<double*> ParameterBlocks() {
    std::vector<double*> blocks;
    problem_->GetParameterBlocks(&blocks);
    return blocks;
  }
  std::vector<ResidualBlockId> ResidualBlocks() {
    std::vector<ResidualBlockId> blocks;
    problem_->GetResidualBlocks(&blocks);
    return blocks;
  }

  void AddOne() {
    auto cost = std::make_unique<Sum>();
    std::unique_ptr<LossFunction> loss;
    if (random_() % 2 == 0) loss = std::make_unique<HuberLoss>(1.0);
    double* const first = RandomBlock();
    double* const second = first == values_.data() ? first + 2 : values_.data();
    Try([&] {
      problem_->AddResidualBlock(cost.get(), loss.get(), first, second);
    });
    cost.release();
    loss.release();
  }

  // They share one cost function.
  void AddMany() {
    auto cost = std::make_unique<Sum>();
    const std::vector<CostFunction*> costs(5, cost.get());
    std::vector<double*> blocks;
    for (std::size_t k = 0; k < costs.size(); ++k) {
      blocks.push_back(&values_[4 * (random_() % (kNumBlocks / 2))]);
      blocks.push_back(blocks.back() + 2);
    }
    Try([&] { problem_->AddResidualBlocks(costs, nullptr, blocks); });
    cost.release();
  }

  void AddBatch() {
    constexpr int kCount = 6;
    double* const first = &values_[2 * (random_() % (kNumBlocks - kCount))];
    Try([&] { problem_->AddParameterArray(first, kCount, 2); });
    const ParameterArray array(first, kCount, 2);
    const std::vector<std::int32_t> even = {0, 2, 4, 2};
    const std::vector<std::int64_t> odd = {1, 5, 3, 3};
    std::unique_ptr<LossFunction> loss;
    if (random_() % 2 == 0) loss = std::make_unique<HuberLoss>(1.0);
    Try([&] {
      CostFunctionBatch::Functions functions;
      for (std::size_t i = 0; i < even.size(); ++i) {
        functions.push_back(std::make_unique<Sum>());
      }
      batches_.reserve(batches_.size() + 1);
      batches_.push_back(problem_->AddResidualBatch(
          std::make_unique<CostFunctionBatch>(
              1, std::vector<std::int32_t>{2, 2}, std::move(functions)),
          loss.get(), {{array, even}, {array, odd}}));
    });
    loss.release();
  }

  void RemoveBatch() {
    if (batches_.empty()) return;
    const std::size_t i = random_() % batches_.size();
    Try([&] { problem_->RemoveResidualBatch(batches_[i]); });
    batches_.erase(batches_.begin() + i);
  }

  void RemoveResidualBlock() {
    const auto blocks = ResidualBlocks();
    if (blocks.empty()) return;
    ResidualBlockId const block = blocks[random_() % blocks.size()];
    Try([&] { problem_->RemoveResidualBlock(block); });
  }

  void RemoveParameterBlock() {
    const auto blocks = ParameterBlocks();
    if (blocks.empty()) return;
    double* const block = blocks[random_() % blocks.size()];
    Try([&] { problem_->RemoveParameterBlock(block); });
  }

  void SetManifold() {
    const auto blocks = ParameterBlocks();
    if (blocks.empty()) return;
    double* const block = blocks[random_() % blocks.size()];
    auto manifold = std::make_unique<SubsetManifold>(2, std::vector<int>{0});
    Try([&] { problem_->SetManifold(block, manifold.get()); });
    EXPECT_EQ(problem_->GetManifold(block), manifold.get());
    manifold.release();
  }

  void SetBounds() {
    const auto blocks = ParameterBlocks();
    if (blocks.empty()) return;
    double* const block = blocks[random_() % blocks.size()];
    Try([&] { problem_->SetParameterUpperBound(block, 1, 3.0); });
    EXPECT_EQ(problem_->GetParameterUpperBound(block, 1), 3.0);
  }

  std::mt19937 random_;
  std::vector<double> values_;
  std::optional<Problem> problem_;
  std::vector<ResidualBatchId> batches_;
  int num_failed_ = 0;
};

class ProblemLittleMemory : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(FastRemoval, ProblemLittleMemory, ::testing::Bool());

TEST_P(ProblemLittleMemory, AFailedEditChangesNothing) {
  int num_failed = 0;
  // What the process makes once is made for seed 0.
  for (unsigned seed = 0; seed <= 20; ++seed) {
    const std::int64_t live = num_live_allocations;
    {
      Edits edits(GetParam(), seed);
      for (int k = 0; k < 400 && !HasFatalFailure(); ++k) edits.EditAtRandom();
      num_failed += edits.num_failed();
      edits.DestroyWithoutMemory();
    }
    if (seed > 0) {
      ASSERT_EQ(num_live_allocations, live) << "seed " << seed;
    }
  }
  EXPECT_GT(num_failed, 2000);
}

// More than the lists on the stack hold.
TEST_P(ProblemLittleMemory, ManyBlocksAreDestroyedWithoutMemory) {
  const std::int64_t live = num_live_allocations;
  {
    std::vector<double> values(4);
    Problem::Options options;
    options.enable_fast_removal = GetParam();
    std::optional<Problem> problem(options);
    auto* const shared_cost = new Sum;
    auto* const shared_loss = new CauchyLoss(1.0);
    for (int k = 0; k < 1000; ++k) {
      problem->AddResidualBlock(
          k % 3 == 0 ? shared_cost : new Sum,
          k % 2 == 0 ? nullptr
                     : (k % 5 == 0 ? static_cast<LossFunction*>(shared_loss)
                                   : new HuberLoss(1.0)),
          &values[0], &values[2]);
    }
    const FailingAllocation failing(1, /*and_later=*/true);
    problem.reset();
  }
  EXPECT_EQ(num_live_allocations, live);
}

}  // namespace
}  // namespace ceres::internal
