// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Each rule has a problem that triggers it, and a similar one that does not.

#include "ceres/report/advice.h"

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/dynamic_autodiff_cost_function.h"
#include "ceres/loss_function.h"
#include "ceres/report/diagnosis_section.h"
#include "ceres/report/structure_section.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// sum of factor_k x_k - target.
struct WeightedSum {
  WeightedSum(std::vector<double> factors, double target)
      : factors(std::move(factors)), target(target) {}
  template <typename T>
  bool operator()(const T* const* x, T* residual) const {
    residual[0] = T(-target);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      residual[0] += factors[k] * x[k][0];
    }
    return true;
  }
  std::vector<double> factors;
  double target;
};

class AdviceTest : public testing::Test {
 protected:
  void Add(std::vector<double> factors, double target,
           std::vector<double*> blocks, LossFunction* loss = nullptr) {
    auto* cost = new DynamicAutoDiffCostFunction<WeightedSum>(
        new WeightedSum(std::move(factors), target));
    for (std::size_t k = 0; k < blocks.size(); ++k) cost->AddParameterBlock(1);
    cost->SetNumResiduals(1);
    problem_.AddResidualBlock(cost, loss, blocks);
  }

  // The summary of a solve of 10 ms that converged after 10 good iterations.
  AdviceTest() {
    summary_.termination_type = CONVERGENCE;
    summary_.num_threads_used = 2;
    summary_.total_time_in_seconds = 0.01;
    summary_.minimizer_time_in_seconds = 0.01;
    summary_.linear_solver_time_in_seconds = 0.005;
    summary_.iterations.resize(11);
    for (IterationSummary& iteration : summary_.iterations) {
      iteration.step_is_successful = true;
      iteration.cost = 1.0;
      iteration.cost_change = 1e-9;
    }
    time_.num_cpus = 4;
  }

  std::vector<Advice> Collect() {
    ProblemScan scan =
        ScanProblem(&problem_, ScanContents::kResidualsAndJacobians);
    scan.seconds = evaluation_seconds_;
    scan.longest_seconds = longest_evaluation_seconds_;
    const StructureSection structure =
        CollectStructure(options_, summary_, &problem_);
    const ReportNames names;
    ResidualSection residuals = CollectResiduals(scan, scan, names, &problem_);
    const DiagnosisSection diagnosis =
        CollectDiagnosis({}, 1, &problem_, &residuals);
    return CollectAdvice({options_, summary_, scan, structure, time_, residuals,
                          diagnosis, names, &problem_});
  }
  // The advice of the rule, or null.
  std::unique_ptr<Advice> Find(const std::string& rule) {
    for (Advice& advice : Collect()) {
      if (advice.rule == rule) return std::make_unique<Advice>(advice);
    }
    return nullptr;
  }
  bool Has(const std::string& rule) { return Find(rule) != nullptr; }

  Solver::Options options_;
  Solver::Summary summary_;
  TimeSection time_;
  double evaluation_seconds_ = 1.0;
  double longest_evaluation_seconds_ = 1e-3;
  std::vector<double> x_ = std::vector<double>(1000, 0.0);
  Problem problem_;
};

TEST_F(AdviceTest, GoodSolveGetsNone) {
  for (int i = 0; i < 30; ++i) Add({1.0}, 1.0, {&x_[i]});
  summary_.linear_solver_type_used = DENSE_SCHUR;
  EXPECT_TRUE(Collect().empty());
}

TEST_F(AdviceTest, NotConverged) {
  Add({1.0}, 1.0, {&x_[0]});
  summary_.termination_type = NO_CONVERGENCE;
  summary_.iterations.back().cost_change = 9.0;
  const auto advice = Find("not_converged");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence,
            "The last of 10 steps reduced the cost by 0.9 of its value.");
  EXPECT_NE(advice->action.find("max_num_iterations"), std::string::npos);
  options_.function_tolerance = 0.95;
  EXPECT_FALSE(Has("not_converged"));
  options_.function_tolerance = 1e-16;
  summary_.iterations.back().cost_change = 1e-9;
  EXPECT_FALSE(Has("not_converged"));
}

