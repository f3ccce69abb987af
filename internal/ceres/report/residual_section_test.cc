// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/residual_section.h"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/residual_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

struct Distance {
  explicit Distance(double target) : target(target) {}
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] - target;
    return true;
  }
  double target;
};
struct Prior : Distance {
  using Distance::Distance;
};

template <typename Functor>
CostFunction* Create(double target) {
  return new AutoDiffCostFunction<Functor, 1, 1>(new Functor(target));
}

class ResidualSectionTest : public testing::Test {
 protected:
  ResidualSection Collect(const ReportNames& names = {}) {
    const ProblemScan before = ScanProblem(&problem_, ScanContents::kResiduals);
    x_ = 1.0;
    return CollectResiduals(before,
                            ScanProblem(&problem_, ScanContents::kResiduals),
                            names, &problem_);
  }

  double x_ = 0.0;
  Problem problem_;
};

TEST_F(ResidualSectionTest, KindsAreTypesMostBlocksFirst) {
  problem_.AddResidualBlock(Create<Prior>(5.0), nullptr, &x_);
  for (int i = 0; i < 3; ++i) {
    problem_.AddResidualBlock(Create<Distance>(10.0 * i), nullptr, &x_);
  }
  const ResidualSection section = Collect();
  ASSERT_EQ(section.kinds.size(), 2);
  EXPECT_EQ(section.kinds[0].name, "internal::Distance");
  EXPECT_EQ(section.kinds[0].num_blocks, 3);
  EXPECT_EQ(section.kinds[1].name, "internal::Prior");
  // Targets 0, 10, 20, at x = 0 and x = 1.
  EXPECT_EQ(section.kinds[0].before.max, 20.0);
  EXPECT_EQ(section.kinds[0].after.max, 19.0);
  EXPECT_EQ(section.kinds[0].after.median, 9.0);
  EXPECT_DOUBLE_EQ(section.cost, 0.5 * (1.0 + 81.0 + 361.0 + 16.0));
}

class Distances : public ResidualBatch {
 public:
  Distances() : ResidualBatch(4, 1, {1}) {}
  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    for (int i = 0; i < rows.count; ++i) {
      output.residuals[i * output.stride] = rows.parameters[i][0];
      if (output.jacobians != nullptr && output.jacobians[0] != nullptr) {
        output.jacobians[0][i * output.stride] = 1.0;
      }
    }
    return rows.count;
  }
};

TEST_F(ResidualSectionTest, RowsOfABatchHaveItsType) {
  problem_.AddResidualBlock(Create<Prior>(5.0), nullptr, &x_);
  problem_.AddResidualBatch(std::make_unique<Distances>(), nullptr, {&x_});
  const ResidualSection section = Collect();
  ASSERT_EQ(section.kinds.size(), 2);
  EXPECT_EQ(section.kinds[0].name, "internal::Distances");
}

TEST_F(ResidualSectionTest, HistogramCountsEveryBlock) {
  for (int i = 0; i < 40; ++i) {
    problem_.AddResidualBlock(Create<Distance>(1.0 + i * i), nullptr, &x_);
  }
  const ResidualKind kind = Collect().kinds.at(0);
  for (const NormStatistics* statistics : {&kind.before, &kind.after}) {
    EXPECT_EQ(std::accumulate(statistics->counts.begin(),
                              statistics->counts.end(), 0),
              40);
  }
  // Norm 0 is in the first bin, the largest, 1521, in the last decade.
  EXPECT_EQ(kind.first_exponent, 0);
  EXPECT_GE(kind.after.counts.front(), 1);
  EXPECT_EQ(static_cast<int>(kind.after.counts.size()),
            4 * kind.bins_per_decade);
}

TEST_F(ResidualSectionTest, AllZeroResidualsHaveAHistogram) {
  problem_.AddResidualBlock(Create<Distance>(1.0), nullptr, &x_);
  x_ = 1.0;
  const ResidualKind kind = Collect().kinds.at(0);
  EXPECT_EQ(kind.after.max, 0.0);
  EXPECT_EQ(
      std::accumulate(kind.after.counts.begin(), kind.after.counts.end(), 0),
      1);
}

TEST_F(ResidualSectionTest, TagsOfTheUserAreKinds) {
  std::vector<ResidualBlockId> ids;
  for (int i = 0; i < 30; ++i) {
    ids.push_back(problem_.AddResidualBlock(Create<Distance>(i), nullptr, &x_));
  }
  ReportNames names;
  names.residual_block = [&](ResidualBlockId id) {
    return id == ids[0] || id == ids[1]
               ? std::string("first")
               : "tag " + std::to_string(reinterpret_cast<std::uintptr_t>(id));
  };
  const ResidualSection section = Collect(names);
  ASSERT_EQ(section.kinds.size(), kMaxReportKinds);
  EXPECT_EQ(section.kinds.front().name, "first");
  EXPECT_EQ(section.kinds.back().name, "18 other kinds");
  EXPECT_EQ(section.kinds.back().num_blocks, 18);
}