TEST_F(AdviceTest, RejectedSteps) {
  Add({1.0}, 1.0, {&x_[0]});
  for (int i = 1; i <= 5; ++i) {
    summary_.iterations[i].step_is_successful = false;
    summary_.iterations[i].cost_change = -1.0;
  }
  EXPECT_TRUE(Has("rejected_steps"));
  // At the solution: changes of the size of rounding.
  for (int i = 1; i <= 5; ++i) summary_.iterations[i].cost_change = -1e-12;
  EXPECT_FALSE(Has("rejected_steps"));
}

// Points of one coordinate, each seen by all of a few cameras.
class StructureAdviceTest : public AdviceTest {
 protected:
  void AddScene(int num_cameras, int num_points) {
    for (int p = 0; p < num_points; ++p) {
      for (int c = 0; c < num_cameras; ++c) {
        Add({1.0 + c, 2.0 + p}, 1.0, {&x_[c], &x_[num_cameras + p]});
      }
    }
  }
};

TEST_F(StructureAdviceTest, SchurSolverForBundleAdjustment) {
  AddScene(3, 400);
  summary_.linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
  const auto advice = Find("linear_solver");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->title,
            "SPARSE_SCHUR suits this problem better than "
            "SPARSE_NORMAL_CHOLESKY");
  EXPECT_EQ(advice->evidence,
            "No two of 400 parameter blocks, of 403, share a residual block. "
            "Without them 3 of 403 columns are left. The linear solver takes "
            "50 % of the time.");
  summary_.linear_solver_type_used = DENSE_SCHUR;
  EXPECT_FALSE(Has("linear_solver"));
}

TEST_F(StructureAdviceTest, NoAdviceIfTheLinearSolverTakesLittleTime) {
  AddScene(3, 400);
  summary_.linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
  summary_.linear_solver_time_in_seconds = 0.001;
  EXPECT_FALSE(Has("linear_solver"));
}

TEST_F(StructureAdviceTest, SparseSolverForAChain) {
  for (int i = 0; i < 600; ++i) Add({1.0, -2.0}, 1.0, {&x_[i], &x_[i + 1]});
  summary_.linear_solver_type_used = DENSE_QR;
  const auto advice = Find("linear_solver");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->action,
            "Set Solver::Options::linear_solver_type to "
            "SPARSE_NORMAL_CHOLESKY.");
  summary_.linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
  EXPECT_FALSE(Has("linear_solver"));
}

TEST_F(StructureAdviceTest, DenseQrForFewParameters) {
  for (int i = 0; i < 10; ++i) Add({1.0, 1.0 + i}, 1.0, {&x_[0], &x_[1]});
  summary_.linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
  const auto advice = Find("linear_solver");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->title,
            "DENSE_QR suits this problem better than SPARSE_NORMAL_CHOLESKY");
  summary_.linear_solver_type_used = DENSE_QR;
  EXPECT_FALSE(Has("linear_solver"));
  // Too many columns for the narrow QR factorization.
  for (int i = 2; i < 12; ++i) Add({1.0, 1.0 + i}, 1.0, {&x_[i - 1], &x_[i]});
  summary_.linear_solver_type_used = SPARSE_NORMAL_CHOLESKY;
  EXPECT_FALSE(Has("linear_solver"));
}

TEST_F(AdviceTest, SparseSchurForALargeSparseReducedMatrix) {
  StructureSection structure;
  structure.num_columns = 100000;
  structure.normal_density = 1e-4;
  structure.num_remaining_columns = 6000;
  structure.schur_density = 0.05;
  summary_.linear_solver_type_used = DENSE_SCHUR;
  const ProblemScan scan;
  const AdviceInput input = {options_, summary_, scan, structure, time_,
                             {},       {},       {},   &problem_};
  const std::vector<Advice> advice = CollectAdvice(input);
  ASSERT_EQ(advice.size(), 1);
  EXPECT_EQ(advice[0].title,
            "SPARSE_SCHUR suits this problem better than DENSE_SCHUR");
  structure.schur_density = 0.9;
  EXPECT_TRUE(CollectAdvice(input).empty());
  structure.schur_density = 0.0;  // S has too many entries to count them.
  EXPECT_TRUE(CollectAdvice(input).empty());
}

TEST_F(AdviceTest, LinearIterations) {
  Add({1.0}, 1.0, {&x_[0]});
  summary_.linear_solver_type_used = CGNR;
  for (IterationSummary& iteration : summary_.iterations) {
    iteration.linear_solver_iterations = 200;
  }
  EXPECT_TRUE(Has("linear_iterations"));
  for (IterationSummary& iteration : summary_.iterations) {
    iteration.linear_solver_iterations = 20;
  }
  EXPECT_FALSE(Has("linear_iterations"));
}

class FewThreadsTest : public AdviceTest {
 protected:
  FewThreadsTest() {
    Add({1.0}, 1.0, {&x_[0]});
    summary_.num_threads_used = 1;
    summary_.minimizer_time_in_seconds = 1.0;
    summary_.residual_evaluation_time_in_seconds = 0.3;
    summary_.jacobian_evaluation_time_in_seconds = 0.5;
    summary_.linear_solver_time_in_seconds = 1e-3;
  }
};

TEST_F(FewThreadsTest, ManyBlocksAreShared) {
  const auto advice = Find("few_threads");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence,
            "One of 4 cpus was used, and an iteration takes 100.0 ms. Threads "
            "can save up to 60 % of it.");
  EXPECT_NE(advice->action.find("num_threads to 4."), std::string::npos);
  summary_.minimizer_time_in_seconds = 1e-3;
  EXPECT_FALSE(Has("few_threads"));
  summary_.minimizer_time_in_seconds = 1.0;
  time_.num_cpus = 1;
  EXPECT_FALSE(Has("few_threads"));
}

TEST_F(FewThreadsTest, ABlockIsNotShared) {
  longest_evaluation_seconds_ = evaluation_seconds_;
  EXPECT_FALSE(Has("few_threads"));
  // Among a thousand cheap ones.
  longest_evaluation_seconds_ = 0.95 * evaluation_seconds_;
  EXPECT_FALSE(Has("few_threads"));
  // Two of the same cost.
  longest_evaluation_seconds_ = 0.5 * evaluation_seconds_;
  const auto advice = Find("few_threads");
  ASSERT_NE(advice, nullptr);
  EXPECT_NE(advice->action.find("num_threads to 2."), std::string::npos);
}

TEST_F(FewThreadsTest, ALongLinearSolveIsShared) {
  longest_evaluation_seconds_ = evaluation_seconds_;
  summary_.linear_solver_time_in_seconds = 0.4;
  EXPECT_TRUE(Has("few_threads"));
}

TEST_F(FewThreadsTest, WhatEvaluatesAndSolvesLittleIsNotShared) {
  // For example callbacks that take most of the time.
  summary_.residual_evaluation_time_in_seconds = 0.1;
  summary_.jacobian_evaluation_time_in_seconds = 0.1;
  EXPECT_FALSE(Has("few_threads"));
}

TEST_F(AdviceTest, LittleWork) {
  Add({1.0}, 1.0, {&x_[0]});
  summary_.minimizer_time_in_seconds = 1e-4;
  EXPECT_TRUE(Has("little_work"));
  summary_.num_threads_used = 1;
  EXPECT_FALSE(Has("little_work"));
  summary_.num_threads_used = 2;
  summary_.minimizer_time_in_seconds = 1e-2;
  EXPECT_FALSE(Has("little_work"));
}