TEST_F(ResidualSectionTest, WorstBlocksAreSortedAndNamed) {
  double y = 0.0;
  for (int i = 0; i < 60; ++i) {
    problem_.AddResidualBlock(Create<Distance>(i), nullptr,
                              i % 2 == 0 ? &x_ : &y);
  }
  ReportNames names;
  names.parameter_block = [&](const double* block) {
    return block == &x_ ? "x" : "";
  };
  const ResidualSection section = Collect(names);
  ASSERT_EQ(section.worst.size(), kNumWorstBlocks);
  EXPECT_EQ(section.worst[0].index, 59);
  EXPECT_EQ(section.worst[0].norm, 59.0);
  EXPECT_THAT(section.worst[0].parameter_blocks, ElementsAre("block 1"));
  EXPECT_EQ(section.worst[1].norm, 57.0);
  EXPECT_EQ(section.worst[1].norm_before, 57.0);
  EXPECT_EQ(section.worst[2].index, 58);
  EXPECT_EQ(section.worst[2].norm_before, 58.0);
  EXPECT_THAT(section.worst[2].parameter_blocks, ElementsAre("x"));
}

TEST_F(ResidualSectionTest, CountsWhatALossDownWeighted) {
  auto* loss = new HuberLoss(1.0);
  // Norms at x = 1: 0, 1, 3, 100. Weights: 1, 1, 1/3, 1/100.
  for (const double target : {1.0, 2.0, 4.0, 101.0}) {
    problem_.AddResidualBlock(Create<Distance>(target), loss, &x_);
  }
  problem_.AddResidualBlock(Create<Distance>(0.0), nullptr, &x_);
  const ResidualKind kind = Collect().kinds.at(0);
  ASSERT_EQ(kind.losses.size(), 1);
  const LossStatistics& statistics = kind.losses[0];
  EXPECT_EQ(statistics.name, "HuberLoss");
  EXPECT_EQ(statistics.num_blocks, 4);
  EXPECT_EQ(statistics.num_below_half, 2);
  EXPECT_EQ(statistics.num_below_tenth, 1);
  EXPECT_DOUBLE_EQ(statistics.cost_without_loss, 0.5 * (1.0 + 9.0 + 10000.0));
  EXPECT_DOUBLE_EQ(statistics.cost, 0.5 * (1.0 + 5.0 + 199.0));
  EXPECT_EQ(statistics.weight_counts.back(), 2);
}

TEST_F(ResidualSectionTest, ScaleOfALossIsNoDownWeighting) {
  auto* loss = new ScaledLoss(new HuberLoss(1.0), 0.01, TAKE_OWNERSHIP);
  // Norms at x = 1: 1, 3. Weights relative to those of norm 0: 1, 1/3.
  for (const double target : {2.0, 4.0}) {
    problem_.AddResidualBlock(Create<Distance>(target), loss, &x_);
  }
  const LossStatistics statistics = Collect().kinds.at(0).losses.at(0);
  EXPECT_EQ(statistics.num_below_half, 1);
  EXPECT_EQ(statistics.num_below_tenth, 0);
  EXPECT_DOUBLE_EQ(statistics.cost_without_loss, 0.005 * (1.0 + 9.0));
  EXPECT_DOUBLE_EQ(statistics.cost, 0.005 * (1.0 + 5.0));
  EXPECT_EQ(statistics.weight_counts.back(), 1);
}

struct Sum {
  template <typename T>
  bool operator()(const T* const* x, T* residual) const {
    residual[0] = x[0][0] + 1.0;
    return true;
  }
};

TEST_F(ResidualSectionTest, WorstBlockNamesAFewOfManyParameterBlocks) {
  std::vector<double> values(kMaxWorstNames + 30, 0.0);
  std::vector<double*> blocks;
  auto* cost = new DynamicAutoDiffCostFunction<Sum>(new Sum);
  cost->SetNumResiduals(1);
  for (double& value : values) {
    cost->AddParameterBlock(1);
    blocks.push_back(&value);
  }
  problem_.AddResidualBlock(cost, nullptr, blocks);
  const std::vector<std::string> names = Collect().worst.at(0).parameter_blocks;
  ASSERT_EQ(names.size(), kMaxWorstNames + 1);
  EXPECT_EQ(names.front(), "block 0");
  EXPECT_EQ(names.back(), "30 more");
}

TEST_F(ResidualSectionTest, LeavesOutAStartThatDoesNotFit) {
  problem_.AddResidualBlock(Create<Distance>(1.0), nullptr, &x_);
  const ProblemScan after = ScanProblem(&problem_, ScanContents::kResiduals);
  const ResidualSection section =
      CollectResiduals(ProblemScan(), after, {}, &problem_);
  EXPECT_FALSE(section.kinds.at(0).has_before);
}

}  // namespace
}  // namespace ceres::internal