TEST_F(AdviceTest, Scaling) {
  Add({1e-5}, 1.0, {&x_[0]});
  Add({1e4}, 1.0, {&x_[1]});
  const auto advice = Find("scaling");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->level, AdviceLevel::kWarning);
  EXPECT_EQ(advice->evidence,
            "Columns of the Jacobian have norms from 1.0e-05 (block 0, "
            "coordinate 0) to 1.0e+04 (block 1, coordinate 0), a factor of "
            "1e+09.");
  // A third block that links both: the columns then have similar norms.
  Add({1e4, 1e4}, 1.0, {&x_[0], &x_[2]});
  EXPECT_FALSE(Has("scaling"));
}

TEST_F(AdviceTest, Bounds) {
  Add({1.0}, 1.0, {&x_[0]});
  Add({1.0}, 1.0, {&x_[1]});
  problem_.SetParameterUpperBound(&x_[1], 0, 0.0);
  const auto advice = Find("bounds");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence, "1 coordinate of 1 parameter block: block 1.");
  problem_.SetParameterUpperBound(&x_[1], 0, 0.5);
  EXPECT_FALSE(Has("bounds"));
}

TEST_F(AdviceTest, SmallValueNearABoundOfZeroIsInside) {
  Add({1.0}, 1.0, {&x_[0]});
  x_[0] = 1e-13;
  problem_.SetParameterLowerBound(&x_[0], 0, 0.0);
  EXPECT_FALSE(Has("bounds"));
}

TEST_F(AdviceTest, DominatingBlocks) {
  for (int i = 0; i < 30; ++i) Add({1.0}, 1.0, {&x_[i]});
  EXPECT_FALSE(Has("dominating_blocks"));
  Add({1.0}, 100.0, {&x_[30]});
  const auto advice = Find("dominating_blocks");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence,
            "1 of 31 residual blocks has 100 % of the cost. The largest is "
            "residual block 30 with 100 %.");
  EXPECT_NE(advice->action.find("LossFunction"), std::string::npos);
}

TEST_F(AdviceTest, RoundingOfAnExactFitDominatesNothing) {
  for (int i = 0; i < 30; ++i) Add({1.0}, 0.0, {&x_[i]});
  Add({1.0}, 1e-9, {&x_[30]});
  summary_.initial_cost = 1.0;
  EXPECT_FALSE(Has("dominating_blocks"));
}

struct ManyDistances {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    for (int i = 0; i < 100; ++i) residuals[i] = x[0] - distance;
    return true;
  }
  double distance = 1.0;
};

TEST_F(AdviceTest, BlockWithMostResidualsDoesNotDominate) {
  for (int i = 0; i < 30; ++i) Add({1.0}, 1.0, {&x_[i]});
  problem_.AddResidualBlock(
      new AutoDiffCostFunction<ManyDistances, 100, 1>(new ManyDistances),
      nullptr, &x_[30]);
  EXPECT_FALSE(Has("dominating_blocks"));
}

TEST_F(AdviceTest, Rank) {
  // Differences only: all may move together.
  for (int i = 0; i < 5; ++i) Add({1.0, -1.0}, 1.0, {&x_[i], &x_[i + 1]});
  const auto advice = Find("rank");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence, "The Jacobian has rank 5 for 6 columns.");
  problem_.SetParameterBlockConstant(&x_[0]);
  EXPECT_FALSE(Has("rank"));
}

TEST_F(AdviceTest, FewerResidualsThanParametersIsARankDeficiency) {
  Add({1.0, 2.0, 3.0}, 1.0, {&x_[0], &x_[1], &x_[2]});
  EXPECT_TRUE(Has("rank"));
}

TEST_F(AdviceTest, UnusedParameters) {
  Add({1.0, 0.0}, 1.0, {&x_[0], &x_[1]});
  const auto advice = Find("unused_parameters");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence,
            "The Jacobian has columns of zeros for 1 parameter block: block "
            "1.");
  // The zero column is named once.
  EXPECT_FALSE(Has("rank"));
  problem_.SetParameterBlockConstant(&x_[1]);
  EXPECT_FALSE(Has("unused_parameters"));
}

TEST_F(AdviceTest, BlocksOfWeightZeroAreNoUnusedParameters) {
  x_[0] = x_[1] = 0.0;
  Add({1.0}, 100.0, {&x_[0]}, new TukeyLoss(1.0));
  Add({1.0}, 0.5, {&x_[1]}, new TukeyLoss(1.0));
  const auto advice = Find("beyond_losses");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->evidence,
            "Residual blocks with weight 0: 1 of 2. No others depend on 1 "
            "parameter block: block 0.");
  EXPECT_FALSE(Has("unused_parameters"));
  // Another measurement of the parameter counts.
  Add({1.0}, 0.0, {&x_[0]});
  EXPECT_FALSE(Has("beyond_losses"));
}

TEST_F(AdviceTest, ResidualsThatAreNotFiniteGiveNoAdviceOnWeights) {
  Add({std::nan("")}, 1.0, {&x_[0]}, new TukeyLoss(1.0));
  EXPECT_FALSE(Has("beyond_losses"));
  EXPECT_FALSE(Has("unused_parameters"));
}

TEST_F(AdviceTest, TheBlockThatIsNotANumberIsNamed) {
  for (int i = 0; i < 3; ++i) Add({1.0, 2.0}, 1.0, {&x_[i], &x_[i + 1]});
  Add({1.0, std::nan("")}, 1.0, {&x_[3], &x_[1]});
  Add({std::nan("")}, 1.0, {&x_[2]});
  const auto advice = Find("not_evaluable");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->level, AdviceLevel::kWarning);
  EXPECT_NE(advice->evidence.find("Residual block 3 cannot be evaluated: "
                                  "residual 0 is "),
            std::string::npos)
      << advice->evidence;
  EXPECT_NE(advice->evidence.find("depends on block 1, block 3."),
            std::string::npos)
      << advice->evidence;
}

TEST_F(AdviceTest, LargeResiduals) {
  for (int i = 0; i < 30; ++i) Add({1.0}, 20.0 + i % 3, {&x_[0]});
  const auto advice = Find("large_residuals");
  ASSERT_NE(advice, nullptr);
  EXPECT_EQ(advice->level, AdviceLevel::kWarning);
  EXPECT_NE(advice->evidence.find("have residuals of 21 or more"),
            std::string::npos)
      << advice->evidence;
  // Not at a solution.
  summary_.termination_type = NO_CONVERGENCE;
  EXPECT_FALSE(Has("large_residuals"));
}

TEST_F(AdviceTest, OutliersAreNotMostResiduals) {
  for (int i = 0; i < 30; ++i) Add({1.0}, i % 3 == 0 ? 1e3 : 2.0, {&x_[0]});
  EXPECT_FALSE(Has("large_residuals"));
}

TEST_F(AdviceTest, ManyResidualsInABlockAreNotLargeResiduals) {
  // The norm of a block is 40, each of its residuals is 4.
  for (int i = 0; i < 10; ++i) {
    problem_.AddResidualBlock(
        new AutoDiffCostFunction<ManyDistances, 100, 1>(new ManyDistances{4.0}),
        nullptr, &x_[0]);
  }
  EXPECT_FALSE(Has("large_residuals"));
}

TEST_F(AdviceTest, WarningsComeFirst) {
  summary_.num_threads_used = 1;
  summary_.minimizer_time_in_seconds = 1.0;
  summary_.jacobian_evaluation_time_in_seconds = 0.9;
  for (int i = 0; i < 5; ++i) Add({1.0, -1.0}, 1.0, {&x_[i], &x_[i + 1]});
  const std::vector<Advice> advice = Collect();
  ASSERT_GE(advice.size(), 2);
  EXPECT_EQ(advice.front().level, AdviceLevel::kWarning);
  EXPECT_EQ(advice.back().level, AdviceLevel::kHint);
}

}  // namespace
}  // namespace ceres::internal
